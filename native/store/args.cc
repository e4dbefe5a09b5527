#include "store/args.h"

#include <cstring>

#include "base/hash.h"
#include "base/release.h"

namespace emberline {
namespace {

void PutVarint(std::vector<uint8_t>& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<uint8_t>(value));
}

uint64_t GetVarint(const uint8_t*& p) {
  uint64_t value = *p & 0x7f;
  for (int shift = 7; *p++ & 0x80; shift += 7) value |= static_cast<uint64_t>(*p & 0x7f) << shift;
  return value;
}

uint64_t ZigZag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
int64_t UnZigZag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

void SkipValue(const uint8_t*& p, ArgType type) {
  switch (type) {
    case ArgType::kNull:
    case ArgType::kFalse:
    case ArgType::kTrue:
      return;
    case ArgType::kDouble:
      p += sizeof(double);
      return;
    case ArgType::kInt:
    case ArgType::kText:
    case ArgType::kJson:
      while (*p++ & 0x80) {
      }
      return;
  }
}

ArgValue GetValue(const uint8_t*& p, ArgType type) {
  switch (type) {
    case ArgType::kNull:
      return {};
    case ArgType::kFalse:
      return {false};
    case ArgType::kTrue:
      return {true};
    case ArgType::kInt:
      return {UnZigZag(GetVarint(p))};
    case ArgType::kDouble: {
      double real;
      std::memcpy(&real, p, sizeof(real));
      p += sizeof(real);
      return {real};
    }
    case ArgType::kText:
      return {ArgValue::Text{static_cast<StringId>(GetVarint(p))}};
    case ArgType::kJson:
      return {ArgValue::Json{static_cast<StringId>(GetVarint(p))}};
  }
  return {};
}

}  // namespace

uint32_t ArgTable::LayoutOf(const ArgItem* items, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; ++i) {
    hash = HashPair(uint64_t{items[i].key} << 3 | static_cast<uint64_t>(items[i].type), hash);
  }
  if (layouts_.size() * 2 >= table_.size()) {
    // Freeze() may have dropped the table of many layouts.
    size_t slots = 256;
    while (slots <= layouts_.size() * 2) slots *= 2;
    table_.assign(slots, kNone);
    for (uint32_t id = 0; id < layouts_.size(); ++id) {
      size_t slot = layouts_[id].hash & (table_.size() - 1);
      while (table_[slot] != kNone) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = id;
    }
  }
  size_t slot = hash & (table_.size() - 1);
  for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
    const Layout& layout = layouts_[table_[slot]];
    if (layout.hash != hash || layout.count != count) continue;
    const std::span<const Field> fields = FieldsOf(table_[slot]);
    bool same = true;
    for (size_t i = 0; i < count && same; ++i) {
      same = fields[i] == Field{items[i].key, items[i].type};
    }
    if (same) return table_[slot];
  }
  const uint32_t id = static_cast<uint32_t>(layouts_.size());
  table_[slot] = id;
  layouts_.push_back({hash, static_cast<uint32_t>(fields_.size()), static_cast<uint32_t>(count)});
  for (size_t i = 0; i < count; ++i) fields_.push_back({items[i].key, items[i].type});
  return id;
}

uint64_t ArgTable::Add(const ArgItem* items, size_t count) {
  if (count == 0) return 0;
  scratch_.clear();
  PutVarint(scratch_, LayoutOf(items, count));
  for (size_t i = 0; i < count; ++i) {
    const ArgItem& item = items[i];
    switch (item.type) {
      case ArgType::kNull:
      case ArgType::kFalse:
      case ArgType::kTrue:
        break;
      case ArgType::kInt:
        PutVarint(scratch_, ZigZag(item.number));
        break;
      case ArgType::kDouble: {
        const size_t at = scratch_.size();
        scratch_.resize(at + sizeof(double));
        std::memcpy(scratch_.data() + at, &item.real, sizeof(double));
        break;
      }
      case ArgType::kText:
      case ArgType::kJson:
        PutVarint(scratch_, item.text);
        break;
    }
  }
  if (used_ + scratch_.size() > kChunkBytes) {
    // An entry never spans chunks; one that is larger than a chunk gets a chunk of its own.
    const size_t size = scratch_.size() > kChunkBytes ? scratch_.size() : kChunkBytes;
    owned_.emplace_back(new uint8_t[size]);
    chunks_.push_back({owned_.back().get(), 0});
    bytes_ += size;
    used_ = 0;
  }
  std::memcpy(owned_.back().get() + used_, scratch_.data(), scratch_.size());
  const uint64_t handle = (uint64_t{chunks_.size() - 1} << kChunkShift) + used_ + 1;
  used_ += scratch_.size();
  chunks_.back().used = used_;
  return handle;
}

std::vector<std::pair<StringId, ArgValue>> ArgTable::Decode(uint64_t handle) const {
  std::vector<std::pair<StringId, ArgValue>> out;
  if (handle == 0) return out;
  const uint8_t* p = At(handle);
  const std::span<const Field> fields = FieldsOf(GetVarint(p));
  out.reserve(fields.size());
  for (const Field& field : fields) out.emplace_back(field.key, GetValue(p, field.type));
  return out;
}

std::optional<ArgValue> ArgTable::Find(uint64_t handle, StringId key) const {
  if (handle == 0) return std::nullopt;
  const uint8_t* p = At(handle);
  for (const Field& field : FieldsOf(GetVarint(p))) {
    if (field.key == key) return GetValue(p, field.type);
    SkipValue(p, field.type);
  }
  return std::nullopt;
}

void ArgTable::Freeze() {
  Release(table_);
  Release(scratch_);
  // Args end up in one last, partly filled chunk: give its unused tail back.
  if (!chunks_.empty() && used_ < kChunkBytes) {
    std::unique_ptr<uint8_t[]> exact(new uint8_t[used_]);
    std::memcpy(exact.get(), owned_.back().get(), used_);
    owned_.back() = std::move(exact);
    chunks_.back().begin = owned_.back().get();
    bytes_ -= kChunkBytes - used_;
    used_ = kChunkBytes;
  }
}

size_t ArgTable::MemoryBytes() const { return bytes_ + HeapBytesOf(layouts_, fields_, chunks_); }

}  // namespace emberline
