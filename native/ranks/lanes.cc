#include "ranks/lanes.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compare/sequences.h"
#include "ranks/line_fit.h"

namespace emberline {
namespace {

constexpr size_t kMaxShift = 64;
constexpr double kFits = 0.95;

const CollectiveDigest& CallOf(const Job& job, const Lane& lane, size_t place) {
  return job.ranks[lane.rank].digest->collectives[lane.calls[place]];
}

std::vector<ElementLabel> LabelsOf(const Job& job, const Lane& lane) {
  std::vector<ElementLabel> labels;
  for (size_t i = 0; i < lane.calls.size(); ++i) {
    const CollectiveDigest& call = CallOf(job, lane, i);
    // What one side sends the other receives.
    const bool pair = IsPointToPoint(static_cast<CollectiveOp>(call.op));
    const auto op =
        static_cast<uint64_t>(pair ? CollectiveOp::kSendRecv : static_cast<CollectiveOp>(call.op));
    // Each rank has its own share of an all-to-all.
    const bool uneven = op == static_cast<uint64_t>(CollectiveOp::kAllToAll);
    const uint32_t part = lane.parts.empty() ? kNone : lane.parts[i];
    const int64_t bytes = uneven ? -1 : part == kNone ? call.bytes : call.parts[part].bytes;
    labels.push_back({StableHash(op, 1), StableHash(static_cast<uint64_t>(bytes), op), 0});
  }
  return labels;
}

// Where the calls of a lane lie in the reference: `before` places further on up to `cut`, and
// `after` places from there on.
struct LanePlaces {
  size_t cut = 0;
  int64_t before = 0, after = 0;
  size_t Of(size_t place) const {
    return place + static_cast<size_t>(place < cut ? before : after);
  }
};

// Chooses among the ways in which a lane may lie beside a longer reference.
class Placing {
 public:
  Placing(const Job& job, const Lane& reference, const std::vector<ElementLabel>& left,
          const Lane& lane, const std::vector<ElementLabel>& right)
      : left_(left), right_(right) {
    for (size_t i = 0; i < left.size(); ++i) reference_ends_.push_back(End(job, reference, i));
    for (size_t i = 0; i < right.size(); ++i) ends_.push_back(End(job, lane, i));
  }

  // What is called must agree. Of several ways that agree, the one whose ends are equally far apart
  // throughout: clocks may be off, but who leaves together leaves together each time. Where that
  // does not tell, the one whose ends are nearest.
  std::optional<LanePlaces> Choose() {
    if (left_.size() == right_.size() && Agreeing({}) >= kFits) return LanePlaces{};
    const size_t missing = left_.size() - right_.size();
    if (right_.empty() || missing > kMaxShift || right_.size() * 20 < left_.size()) {
      return std::nullopt;
    }
    for (size_t shift = 0; shift <= missing; ++shift) {
      Consider({0, 0, static_cast<int64_t>(shift)});
    }
    // Some calls are missing in between.
    const auto all = static_cast<int64_t>(missing);
    const size_t half = right_.size() / 2;
    if (missing > 0 && half > 0) {
      Consider(CutAt(all, MedianOf(ApartBy(0, 0, half))));
      Consider(CutAt(all, MedianOf(ApartBy(all, half, right_.size()))));
    }
    return best_;
  }

 private:
  static Ns End(const Job& job, const Lane& lane, size_t place) {
    const CollectiveDigest& call = CallOf(job, lane, place);
    return job.ranks[lane.rank].At(call.start + call.duration, job.base_ns);
  }
  Ns Apart(size_t at, size_t place) const { return reference_ends_[at] - ends_[place]; }

  double Agreeing(const LanePlaces& places) const {
    size_t agree = 0;
    for (size_t i = 0; i < right_.size(); ++i) {
      agree += left_[places.Of(i)].detail == right_[i].detail;
    }
    return right_.empty() ? 0.0 : static_cast<double>(agree) / static_cast<double>(right_.size());
  }

  std::vector<Ns> ApartBy(int64_t shift, size_t from, size_t to) const {
    std::vector<Ns> apart;
    for (size_t i = from; i < to; ++i) apart.push_back(Apart(i + static_cast<size_t>(shift), i));
    return apart;
  }

  // The cut that keeps ends `usual` apart best.
  LanePlaces CutAt(int64_t missing, Ns usual) const {
    const auto off = [&](size_t at, size_t place) {
      return static_cast<double>(std::abs(Apart(at, place) - usual));
    };
    double cost = 0;
    for (size_t i = 0; i < right_.size(); ++i) cost += off(i + static_cast<size_t>(missing), i);
    double least = cost;
    LanePlaces places{0, 0, missing};
    for (size_t i = 0; i < right_.size(); ++i) {
      cost += off(i, i) - off(i + static_cast<size_t>(missing), i);
      if (cost >= least) continue;
      least = cost;
      places.cut = i + 1;
    }
    return places;
  }

  void Consider(const LanePlaces& places) {
    if (Agreeing(places) < 1.0) return;
    std::vector<Ns> apart, distances;
    for (size_t i = 0; i < right_.size(); ++i) apart.push_back(Apart(places.Of(i), i));
    const Ns usual = MedianOf(apart);
    double unsteady = 0;
    for (const Ns one : apart) {
      unsteady += static_cast<double>(std::abs(one - usual)) / static_cast<double>(apart.size());
      distances.push_back(std::abs(one));
    }
    const Ns distance = MedianOf(std::move(distances));
    const bool steadier = unsteady * 2 < unsteady_, as_steady = unsteady <= unsteady_ * 2;
    if (best_ && !steadier && !(as_steady && distance < distance_)) return;
    best_ = places;
    unsteady_ = unsteady;
    distance_ = distance;
  }

  const std::vector<ElementLabel>& left_;
  const std::vector<ElementLabel>& right_;
  std::vector<Ns> reference_ends_, ends_;
  std::optional<LanePlaces> best_;
  double unsteady_ = 0;
  Ns distance_ = 0;
};

}  // namespace

int64_t StepKey(const RankDigest& digest, uint32_t call) {
  const CollectiveDigest& c = digest.collectives[call];
  if (c.step >= 0) return digest.steps[static_cast<size_t>(c.step)].number;
  // A recording that began within a step has its last calls without the step around them.
  if (!digest.steps.empty() && digest.steps[0].begin >= c.start) return digest.steps[0].number - 1;
  for (const StepDigest& step : digest.steps) {
    if (step.begin >= c.start) return -1000 - step.number;
  }
  return INT64_MIN;
}

std::vector<std::pair<uint32_t, uint32_t>> PairsOf(const Job& job, const Lane& reference,
                                                   const Lane& lane) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  const std::vector<ElementLabel> left = LabelsOf(job, reference), right = LabelsOf(job, lane);
  if (const auto places = Placing(job, reference, left, lane, right).Choose()) {
    for (uint32_t i = 0; i < right.size(); ++i) {
      const size_t at = places->Of(i);
      if (left[at].name == right[i].name) pairs.emplace_back(static_cast<uint32_t>(at), i);
    }
    return pairs;
  }
  for (const emberline::Match& match : MatchSequences(left, right)) {
    if (!match.moved) pairs.emplace_back(match.baseline, match.candidate);
  }
  return pairs;
}

}  // namespace emberline
