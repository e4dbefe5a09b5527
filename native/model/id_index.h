// Ids of a trace and the slices that have them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/packed_rows.h"
#include "base/scratch_vector.h"
#include "base/types.h"

namespace emberline {

// Id -> slice. Ids of one trace are nearly dense, so they index a vector; a hostile or merged file
// with sparse ids falls back to binary search. The first slice of an id wins.
class IdIndex {
 public:
  void Add(int64_t id, SliceIndex slice) {
    if (id < 0) return;
    added_.Push(id, slice);
    max_ = std::max(max_, id);
  }
  void Finish() {
    const size_t count = added_.size();
    if (count == 0) return;
    if (static_cast<uint64_t>(max_) < count * 8 + 4096) {
      dense_.assign(static_cast<size_t>(max_) + 1, kNone);
      for (size_t k = 0; k < count; ++k) {
        uint32_t& at = dense_[static_cast<size_t>(added_.At<0>(k))];
        if (at == kNone) at = added_.At<1>(k);
      }
    } else {
      entries_.reserve(count);
      for (size_t k = 0; k < count; ++k) entries_.push_back({added_.At<0>(k), added_.At<1>(k)});
      std::stable_sort(entries_.begin(), entries_.end(),
                       [](const Entry& a, const Entry& b) { return a.id < b.id; });
    }
    added_.Free();
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
  PackedRows<int64_t, SliceIndex> added_;  // until Finish()
  ScratchVector<Entry> entries_;           // by id, where they are not dense
  ScratchVector<uint32_t> dense_;
  int64_t max_ = -1;
};

}  // namespace emberline
