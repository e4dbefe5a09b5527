#include "ranks/work_reasons.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace emberline {
namespace {

// Ranks of so many are enough to tell what is usual.
constexpr size_t kEnoughReasons = 16;
// What is less than one part in so many of all reasons is none.
constexpr Ns kFewReasons = 20;

WorkTimes WorkOf(const Job& job, const RankWork& work, uint32_t rank, const Stretch& stretch) {
  WorkTimes times;
  for (uint32_t k = stretch.first; k <= stretch.last; ++k) {
    const std::vector<CollectiveDigest>& calls = job.ranks[rank].digest->collectives;
    for (const Activity& one : calls[work.parts[k].call].before) {
      if (one.where != kCommunicationActivity) times[KeyOf(one)] += one.time;
    }
  }
  return times;
}

// The middle of each, where what some lack took no time.
WorkTimes MiddleTimes(const std::vector<WorkTimes>& all) {
  std::map<ReasonKey, std::vector<Ns>> values;
  for (const WorkTimes& times : all) {
    for (const auto& [key, time] : times) values[key].push_back(time);
  }
  WorkTimes middle;
  for (auto& [key, list] : values) {
    list.resize(all.size(), 0);
    middle[key] = LowerMedian(std::move(list));
  }
  return middle;
}

}  // namespace

const WorkTimes& WorkReasons::StepOf(uint32_t rank) {
  if (steps_[rank] != nullptr) return *steps_[rank];
  steps_[rank] = std::make_unique<WorkTimes>();
  WorkTimes& times = *steps_[rank];
  std::set<int64_t> steps;
  for (const Stretch& one : work_[rank].stretches) {
    steps.insert(one.step);
    if (!one.known || one.excess > 0) continue;
    for (const auto& [key, time] : WorkOf(job_, work_[rank], rank, one)) times[key] += time;
  }
  const auto count = static_cast<Ns>(std::max<size_t>(1, steps.size()));
  for (auto& [key, time] : times) time /= count;
  return times;
}

std::vector<LateReason> WorkReasons::Of(uint32_t rank) {
  std::map<ReasonKey, LateReason> found;
  const auto add = [&](const ReasonKey& key, Ns extra, Ns whole) {
    if (extra <= 0 || extra * 10 < whole) return;
    LateReason& reason = found[key];
    reason.activity.where = std::get<0>(key);
    reason.activity.name = std::get<1>(key);
    reason.activity.place = std::get<2>(key);
    reason.activity.time += std::min(extra, whole);
    ++reason.calls;
  };
  // What took longer once, against the same kind of stretch elsewhere.
  std::map<uint32_t, std::vector<WorkTimes>> kinds;
  std::set<uint32_t> asked;
  for (const Stretch& one : work_[rank].stretches) {
    if (one.excess > 0) asked.insert(one.kind);
  }
  for (const Stretch& one : work_[rank].stretches) {
    if (one.known && one.excess == 0 && asked.count(one.kind) > 0) {
      kinds[one.kind].push_back(WorkOf(job_, work_[rank], rank, one));
    }
  }
  std::map<uint32_t, WorkTimes> usual;
  for (const auto& [kind, all] : kinds) usual[kind] = MiddleTimes(all);
  for (const Stretch& one : work_[rank].stretches) {
    if (one.excess == 0) continue;
    const WorkTimes& others = usual[one.kind];
    for (const auto& [key, time] : WorkOf(job_, work_[rank], rank, one)) {
      const auto at = others.find(key);
      add(key, time - (at == others.end() ? 0 : at->second), one.excess);
    }
  }
  // What takes longer in every step, against ranks that are like it.
  const RankWork& own = work_[rank];
  if (own.like_work < own.step_work) {
    std::vector<WorkTimes> like;
    for (const uint32_t other : own.like_ranks) {
      if (like.size() < kEnoughReasons) like.push_back(StepOf(other));
    }
    const WorkTimes others = MiddleTimes(like);
    std::set<int64_t> steps;
    for (const Stretch& one : own.stretches) steps.insert(one.step);
    const auto count = static_cast<Ns>(std::max<size_t>(1, steps.size()));
    for (const auto& [key, time] : StepOf(rank)) {
      const auto at = others.find(key);
      add(key, (time - (at == others.end() ? 0 : at->second)) * count,
          (own.step_work - own.like_work) * count);
    }
  }
  std::vector<LateReason> reasons;
  Ns whole = 0;
  for (const auto& [key, reason] : found) whole += reason.activity.time;
  for (auto& [key, reason] : found) {
    if (reason.activity.time * kFewReasons >= whole) reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace emberline
