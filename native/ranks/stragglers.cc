// Transfer against waiting, who came last, and what it did instead.
#include <algorithm>
#include <map>
#include <set>

#include "ranks/delays.h"
#include "ranks/job.h"
#include "ranks/messages.h"
#include "ranks/own_work.h"
#include "ranks/work_reasons.h"

namespace emberline {
namespace {

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

// What the last rank of a call did beyond the others, with the times of this.
std::vector<Activity> ExtraOf(const Job& job, const MatchedCall& call) {
  const MatchedCall::Member& last = call.members[call.last];
  const CollectiveDigest& own = job.ranks[last.rank].digest->collectives[last.call];
  std::map<ReasonKey, std::vector<Ns>> others;
  std::vector<Ns> begins;  // of the times that are explained
  size_t count = 0;
  std::vector<Activity> found;
  const auto add = [&](Activity activity, Ns extra) {
    if (extra * 10 < call.lateness) return;
    activity.time = std::min(extra, call.lateness);
    found.push_back(std::move(activity));
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
  return found;
}

// With which rank the delay of each call began. Who comes late because it waited in a collective of
// another group is not the cause: who came last there is, or the one that this waited for. What
// follows sends and receives is left to Delays.
class DelayOrigins {
 public:
  explicit DelayOrigins(const Job& job)
      : job_(job), origin_(job.calls.size()), ends_(job.ranks.size()) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < job.calls.size(); ++i) {
      const MatchedCall& call = job.calls[i];
      if (call.members.size() < 2 || !IsSymmetric(call.op)) continue;
      order.push_back(i);
      for (uint32_t m = 0; m < call.members.size(); ++m) {
        ends_[call.members[m].rank].push_back({call.members[m].end, i, m});
      }
    }
    for (auto& ends : ends_) {
      std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
        return std::tie(a.time, a.call) < std::tie(b.time, b.call);
      });
    }
    // What a rank waited for before a call has ended when the rank arrives there.
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(Arrival(a).begin, a) < std::pair(Arrival(b).begin, b);
    });
    for (const uint32_t i : order) origin_[i] = Arrival(i).rank;
    for (const uint32_t i : order) origin_[i] = Trace(i);
  }

  // In Job::ranks.
  uint32_t Of(size_t call) const { return origin_[call]; }

 private:
  struct End {
    Ns time = 0;
    uint32_t call = 0, member = 0;
  };
  // No rank makes more calls between two of a group than tell enough.
  static constexpr int64_t kMaxScanned = 4096;

  const MatchedCall::Member& Arrival(uint32_t call) const {
    return job_.calls[call].members[job_.calls[call].last];
  }

  // How much longer the late rank of `call` waited in a call before than the others of `call` did,
  // of whom some may have been there too.
  Ns Beyond(const MatchedCall& call, const MatchedCall& before, const End& there) const {
    const Ns waiting = before.members[there.member].waiting;
    if (waiting * kMaxScanned < call.lateness) return 0;  // not worth asking
    std::vector<Ns> others;
    for (size_t i = 0; i < call.members.size(); ++i) {
      if (i == call.last) continue;
      const auto at = std::lower_bound(
          before.members.begin(), before.members.end(), call.members[i].rank,
          [](const MatchedCall::Member& member, uint32_t rank) { return member.rank < rank; });
      const bool too = at != before.members.end() && at->rank == call.members[i].rank;
      others.push_back(too ? at->waiting : 0);
    }
    return std::max<Ns>(0, waiting - Middle(std::move(others)));
  }

  uint32_t Trace(uint32_t index) const {
    const MatchedCall& call = job_.calls[index];
    const MatchedCall::Member& late = Arrival(index);
    if (call.lateness < kLate) return late.rank;
    Ns elsewhere = 0;
    for (const Activity& one : ExtraOf(job_, call)) {
      if (one.where == kCommunicationActivity) elsewhere += one.time;
    }
    if (elsewhere * 2 < call.lateness) return late.rank;
    const CollectiveDigest& own = job_.ranks[late.rank].digest->collectives[late.call];
    const std::vector<End>& ends = ends_[late.rank];
    auto at = std::upper_bound(ends.begin(), ends.end(), late.begin,
                               [](Ns time, const End& end) { return time < end.time; });
    std::map<uint32_t, Ns> waited;  // by the rank that was waited for
    for (int64_t seen = 0; at != ends.begin() && seen < kMaxScanned; ++seen) {
      --at;
      if (at->time <= late.begin - own.since) break;
      if (at->call == index || job_.calls[at->call].last == at->member) continue;
      waited[origin_[at->call]] += Beyond(call, job_.calls[at->call], *at);
    }
    uint32_t origin = late.rank;
    Ns longest = call.lateness / 2;
    for (const auto& [rank, time] : waited) {
      if (time <= longest) continue;
      longest = time;
      origin = rank;
    }
    return origin;
  }

  const Job& job_;
  std::vector<uint32_t> origin_;        // by call
  std::vector<std::vector<End>> ends_;  // by rank
};

