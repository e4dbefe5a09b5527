// Strings, each stored once.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/flat_column.h"
#include "base/types.h"

namespace emberline {

// Interns byte strings; ids are dense and start with 0 for the empty string. Not thread-safe for
// writing; reading while nobody writes is.
class StringPool {
 public:
  StringPool();
  // The id of `text`, which is copied on first sight.
  StringId Intern(std::string_view text);
  // The id of `text`, or kNone when it was never interned.
  StringId Find(std::string_view text) const;
  std::string_view Get(StringId id) const { return views_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(views_.size()); }
  // Bytes held, for memory reports.
  size_t MemoryBytes() const;

 private:
  friend class StoreImage;
  void Grow();
  std::string_view Copy(std::string_view text);

  std::vector<std::string_view> views_;
  std::array<uint64_t, 2> secret_;  // of the hashes: this process's, or the one that kept them
  FlatColumn<uint32_t> hashes_;     // parallel to views_
  FlatColumn<uint32_t> table_;      // open addressing, kNone marks an empty slot
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_used_ = 0;
  size_t chunk_size_ = 0;
  size_t chunk_bytes_ = 0;  // of all texts, with what is given up of a chunk
};

}  // namespace emberline
