#include "analysis/host_nesting.h"

namespace emberline {

bool NestHostWork(const TraceStore& store, const CancelToken& cancel, HostNesting* nesting) {
  nesting->parent.assign(store.all_slice_count(), kNone);
  nesting->exclusive.assign(store.all_slice_count(), 0);
  return PassHostWork(
      store, cancel, [&](SliceIndex i, SliceIndex around) { nesting->parent[i] = around; },
      [&](const OpenHostWork::Slice& slice) { nesting->exclusive[slice.index] = slice.exclusive; });
}

}  // namespace emberline
