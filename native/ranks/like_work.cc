// Who works more than those that are like it, in every step.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "ranks/own_work_parts.h"

namespace emberline {
namespace {

// As kDeviations and kShare in excess_work, of sums: for ranks behind those that do the same work
// in another replica, behind those of their ring, and behind other stages, which never have quite
// the same work.
constexpr double kSumDeviations = 5;
constexpr double kReplicaShare = 0.05, kRingShare = 0.02, kStageShare = 0.25;
// Of so many ranks the middle is sure.
constexpr size_t kEnoughAlike = 64;

class LikeRanks {
 public:
  LikeRanks(const Job& job, const WorkDeviations& deviations, DrawnWork* drawn)
      : job_(job), deviation_(deviations), not_ring_(drawn->not_ring), work_(drawn->ranks) {}

  void Compare() {
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
        if (other != r && own.like_ranks.size() < kEnoughAlike) own.like_ranks.push_back(other);
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

 private:
  struct Sums {
    Ns work = 0;        // of a step
    double chance = 0;  // standard deviation of `work`
  };
  Sums SumsOf(uint32_t r) const {
    const RankDigest& digest = *job_.ranks[r].digest;
    std::set<int64_t> whole;
    for (size_t i = 0; i < digest.steps.size(); ++i) {
      const StepDigest& step = digest.steps[i];
      if (!step.partial && step.end > step.begin)
        whole.insert(StepNumber(digest, static_cast<int64_t>(i)));
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
    const double chance = DeviationIn(deviation_, work_[r].component) *
                          std::sqrt(most / static_cast<double>(steps.size()));
    return {LowerMedian(std::move(work)), chance};
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
        for (size_t k = 1; k < std::min(members.size(), kEnoughAlike); ++k) {
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
  const WorkDeviations& deviation_;
  const std::vector<bool>& not_ring_;  // by component
  std::vector<RankWork>& work_;
};

}  // namespace

void CompareLikeRanks(const Job& job, const WorkDeviations& deviations, DrawnWork* drawn) {
  LikeRanks(job, deviations, drawn).Compare();
}

}  // namespace emberline
