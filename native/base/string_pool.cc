#include "base/string_pool.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/hash.h"

namespace emberline {
namespace {

// Texts stand in chunks. Each is as large as all before it, so that a pool of few texts is small,
// too: a job keeps one for each rank.
constexpr size_t kLeastChunk = size_t{8} << 10, kMostChunk = size_t{256} << 10;
// Longer texts have a chunk of their own where there is no room: the rest of a chunk that is given
// up for the next one would be much of it.
constexpr size_t kLongText = kMostChunk / 8;

uint32_t Hash(std::string_view text, const std::array<uint64_t, 2>& secret) {
  return static_cast<uint32_t>(HashText(text, {secret[0], secret[1]}));
}

// The slot of `table` that holds the text's id, or the empty one where it belongs.
size_t SlotOf(const FlatColumn<uint32_t>& table, const FlatColumn<uint32_t>& hashes,
              const std::vector<std::string_view>& views, std::string_view text, uint32_t hash) {
  const size_t mask = table.size() - 1;
  size_t slot = hash & mask;
  while (table[slot] != kNone) {
    const uint32_t id = table[slot];
    if (hashes[id] == hash && views[id] == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

}  // namespace

StringPool::StringPool() : secret_{kHashSecret.first, kHashSecret.second} {
  table_.assign(1024, kNone);
  Intern("");
}

std::string_view StringPool::Copy(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > chunk_size_ - chunk_used_) {
    const bool is_long = text.size() > kLongText;
    const size_t bytes =
        is_long ? text.size()
                : std::max(text.size(), std::clamp(chunk_bytes_, kLeastChunk, kMostChunk));
    chunk_bytes_ += bytes;
    std::unique_ptr<char[]> chunk(new char[bytes]);
    if (is_long) {
      std::memcpy(chunk.get(), text.data(), text.size());
      const std::string_view copy(chunk.get(), text.size());
      // The last one stays the last.
      chunks_.insert(chunks_.empty() ? chunks_.end() : std::prev(chunks_.end()), std::move(chunk));
      return copy;
    }
    chunks_.push_back(std::move(chunk));
    chunk_size_ = bytes;
    chunk_used_ = 0;
  }
  char* at = chunks_.back().get() + chunk_used_;
  std::memcpy(at, text.data(), text.size());
  chunk_used_ += text.size();
  return {at, text.size()};
}

void StringPool::Grow() {
  table_.assign(table_.size() * 2, kNone);
  const size_t mask = table_.size() - 1;
  for (uint32_t id = 0; id < views_.size(); ++id) {
    size_t slot = hashes_[id] & mask;
    while (table_[slot] != kNone) slot = (slot + 1) & mask;
    table_[slot] = id;
  }
}

StringId StringPool::Intern(std::string_view text) {
  const uint32_t hash = Hash(text, secret_);
  const size_t slot = SlotOf(table_, hashes_, views_, text, hash);
  if (table_[slot] != kNone) return table_[slot];
  assert(views_.size() < kNone - 1);
  const uint32_t id = static_cast<uint32_t>(views_.size());
  table_[slot] = id;
  views_.push_back(Copy(text));
  hashes_.push_back(hash);
  if (views_.size() * 2 > table_.size()) Grow();
  return id;
}

StringId StringPool::Find(std::string_view text) const {
  return table_[SlotOf(table_, hashes_, views_, text, Hash(text, secret_))];
}

size_t StringPool::MemoryBytes() const {
  return chunk_bytes_ + HeapBytesOf(views_, hashes_, table_);
}

}  // namespace emberline
