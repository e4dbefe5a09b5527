// Self and total times of operators.
#include <algorithm>
#include <vector>

#include "base/bit_rows.h"
#include "base/packed_column.h"
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

// A time of each operator while times are summed up. Drafts of whole columns would take the most
// memory of all that a model has, and most slices are no operators.
class OpTimes : public BitRows<Ns> {
 public:
  explicit OpTimes(const BitColumn& is_op) : BitRows(is_op, 0) {}

  // Packs a column of so many slices: of(op, time) for operators, 0 for the others.
  template <typename Of>
  void Pack(size_t slices, PackedColumn<Ns>* column, Of&& of) const {
    column->Pack(slices, [&, next = values().begin()](size_t i) mutable {
      return Has(i) ? of(static_cast<SliceIndex>(i), *next++) : Ns{0};
    });
  }
  void Pack(size_t slices, PackedColumn<Ns>* column) const {
    Pack(slices, column, [](SliceIndex, Ns time) { return time; });
  }
};

}  // namespace

bool ModelBuilder::AddHostTimes() {
  Model& m = *model_;
  OpTimes self(m.is_op);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (m.IsOp(i)) self[i] = s_.duration(i);
  }
  TakenTime by_ops(s_);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    const SliceIndex op = m.op[i];
    // Rows of one thread (Track::same_thread) are not in one order: there the rest is all that is
    // left to take.
    if (m.IsOp(i) && op != kNone) self[op] -= std::min(self[op], by_ops.Take(op, RangeOf(i)));
  }
  self.Pack(all_, &m.host_self);
  return true;
}

bool ModelBuilder::AddDeviceTimes() {
  Model& m = *model_;
  {
    OpTimes self(m.is_op);
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!IsDeviceWork(Kind(i)) || m.op[i] == kNone) continue;
      const SliceIndex op = m.op[i];
      if (m.SourceOp(i) == op) self[op] += s_.duration(i);
    }
    self.Pack(all_, &m.device_self);
  }
  OpTimes total(m.is_op);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (IsDeviceWork(Kind(i)) && m.op[i] != kNone) total[m.op[i]] += s_.duration(i);
  }
  // Children have larger indexes than their parents, so one pass backwards adds up whole trees.
  for (SliceIndex i = n_; i-- > 0;) {
    if (m.IsOp(i) && m.op[i] != kNone) total[m.op[i]] += total[i];
  }
  total.Pack(all_, &m.device_total);
  return true;
}

bool ModelBuilder::AddApiTimes() {
  Model& m = *model_;
  OpTimes api(m.is_op);
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
      if (p == kNone || !IsLaunchApi(Kind(p))) api[op] += by_all.Take(op, RangeOf(i));
    } else {
      const Interval range = RangeOf(i);
      api[op] += by_all.Take(op, range);
      api[op] -= by_ops.Take(op, range);
    }
  }
  const PackedColumn<Ns>& self = m.host_self;
  api.Pack(all_, &m.host_api,
           [&](SliceIndex op, Ns time) { return std::clamp<Ns>(time, 0, self[op]); });
  return true;
}

}  // namespace emberline
