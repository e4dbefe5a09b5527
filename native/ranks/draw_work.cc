// Ties ranks that exchange with each other together, and divides the time of each between its
// calls.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "ranks/own_work_parts.h"

namespace emberline {
namespace {

// What still runs when a call begins that holds the device up.
constexpr Ns kBeside = 5'000;
// Of one piece of work, so that sums stay in range whatever a digest says: a quarter of an hour.
constexpr Ns kLongest = Ns{1} << 40;
// Where one send in so many does, sends run beside other work.
constexpr size_t kFewBeside = 50;

// Numbers for values in the order in which they come.
template <typename Key>
class Numbers {
 public:
  uint32_t Of(const Key& key) {
    return numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  size_t size() const { return numbers_.size(); }

 private:
  std::map<Key, uint32_t> numbers_;
};

class Drawing {
 public:
  explicit Drawing(const Job& job) : job_(job), work_(job.ranks.size()), labels_(work_.size()) {}

  DrawnWork Draw() {
    if (!TieRanks()) return {};
    FindBeside();
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (in_pairs_[r]) Draw(r);
    }
    return {std::move(work_), std::move(not_ring_), std::move(labels_)};
  }

 private:
  const CollectiveDigest& CallOf(uint32_t rank, uint32_t call) const {
    return job_.ranks[rank].digest->collectives[call];
  }

  // --- Who exchanges with whom.
  bool TieRanks() {
    std::vector<uint32_t> root(work_.size());
    std::iota(root.begin(), root.end(), 0);
    const auto of = [&](uint32_t rank) {
      while (root[rank] != rank) rank = root[rank] = root[root[rank]];
      return rank;
    };
    in_pairs_.assign(work_.size(), false);
    matched_.resize(work_.size());
    for (uint32_t r = 0; r < work_.size(); ++r) {
      matched_[r].assign(job_.ranks[r].digest->collectives.size(), kNone);
    }
    bool any = false;
    for (uint32_t i = 0; i < job_.calls.size(); ++i) {
      const MatchedCall& call = job_.calls[i];
      for (const auto& member : call.members) matched_[member.rank][member.call] = i;
      if (call.members.size() < 2 || !IsPointToPoint(call.op)) continue;
      any = true;
      for (const auto& member : call.members) {
        in_pairs_[member.rank] = true;
        root[of(member.rank)] = of(call.members[0].rank);
      }
    }
    for (uint32_t r = 0; r < work_.size(); ++r) work_[r].component = of(r);
    not_ring_.assign(work_.size(), false);
    for (const MatchedCall& call : job_.calls) {
      if (call.members.size() < 2 || !IsPointToPoint(call.op)) continue;
      if (!GoesAround(call)) not_ring_[of(call.members[0].rank)] = true;
    }
    return any;
  }

  // Each of its ranks sends and receives.
  bool GoesAround(const MatchedCall& call) const {
    return std::all_of(call.members.begin(), call.members.end(), [&](const auto& member) {
      bool sends = false, receives = false;
      for (const ExchangePart& part : CallOf(member.rank, member.call).parts) {
        (part.sends ? sends : receives) = true;
      }
      return sends && receives;
    });
  }

  // --- The work between the calls of a rank.
  using Peers = std::vector<std::pair<bool, int64_t>>;
  using Kind = std::tuple<uint8_t, uint32_t, Peers>;

  Kind KindOf(uint32_t rank, const CollectiveDigest& call) const {
    Peers peers;
    if (call.peer >= 0) peers.push_back({call.op == Number(CollectiveOp::kSend), call.peer});
    for (const ExchangePart& part : call.parts) peers.push_back({part.sends, part.peer});
    std::sort(peers.begin(), peers.end());
    return {call.op, job_.ranks[rank].groups[call.group], std::move(peers)};
  }
  static uint8_t Number(CollectiveOp op) { return static_cast<uint8_t>(op); }

