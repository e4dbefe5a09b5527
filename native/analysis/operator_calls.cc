#include "analysis/operator_calls.h"

#include "base/release.h"

namespace emberline {

OperatorCalls::OperatorCalls(const Model& model) {
  const TraceStore& s = model.store();
  const uint32_t n = s.all_slice_count();
  std::vector<SliceIndex> only_child(n, kNone);
  std::vector<bool> several(n, false);
  for (SliceIndex i = 0; i < n; ++i) {
    if (!model.IsOp(i)) continue;
    const SliceIndex p = model.op[i];
    if (p == kNone) continue;
    if (only_child[p] != kNone) several[p] = true;
    only_child[p] = i;
  }
  // From here on: the outermost op of the chain that an op belongs to, itself mostly.
  call_.assign(n, kNone);
  for (SliceIndex i = 0; i < n; ++i) {
    if (!model.IsOp(i)) continue;
    const SliceIndex p = model.op[i];
    const bool same =
        p != kNone && !several[p] && only_child[p] == i && s.name_id(p) == s.name_id(i);
    call_[i] = same ? call_[p] : i;
  }
  Release(only_child);
}

bool NestedCalls::operator()(SliceIndex call, size_t row) {
  const Open next = {store_->track(call), store_->start(call), store_->end(call), row};
  const auto holds = [&](const Open& outer) {
    return outer.track == next.track && next.start < outer.end && next.end <= outer.end;
  };
  while (!open_.empty() && !holds(open_.back())) {
    --depth_[open_.back().row];
    open_.pop_back();
  }
  if (row >= depth_.size()) depth_.resize(row + 1, 0);
  open_.push_back(next);
  return depth_[row]++ > 0;
}

ReplayedTimes TimesOfReplays(const Model& model, const StepSelection& selection) {
  const TraceStore& s = model.store();
  ReplayedTimes times;
  if (model.captured.empty()) return times;
  const uint32_t n = s.all_slice_count();
  times.self.assign(n, 0);
  times.total.assign(n, 0);
  times.heaviest.assign(n, kNone);
  const auto lead = [&](SliceIndex op, SliceIndex work) {
    SliceIndex& best = times.heaviest[op];
    if (best == kNone || s.duration(work) > s.duration(best)) best = work;
  };
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (model.captured[i] == kNone || !selection.Contains(model.step[i])) continue;
    const SliceIndex op = model.op[model.captured[i]];
    if (op == kNone) continue;
    times.self[op] += s.duration(i);
    lead(op, i);
  }
  for (SliceIndex i = n; i-- > 0;) {
    if (!model.IsOp(i)) continue;
    times.total[i] += times.self[i];
    const SliceIndex outer = model.op[i];
    if (outer == kNone || times.total[i] == 0) continue;
    times.total[outer] += times.total[i];
    lead(outer, times.heaviest[i]);
  }
  return times;
}

}  // namespace emberline
