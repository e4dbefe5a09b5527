// Transfer against waiting, who came last, and what it did instead.
#include <algorithm>
#include <map>
#include <set>

#include "ranks/job.h"

namespace emberline {
namespace {

// A rank that comes later than this is late by more than noise of the clocks.
constexpr Ns kLate = 20'000;
constexpr size_t kReasons = 8;
// A straggler costs each of the others this share of the job's time on average.
constexpr double kStraggles = 0.01;

Ns Middle(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Measure(Job* job, MatchedCall* call) {
  Ns shortest = -1;
  for (MatchedCall::Member& member : call->members) {
    const JobRank& rank = job->ranks[member.rank];
    const CollectiveDigest& c = rank.digest->collectives[member.call];
    member.begin = rank.At(c.start, job->base_ns);
    member.end = member.begin + c.duration;
    if (shortest < 0 || c.duration < shortest) shortest = c.duration;
    if (c.bytes >= 0 && call->bytes >= 0 && c.bytes != call->bytes) call->bytes_differ = true;
    call->bytes = std::max(call->bytes, c.bytes);
  }
  call->transfer = std::max<Ns>(shortest, 0);
  Ns first = call->members[0].begin, latest = first;
  for (size_t i = 0; i < call->members.size(); ++i) {
    MatchedCall::Member& member = call->members[i];
    member.waiting = member.end - member.begin - call->transfer;
    call->waiting += member.waiting;
    first = std::min(first, member.begin);
    if (member.begin > latest) {
      latest = member.begin;
      call->last = static_cast<uint32_t>(i);
    }
  }
  call->spread = latest - first;
  std::vector<Ns> others;
  for (size_t i = 0; i < call->members.size(); ++i) {
    if (i != call->last) others.push_back(call->members[i].begin);
  }
  if (!others.empty()) call->lateness = latest - Middle(std::move(others));
  const JobGroup& group = job->groups[call->group];
  const int64_t size = group.about.size > 0   ? group.about.size
                       : group.about.complete ? static_cast<int64_t>(group.about.ranks.size())
                                              : static_cast<int64_t>(group.members.size());
  // All ranks have come only where all of them are known.
  if (call->bytes > 0 && call->transfer > 0 && call->members.size() > 1) {
    call->algorithm_bandwidth =
        static_cast<double>(call->bytes) / static_cast<double>(call->transfer);
    call->bus_bandwidth = call->algorithm_bandwidth * BusFactor(call->op, size);
  }
}

using ReasonKey = std::tuple<uint8_t, std::string, std::string>;
ReasonKey KeyOf(const Activity& activity) {
  return {activity.where, activity.name, activity.place};
}

// What the last rank of a call did beyond the others.
void AddReasons(const Job& job, const MatchedCall& call, std::map<ReasonKey, LateReason>* reasons) {
  const MatchedCall::Member& last = call.members[call.last];
  const CollectiveDigest& own = job.ranks[last.rank].digest->collectives[last.call];
  std::map<ReasonKey, std::vector<Ns>> others;
  std::vector<Ns> begins;  // of the times that are explained
  size_t count = 0;
  const auto add = [&](const Activity& activity, Ns extra) {
    if (extra * 10 < call.lateness) return;
    LateReason& reason = (*reasons)[KeyOf(activity)];
    const Ns sum = reason.activity.time + std::min(extra, call.lateness);
    reason.activity = activity;
    reason.activity.time = sum;
    ++reason.calls;
  };
  for (size_t i = 0; i < call.members.size(); ++i) {
    if (i == call.last) continue;
    const MatchedCall::Member& member = call.members[i];
    const CollectiveDigest& other = job.ranks[member.rank].digest->collectives[member.call];
    ++count;
    begins.push_back(member.begin - other.since);
    for (const Activity& one : other.before) others[KeyOf(one)].push_back(one.time);
  }
  // The first call of a recording: what came before it nobody knows.
  if (own.since == own.start) {
    add({kHostActivity, std::string(kNotRecorded), "", 0},
        last.begin - own.since - Middle(std::move(begins)));
  }
  for (const Activity& one : own.before) {
    std::vector<Ns> theirs = others[KeyOf(one)];
    theirs.resize(count, 0);
    add(one, one.time - Middle(std::move(theirs)));
  }
}

}  // namespace

void MeasureCalls(Job* job) {
  for (MatchedCall& call : job->calls) {
    Measure(job, &call);
    if (call.members.size() < 2) ++job->unmatched;
    // A rank that was not recording when the call ran lacks nothing.
    std::erase_if(call.lacking, [&](uint32_t r) {
      const JobRank& rank = job->ranks[r];
      const Ns from = rank.At(0, job->base_ns), to = rank.At(rank.digest->end, job->base_ns);
      const Ns begin = call.members[0].begin, end = call.members[0].end;
      return begin < from || end > to;
    });
  }
  std::sort(job->calls.begin(), job->calls.end(), [](const MatchedCall& a, const MatchedCall& b) {
    return std::tie(a.members[0].begin, a.group, a.members[0].rank, a.members[0].call) <
           std::tie(b.members[0].begin, b.group, b.members[0].rank, b.members[0].call);
  });
}

void FindStragglers(Job* job) {
  std::vector<RankLateness> ranks(job->ranks.size());
  std::vector<std::map<ReasonKey, LateReason>> reasons(job->ranks.size());
  for (uint32_t r = 0; r < ranks.size(); ++r) ranks[r].rank = r;
  for (const MatchedCall& call : job->calls) {
    if (call.members.size() < 2) continue;
    for (const MatchedCall::Member& member : call.members) {
      ++ranks[member.rank].calls;
      ranks[member.rank].waiting += member.waiting;
    }
    // Who sends waits for nobody: only calls that all leave together tell who was late.
    if (!IsSymmetric(call.op)) continue;
    RankLateness& late = ranks[call.members[call.last].rank];
    ++late.times_last;
    late.caused += call.waiting - call.members[call.last].waiting;
    late.lateness += std::max<Ns>(0, call.lateness);
    if (call.lateness >= kLate) AddReasons(*job, call, &reasons[late.rank]);
  }
  Ns length = 1;
  for (const JobRank& rank : job->ranks) length = std::max(length, rank.digest->end);
  for (RankLateness& late : ranks) {
    for (auto& [key, reason] : reasons[late.rank]) late.reasons.push_back(std::move(reason));
    std::stable_sort(
        late.reasons.begin(), late.reasons.end(),
        [](const LateReason& a, const LateReason& b) { return a.activity.time > b.activity.time; });
    if (late.reasons.size() > kReasons) late.reasons.resize(kReasons);
    late.straggler = static_cast<double>(late.lateness) > kStraggles * static_cast<double>(length);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankLateness& a, const RankLateness& b) {
    return a.caused > b.caused;
  });
  job->lateness = std::move(ranks);
}

}  // namespace emberline