  // Calls of the host wait beside the device: where the device makes calls, these count.
  bool OnDevice(const RankDigest& digest) const {
    return std::any_of(digest.collectives.begin(), digest.collectives.end(),
                       [](const CollectiveDigest& c) { return !c.host_only; });
  }

  void Draw(uint32_t r) {
    const RankDigest& digest = *job_.ranks[r].digest;
    const std::vector<uint32_t> calls = CallsOf(r);
    Numbers<Kind> numbers;
    std::vector<uint32_t> kinds;
    for (const uint32_t call : calls) {
      kinds.push_back(numbers.Of(KindOf(r, digest.collectives[call])));
    }
    const std::vector<bool> holds = HoldUp(r, calls, kinds, numbers.size());
    Numbers<std::tuple<uint32_t, uint32_t, bool>>
        between;  // kinds, and whether a step begins there
    Numbers<std::pair<uint32_t, int64_t>> places;
    std::map<std::pair<int64_t, uint32_t>, int64_t> seen;  // of a kind in a step
    MicroBatches micro_batches;
    uint32_t kind_before = UINT32_MAX;
    int64_t step_before = -1;
    RankWork& work = work_[r];
    Stretch stretch;
    std::set<Label> labels;
    for (uint32_t k = 0; k < calls.size(); ++k) {
      const CollectiveDigest& c = digest.collectives[calls[k]];
      const CollectiveDigest* before = k == 0 ? nullptr : &digest.collectives[calls[k - 1]];
      WorkPart part{calls[k], static_cast<uint32_t>(work.stretches.size()), 0, 0, 0};
      if (before != nullptr) {
        part.work = c.start - before->start - c.exposed_before;
      } else if (c.step >= 0) {
        part.work = c.start - std::max<Ns>(0, digest.steps[c.step].begin);
      }
      part.work = std::clamp<Ns>(part.work, 0, kLongest);
      stretch.work += part.work;
      work.parts.push_back(part);
      const int64_t step = StepNumber(digest, c.step);
      if (before != nullptr) AddLabels(r, calls[k - 1], step, false, &micro_batches, &labels);
      AddLabels(r, calls[k], step, true, &micro_batches, &labels);
      if (!holds[kinds[k]] && k + 1 < calls.size()) continue;
      stretch.last = k;
      stretch.step = step;
      stretch.known = kind_before != UINT32_MAX;
      stretch.kind = between.Of({kind_before, kinds[k], step != step_before});
      stretch.place = places.Of({stretch.kind, seen[{step, stretch.kind}]++});
      stretch.usual = stretch.work;
      work.stretches.push_back(stretch);
      labels_[r].emplace_back(labels.begin(), labels.end());
      kind_before = kinds[k];
      step_before = step;
      stretch = {};
      stretch.first = k + 1;
      labels.clear();
    }
  }

  // Of each kind of calls, whether they hold their device up for the most part: it does nothing
  // else while they run. Where sends run beside other work, none of them does: each begins when the
  // one before it has ended, whatever its rank worked until then.
  std::vector<bool> HoldUp(uint32_t r, const std::vector<uint32_t>& calls,
                           const std::vector<uint32_t>& kinds, size_t count) const {
    const RankDigest& digest = *job_.ranks[r].digest;
    std::vector<size_t> alone(count, 0), all(count, 0);
    std::vector<bool> only_sends(count, false);
    for (size_t k = 0; k < calls.size(); ++k) {
      const CollectiveDigest& c = digest.collectives[calls[k]];
      alone[kinds[k]] += RunsAlone(digest, calls, k) ? 1 : 0;
      ++all[kinds[k]];
      only_sends[kinds[k]] = OnlySends(c);
    }
    std::vector<bool> holds(count);
    for (size_t i = 0; i < count; ++i) {
      holds[i] = alone[i] * 4 >= all[i] * 3 && !(only_sends[i] && beside_[work_[r].component]);
    }
    return holds;
  }
  static bool RunsAlone(const RankDigest& digest, const std::vector<uint32_t>& calls, size_t k) {
    const CollectiveDigest& c = digest.collectives[calls[k]];
    if (c.duration - c.exposed > kBeside) return false;
    // A send that had to wait for one before it may begin at any time.
    size_t next = k + 1;
    while (!OnlySends(c) && next < calls.size() && OnlySends(digest.collectives[calls[next]]) &&
           next - k < kFewBeside) {
      ++next;
    }
    return next >= calls.size() || digest.collectives[calls[next]].start >= c.start + c.duration;
  }
  static bool OnlySends(const CollectiveDigest& c) {
    return c.parts.empty() ? c.op == Number(CollectiveOp::kSend)
                           : std::all_of(c.parts.begin(), c.parts.end(),
                                         [](const ExchangePart& part) { return part.sends; });
  }

