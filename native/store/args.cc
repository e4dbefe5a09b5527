#include "store/args.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "base/prefetch.h"
#include "base/release.h"
#include "store/arg_encoding.h"

namespace emberline {
namespace {

ArgValue GetValue(const uint8_t*& p, ArgType type) {
  switch (type) {
    case ArgType::kNull:
      return {};
    case ArgType::kFalse:
      return {false};
    case ArgType::kTrue:
      return {true};
    case ArgType::kInt:
      return {UnZigZag(GetNumber(p))};
    case ArgType::kDouble: {
      double real;
      std::memcpy(&real, p, sizeof(real));
      p += sizeof(real);
      return {real};
    }
    case ArgType::kText:
      return {ArgValue::Text{static_cast<StringId>(GetNumber(p))}};
    case ArgType::kJson:
      return {ArgValue::Json{static_cast<StringId>(GetNumber(p))}};
  }
  return {};
}

}  // namespace

bool ArgTable::HasLayout(uint64_t layout, const ArgItem* items, size_t count) const {
  if (layout >= layouts_.size() || layouts_[layout].count != count) return false;
  const Field* const fields = FieldsOf(layout).data();
  for (size_t i = 0; i < count; ++i) {
    if (fields[i] != Field{items[i].key, items[i].type}) return false;
  }
  return true;
}

uint32_t ArgTable::LayoutOf(const ArgItem* items, size_t count) {
  const size_t mark = items[0].key * 7 + items[count - 1].key + count;
  uint32_t& recent = recent_[mark % recent_.size()];
  if (HasLayout(recent, items, count)) return recent;
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
    const uint32_t id = table_[slot];
    if (layouts_[id].hash == hash && HasLayout(id, items, count)) return recent = id;
  }
  const uint32_t id = static_cast<uint32_t>(layouts_.size());
  table_[slot] = id;
  layouts_.push_back({hash, static_cast<uint32_t>(fields_.size()), static_cast<uint32_t>(count)});
  for (size_t i = 0; i < count; ++i) fields_.push_back({items[i].key, items[i].type});
  return recent = id;
}

// A chunk with room for `bytes`. An entry never spans chunks; one that may be larger than a chunk
// gets one of its own size.
void ArgTable::MakeRoom(size_t bytes) {
  room_ = std::max(bytes, kChunkBytes);
  if (owned_.empty() || owned_.back().bytes - owned_.back().taken < room_) {
    // As large as all before it, within limits: large blocks stand on large pages, which take less
    // time to come, and to be found again when args are read in another order.
    constexpr size_t kLeastBytes = 2 * kChunkBytes, kMostBytes = 8 * kChunkBytes;
    Block block;
    block.bytes = std::max(room_, std::bit_floor(std::clamp(bytes_, kLeastBytes, kMostBytes)));
    block.begin = Owned<uint8_t>(ReserveToKeep(block.bytes));
    owned_.push_back(std::move(block));
  }
  Block& block = owned_.back();
  last_ = block.begin.get() + block.taken;
  block.taken += room_;
  ++block.chunks;
  chunks_.push_back({last_, 0});
  bytes_ += room_;
  used_ = 0;
}

uint64_t ArgTable::Add(const ArgItem* items, size_t count) {
  if (count == 0) return 0;
  const size_t most = (count + 1) * kMostBytesOfValue + kBytesBehindValue;
  // Entries begin within the first kChunkBytes, which is all that a handle can say.
  if (used_ + most > room_ || used_ >= kChunkBytes) MakeRoom(most);
  uint8_t* const begin = last_ + used_;
  uint8_t* to = PutNumber(begin, LayoutOf(items, count));
  for (size_t i = 0; i < count; ++i) {
    const ArgItem& item = items[i];
    switch (item.type) {
      case ArgType::kNull:
      case ArgType::kFalse:
      case ArgType::kTrue:
        break;
      case ArgType::kInt:
        to = PutNumber(to, ZigZag(item.number));
        break;
      case ArgType::kDouble:
        std::memcpy(to, &item.real, sizeof(double));
        to += sizeof(double);
        break;
      case ArgType::kText:
      case ArgType::kJson:
        to = PutNumber(to, item.text);
        break;
    }
  }
  PrefetchToWrite(begin, static_cast<size_t>(to - begin));
  const uint64_t handle = (uint64_t{chunks_.size() - 1} << kChunkShift) + used_ + 1;
  used_ = static_cast<size_t>(to - last_);
  chunks_.back().used = used_;
  return handle;
}

std::vector<std::pair<StringId, ArgValue>> ArgTable::Decode(uint64_t handle) const {
  std::vector<std::pair<StringId, ArgValue>> out;
  if (handle == 0) return out;
  const uint8_t* p = At(handle);
  const std::span<const Field> fields = FieldsOf(GetNumber(p));
  out.reserve(fields.size());
  for (const Field& field : fields) out.emplace_back(field.key, GetValue(p, field.type));
  return out;
}

std::optional<ArgValue> ArgTable::Find(uint64_t handle, StringId key) const {
  if (handle == 0) return std::nullopt;
  const uint8_t* p = At(handle);
  for (const Field& field : FieldsOf(GetNumber(p))) {
    if (field.key == key) return GetValue(p, field.type);
    SkipValue(p, field.type);
  }
  return std::nullopt;
}

void ArgTable::Freeze() {
  Release(table_);
  // Args end up in one last, partly filled block: give its unused tail back.
  if (owned_.empty()) return;
  Block& block = owned_.back();
  const uint8_t* const begin = block.begin.get();
  const size_t needed = used_ + kBytesBehindValue;  // of the last chunk
  const size_t before = static_cast<size_t>(last_ - begin);
  if (before + needed >= block.bytes) return;
  auto* const exact = static_cast<uint8_t*>(ShrinkKept(block.begin.release(), before + needed));
  block.begin.reset(exact);
  for (size_t k = chunks_.size() - block.chunks; k < chunks_.size(); ++k) {
    chunks_[k].begin = exact + (chunks_[k].begin - begin);
  }
  last_ = exact + before;
  block.bytes = block.taken = before + needed;
  bytes_ -= room_ - needed;
  room_ = needed;
}

size_t ArgTable::MemoryBytes() const { return bytes_ + HeapBytesOf(layouts_, fields_, chunks_); }

}  // namespace emberline
