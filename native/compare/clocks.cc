#include "compare/clocks.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace emberline {
namespace {

// Two nodes that are one, and when each ran.
struct NodePair {
  uint32_t baseline = 0, candidate = 0;  // nodes
  Interval before, after;                // on the clock of each
};

// The times of the steps of a tree, in the order of the root's children.
std::vector<Interval> StepTimes(const ComparedSide& side) {
  std::vector<Interval> times;
  const TraceStore& s = side.model->store();
  for (const uint32_t node : side.tree->ChildrenOf(0)) {
    const SliceIndex slice = side.tree->slices[node];
    // Without recorded steps there is one: the whole trace.
    times.push_back(slice == kNone ? side.model->steps.front().time
                                   : Interval{s.start(slice), s.end(slice)});
  }
  return times;
}

class ClockMatcher {
 public:
  ClockMatcher(const ComparedSide& baseline, const ComparedSide& candidate,
               const std::optional<Interval>& window, size_t most)
      : a_(baseline), b_(candidate), window_(window), most_(most) {}

  Result<std::vector<ClockPoint>> Run(const CancelToken& cancel) {
    AddSteps();
    while (!waiting_.empty() && points_.size() + 2 <= most_) {
      if (cancel.cancelled()) return Cancelled();
      const Waiting next = waiting_.top();
      waiting_.pop();
      Take(next.pair);
      AddChildren(next.pair);
    }
    const auto order = [](const ClockPoint& x, const ClockPoint& y) {
      return std::tie(x.baseline, x.candidate) < std::tie(y.baseline, y.candidate);
    };
    std::sort(points_.begin(), points_.end(), order);
    points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
    return std::move(points_);
  }

 private:
  struct Waiting {
    bool wanted = false;  // it touches the window
    Ns length = 0;
    uint32_t order = 0;  // of those that are equal, the one that came first
    NodePair pair;
    bool operator<(const Waiting& other) const {
      return std::tie(wanted, length, other.order) < std::tie(other.wanted, other.length, order);
    }
  };

  void Take(const NodePair& pair) {
    points_.push_back({pair.before.begin, pair.after.begin});
    points_.push_back({pair.before.end, pair.after.end});
  }

  void Wait(const NodePair& pair) {
    const bool wanted =
        window_ && pair.before.begin <= window_->end && pair.before.end >= window_->begin;
    waiting_.push({wanted, std::max(pair.before.Length(), pair.after.Length()), count_++, pair});
  }

  void AddSteps() {
    const std::vector<Interval> before = StepTimes(a_), after = StepTimes(b_);
    const std::vector<uint32_t> left = a_.tree->ChildrenOf(0), right = b_.tree->ChildrenOf(0);
    const auto place = [](const std::vector<uint32_t>& nodes, uint32_t node) {
      return static_cast<size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                 nodes.begin());
    };
    Interval whole{INT64_MIN, INT64_MAX};
    NodePair last{0, 0, {INT64_MIN, INT64_MIN}, {INT64_MIN, INT64_MIN}};
    for (const AlignedItem& item : AlignChildren(*a_.tree, 0, *b_.tree, 0)) {
      if (!IsPair(item) || item.moved || item.status != CompareStatus::kBoth) continue;
      AddBehind({item.baseline[0], item.candidate[0], before[place(left, item.baseline[0])],
                 after[place(right, item.candidate[0])]},
                whole, whole, &last);
    }
  }

  void AddChildren(const NodePair& parent) {
    const StepTree &a = *a_.tree, &b = *b_.tree;
    if (a.IsLeaf(parent.baseline) || b.IsLeaf(parent.candidate)) {
      return;
    }
    const TraceStore &before = a_.model->store(), &after = b_.model->store();
    NodePair last{
        0, 0, {parent.before.begin, parent.before.begin}, {parent.after.begin, parent.after.begin}};
    for (const AlignedItem& item : AlignChildren(a, parent.baseline, b, parent.candidate)) {
      if (!IsPair(item) || item.moved || item.status != CompareStatus::kBoth) continue;
      const SliceIndex x = a.slices[item.baseline[0]], y = b.slices[item.candidate[0]];
      if (a.IsConcurrent(item.baseline[0]) || b.IsConcurrent(item.candidate[0]) || x == kNone ||
          y == kNone) {
        continue;
      }
      AddBehind({item.baseline[0],
                 item.candidate[0],
                 {before.start(x), before.end(x)},
                 {after.start(y), after.end(y)}},
                parent.before, parent.after, &last);
    }
  }

  // Unless it reaches out of its parent, or begins before the one that was taken last has ended:
  // time only goes forward.
  void AddBehind(const NodePair& pair, const Interval& before, const Interval& after,
                 NodePair* last) {
    if (pair.before.begin < last->before.end || pair.after.begin < last->after.end ||
        pair.before.end > before.end || pair.after.end > after.end) {
      return;
    }
    Wait(pair);
    *last = pair;
  }

  const ComparedSide &a_, &b_;
  const std::optional<Interval> window_;
  const size_t most_;
  std::priority_queue<Waiting> waiting_;
  uint32_t count_ = 0;
  std::vector<ClockPoint> points_;
};

}  // namespace

Result<std::vector<ClockPoint>> MatchClocks(const ComparedSide& baseline,
                                            const ComparedSide& candidate,
                                            const std::optional<Interval>& window, size_t most,
                                            const CancelToken& cancel) {
  return ClockMatcher(baseline, candidate, window, most).Run(cancel);
}

}  // namespace emberline
