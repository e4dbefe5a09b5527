#include "ranks/job_lanes.h"

#include <algorithm>
#include <map>

namespace emberline {
namespace {

constexpr size_t kMaxBoxes = 6000;
// More steps than this would hide each other.
constexpr size_t kMaxSteps = 60;
constexpr size_t kMaxLanes = 256;

// Boxes of one lane by begin, those within one pixel together.
std::vector<LaneBox> Joined(const std::vector<LaneBox>& boxes, Ns pixel) {
  std::vector<LaneBox> joined;
  Ns longest = 0;  // of the calls of the last box
  for (const LaneBox& box : boxes) {
    const Ns length = box.end - box.begin;
    const bool same = !joined.empty() && length < pixel && box.end - joined.back().begin < pixel;
    if (!same) {
      joined.push_back(box);
      longest = length;
      continue;
    }
    LaneBox& last = joined.back();
    last.end = std::max(last.end, box.end);
    last.waiting += box.waiting;
    last.count += box.count;
    if (length > longest) {
      last.call = box.call;
      longest = length;
    }
  }
  return joined;
}

void AddSteps(const Job& job, const JobLanes& window, JobLane* lane) {
  const JobRank& rank = job.ranks[lane->rank];
  for (uint32_t i = 0; i < rank.digest->steps.size(); ++i) {
    const StepDigest& step = rank.digest->steps[i];
    const Ns begin = rank.At(step.begin, job.base_ns), end = rank.At(step.end, job.base_ns);
    if (end < window.from || begin > window.to) continue;
    if (lane->steps.size() == kMaxSteps) {
      lane->steps.clear();
      return;
    }
    lane->steps.push_back({i, begin, end});
  }
}

}  // namespace

JobLanes LanesOf(const Job& job, const LaneWindow& window) {
  JobLanes lanes;
  const bool whole = window.to <= window.from;
  lanes.from = whole ? 0 : window.from;
  lanes.to = whole ? std::max<Ns>(job.length, 1) : window.to;
  const size_t first = std::min(window.first_rank, job.ranks.size());
  const size_t last = first + std::min(window.ranks, job.ranks.size() - first);
  // Devices of the ranks in sight; one lane for a rank that has no more than one.
  std::map<std::pair<uint32_t, int64_t>, std::vector<LaneBox>> found;
  for (size_t r = first; r < last; ++r) found[{static_cast<uint32_t>(r), -1}];
  for (uint32_t i = 0; i < job.calls.size(); ++i) {
    for (const MatchedCall::Member& member : job.calls[i].members) {
      if (member.rank < first || member.rank >= last) continue;
      if (member.end < lanes.from || member.begin > lanes.to) continue;
      const RankDigest& digest = *job.ranks[member.rank].digest;
      const int64_t device =
          digest.devices.size() > 1 ? digest.collectives[member.call].device : int64_t{-1};
      found[{member.rank, device}].push_back({member.begin, member.end, member.waiting, i, 1});
    }
  }
  size_t total = 0;
  for (auto& [key, boxes] : found) {
    const auto next = found.upper_bound(key);
    const bool stands_for_devices =
        key.second < 0 && boxes.empty() && next != found.end() && next->first.first == key.first;
    if (stands_for_devices || lanes.lanes.size() == kMaxLanes) continue;
    std::stable_sort(boxes.begin(), boxes.end(),
                     [](const LaneBox& a, const LaneBox& b) { return a.begin < b.begin; });
    total += boxes.size();
    lanes.lanes.push_back({key.first, key.second, {}, boxes});
    AddSteps(job, lanes, &lanes.lanes.back());
  }
  const Ns length = lanes.to - lanes.from;
  Ns pixel = length / static_cast<Ns>(std::max<size_t>(window.pixels, 1));
  for (bool fits = false; !fits; pixel = std::max<Ns>(2 * pixel, 1)) {
    total = 0;
    for (JobLane& lane : lanes.lanes) {
      lane.boxes = Joined(lane.boxes, pixel);
      total += lane.boxes.size();
    }
    fits = total <= kMaxBoxes || pixel > length;
  }
  return lanes;
}

}  // namespace emberline
