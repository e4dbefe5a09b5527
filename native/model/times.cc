// Self and total times of operators.
#include <algorithm>
#include <vector>

#include "model/host_place.h"
#include "model/model_builder.h"

namespace emberline {

namespace {

// Which part of an operator the slices inside it take: ranges that cross, as damage and clocks of
// whole microseconds make them, take their time once, and none beyond the operator's end.
class TakenTime {
 public:
  explicit TakenTime(const TraceStore& store) : s_(store) {}

  // What the range takes of `op` beyond those before it. Slices of a thread come in the order of
  // their start, so the last end is all there is to keep; it stands at the operator's depth, which
  // none has that runs at the same time.
  Ns Take(SliceIndex op, Interval range) {
    const size_t depth = s_.depth(op);
    if (depth >= taken_.size()) taken_.resize(depth + 1);
    Taken& taken = taken_[depth];
    if (taken.op != op) taken = {op, s_.start(op), s_.end(op)};
    const Ns begin = std::max(taken.until, range.begin);
    const Ns end = std::min(taken.end, range.end);
    if (end <= begin) return 0;
    taken.until = end;
    return end - begin;
  }

 private:
  struct Taken {
    SliceIndex op = kNone;
    Ns until = 0;
    Ns end = 0;  // of the operator
  };
  const TraceStore& s_;
  std::vector<Taken> taken_;
};

}  // namespace

// As drafts, the columns of times take the most memory of all that a model has, so each is packed
// as soon as it is done.
bool ModelBuilder::AddHostTimes() {
  Model& m = *model_;
  m.host_self.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (m.IsOp(i)) m.host_self[i] = s_.duration(i);
  }
  TakenTime by_ops(s_);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    const SliceIndex op = m.op[i];
    // Rows of one thread (Track::same_thread) are not in one order: there the rest is all that is
    // left to take.
    if (m.IsOp(i) && op != kNone) {
      m.host_self[op] -= std::min(m.host_self[op], by_ops.Take(op, RangeOf(i)));
    }
  }
  m.host_self.Pack();
  return true;
}

bool ModelBuilder::AddDeviceTimes() {
  Model& m = *model_;
  m.device_self.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!IsDeviceWork(Kind(i)) || m.op[i] == kNone) continue;
    const SliceIndex op = m.op[i];
    if (m.SourceOp(i) == op) m.device_self[op] += s_.duration(i);
  }
  m.device_self.Pack();
  m.device_total.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (IsDeviceWork(Kind(i)) && m.op[i] != kNone) m.device_total[m.op[i]] += s_.duration(i);
  }
  // Children have larger indexes than their parents, so one pass backwards adds up whole trees.
  for (SliceIndex i = n_; i-- > 0;) {
    if (m.IsOp(i) && m.op[i] != kNone) m.device_total[m.op[i]] += m.device_total[i];
  }
  m.device_total.Pack();
  return true;
}

bool ModelBuilder::AddApiTimes() {
  Model& m = *model_;
  m.host_api.assign(all_, 0);
  // Calls take what they and the operators inside take together, less what the operators take.
  TakenTime by_all(s_), by_ops(s_);
  auto around = around_.begin();
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    const bool is_call = IsLaunchApi(Kind(i));
    if (!is_call && !m.IsOp(i)) continue;
    SliceIndex op = m.op[i];
    // Host time goes by where the call ran, also when an id gives its work to another op.
    if (around != around_.end() && around->first == i) op = (around++)->second;
    if (op == kNone) continue;
    if (is_call) {
      // A driver call inside a runtime call is the same time.
      const SliceIndex p = s_.parent(i);
      if (p == kNone || !IsLaunchApi(Kind(p))) m.host_api[op] += by_all.Take(op, RangeOf(i));
    } else {
      const Interval range = RangeOf(i);
      m.host_api[op] += by_all.Take(op, range);
      m.host_api[op] -= by_ops.Take(op, range);
    }
  }
  const PackedColumn<Ns>& self = m.host_self;
  for (SliceIndex i = 0; i < n_; ++i) {
    if (m.IsOp(i)) m.host_api[i] = std::clamp<Ns>(m.host_api[i], 0, self[i]);
  }
  m.host_api.Pack();
  return true;
}

}  // namespace emberline
