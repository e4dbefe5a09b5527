// Each rank carries by how much later it is than it would be if nobody's work had taken longer than
// usual, and with whom that began. Work adds its excess. A call hands it on: it is as late as the
// last of its ranks, by as much as the last would have come earlier and no rank else would have
// been the last then. So what pipelines wait for by their nature delays nobody, and neither does
// excess that others had time for.
#include "ranks/delays.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/hash.h"

namespace emberline {
namespace {

// Ranks with which the delay of one began, the largest parts.
constexpr size_t kMaxParts = 16;
// Of one rank for another in one step, so that sums stay in range whatever a digest says.
constexpr Ns kLongestDelay = Ns{1} << 48;

Ns PartOf(Ns value, Ns part, Ns whole) {
  if (whole <= 0) return 0;
  return static_cast<Ns>(static_cast<long double>(value) * static_cast<long double>(part) /
                         static_cast<long double>(whole));
}

}  // namespace

class DelayRun {
 public:
  DelayRun(const Job& job, const std::vector<RankWork>& work, Delays* into)
      : job_(job), work_(work), into_(*into) {}

  void Run() {
    Prepare();
    std::deque<uint32_t> ready;
    for (uint32_t r = 0; r < lanes_.size(); ++r) ready.push_back(r);
    for (;;) {
      while (!ready.empty()) {
        const uint32_t r = ready.front();
        ready.pop_front();
        Advance(r, &ready);
      }
      // Small messages are sent before they are received: such calls end without the other side.
      if (blocked_.empty()) return;
      const auto [time, r] = *blocked_.begin();
      End(r, lanes_[r].events[lanes_[r].next]);
      Unblock(r);
      ++lanes_[r].next;
      ready.push_back(r);
    }
  }

 private:
  using Origin = Delays::Origin;
  using Debt = std::vector<std::pair<Origin, Ns>>;  // by origin
  struct Event {
    Ns time = 0;  // on the rank's clock
    bool begins = false;
    uint32_t part = 0;
  };
  struct Lane {
    std::vector<Event> events;
    size_t next = 0;
    Debt debt;
  };
  // A member of a call that has begun.
  struct Arrival {
    uint32_t rank = 0;
    Ns time = 0;
    Ns late = 0;
    Debt debt;
  };
  struct Meeting {
    std::vector<Arrival> arrivals;
    std::map<uint32_t, size_t> places;  // of ranks in them, where each waits for its partners
    size_t ended = 0;
    std::vector<uint32_t> waiting;  // ranks that go on when all have begun
    // Of all arrivals, once all have begun.
    bool settled = false;
    size_t last = 0;
    Ns late = 0;
  };

  const CollectiveDigest& CallOf(uint32_t rank, const WorkPart& one) const {
    return job_.ranks[rank].digest->collectives[one.call];
  }

