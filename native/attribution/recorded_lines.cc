#include "attribution/recorded_lines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "attribution/match.h"

namespace emberline {
namespace {

// A site that takes a call at a higher cost than this may have made it, but so may many others.
constexpr float kWeak = 0.1f;
// For a line that stays as far from the line before it as it was: one call through a variable is no
// reason to move a line elsewhere.
constexpr float kKeepsDistance = 0.6f;
constexpr float kUnlike = 10.0f;  // never, by MatchCost
constexpr size_t kMaxFits = 4'000'000;

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

// The innermost of the functions that a line lies in; -1 for none.
int FunctionAround(const PythonModule& module, std::span<const int> functions, int line) {
  int found = -1;
  for (const int f : functions) {
    const PythonFunction& function = module.functions[f];
    if (function.first_line <= line && line <= function.end_line &&
        (found < 0 || function.first_line > module.functions[found].first_line)) {
      found = f;
    }
  }
  return found;
}

// Where the lines are if nothing but the whole text around them moved.
std::vector<FollowedLine> Stay(const PythonModule& module, std::span<const int> functions,
                               std::span<const RecordedLine> lines, int moved) {
  std::vector<FollowedLine> stay(lines.size());
  for (size_t k = 0; k < lines.size(); ++k) {
    const int line = std::max(1, lines[k].line + moved);
    stay[k] = {FunctionAround(module, functions, line), line};
    if (stay[k].function < 0) stay[k].line = 0;
  }
  return stay;
}

// The lines that may have made calls, in their order.
std::vector<Candidate> CandidatesOf(const PythonModule& module, std::span<const int> functions,
                                    std::span<const RecordedLine> lines,
                                    std::span<const FollowedLine> stay) {
  std::map<int, Candidate> by_line;
  for (const int f : functions) {
    for (const Site& s : module.functions[f].sites) {
      Candidate& c = by_line[s.line];
      c.line = s.line;
      c.function = f;
      c.sites.push_back(&s);
    }
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
  return candidates;
}

// Places recorded lines on candidates, in the order of both, so that the sum of how well they fit
// is the largest. A cell is one line on one candidate.
class LinePlacement {
 public:
  LinePlacement(std::span<const Candidate> candidates, std::span<const RecordedLine> lines,
                std::span<const FollowedLine> stay)
      : candidates_(candidates),
        lines_(lines),
        stay_(stay),
        width_(candidates.size()),
        fit_(lines.size() * width_),
        best_(lines.size() * width_),
        before_(lines.size() * width_),
        staying_(lines.size()) {
    for (size_t k = 0; k < lines.size(); ++k) {
      for (size_t c = 0; c < width_; ++c) {
        fit_[Cell(k, c)] = Fit(candidates[c], lines[k]);
        if (candidates[c].line == stay[k].line) staying_[k] = fit_[Cell(k, c)];
      }
    }
    Search();
  }

  // How well the line fits where it is if nothing moved.
  float staying(size_t k) const { return staying_[k]; }

  // The best places; without a function where a line has none. `moves`: some line that fits well is
  // elsewhere than it was.
  std::vector<FollowedLine> Places(bool& moves) const {
    std::vector<FollowedLine> out(lines_.size());
    moves = false;
    for (At at = last_; at.candidate != kNowhere;) {
      const Candidate& candidate = candidates_[at.candidate];
      out[at.line] = {candidate.function, candidate.line};
      const size_t cell = Cell(at.line, at.candidate);
      moves = moves || (fit_[cell] > kWeak && candidate.line != stay_[at.line].line);
      at = before_[cell];
    }
    return out;
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;
  struct At {
    uint32_t line = 0, candidate = kNowhere;
  };
  struct End {
    float sum = 0;
    At at;
  };

  size_t Cell(size_t line, size_t candidate) const { return line * width_ + candidate; }

  void Search() {
    // Of the lines before the one at hand: the best sum that ends at or before each candidate.
    std::vector<End> ends(width_), next(width_);
    float total = 0;
    for (size_t k = 0; k < lines_.size(); ++k) {
      next = ends;
      for (size_t c = 0; c < width_; ++c) {
        if (fit_[Cell(k, c)] <= 0) continue;
        const At here{static_cast<uint32_t>(k), static_cast<uint32_t>(c)};
        Extend(here, ends[c]);
        ExtendAtDistance(here);
        const End end{best_[Cell(k, c)], here};
        for (size_t l = c; l < width_ && next[l].sum < end.sum; ++l) next[l] = end;
        if (end.sum > total) {
          total = end.sum;
          last_ = here;
        }
      }
      ends.swap(next);
    }
  }

  void Extend(At here, const End& end) {
    const size_t cell = Cell(here.line, here.candidate);
    const int line = candidates_[here.candidate].line;
    const bool keeps = end.at.candidate == kNowhere
                           ? line == stay_[here.line].line
                           : line - candidates_[end.at.candidate].line ==
                                 lines_[here.line].line - lines_[end.at.line].line;
    const float sum = end.sum + fit_[cell] + (keeps ? kKeepsDistance : 0);
    if (sum <= best_[cell]) return;
    best_[cell] = sum;
    before_[cell] = end.at;
  }

  // From the place that keeps the distance to the recorded line before.
  void ExtendAtDistance(At here) {
    if (here.line == 0) return;
    const uint32_t above = here.line - 1;
    const int wanted =
        candidates_[here.candidate].line - (lines_[here.line].line - lines_[above].line);
    const auto it = std::lower_bound(
        candidates_.begin(), candidates_.end(), wanted,
        [](const Candidate& candidate, int line) { return candidate.line < line; });
    const auto at = static_cast<uint32_t>(it - candidates_.begin());
    if (it == candidates_.end() || it->line != wanted || at > here.candidate) return;
    const float sum = best_[Cell(above, at)];
    if (sum > 0) Extend(here, {sum, {above, at}});
  }

  const std::span<const Candidate> candidates_;
  const std::span<const RecordedLine> lines_;
  const std::span<const FollowedLine> stay_;
  const size_t width_;
  std::vector<float> fit_;   // by cell
  std::vector<float> best_;  // by cell: the best sum of the lines up to this one, placed there
  std::vector<At> before_;   // by cell: where the line before it is then
  std::vector<float> staying_;
  At last_;
};

// A line that called nothing moved as both of its placed neighbors did, if they moved alike.
void FollowNeighbors(std::span<const RecordedLine> lines, std::vector<FollowedLine>& out) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> below(lines.size(), kNone);
  for (size_t k = lines.size(), placed = kNone; k-- > 0;) {
    if (out[k].function >= 0) placed = k;
    below[k] = placed;
  }
  size_t above = kNone;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (out[k].function >= 0) {
      above = k;
      continue;
    }
    if (!lines[k].called.empty() || above == kNone || below[k] == kNone) continue;
    if (out[above].function != out[below[k]].function) continue;
    const int shift = out[above].line - lines[above].line;
    if (out[below[k]].line - lines[below[k]].line != shift) continue;
    out[k] = {out[above].function, lines[k].line + shift};
    above = k;
  }
}

}  // namespace

std::vector<FollowedLine> FollowRecordedLines(const PythonModule& module,
                                              std::span<const int> functions,
                                              std::span<const RecordedLine> lines, int moved) {
  std::vector<FollowedLine> stay = Stay(module, functions, lines, moved);
  const std::vector<Candidate> candidates = CandidatesOf(module, functions, lines, stay);
  if (candidates.empty()) return std::vector<FollowedLine>(lines.size());
  if (lines.empty() || lines.size() * candidates.size() > kMaxFits) return stay;

  const LinePlacement placement(candidates, lines, stay);
  bool moves = false;
  std::vector<FollowedLine> out = placement.Places(moves);
  if (moves) {
    FollowNeighbors(lines, out);
    return out;
  }
  // Nothing says that the text was changed, but for lines that cannot have called what they did,
  // or that call nothing at all.
  for (size_t k = 0; k < lines.size(); ++k) {
    const bool calls =
        std::any_of(candidates.begin(), candidates.end(),
                    [&](const Candidate& candidate) { return candidate.line == stay[k].line; });
    if (!calls || (!lines[k].called.empty() && placement.staying(k) <= 0)) stay[k] = {};
  }
  return stay;
}

}  // namespace emberline
