#include "compare/sequences.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/hash.h"

namespace emberline {
namespace {

using IndexPair = std::pair<uint32_t, uint32_t>;

// Cells of the table for one stretch that is matched exactly.
constexpr size_t kExactCells = 1 << 16;

uint64_t Everything(const ElementLabel& label) {
  return HashPair(label.name, HashPair(label.detail, label.content));
}

bool Before(const std::vector<ElementLabel>& a, const std::vector<ElementLabel>& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const ElementLabel& x, const ElementLabel& y) {
        return std::tie(x.name, x.detail, x.content) < std::tie(y.name, y.detail, y.content);
      });
}

// How much speaks for matching two elements of one name. More matches beat better ones.
uint32_t Weight(const ElementLabel& a, const ElementLabel& b) {
  return 8 + (a.detail == b.detail ? 2 : 0) + (a.content == b.content ? 1 : 0);
}

// The longest run of pairs that ascend on both sides; `pairs` ascend in the first.
std::vector<IndexPair> Ascending(const std::vector<IndexPair>& pairs) {
  std::vector<uint32_t> last;  // by length: index of the pair that ends the best run
  std::vector<uint32_t> before(pairs.size(), UINT32_MAX);
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    const auto at = std::lower_bound(
        last.begin(), last.end(), pairs[i].second,
        [&](uint32_t index, uint32_t value) { return pairs[index].second < value; });
    if (at != last.begin()) before[i] = *(at - 1);
    if (at == last.end()) {
      last.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<IndexPair> run;
  for (uint32_t i = last.empty() ? UINT32_MAX : last.back(); i != UINT32_MAX; i = before[i]) {
    run.push_back(pairs[i]);
  }
  std::reverse(run.begin(), run.end());
  return run;
}

class Matcher {
 public:
  Matcher(const std::vector<ElementLabel>& a, const std::vector<ElementLabel>& b) : a_(a), b_(b) {}

  std::vector<Match> Run() {
    Anchored(0, static_cast<uint32_t>(a_.size()), 0, static_cast<uint32_t>(b_.size()));
    AddMoved();
    std::sort(matches_.begin(), matches_.end(),
              [](const Match& x, const Match& y) { return x.candidate < y.candidate; });
    return std::move(matches_);
  }

 private:
  struct Once {
    uint32_t a = 0, b = 0;              // position
    uint32_t times_a = 0, times_b = 0;  // how often it is there
  };

  // Matches what is unique on both sides first, and what lies between by itself.
  void Anchored(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1) {
    while (a0 < a1 && b0 < b1 && a_[a0].Same(b_[b0])) Take(a0++, b0++);
    while (a0 < a1 && b0 < b1 && a_[a1 - 1].Same(b_[b1 - 1])) Take(--a1, --b1);
    if (a0 == a1 || b0 == b1) return;
    if (size_t{a1 - a0} * (b1 - b0) <= kExactCells) return Exact(a0, a1, b0, b1);
    std::unordered_map<uint64_t, Once, NumberHash> found;
    for (uint32_t i = a0; i < a1; ++i) {
      Once& once = found[Everything(a_[i])];
      once.a = i;
      ++once.times_a;
    }
    for (uint32_t i = b0; i < b1; ++i) {
      const auto at = found.find(Everything(b_[i]));
      if (at == found.end()) continue;
      at->second.b = i;
      ++at->second.times_b;
    }
    std::vector<IndexPair> unique;
    for (uint32_t i = a0; i < a1; ++i) {
      const Once& once = found[Everything(a_[i])];
      if (once.times_a == 1 && once.times_b == 1) unique.emplace_back(i, once.b);
    }
    const std::vector<IndexPair> anchors = Ascending(unique);
    for (const auto& [i, j] : anchors) {
      Between(a0, i, b0, j);
      Take(i, j);
      a0 = i + 1;
      b0 = j + 1;
    }
    Between(a0, a1, b0, b1);
  }

  // A stretch between anchors: exactly where that is cheap, else by the order of equal names.
  void Between(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1) {
    if (a0 == a1 || b0 == b1) return;
    if (size_t{a1 - a0} * (b1 - b0) <= kExactCells) return Exact(a0, a1, b0, b1);
    // The n-th of a name with the n-th of that name.
    std::unordered_map<uint64_t, std::vector<uint32_t>, NumberHash> places;
    for (uint32_t j = b0; j < b1; ++j) places[b_[j].name].push_back(j);
    std::unordered_map<uint64_t, uint32_t, NumberHash> used;
    std::vector<IndexPair> pairs;
    for (uint32_t i = a0; i < a1; ++i) {
      const auto at = places.find(a_[i].name);
      if (at == places.end()) continue;
      const uint32_t n = used[a_[i].name]++;
      if (n < at->second.size()) pairs.emplace_back(i, at->second[n]);
    }
    for (const auto& [i, j] : Ascending(pairs)) Take(i, j);
  }

  // A heaviest common subsequence.
  void Exact(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1) {
    const size_t rows = a1 - a0, width = b1 - b0 + size_t{1};
    std::vector<uint32_t> best((rows + 1) * width, 0);  // of what begins at row and column
    for (size_t r = rows; r-- > 0;) {
      for (size_t c = width - 1; c-- > 0;) {
        const ElementLabel &x = a_[a0 + r], &y = b_[b0 + c];
        uint32_t most = std::max(best[(r + 1) * width + c], best[r * width + c + 1]);
        if (x.name == y.name) most = std::max(most, best[(r + 1) * width + c + 1] + Weight(x, y));
        best[r * width + c] = most;
      }
    }
    for (size_t r = 0, c = 0; r < rows && c + 1 < width;) {
      const ElementLabel &x = a_[a0 + r], &y = b_[b0 + c];
      const uint32_t now = best[r * width + c];
      if (x.name == y.name && now == best[(r + 1) * width + c + 1] + Weight(x, y)) {
        Take(a0 + static_cast<uint32_t>(r++), b0 + static_cast<uint32_t>(c++));
      } else if (now == best[(r + 1) * width + c]) {
        ++r;
      } else {
        ++c;
      }
    }
  }

  void Take(uint32_t i, uint32_t j) { matches_.push_back({i, j, false}); }

  void AddMoved() {
    std::vector<bool> taken_a(a_.size(), false), taken_b(b_.size(), false);
    for (const Match& match : matches_) {
      taken_a[match.baseline] = true;
      taken_b[match.candidate] = true;
    }
    std::unordered_map<uint64_t, std::vector<uint32_t>, NumberHash> left;  // in reverse
    for (uint32_t i = static_cast<uint32_t>(a_.size()); i-- > 0;) {
      if (!taken_a[i]) left[Everything(a_[i])].push_back(i);
    }
    if (left.empty()) return;
    for (uint32_t j = 0; j < b_.size(); ++j) {
      if (taken_b[j]) continue;
      const auto at = left.find(Everything(b_[j]));
      if (at == left.end() || at->second.empty()) continue;
      matches_.push_back({at->second.back(), j, true});
      at->second.pop_back();
    }
  }

  const std::vector<ElementLabel>& a_;
  const std::vector<ElementLabel>& b_;
  std::vector<Match> matches_;
};

}  // namespace

std::vector<Match> MatchSequences(const std::vector<ElementLabel>& baseline,
                                  const std::vector<ElementLabel>& candidate) {
  // Of two ways that are equally good, the first is taken: which that is must not depend on which
  // side is the baseline.
  if (!Before(candidate, baseline)) return Matcher(baseline, candidate).Run();
  std::vector<Match> matches = Matcher(candidate, baseline).Run();
  for (Match& match : matches) std::swap(match.baseline, match.candidate);
  std::sort(matches.begin(), matches.end(),
            [](const Match& x, const Match& y) { return x.candidate < y.candidate; });
  return matches;
}

uint64_t StableHash(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return StableHash(h, text.size());
}

uint64_t StableHash(uint64_t a, uint64_t b) {
  return FoldedProduct(a ^ 0x2d358dccaa6c78a5, b ^ 0x8bb84b93962eacc9);
}

}  // namespace emberline
