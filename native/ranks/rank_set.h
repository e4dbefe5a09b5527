// The ranks of a group, in memory that does not grow with them: every rank of a job lists its
// groups, and those of a parallelism lie at equal distances.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace emberline {

class RankSet {
 public:
  // Ranks that lie `stride` apart.
  struct Run {
    int64_t first = 0, stride = 1, count = 1;
    int64_t before = 0;  // ranks of the set that come before this run; follows from the other runs
    int64_t last() const { return first + stride * (count - 1); }
    bool operator==(const Run&) const = default;
    template <typename A>
    void Members(A& a) {
      a(first, stride, count);
    }
  };

  // More ranks than any machine has: a few bytes of a file can name so many that nothing gets to
  // their end.
  static constexpr int64_t kMostRanks = int64_t{1} << 20, kLargestRank = int64_t{1} << 31;

  RankSet() = default;
  // At most so many, from 0 to the largest one, ascending, each once.
  explicit RankSet(const std::vector<int64_t>& ranks);
  RankSet(std::initializer_list<int64_t> ranks) : RankSet(std::vector<int64_t>(ranks)) {}

  bool empty() const { return runs_.empty(); }
  size_t size() const {
    return runs_.empty() ? 0 : static_cast<size_t>(runs_.back().before + runs_.back().count);
  }
  int64_t front() const { return runs_.front().first; }
  int64_t back() const { return runs_.back().last(); }
  int64_t operator[](size_t index) const;  // in ascending order
  const std::vector<Run>& runs() const { return runs_; }
  std::vector<int64_t> All() const;
  // What is left without `ranks`, which ascend. Its runs may be cut finer than those of others.
  RankSet Without(const std::vector<int64_t>& ranks) const;

  bool operator==(const RankSet&) const = default;
  // As lists of the ranks compare.
  std::strong_ordering operator<=>(const RankSet& other) const;

  template <typename A>
  void Members(A& a) {
    a(runs_);
    if constexpr (A::kReads) {
      if (!Count()) a.Fail();
    }
  }

 private:
  void Add(int64_t first, int64_t stride, int64_t count);
  // Sets `before` of every run. False where the runs are not as the constructor makes them, or
  // more than any job can need.
  bool Count();
  std::vector<Run> runs_;
};

}  // namespace emberline
