// Which host slices are time of their own, and how they lie inside each other. Stacks and lines
// take it from here, so that both sum to one total.
#pragma once

#include <vector>

#include "base/cancel.h"
#include "store/trace_store.h"

namespace emberline {

// Python frames, operators, runtime and driver calls. Annotations lie across and are no work.
inline bool IsHostWork(SliceKind kind) {
  return kind == SliceKind::kPythonFunction || kind == SliceKind::kCpuOp || IsLaunchApi(kind);
}

struct HostNesting {
  // Per slice; kNone and 0 for what is no host work.
  std::vector<SliceIndex> parent;  // innermost host work around it on its thread
  std::vector<Ns> exclusive;       // duration without the host work inside it, never negative
};

// Nests one slice after the other, in the store's order.
class HostNester {
 public:
  // `with_times`: finds the exclusive times, too.
  HostNester(const TraceStore& store, HostNesting* nesting, bool with_times = true);
  void BeginTrack() {
    open_.clear();
    ends_.clear();
  }
  // Ends what had ended when slice `i` began, and finds the one that it lies in.
  void Close(SliceIndex i);
  void Open(SliceIndex i) {
    open_.push_back(i);
    ends_.push_back(store_.end(i));
  }
  const std::vector<SliceIndex>& open() const { return open_; }
  // Once, after the last slice.
  void Finish();

 private:
  const TraceStore& store_;
  HostNesting& nesting_;
  const bool with_times_;
  std::vector<SliceIndex> open_;
  std::vector<Ns> ends_;  // of these, which are asked for again and again
};

// All host threads of a trace. False when cancelled.
bool NestHostWork(const TraceStore& store, const CancelToken& cancel, HostNesting* nesting);

}  // namespace emberline
