// What is usual for a rank between its calls, what its whole job took longer for, and what of the
// rest is more than chance.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ranks/own_work_parts.h"

namespace emberline {
namespace {

// As many like stretches tell what is usual, if at most one in four of them is longer.
constexpr size_t kFew = 4;
// Longer than usual by less than a tenth, or than this many standard deviations, is chance.
constexpr double kShare = 0.1;
constexpr double kDeviations = 6;
// Neither is what is not so much longer than the longest stretch of most steps, on any rank: what
// many have is how this job is, as where each micro-batch has another length.
constexpr double kCommon = 1.5;
// The standard deviation of normal values whose median distance from their middle is 1.
constexpr double kOfMedian = 1.4826;
// Of micro-batches of one step, which nothing shows to have as much work as each other.
constexpr double kOneStepDeviation = 0.1;

class Excess {
 public:
  explicit Excess(DrawnWork* drawn) : work_(drawn->ranks), labels_(drawn->labels) {}

  WorkDeviations Find() {
    FindKinds();
    for (uint32_t r = 0; r < work_.size(); ++r) FindUsual(r);
    AllowForTheJob();
    for (uint32_t r = 0; r < work_.size(); ++r) FindExcess(r);
    return std::move(deviation_);
  }

 private:
  // --- What is usual for a rank: the middle of its other stretches that are like one.
  // Of one step, stretches are alike that have as many parts and lie before like ones: where a
  // schedule changes, the same calls may enclose more work.
  using Kind = std::tuple<uint32_t, uint32_t, uint32_t>;
  struct Values {
    std::vector<Ns> sorted;
    bool even = false;  // few are longer
  };
  Kind KindOf(uint32_t r, size_t i) const {
    const std::vector<Stretch>& all = work_[r].stretches;
    const uint32_t next = i + 1 < all.size() ? all[i + 1].kind : UINT32_MAX;
    return {all[i].kind, all[i].last - all[i].first, next};
  }

  void FindKinds() {
    std::map<uint32_t, std::pair<size_t, size_t>> stretches;  // by component: of even kinds, of all
    for (uint32_t r = 0; r < work_.size(); ++r) {
      for (size_t i = 0; i < work_[r].stretches.size(); ++i) {
        const Stretch& one = work_[r].stretches[i];
        if (one.known) kinds_[r][KindOf(r, i)].sorted.push_back(one.work);
      }
      auto& [even, all] = stretches[work_[r].component];
      for (auto& [kind, values] : kinds_[r]) {
        std::sort(values.sorted.begin(), values.sorted.end());
        values.even = Even(values.sorted);
        if (values.sorted.size() < kFew) continue;
        if (values.even && FewShorter(values.sorted)) even += values.sorted.size();
        all += values.sorted.size();
      }
    }
    for (const auto& [component, of] : stretches) {
      mostly_even_[component] = of.first * 4 >= of.second * 3;
    }
  }

  void FindUsual(uint32_t r) {
    std::map<uint32_t, std::vector<Ns>> places;
    for (const Stretch& one : work_[r].stretches) {
      if (one.known) places[one.place].push_back(one.work);
    }
    for (auto& [place, values] : places) std::sort(values.begin(), values.end());
    for (size_t i = 0; i < work_[r].stretches.size(); ++i) {
      Stretch& one = work_[r].stretches[i];
      if (!one.known) continue;
      const std::vector<Ns>& place = places[one.place];
      const Values& kind = kinds_[r][KindOf(r, i)];
      one.compared = true;
      if (place.size() > 2 || (place.size() == 2 && !kind.even)) {
        one.usual = MiddleWithout(place, one.work);
      } else if (place.size() == 2) {
        one.usual = std::max(MiddleWithout(place, one.work), MiddleWithout(kind.sorted, one.work));
      } else if (kind.even && mostly_even_[work_[r].component]) {
        one.usual = MiddleWithout(kind.sorted, one.work);
      } else {
        one.compared = false;
      }
    }
  }
  // Of one step: a stretch may be long by its place in it, or micro-batches by their lengths, where
  // kinds are even only by chance.
  static bool Even(const std::vector<Ns>& sorted) {
    if (sorted.size() < kFew) return false;
    const Ns usual = sorted[(sorted.size() - 1) / 2];
    const Ns most = usual + std::max(kLate, Scaled(usual, kShare));
    const auto longer = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), most);
    return static_cast<size_t>(longer) * 4 <= sorted.size();
  }
  static bool FewShorter(const std::vector<Ns>& sorted) {
    const Ns usual = sorted[(sorted.size() - 1) / 2];
    const Ns least = usual - std::max(kLate, Scaled(usual, kShare));
    const auto shorter = std::lower_bound(sorted.begin(), sorted.end(), least) - sorted.begin();
    return static_cast<size_t>(shorter) * 4 <= sorted.size();
  }

