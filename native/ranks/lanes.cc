#include "ranks/lanes.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compare/sequences.h"

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
    labels.push_back({StableHash(op, 1), StableHash(static_cast<uint64_t>(call.bytes), op), 0});
  }
  return labels;
}

// How far apart the ends are on the common clock, as far as that is known: the median.
Ns DistanceAt(const Job& job, const Lane& reference, const Lane& lane, int64_t shift) {
  const auto end = [&](const Lane& of, size_t place) {
    const CollectiveDigest& call = CallOf(job, of, place);
    return job.ranks[of.rank].At(call.start + call.duration, job.base_ns);
  };
  std::vector<Ns> distances;
  for (size_t i = 0; i < lane.calls.size(); ++i) {
    distances.push_back(std::abs(end(reference, i + static_cast<size_t>(shift)) - end(lane, i)));
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

// By how many places the lane lies behind the reference when it only began later: what is called
// must agree; of several ways that agree, the clocks decide.
std::optional<int64_t> ShiftOf(const Job& job, const Lane& reference,
                               const std::vector<ElementLabel>& left, const Lane& lane,
                               const std::vector<ElementLabel>& right) {
  const auto same = [&](int64_t shift) {
    size_t agree = 0, common = 0;
    for (size_t i = 0; i < right.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) + shift;
      if (at < 0 || at >= static_cast<int64_t>(left.size())) continue;
      ++common;
      agree += left[static_cast<size_t>(at)].detail == right[i].detail;
    }
    return common == 0 ? 0.0 : static_cast<double>(agree) / static_cast<double>(common);
  };
  if (left.size() == right.size() && same(0) >= kFits) return 0;
  const size_t longest = std::max(left.size(), right.size());
  const size_t difference = left.size() - right.size();  // the reference is the longest
  if (difference > kMaxShift) return std::nullopt;
  std::optional<int64_t> best;
  Ns nearest = 0;
  for (int64_t shift = 0; shift <= static_cast<int64_t>(difference); ++shift) {
    if (right.size() * 20 < longest || same(shift) < 1.0) continue;
    const Ns distance = DistanceAt(job, reference, lane, shift);
    if (!best || distance < nearest) {
      best = shift;
      nearest = distance;
    }
  }
  return best;
}

}  // namespace

int64_t StepKey(const RankDigest& digest, uint32_t call) {
  const CollectiveDigest& c = digest.collectives[call];
  if (c.step >= 0) return digest.steps[static_cast<size_t>(c.step)].number;
  for (const StepDigest& step : digest.steps) {
    if (step.begin >= c.start) return -1000 - step.number;
  }
  return INT64_MIN;
}

std::vector<std::pair<uint32_t, uint32_t>> PairsOf(const Job& job, const Lane& reference,
                                                   const Lane& lane) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  const std::vector<ElementLabel> left = LabelsOf(job, reference), right = LabelsOf(job, lane);
  if (const auto shift = ShiftOf(job, reference, left, lane, right)) {
    for (uint32_t i = 0; i < right.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) + *shift;
      if (at >= 0 && at < static_cast<int64_t>(left.size()) &&
          left[static_cast<size_t>(at)].name == right[i].name) {
        pairs.emplace_back(static_cast<uint32_t>(at), i);
      }
    }
    return pairs;
  }
  for (const emberline::Match& match : MatchSequences(left, right)) {
    if (!match.moved) pairs.emplace_back(match.baseline, match.candidate);
  }
  return pairs;
}

}  // namespace emberline
