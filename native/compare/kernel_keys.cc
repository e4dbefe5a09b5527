#include "compare/kernel_keys.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "base/ascii.h"
#include "compare/tables.h"

namespace emberline {
namespace {

// Kernels of one function whose names differ on the two sides; of more, each is compared with each
// no longer.
constexpr size_t kMaxVariants = 64;

// The name without what stands in angle brackets and parentheses. "(anonymous namespace)" is part
// of a name.
std::string FunctionOf(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string function;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      if (depth == 0) function += kAnonymous;
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = name[i];
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) function += c;
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  return function;
}

// Each different word of a name, in order.
std::vector<std::string_view> NameWords(std::string_view name) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && IsWordCharacter(name[end])) ++end;
    if (end > i) words.push_back(name.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Words that both have, of all that either has (the Jaccard index).
double Likeness(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  size_t both = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++both;
    const bool left = a[i] <= b[j], right = b[j] <= a[i];
    i += left ? 1 : 0;
    j += right ? 1 : 0;
  }
  const size_t all = a.size() + b.size() - both;
  return all == 0 ? 1 : static_cast<double>(both) / static_cast<double>(all);
}

struct Variants {
  std::vector<uint32_t> baseline, candidate;  // rows
};

// For each of `from` the one of `to` that is most like it; -1 where several are or none is.
std::vector<int> Nearest(const std::vector<std::vector<std::string_view>>& from,
                         const std::vector<std::vector<std::string_view>>& to) {
  std::vector<int> nearest;
  for (const auto& words : from) {
    double best = -1;
    int at = -1;
    for (size_t j = 0; j < to.size(); ++j) {
      const double likeness = Likeness(words, to[j]);
      if (likeness > best) {
        best = likeness;
        at = static_cast<int>(j);
      } else if (likeness == best) {
        at = -1;
      }
    }
    nearest.push_back(at);
  }
  return nearest;
}

class KernelMatcher {
 public:
  KernelMatcher(const Table& baseline, const Table& candidate)
      : names_(NamesOf(baseline)), others_(NamesOf(candidate)) {}

  std::pair<std::vector<std::string>, std::vector<std::string>> Run() {
    std::map<std::string, Variants> functions;
    const std::unordered_set<std::string_view> baseline(names_.begin(), names_.end());
    const std::unordered_set<std::string_view> candidate(others_.begin(), others_.end());
    for (uint32_t i = 0; i < names_.size(); ++i) {
      if (!candidate.contains(names_[i])) functions[FunctionOf(names_[i])].baseline.push_back(i);
    }
    for (uint32_t j = 0; j < others_.size(); ++j) {
      if (baseline.contains(others_[j])) continue;
      // What the baseline has no function of is new.
      const auto at = functions.find(FunctionOf(others_[j]));
      if (at != functions.end()) at->second.candidate.push_back(j);
    }
    keys_ = {names_, others_};
    for (const auto& [function, variants] : functions) Pair(variants);
    return std::move(keys_);
  }

 private:
  static std::vector<std::string> NamesOf(const Table& table) {
    std::vector<std::string> names;
    for (const auto& row : table.rows) names.push_back(RowKey(table, row));
    return names;
  }

  void Pair(const Variants& variants) {
    const auto& [left, right] = variants;
    if (left.size() > kMaxVariants || right.size() > kMaxVariants) return;
    const auto words = [](const std::vector<std::string>& names,
                          const std::vector<uint32_t>& rows) {
      std::vector<std::vector<std::string_view>> all;
      for (const uint32_t row : rows) all.push_back(NameWords(names[row]));
      return all;
    };
    const auto a = words(names_, left), b = words(others_, right);
    const std::vector<int> forth = Nearest(a, b), back = Nearest(b, a);
    for (size_t i = 0; i < left.size(); ++i) {
      if (forth[i] < 0 || back[static_cast<size_t>(forth[i])] != static_cast<int>(i)) continue;
      const uint32_t j = right[static_cast<size_t>(forth[i])];
      // The same text on both sides, whichever is the baseline.
      const auto [low, high] = std::minmax(names_[left[i]], others_[j]);
      keys_.first[left[i]] = keys_.second[j] = low + '\n' + high;
    }
  }

  const std::vector<std::string> names_, others_;
  std::pair<std::vector<std::string>, std::vector<std::string>> keys_;
};

}  // namespace

std::pair<std::vector<std::string>, std::vector<std::string>> MatchKernels(const Table& baseline,
                                                                           const Table& candidate) {
  return KernelMatcher(baseline, candidate).Run();
}

}  // namespace emberline