  // Where the others take longer too, the micro-batch or the step has more work: longer sequences.
  void AllowForTheJob() {
    using Ratios = std::vector<double>;
    std::map<std::tuple<uint32_t, int64_t, Label>, Ratios> micro_batches;
    std::map<std::pair<uint32_t, int64_t>, Ratios> steps, longest;
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
        double& own_longest = longest_[r][one.step];
        own_longest = std::max(own_longest, Ratio(one));
        auto& [work, usual] = sums[one.step];
        work += static_cast<double>(one.work);
        usual += static_cast<double>(one.usual);
      }
      for (const auto& [step, sum] : sums) {
        own[r][step] = sum.first / sum.second;
        steps[{work_[r].component, step}].push_back(own[r][step]);
        longest[{work_[r].component, step}].push_back(longest_[r][step]);
      }
    }
    for (auto& [key, ratios] : micro_batches) std::sort(ratios.begin(), ratios.end());
    for (auto& [key, ratios] : steps) std::sort(ratios.begin(), ratios.end());
    for (auto& [key, ratios] : longest) std::sort(ratios.begin(), ratios.end());
    for (uint32_t r = 0; r < work_.size(); ++r) {
      for (size_t i = 0; i < work_[r].stretches.size(); ++i) {
        Stretch& one = work_[r].stretches[i];
        if (!Counts(one)) continue;
        const Ratios& others = longest[{work_[r].component, one.step}];
        const double most = others.size() > 1 ? MiddleWithout(others, longest_[r][one.step]) : 1;
        longer_elsewhere_[r].push_back(Scaled(one.usual, most));
        double factor = 1;
        const bool alone = labels_[r][i].size() == 1;
        for (const Label& label : labels_[r][i]) {
          const auto all_of = micro_batches.find({work_[r].component, one.step, label});
          if (all_of == micro_batches.end() || all_of->second.size() < 2) continue;
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
      deviation_[component] = DeviationOf(std::move(values), 2);
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
  void FindExcess(uint32_t r) {
    struct Sums {
      double over = 0, longer = 0, usual = 0, squares = 0;
    };
    std::map<int64_t, Sums> steps;
    size_t at = 0;
    for (Stretch& one : work_[r].stretches) {
      if (!one.compared) continue;
      Ns elsewhere = 0;
      if (Counts(one)) {
        elsewhere = longer_elsewhere_[r][at];
        one.usual = allowed_[r][at++];
      }
      const auto usual = static_cast<double>(one.usual);
      const double chance = usual * DeviationIn(deviation_, work_[r].component) / Pieces(r, one);
      const Ns over = one.work - one.usual;
      const double common = usual * kCommon * common_[work_[r].component] / Pieces(r, one);
      if (over > std::max(Least(usual, chance), Scaled(1, common)) &&
          one.work - elsewhere > Least(usual, 0)) {
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

  std::vector<RankWork>& work_;
  const std::vector<std::vector<std::vector<Label>>>& labels_;
  std::map<uint32_t, std::map<Kind, Values>> kinds_;  // by rank
  std::map<uint32_t, bool> mostly_even_;              // by component
  std::map<uint32_t, std::vector<Ns>> allowed_;       // of stretches that count
  // By rank, of each step: the longest of its stretches as a part of what is usual. What each
  // stretch would take if it were as much longer as the longest of the other ranks in the step.
  std::map<uint32_t, std::map<int64_t, double>> longest_;
  std::map<uint32_t, std::vector<Ns>> longer_elsewhere_;
  std::map<uint32_t, std::set<int64_t>> steps_;  // by component
  WorkDeviations deviation_;
  // By rank, of each step: how much longer its work was, beyond what the others' was.
  std::map<uint32_t, std::map<int64_t, double>> step_over_;
  std::map<uint32_t, double> step_deviation_;
  std::map<uint32_t, double> common_;  // by component: by how much the longest stretches are longer
};

}  // namespace

WorkDeviations FindExcess(DrawnWork* drawn) { return Excess(drawn).Find(); }

}  // namespace emberline