void MarkCallsThatFollowPairs(Job* job) {
  std::vector<std::vector<Ns>> begins(job->ranks.size());
  for (MatchedCall& call : job->calls) {
    if (call.members.size() < 2 || !IsPointToPoint(call.op)) continue;
    call.follows_pairs = true;
    for (const MatchedCall::Member& member : call.members) {
      begins[member.rank].push_back(member.begin);
    }
  }
  for (std::vector<Ns>& of_rank : begins) std::sort(of_rank.begin(), of_rank.end());
  for (MatchedCall& call : job->calls) {
    const auto follows = [&](const MatchedCall::Member& member) {
      const CollectiveDigest& own = job->ranks[member.rank].digest->collectives[member.call];
      const std::vector<Ns>& of_rank = begins[member.rank];
      const auto at = std::lower_bound(of_rank.begin(), of_rank.end(), member.begin - own.since);
      return at != of_rank.end() && *at < member.begin;
    };
    call.follows_pairs =
        call.follows_pairs || std::any_of(call.members.begin(), call.members.end(), follows);
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
  const DelayOrigins origins(*job);
  const std::vector<RankWork> work = FindOwnWork(*job);
  if (!work.empty()) MarkCallsThatFollowPairs(job);
  for (size_t i = 0; i < job->calls.size(); ++i) {
    const MatchedCall& call = job->calls[i];
    if (call.members.size() < 2) continue;
    for (const MatchedCall::Member& member : call.members) {
      ++ranks[member.rank].calls;
      ranks[member.rank].waiting += member.waiting;
    }
    // Who sends waits for nobody: only calls that all leave together tell who was late.
    if (!IsSymmetric(call.op)) continue;
    RankLateness& late = ranks[call.members[call.last].rank];
    ++late.times_last;
    const Ns caused = call.waiting - call.members[call.last].waiting;
    const Ns lateness = std::max<Ns>(0, call.lateness);
    if (call.follows_pairs) continue;
    late.caused += caused;
    late.lateness += lateness;
    const uint32_t origin = origins.Of(i);
    ranks[origin].traced += caused;
    ranks[origin].traced_lateness += lateness;
    if (call.lateness < kLate) continue;
    for (const Activity& extra : ExtraOf(*job, call)) {
      LateReason& reason = reasons[late.rank][KeyOf(extra)];
      const Ns sum = reason.activity.time + extra.time;
      reason.activity = extra;
      reason.activity.time = sum;
      ++reason.calls;
      if (extra.where == kCommunicationActivity && origin != late.rank) {
        reason.waited_for = job->ranks[origin].rank;
      }
    }
  }
  if (!work.empty()) {
    const Delays delays(*job, work);
    WorkReasons found(*job, work);
    for (RankLateness& late : ranks) {
      late.work = delays.Of(late.rank);
      if (late.work.empty()) continue;
      for (const LateWork& one : late.work) {
        late.traced += one.whole.caused;
        late.lateness += one.whole.lateness;
        late.traced_lateness += one.whole.lateness;
      }
      for (LateReason& reason : found.Of(late.rank)) {
        LateReason& known = reasons[late.rank][KeyOf(reason.activity)];
        const Ns sum = known.activity.time + reason.activity.time;
        known.activity = std::move(reason.activity);
        known.activity.time = sum;
        known.calls += reason.calls;
      }
    }
  }
  Ns length = 1;
  for (const JobRank& rank : job->ranks) length = std::max(length, rank.digest->end);
  for (RankLateness& late : ranks) {
    for (auto& [key, reason] : reasons[late.rank]) {
      if (reason.waited_for >= 0) {
        std::string& name = reason.activity.name;
        name = Say(messages::kWaitedFor, {{"name", name}, {"rank", reason.waited_for}}).text;
      }
      late.reasons.push_back(std::move(reason));
    }
    std::stable_sort(
        late.reasons.begin(), late.reasons.end(),
        [](const LateReason& a, const LateReason& b) { return a.activity.time > b.activity.time; });
    if (late.reasons.size() > kReasons) late.reasons.resize(kReasons);
    late.straggler =
        static_cast<double>(late.traced_lateness) > kStraggles * static_cast<double>(length);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankLateness& a, const RankLateness& b) {
    return std::tie(a.traced, a.caused) > std::tie(b.traced, b.caused);
  });
  job->lateness = std::move(ranks);
}

}  // namespace emberline
