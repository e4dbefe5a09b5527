#include "attribution/recorded_lines.h"

#include <algorithm>
#include <map>

#include "attribution/match.h"

namespace emberline {
namespace {

// A site that takes a call at a higher cost than this may have made it, but so may many others.
constexpr float kNamed = 0.9f;
constexpr float kWeak = 0.1f;
// For a line that stays as far from the line before it as it was: one call through a variable is no
// reason to move a line elsewhere.
constexpr float kKeepsDistance = 0.6f;
constexpr float kUnlike = 10.0f;  // never, by MatchCost
constexpr size_t kMaxCells = 4'000'000;

struct Candidate {
  int line = 0;
  int function = -1;
  std::vector<const Site*> sites;
  std::vector<bool> named;  // per site: some recorded call has its very name
};

// How much of what was called the line may have called, 0..1.
float Fit(const Candidate& candidate, const RecordedLine& recorded) {
  if (recorded.called.empty()) return 0;
  float sum = 0;
  for (const Observed& o : recorded.called) {
    float best = 0;
    for (size_t i = 0; i < candidate.sites.size(); ++i) {
      const float cost = MatchCost(*candidate.sites[i], o);
      // A site whose own call was recorded does not stand for another.
      const float weak = cost < kUnlike && !candidate.named[i] ? kWeak : 0.0f;
      best = std::max(best, cost < kNamed ? 1.0f - cost : weak);
    }
    sum += best;
  }
  return sum / static_cast<float>(recorded.called.size());
}

}  // namespace

std::vector<FollowedLine> FollowRecordedLines(const PythonModule& module,
                                              std::span<const int> functions,
                                              std::span<const RecordedLine> lines, int moved) {
  std::map<int, Candidate> by_line;
  for (const int f : functions) {
    const PythonFunction& function = module.functions[f];
    for (const Site& s : function.sites) {
      Candidate& c = by_line[s.line];
      c.line = s.line;
      c.function = f;
      c.sites.push_back(&s);
    }
  }
  const auto around = [&](int line) {
    int found = -1;
    for (const int f : functions) {
      const PythonFunction& function = module.functions[f];
      if (function.first_line <= line && line <= function.end_line &&
          (found < 0 || function.first_line > module.functions[found].first_line)) {
        found = f;
      }
    }
    return found;
  };
  std::vector<FollowedLine> stay(lines.size());
  for (size_t k = 0; k < lines.size(); ++k) {
    const int line = std::max(1, lines[k].line + moved);
    stay[k] = {around(line), line};
    if (stay[k].function < 0) stay[k].line = 0;
  }
  // The interpreter may have named another line of a statement than the one where its site begins.
  for (const FollowedLine& l : stay) {
    if (l.function < 0 || by_line.count(l.line)) continue;
    const auto statement = std::find_if(
        module.statements.begin(), module.statements.end(),
        [&](const PythonStatement& s) { return s.line <= l.line && l.line <= s.end_line; });
    if (statement == module.statements.end()) continue;
    Candidate c;
    c.line = l.line;
    c.function = l.function;
    for (auto it = by_line.lower_bound(statement->line);
         it != by_line.end() && it->first <= statement->end_line; ++it) {
      c.sites.insert(c.sites.end(), it->second.sites.begin(), it->second.sites.end());
    }
    if (!c.sites.empty()) by_line.emplace(c.line, std::move(c));
  }
  std::vector<Candidate> candidates;
  for (auto& [line, c] : by_line) candidates.push_back(std::move(c));
  for (Candidate& c : candidates) {
    for (const Site* s : c.sites) {
      c.named.push_back(std::any_of(lines.begin(), lines.end(), [&](const RecordedLine& l) {
        return std::any_of(l.called.begin(), l.called.end(),
                           [&](const Observed& o) { return MatchCost(*s, o) < kNamed; });
      }));
    }
  }
  const size_t width = candidates.size();
  if (width == 0) return std::vector<FollowedLine>(lines.size());
  if (lines.empty() || lines.size() * width > kMaxCells) return stay;

  // Fits of each recorded line; best sums of lines [0, k] with line k at candidate c, and where the
  // line before it then is (kNowhere: none has a place).
  constexpr int kNowhere = -1;
  std::vector<float> fit(lines.size() * width), best(lines.size() * width);
  std::vector<int> before(lines.size() * width, kNowhere);
  std::vector<float> staying(lines.size(), 0);
  for (size_t k = 0; k < lines.size(); ++k) {
    for (size_t c = 0; c < width; ++c) {
      fit[k * width + c] = Fit(candidates[c], lines[k]);
      if (candidates[c].line == stay[k].line) staying[k] = fit[k * width + c];
    }
  }
  // Of the lines before k: the best sum that ends at or before a candidate, and its last line.
  struct End {
    float sum = 0;
    int line_index = -1, candidate = kNowhere;
  };
  std::vector<End> ends(width), next(width);
  std::vector<int> before_line(lines.size() * width, -1);
  End total;
  for (size_t k = 0; k < lines.size(); ++k) {
    next = ends;
    for (size_t c = 0; c < width; ++c) {
      const float own = fit[k * width + c];
      if (own <= 0) continue;
      const auto extend = [&](const End& end) {
        float sum = end.sum + own;
        if (end.candidate != kNowhere && candidates[c].line - candidates[end.candidate].line ==
                                             lines[k].line - lines[end.line_index].line) {
          sum += kKeepsDistance;
        }
        if (end.candidate == kNowhere && candidates[c].line == stay[k].line) sum += kKeepsDistance;
        if (sum <= best[k * width + c]) return;
        best[k * width + c] = sum;
        before[k * width + c] = end.candidate;
        before_line[k * width + c] = end.line_index;
      };
      extend(ends[c]);
      // The place that keeps the distance to the recorded line before.
      if (k > 0) {
        const int wanted = candidates[c].line - (lines[k].line - lines[k - 1].line);
        const auto it = std::lower_bound(
            candidates.begin(), candidates.end(), wanted,
            [](const Candidate& candidate, int line) { return candidate.line < line; });
        const auto at = static_cast<size_t>(it - candidates.begin());
        if (at < width && candidates[at].line == wanted && at <= c &&
            best[(k - 1) * width + at] > 0) {
          extend({best[(k - 1) * width + at], static_cast<int>(k - 1), static_cast<int>(at)});
        }
      }
      const End end{best[k * width + c], static_cast<int>(k), static_cast<int>(c)};
      for (size_t later = c; later < width && next[later].sum < end.sum; ++later) next[later] = end;
      if (end.sum > total.sum) total = end;
    }
    ends.swap(next);
  }
  std::vector<FollowedLine> out(lines.size());
  bool moves = false;
  for (int k = total.line_index, c = total.candidate; k >= 0 && c != kNowhere;) {
    const size_t cell = static_cast<size_t>(k) * width + static_cast<size_t>(c);
    out[k] = {candidates[c].function, candidates[c].line};
    moves = moves || (fit[cell] > kWeak && candidates[c].line != stay[k].line);
    k = before_line[cell];
    c = before[cell];
  }
  if (!moves) {
    // Nothing says that the text was changed, but for lines that cannot have called what they did,
    // or that call nothing at all.
    for (size_t k = 0; k < lines.size(); ++k) {
      const bool calls = by_line.count(stay[k].line) > 0;
      if (!calls || (!lines[k].called.empty() && staying[k] <= 0)) stay[k] = {};
    }
    return stay;
  }
  // Nothing to go by, but both neighbors moved alike: so did the line.
  for (size_t k = 0; k < lines.size(); ++k) {
    if (out[k].function >= 0) continue;
    if (!lines[k].called.empty()) continue;
    size_t above = k, below = k;
    while (above > 0 && out[above].function < 0) --above;
    while (below + 1 < lines.size() && out[below].function < 0) ++below;
    if (out[above].function < 0 || out[above].function != out[below].function) continue;
    const int shift = out[above].line - lines[above].line;
    if (out[below].line - lines[below].line == shift)
      out[k] = {out[above].function, lines[k].line + shift};
  }
  return out;
}

}  // namespace emberline
