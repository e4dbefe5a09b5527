#include "ranks/own_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace emberline {
namespace {

constexpr uint32_t kUnmatched = UINT32_MAX;
// As many like stretches tell what is usual, if at most one in four of them is longer.
constexpr size_t kFew = 4;
// Longer than usual by less than a tenth, or than this many standard deviations, is chance.
constexpr double kShare = 0.1;
constexpr double kDeviations = 6;
// Neither is what is not so much longer than the longest stretch of most steps, on any rank: what
// many have is how this job is, as where each micro-batch has another length.
constexpr double kCommon = 1.5;
// The same of sums, for ranks behind those that do the same work in another replica, behind those
// of their ring, and behind other stages, which never have quite the same work.
constexpr double kSumDeviations = 5;
constexpr double kReplicaShare = 0.05, kRingShare = 0.02, kStageShare = 0.25;
// What still runs when a call begins that holds the device up.
constexpr Ns kBeside = 5'000;
// Of one piece of work, so that sums stay in range whatever a digest says: a quarter of an hour.
constexpr Ns kLongest = Ns{1} << 40;
// Where one send in so many does, sends run beside other work.
constexpr size_t kFewBeside = 50;
// Of so many ranks the middle is sure.
constexpr size_t kEnough = 64;
// The standard deviation of normal values whose median distance from their middle is 1.
constexpr double kOfMedian = 1.4826;
// Of what was not seen twice.
constexpr double kUnknownDeviation = 0.3;
// Of micro-batches of one step, which nothing shows to have as much work as each other.
constexpr double kOneStepDeviation = 0.1;

Ns Scaled(Ns value, double factor) {
  return static_cast<Ns>(std::llround(static_cast<double>(value) * factor));
}

// The lower middle of sorted values without one of them.
template <typename T>
T MiddleWithout(const std::vector<T>& sorted, T own) {
  const size_t rest = sorted.size() - 1;
  const size_t middle = (rest - 1) / 2;
  const auto at =
      static_cast<size_t>(std::lower_bound(sorted.begin(), sorted.end(), own) - sorted.begin());
  return sorted[middle < at ? middle : middle + 1];
}

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

// Where micro-batches go, as ranks of stages ascend; kTogether in an exchange of a ring.
enum class Way : uint8_t { kUp, kDown, kTogether };

struct Label {
  Way way = Way::kUp;
  int64_t number = 0;  // of the micro-batch in its step, or of the exchange
  auto operator<=>(const Label&) const = default;
};

class Finder {
 public:
  explicit Finder(const Job& job) : job_(job), work_(job.ranks.size()) {}

  std::vector<RankWork> Find() {
    if (!TieRanks()) return {};
    FindBeside();
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (in_pairs_[r]) Draw(r);
    }
    for (uint32_t r = 0; r < work_.size(); ++r) FindUsual(r);
    AllowForTheJob();
    for (uint32_t r = 0; r < work_.size(); ++r) FindExcess(r);
    FindLike();
    return std::move(work_);
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
      matched_[r].assign(job_.ranks[r].digest->collectives.size(), kUnmatched);
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
    Numbers<std::pair<uint32_t, uint32_t>> between;
    Numbers<std::pair<uint32_t, int64_t>> places;
    std::map<std::pair<int64_t, uint32_t>, int64_t> seen;  // of a kind in a step
    MicroBatches micro_batches;
    uint32_t kind_before = UINT32_MAX;
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
      stretch.kind = between.Of({kind_before, kinds[k]});
      stretch.place = places.Of({stretch.kind, seen[{step, stretch.kind}]++});
      stretch.usual = stretch.work;
      work.stretches.push_back(stretch);
      labels_[r].emplace_back(labels.begin(), labels.end());
      kind_before = kinds[k];
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
      const bool exchanges = sends && call != kUnmatched && job_.calls[call].members.size() > 1 &&
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

