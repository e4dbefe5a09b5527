// Ids of a trace and the slices that have them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/release.h"
#include "base/scratch_vector.h"
#include "base/types.h"

namespace emberline {

// Id -> slice. Ids of one trace are nearly dense, so they index a vector; a hostile or merged file
// with sparse ids falls back to binary search. The first slice of an id wins.
class IdIndex {
 public:
  // Room for as many, so that adding them copies none.
  void Reserve(size_t ids) { entries_.reserve(ids); }
  void Add(int64_t id, SliceIndex slice) {
    if (id < 0) return;
    entries_.push_back({id, slice});
    if (id > max_) max_ = id;
  }
  void Finish() {
    if (entries_.empty()) return;
    if (static_cast<uint64_t>(max_) < entries_.size() * 8 + 4096) {
      dense_.assign(static_cast<size_t>(max_) + 1, kNone);
      for (const auto& [id, slice] : entries_) {
        uint32_t& at = dense_[static_cast<size_t>(id)];
        if (at == kNone) at = slice;
      }
      Release(entries_);
      return;
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.id < b.id; });
  }
  SliceIndex Find(int64_t id) const {
    if (id < 0 || id > max_) return kNone;
    if (!dense_.empty()) return dense_[static_cast<size_t>(id)];
    auto it = std::lower_bound(entries_.begin(), entries_.end(), id,
                               [](const Entry& e, int64_t value) { return e.id < value; });
    return it != entries_.end() && it->id == id ? it->slice : kNone;
  }

 private:
  struct Entry {
    int64_t id;
    SliceIndex slice;
  };
  ScratchVector<Entry> entries_;
  ScratchVector<uint32_t> dense_;
  int64_t max_ = -1;
};

}  // namespace emberline