  void Prepare() {
    lanes_.resize(work_.size());
    for (uint32_t r = 0; r < work_.size(); ++r) index_[job_.ranks[r].rank] = r;
    matched_.resize(work_.size());
    members_.assign(job_.calls.size(), 0);
    for (uint32_t r = 0; r < work_.size(); ++r) {
      matched_[r].assign(job_.ranks[r].digest->collectives.size(), kNone);
    }
    for (uint32_t i = 0; i < job_.calls.size(); ++i) {
      const MatchedCall& call = job_.calls[i];
      apart_.push_back(Apart(i));
      if (call.members.size() < 2) continue;
      if (!IsSymmetric(call.op) && !IsPointToPoint(call.op)) continue;
      for (const auto& member : call.members) matched_[member.rank][member.call] = i;
    }
    for (uint32_t r = 0; r < work_.size(); ++r) {
      std::vector<Event>& events = lanes_[r].events;
      for (uint32_t k = 0; k < work_[r].parts.size(); ++k) {
        const CollectiveDigest& c = CallOf(r, work_[r].parts[k]);
        events.push_back({c.start, true, k});
        events.push_back({c.start + std::max<Ns>(1, c.duration), false, k});
        const uint32_t call = matched_[r][work_[r].parts[k].call];
        if (call != kNone) ++members_[call];
      }
      std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return std::tie(a.time, a.begins, a.part) < std::tie(b.time, b.begins, b.part);
      });
    }
  }

  void Advance(uint32_t r, std::deque<uint32_t>* ready) {
    Lane& lane = lanes_[r];
    while (lane.next < lane.events.size()) {
      const Event& event = lane.events[lane.next];
      if (event.begins) {
        Begin(r, event, ready);
      } else if (!Open(r, event)) {
        const uint32_t call = matched_[r][work_[r].parts[event.part].call];
        meetings_[call].waiting.push_back(r);
        blocked_.insert({job_.ranks[r].At(event.time, job_.base_ns), r});
        return;
      } else {
        End(r, event);
      }
      ++lane.next;
    }
  }
  void Unblock(uint32_t r) {
    const Event& event = lanes_[r].events[lanes_[r].next];
    blocked_.erase({job_.ranks[r].At(event.time, job_.base_ns), r});
  }

  bool Open(uint32_t r, const Event& event) const {
    const uint32_t call = matched_[r][work_[r].parts[event.part].call];
    if (call == kNone) return true;
    const auto meeting = meetings_.find(call);
    return meeting != meetings_.end() && meeting->second.arrivals.size() == members_[call];
  }

  void Begin(uint32_t r, const Event& event, std::deque<uint32_t>* ready) {
    const WorkPart& one = work_[r].parts[event.part];
    Debt& debt = lanes_[r].debt;
    Add({r, DelayKind::kOnce}, one.excess, &debt);
    Add({r, work_[r].like}, one.more, &debt);
    const uint32_t call = matched_[r][one.call];
    if (call == kNone) return;
    Meeting& meeting = meetings_[call];
    if (apart_[call]) meeting.places[r] = meeting.arrivals.size();
    meeting.arrivals.push_back({r, TimeOf(call, r, one), Sum(debt), debt});
    if (meeting.arrivals.size() < members_[call]) return;
    for (const uint32_t waiting : meeting.waiting) {
      // One that went on without the others may be waiting for another call by now.
      if (lanes_[waiting].next >= lanes_[waiting].events.size()) continue;
      const Event& next = lanes_[waiting].events[lanes_[waiting].next];
      if (next.begins || matched_[waiting][work_[waiting].parts[next.part].call] != call) {
        continue;
      }
      Unblock(waiting);
      ready->push_back(waiting);
    }
    meeting.waiting.clear();
  }

  // When a rank came to a call. All leave a collective and a pair together, whatever their clocks
  // show; of an exchange of several, each leaves when its own partners have come.
  Ns TimeOf(uint32_t call, uint32_t r, const WorkPart& one) const {
    const CollectiveDigest& c = CallOf(r, one);
    if (!apart_[call]) return -c.duration;
    return job_.ranks[r].At(c.start, job_.base_ns);
  }
  bool Apart(uint32_t index) const {
    const MatchedCall& call = job_.calls[index];
    if (IsSymmetric(call.op) || call.members.size() < 3) return false;
    const uint32_t clock = job_.ranks[call.members[0].rank].clock;
    return std::all_of(call.members.begin(), call.members.end(),
                       [&](const auto& member) { return job_.ranks[member.rank].clock == clock; });
  }

  // Who came last of some arrivals, and by how much later than without anybody's delay.
  static void Settle(const Meeting& meeting, const std::vector<size_t>& of, size_t* last,
                     Ns* late) {
    Ns latest = INT64_MIN, without = INT64_MIN;
    for (const size_t i : of) {
      const Arrival& one = meeting.arrivals[i];
      without = std::max(without, one.time - one.late);
      // Of those that come together, the one that was delayed most.
      if (one.time > latest ||
          (one.time == latest && std::pair(one.late, meeting.arrivals[*last].rank) >
                                     std::pair(meeting.arrivals[*last].late, one.rank))) {
        latest = one.time;
        *last = i;
      }
    }
    *late = latest - without;
  }

  void End(uint32_t r, const Event& event) {
    const WorkPart& one = work_[r].parts[event.part];
    const uint32_t call = matched_[r][one.call];
    if (call == kNone) return;
    Meeting& meeting = meetings_[call];
    size_t last = 0;
    Ns late = 0;
    if (apart_[call]) {
      Settle(meeting, PartnersOf(r, one, meeting), &last, &late);
    } else {
      // Those that went on before have no more to wait for.
      if (!meeting.settled) Settle(meeting, AllOf(meeting), &meeting.last, &meeting.late);
      meeting.settled = meeting.arrivals.size() == members_[call];
      last = meeting.last;
      late = meeting.late;
    }
    Take(r, one, call, meeting.arrivals[last], late);
    if (++meeting.ended == members_[call]) meetings_.erase(call);
  }

  static std::vector<size_t> AllOf(const Meeting& meeting) {
    std::vector<size_t> all(meeting.arrivals.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  // A rank and those that it exchanges with.
  std::vector<size_t> PartnersOf(uint32_t r, const WorkPart& one, const Meeting& meeting) const {
    const CollectiveDigest& c = CallOf(r, one);
    std::set<int64_t> partners{c.peer, job_.ranks[r].rank};
    for (const ExchangePart& part : c.parts) partners.insert(part.peer);
    std::vector<size_t> found;
    for (const int64_t partner : partners) {
      const auto index = index_.find(partner);
      if (index == index_.end()) continue;
      const auto place = meeting.places.find(index->second);
      if (place != meeting.places.end()) found.push_back(place->second);
    }
    return found;
  }

  // A rank leaves a call as late as this.
  void Take(uint32_t r, const WorkPart& one, uint32_t call, const Arrival& last, Ns late) {
    const CollectiveDigest& c = CallOf(r, one);
    Debt& debt = lanes_[r].debt;
    const Ns own = Sum(debt);
    if (late < own) {
      // What works beside a call is not held up by it.
      const bool beside = c.exposed * 2 < c.duration;
      const Ns less = beside ? std::min(own - late, c.exposed) : own - late;
      for (auto& [origin, part] : debt) part = PartOf(part, own - less, own);
      std::erase_if(debt, [](const auto& part) { return part.second <= 0; });
      return;
    }
    const Ns more = std::min(late - own, c.exposed);
    if (last.rank == r || more <= 0) return;
    Ns rest = 0;
    Debt parts;
    for (const auto& [origin, part] : last.debt) {
      const Ns share = std::max<Ns>(0, PartOf(part, late, last.late) - Of(debt, origin));
      if (share == 0) continue;
      parts.emplace_back(origin, share);
      rest += share;
    }
    for (const auto& [origin, share] : parts) {
      const Ns time = std::min(share, PartOf(share, more, rest));
      Add(origin, time, &debt);
      if (!job_.calls[call].follows_pairs || origin.first == r) continue;
      Ns& waited = into_.waited_[origin][StepNumber(*job_.ranks[r].digest, c.step)][r];
      waited = std::min(waited + time, kLongestDelay);
    }
  }

  static Ns Sum(const Debt& debt) {
    Ns sum = 0;
    for (const auto& [origin, part] : debt) sum += part;
    return sum;
  }
  static Ns Of(const Debt& debt, const Origin& origin) {
    for (const auto& [other, part] : debt) {
      if (other == origin) return part;
    }
    return 0;
  }
  static void Add(const Origin& origin, Ns time, Debt* debt) {
    if (time <= 0) return;
    const auto at = std::find_if(debt->begin(), debt->end(),
                                 [&](const auto& part) { return part.first == origin; });
    if (at != debt->end()) {
      at->second += time;
      return;
    }
    if (debt->size() == kMaxParts) {
      const auto least =
          std::min_element(debt->begin(), debt->end(), [](const auto& a, const auto& b) {
            return std::tie(a.second, a.first) < std::tie(b.second, b.first);
          });
      // The whole stays as large: who is late is, whoever it was.
      least->second += time;
      if (time * 2 > least->second) least->first = origin;
      return;
    }
    debt->emplace_back(origin, time);
  }

  const Job& job_;
  const std::vector<RankWork>& work_;
  Delays& into_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<uint32_t>> matched_;  // by rank and its call: in Job::calls
  std::map<int64_t, uint32_t> index_;           // of ranks, by number
  std::vector<bool> apart_;                     // by call: each rank waits for its partners alone
  std::vector<size_t> members_;                 // of calls, those whose ranks have it on their lane
  std::unordered_map<uint32_t, Meeting, NumberHash> meetings_;
  std::set<std::pair<Ns, uint32_t>> blocked_;  // by time
};

Delays::Delays(const Job& job, const std::vector<RankWork>& work) : job_(job), work_(work) {
  DelayRun(job, work, this).Run();
}

std::vector<LateWork> Delays::Of(uint32_t rank) const {
  std::vector<LateWork> found;
  for (const DelayKind kind : {DelayKind::kOnce, DelayKind::kAlways, DelayKind::kHeavy}) {
    const auto waited = waited_.find({rank, kind});
    if (waited == waited_.end()) continue;
    std::map<int64_t, LateWork::Step> steps;
    for (const auto& [number, others] : waited->second) {
      LateWork::Step& step = steps[number];
      for (const auto& [other, time] : others) {
        step.caused += time;
        step.lateness = std::max(step.lateness, time);
      }
    }
    const RankDigest& digest = *job_.ranks[rank].digest;
    const RankWork& work = work_[rank];
    for (const WorkPart& one : work.parts) {
      const bool once = kind == DelayKind::kOnce;
      const Ns excess = once ? one.excess : kind == work.like ? one.more : 0;
      const int64_t number = digest.collectives[one.call].step;
      LateWork::Step& step = steps[StepNumber(digest, number)];
      if (step.step < 0) step.step = number;
      if (excess <= 0) continue;
      ++step.calls;
      step.excess += excess;
      step.usual += one.work - one.excess - (once ? 0 : one.more);
    }
    LateWork late;
    late.kind = kind;
    LateWork::Step before_any;
    for (const auto& [number, step] : steps) {
      if (step.excess > 0) late.steps.push_back(step);
      // What others still wait for in later steps began in the one that was late.
      LateWork::Step& began = late.steps.empty() ? before_any : late.steps.back();
      if (step.excess <= 0) {
        began.caused += step.caused;
        began.lateness += step.lateness;
      }
      late.whole.calls += step.calls;
      late.whole.usual += step.usual;
      late.whole.excess += step.excess;
      late.whole.caused += step.caused;
      late.whole.lateness += step.lateness;
    }
    if (late.steps.empty()) continue;
    late.steps[0].caused += before_any.caused;
    late.steps[0].lateness += before_any.lateness;
    if (late.whole.caused > 0) found.push_back(std::move(late));
  }
  return found;
}

const char* DelayKindName(DelayKind kind) {
  static constexpr const char* kNames[] = {"once", "always", "heavy"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace emberline