  // --- What is usual for a rank: the middle of its other stretches that are like one.
  void FindUsual(uint32_t r) {
    std::map<uint32_t, std::vector<Ns>> kinds, places;
    for (const Stretch& one : work_[r].stretches) {
      if (!one.known) continue;
      kinds[one.kind].push_back(one.work);
      places[one.place].push_back(one.work);
    }
    std::map<uint32_t, bool> even;  // kinds of which few are longer
    for (auto& [kind, values] : kinds) {
      std::sort(values.begin(), values.end());
      even[kind] = Even(values);
    }
    for (auto& [place, values] : places) std::sort(values.begin(), values.end());
    for (Stretch& one : work_[r].stretches) {
      if (!one.known) continue;
      const std::vector<Ns>&place = places[one.place], &kind = kinds[one.kind];
      one.compared = true;
      if (place.size() > 2 || (place.size() == 2 && !even[one.kind])) {
        one.usual = MiddleWithout(place, one.work);
      } else if (place.size() == 2) {
        one.usual = std::max(MiddleWithout(place, one.work), MiddleWithout(kind, one.work));
      } else if (even[one.kind]) {
        one.usual = MiddleWithout(kind, one.work);
      } else {
        one.compared = false;
      }
    }
  }
  // Of one step: a stretch may be long by its place in it.
  static bool Even(const std::vector<Ns>& sorted) {
    if (sorted.size() < kFew) return false;
    const Ns usual = sorted[(sorted.size() - 1) / 2];
    const Ns most = usual + std::max(kLate, Scaled(usual, kShare));
    const auto longer = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), most);
    return static_cast<size_t>(longer) * 4 <= sorted.size();
  }

  // Where the others take longer too, the micro-batch or the step has more work: longer sequences.
  void AllowForTheJob() {
    using Ratios = std::vector<double>;
    std::map<std::tuple<uint32_t, int64_t, Label>, Ratios> micro_batches;
    std::map<std::pair<uint32_t, int64_t>, Ratios> steps;
    std::vector<std::map<int64_t, double>> own(work_.size());
    for (uint32_t r = 0; r < work_.size(); ++r) {
      std::map<int64_t, std::pair<double, double>> sums;
      for (size_t i = 0; i < work_[r].stretches.size(); ++i) {
        const Stretch& one = work_[r].stretches[i];
        if (!Counts(one)) continue;
        if (labels_[r][i].size() == 1) {
          micro_batches[{work_[r].component, one.step, labels_[r][i][0]}].push_back(Ratio(one));
        }
        steps_[work_[r].component].insert(one.step);
        auto& [work, usual] = sums[one.step];
        work += static_cast<double>(one.work);
        usual += static_cast<double>(one.usual);
      }
      for (const auto& [step, sum] : sums) {
        own[r][step] = sum.first / sum.second;
        steps[{work_[r].component, step}].push_back(own[r][step]);
      }
    }
    for (auto& [key, ratios] : micro_batches) std::sort(ratios.begin(), ratios.end());
    for (auto& [key, ratios] : steps) std::sort(ratios.begin(), ratios.end());
    for (uint32_t r = 0; r < work_.size(); ++r) {
      for (size_t i = 0; i < work_[r].stretches.size(); ++i) {
        Stretch& one = work_[r].stretches[i];
        if (!Counts(one)) continue;
        double factor = 1;
        const bool alone = labels_[r][i].size() == 1;
        for (const Label& label : labels_[r][i]) {
          const auto all_of = micro_batches.find({work_[r].component, one.step, label});
          if (all_of == micro_batches.end()) continue;
          const Ratios& ratios = all_of->second;
          if (!alone) factor = std::max(factor, ratios[(ratios.size() - 1) / 2]);
          if (alone && ratios.size() > 1) {
            factor = std::max(factor, MiddleWithout(ratios, Ratio(one)));
          }
        }
        const Ratios& all = steps[{work_[r].component, one.step}];
        if (all.size() > 1) factor = std::max(factor, MiddleWithout(all, own[r][one.step]));
        allowed_[r].push_back(Scaled(one.usual, factor));
      }
    }
    FindDeviations();
    std::map<uint32_t, std::vector<double>> apart;  // by component
    for (uint32_t r = 0; r < work_.size(); ++r) {
      for (const auto& [step, ratio] : own[r]) {
        const Ratios& all = steps[{work_[r].component, step}];
        const double others = all.size() > 1 ? MiddleWithout(all, ratio) : 1;
        const double most = std::max(1.0, others);
        step_over_[r][step] = ratio / most - 1;
        double off = std::abs(ratio - others);
        // Of two ranks, one that is late would make the other seem to differ as much.
        if (all.size() == 2) off = std::min(off, std::abs(ratio - 1));
        apart[work_[r].component].push_back(off / most);
      }
    }
    for (auto& [component, values] : apart) {
      step_deviation_[component] = DeviationOf(std::move(values), 2);
    }
  }

  // How much the same stretch differs from time to time, as a part of what is usual.
  void FindDeviations() {
    std::map<uint32_t, std::vector<double>> off;                              // by component
    std::map<uint32_t, std::map<std::pair<uint32_t, int64_t>, double>> most;  // by rank and step
    for (uint32_t r = 0; r < work_.size(); ++r) {
      size_t at = 0;
      for (const Stretch& one : work_[r].stretches) {
        if (!Counts(one)) continue;
        const double over = static_cast<double>(one.work - allowed_[r][at++]) /
                            static_cast<double>(one.usual) * Pieces(r, one);
        off[work_[r].component].push_back(std::abs(over));
        double& largest = most[work_[r].component][{r, one.step}];
        largest = std::max(largest, over);
      }
    }
    for (const auto& [component, all] : most) {
      std::vector<double> values;
      for (const auto& [key, over] : all) values.push_back(over);
      const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * 3 / 4);
      std::nth_element(values.begin(), at, values.end());
      common_[component] = *at;
    }
    for (auto& [component, values] : off) {
      // Of two steps each is as far from the other: who was late in one seems to differ always.
      deviation_[component] = DeviationOf(std::move(values), steps_[component].size() == 2 ? 4 : 2);
      if (steps_[component].size() == 1) {
        deviation_[component] = std::max(deviation_[component], kOneStepDeviation);
      }
    }
  }
  // From what all but one part of so many keep within.
  static double DeviationOf(std::vector<double> values, size_t parts) {
    const size_t at = values.size() - 1 - (values.size() - 1) / parts;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(values.begin(), middle, values.end());
    return kOfMedian * *middle;
  }
  static bool Counts(const Stretch& one) { return one.compared && one.usual >= kLate; }
  static double Ratio(const Stretch& one) {
    return static_cast<double>(one.work) / static_cast<double>(one.usual);
  }
  // A sum of several parts differs less from time to time: by the root of their number.
  double Pieces(uint32_t r, const Stretch& one) const {
    double parts = 0;
    for (uint32_t k = one.first; k <= one.last; ++k) {
      parts += work_[r].parts[k].work >= kLate ? 1 : 0;
    }
    return std::sqrt(std::max(1.0, parts));
  }
  double Deviation(uint32_t r) const {
    const auto at = deviation_.find(work_[r].component);
    return at == deviation_.end() ? kUnknownDeviation : at->second;
  }

  void FindExcess(uint32_t r) {
    struct Sums {
      double over = 0, longer = 0, usual = 0, squares = 0;
    };
    std::map<int64_t, Sums> steps;
    size_t at = 0;
    for (Stretch& one : work_[r].stretches) {
      if (!one.compared) continue;
      if (Counts(one)) one.usual = allowed_[r][at++];
      const auto usual = static_cast<double>(one.usual);
      const double chance = usual * Deviation(r) / Pieces(r, one);
      const Ns over = one.work - one.usual;
      const double common = usual * kCommon * common_[work_[r].component] / Pieces(r, one);
      if (over > std::max(Least(usual, chance), Scaled(1, common))) {
        one.excess = over;
      }
      Sums& sums = steps[one.step];
      sums.over += static_cast<double>(over);
      sums.longer += static_cast<double>(std::max<Ns>(0, over));
      sums.usual += static_cast<double>(one.usual);
      sums.squares += chance * chance;
    }
    // What each stretch alone may owe to chance, all those of a step may not.
    for (Stretch& one : work_[r].stretches) {
      if (!one.compared || one.excess > 0 || one.work <= one.usual) continue;
      const Sums& sums = steps[one.step];
      if (sums.over <= static_cast<double>(Least(sums.usual, std::sqrt(sums.squares)))) continue;
      const double deviation = step_deviation_[work_[r].component];
      if (step_over_[r][one.step] <= kDeviations * deviation) continue;
      one.excess = Scaled(one.work - one.usual, sums.over / sums.longer);
    }
    Divide(r);
  }

  // Gives the excess of stretches to those of their parts that were longer than usual.
  void Divide(uint32_t r) {
    RankWork& work = work_[r];
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Ns>> usual;  // by place and number
    for (const Stretch& one : work.stretches) {
      for (uint32_t k = one.first; k <= one.last; ++k) {
        usual[{one.place, k - one.first}].push_back(work.parts[k].work);
      }
    }
    for (auto& [key, values] : usual) std::sort(values.begin(), values.end());
    for (const Stretch& one : work.stretches) {
      if (one.excess == 0) continue;
      std::vector<Ns> over, all;
      for (uint32_t k = one.first; k <= one.last; ++k) all.push_back(work.parts[k].work);
      const Ns middle = LowerMedian(all);
      Ns sum = 0;
      for (uint32_t k = one.first; k <= one.last; ++k) {
        const std::vector<Ns>& others = usual[{one.place, k - one.first}];
        const Ns own = work.parts[k].work;
        const Ns expected = others.size() > 1 ? MiddleWithout(others, own) : middle;
        over.push_back(std::max<Ns>(0, own - expected));
        sum += over.back();
      }
      for (uint32_t k = one.first; k <= one.last; ++k) {
        const double share =
            sum > 0 ? static_cast<double>(over[k - one.first]) / static_cast<double>(sum)
                    : (k == one.last ? 1.0 : 0.0);
        work.parts[k].excess = std::min(work.parts[k].work, Scaled(one.excess, share));
      }
    }
  }
  static Ns Least(double usual, double chance) {
    return std::max(kLate, Scaled(1, std::max(usual * kShare, chance * kDeviations)));
  }

  // --- Who works more than those that are like it, in every step.
  struct Sums {
    Ns work = 0;        // of a step
    double chance = 0;  // standard deviation of `work`
  };
  Sums SumsOf(uint32_t r) const {
    const RankDigest& digest = *job_.ranks[r].digest;
    std::set<int64_t> whole;
    for (size_t i = 0; i < digest.steps.size(); ++i) {
      if (!digest.steps[i].partial) whole.insert(StepNumber(digest, static_cast<int64_t>(i)));
    }
    std::map<int64_t, std::pair<Ns, double>> steps;  // with the sum of squares
    for (const WorkPart& one : work_[r].parts) {
      const int64_t number = StepNumber(digest, digest.collectives[one.call].step);
      if (!whole.empty() && whole.count(number) == 0) continue;
      const Ns work = one.work - one.excess;
      auto& [sum, squares] = steps[number];
      sum += work;
      squares += static_cast<double>(work) * static_cast<double>(work);
    }
    std::vector<Ns> work;
    double most = 0;
    for (const auto& [step, sums] : steps) {
      work.push_back(sums.first);
      most = std::max(most, sums.second);
    }
    // A middle of several steps differs less than one of them does.
    const double chance = Deviation(r) * std::sqrt(most / static_cast<double>(steps.size()));
    return {LowerMedian(std::move(work)), chance};
  }

  void FindLike() {
    std::vector<Sums> sums(work_.size());
    std::map<uint32_t, std::vector<uint32_t>> components;
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (work_[r].stretches.empty()) continue;
      sums[r] = SumsOf(r);
      components[work_[r].component].push_back(r);
    }
    std::map<uint32_t, std::vector<double>> sorted;
    for (const auto& [component, ranks] : components) {
      for (const uint32_t r : ranks) sorted[component].push_back(static_cast<double>(sums[r].work));
      std::sort(sorted[component].begin(), sorted[component].end());
    }
    const std::vector<std::vector<uint32_t>> replicas = Replicas();
    for (uint32_t r = 0; r < work_.size(); ++r) {
      RankWork& own = work_[r];
      own.step_work = own.like_work = sums[r].work;
      if (own.stretches.empty()) continue;
      std::vector<Ns> others;
      for (const uint32_t other : replicas[r]) others.push_back(sums[other].work);
      if (!others.empty() && Behind(r, LowerMedian(others), sums[r].chance, kReplicaShare)) {
        own.like = DelayKind::kAlways;
        own.like_ranks = replicas[r];
        continue;
      }
      const std::vector<double>& all = sorted[own.component];
      if (all.size() < 2) continue;
      const bool ring = !not_ring_[own.component];
      const Ns middle = std::llround(MiddleWithout(all, static_cast<double>(own.step_work)));
      if (!Behind(r, middle, sums[r].chance, ring ? kRingShare : kStageShare)) continue;
      own.like = ring ? DelayKind::kAlways : DelayKind::kHeavy;
      for (const uint32_t other : components[own.component]) {
        if (other != r && own.like_ranks.size() < kEnough) own.like_ranks.push_back(other);
      }
    }
    for (RankWork& own : work_) {
      if (own.like_work >= own.step_work) continue;
      const double part =
          1 - static_cast<double>(own.like_work) / static_cast<double>(own.step_work);
      for (WorkPart& one : own.parts) {
        if (own.stretches[one.stretch].known) one.more = Scaled(one.work - one.excess, part);
      }
    }
  }

  bool Behind(uint32_t r, Ns middle, double chance, double share) {
    const double least =
        std::max(static_cast<double>(middle) * share, kSumDeviations * std::sqrt(2.0) * chance);
    if (work_[r].step_work - middle <= std::max(kLate, Scaled(1, least))) return false;
    work_[r].like_work = middle;
    return true;
  }

  // Ranks that do the same in other pipelines: those of groups that hold nobody else of a rank's
  // own.
  std::vector<std::vector<uint32_t>> Replicas() const {
    std::vector<std::set<uint32_t>> found(work_.size());
    std::vector<bool> used(job_.groups.size(), false);
    for (const MatchedCall& call : job_.calls) {
      if (call.members.size() > 1 && IsSymmetric(call.op)) used[call.group] = true;
    }
    for (size_t g = 0; g < job_.groups.size(); ++g) {
      if (!used[g]) continue;
      const std::vector<uint32_t>& members = job_.groups[g].members;
      std::set<uint32_t> components;
      for (const uint32_t member : members) components.insert(work_[member].component);
      if (components.size() < members.size()) continue;
      for (size_t i = 0; i < members.size(); ++i) {
        for (size_t k = 1; k < std::min(members.size(), kEnough); ++k) {
          const uint32_t other = members[(i + k) % members.size()];
          if (!work_[other].stretches.empty()) found[members[i]].insert(other);
        }
      }
    }
    std::vector<std::vector<uint32_t>> replicas;
    for (const auto& ranks : found) replicas.emplace_back(ranks.begin(), ranks.end());
    return replicas;
  }

  const Job& job_;
  std::vector<RankWork> work_;
  std::vector<bool> in_pairs_;
  std::vector<bool> not_ring_;                  // by component
  std::vector<bool> beside_;                    // by component: sends run beside other work
  std::vector<std::vector<uint32_t>> matched_;  // by rank and its call: in Job::calls
  std::map<uint32_t, std::vector<std::vector<Label>>>
      labels_;                                   // by rank, parallel to its stretches
  std::map<uint32_t, std::vector<Ns>> allowed_;  // of stretches that count
  std::map<uint32_t, std::set<int64_t>> steps_;  // by component
  std::map<uint32_t, double> deviation_;         // by component, as a part of what is usual
  // By rank, of each step: how much longer its work was, beyond what the others' was.
  std::map<uint32_t, std::map<int64_t, double>> step_over_;
  std::map<uint32_t, double> step_deviation_;
  std::map<uint32_t, double> common_;  // by component: by how much the longest stretches are longer
};

}  // namespace

Ns LowerMedian(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t StepNumber(const RankDigest& digest, int64_t step) {
  if (step < 0) return -1;
  const int64_t number = digest.steps[static_cast<size_t>(step)].number;
  return digest.has_steps && number >= 0 ? number : step;
}

std::vector<RankWork> FindOwnWork(const Job& job) { return Finder(job).Find(); }

}  // namespace emberline