  // The calls of a rank that count, on the device that sends and receives.
  std::vector<uint32_t> CallsOf(uint32_t r) const {
    const RankDigest& digest = *job_.ranks[r].digest;
    const bool on_device = OnDevice(digest);
    int64_t device = -1;
    for (const CollectiveDigest& c : digest.collectives) {
      if (c.host_only != on_device && IsPointToPoint(static_cast<CollectiveOp>(c.op))) {
        device = c.device;
        break;
      }
    }
    std::vector<uint32_t> calls;
    for (uint32_t i = 0; i < digest.collectives.size(); ++i) {
      const CollectiveDigest& c = digest.collectives[i];
      if (c.device == device && c.host_only != on_device) calls.push_back(i);
    }
    return calls;
  }

  void FindBeside() {
    std::vector<std::pair<size_t, size_t>> sends(work_.size());  // by component: beside, all
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (!in_pairs_[r]) continue;
      const RankDigest& digest = *job_.ranks[r].digest;
      const std::vector<uint32_t> calls = CallsOf(r);
      auto& [beside, all] = sends[work_[r].component];
      for (size_t k = 0; k < calls.size(); ++k) {
        if (!OnlySends(digest.collectives[calls[k]])) continue;
        beside += RunsAlone(digest, calls, k) ? 0 : 1;
        ++all;
      }
    }
    beside_.assign(work_.size(), false);
    for (size_t i = 0; i < sends.size(); ++i) {
      beside_[i] = sends[i].first * kFewBeside > sends[i].second;
    }
  }

  // How many a rank sent or took in a step, each way.
  using MicroBatches = std::map<std::tuple<int64_t, bool, Way>, int64_t>;

  // The micro-batches that a call sends or takes, or the exchange that it is in a ring.
  void AddLabels(uint32_t r, uint32_t index, int64_t step, bool sends, MicroBatches* counted,
                 std::set<Label>* labels) const {
    const uint32_t call = matched_[r][index];
    if (!not_ring_[work_[r].component]) {
      const bool exchanges = sends && call != kNone && job_.calls[call].members.size() > 1 &&
                             IsPointToPoint(job_.calls[call].op);
      if (exchanges) labels->insert({Way::kTogether, call});
      return;
    }
    const CollectiveDigest& c = CallOf(r, index);
    std::set<Way> ways;
    const auto add = [&](int64_t peer) {
      if (peer >= 0) ways.insert((peer > job_.ranks[r].rank) == sends ? Way::kUp : Way::kDown);
    };
    if ((c.op == Number(CollectiveOp::kSend)) == sends) add(c.peer);
    for (const ExchangePart& part : c.parts) {
      if (part.sends == sends) add(part.peer);
    }
    for (const Way way : ways) labels->insert({way, (*counted)[{step, sends, way}]++});
  }

  const Job& job_;
  std::vector<RankWork> work_;
  std::vector<bool> in_pairs_;
  std::vector<bool> not_ring_;                  // by component
  std::vector<bool> beside_;                    // by component: sends run beside other work
  std::vector<std::vector<uint32_t>> matched_;  // by rank and its call: in Job::calls
  std::vector<std::vector<std::vector<Label>>> labels_;  // by rank, parallel to its stretches
};

}  // namespace

DrawnWork DrawWork(const Job& job) { return Drawing(job).Draw(); }

}  // namespace emberline
