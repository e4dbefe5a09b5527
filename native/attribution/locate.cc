#include "attribution/locate.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "attribution/match.h"

namespace emberline {
namespace {

// What a match costs. Being away from the text outweighs a stretch that moved by itself, which has
// two ends; what was called can outweigh one of its ends.
constexpr double kLeftOut = 3;
constexpr double kMoves = 1;   // lines were put in or taken out between two functions
constexpr double kMisfit = 2;  // nothing of what the function called is in the definition
constexpr double kOtherClass = 2;
constexpr double kUnknownClass = 0.5;
constexpr double kClear = 0.5;      // what the best must be better by than any other
constexpr double kContradicts = 1;  // a misfit that speaks against a definition on the right line
constexpr float kPerhaps = 2.0f;    // and at less than this may be a variable that holds it
constexpr double kUnreached = std::numeric_limits<double>::infinity();
// Limits against hostile files: pairs of a recorded line and one of the text, sites that are
// compared with what was called, pairs that are looked through for other ways.
constexpr size_t kMaxPairs = 2'000'000;
constexpr size_t kMinCandidates = 4, kMaxCandidates = 256;
constexpr size_t kMaxFamily = 64;
constexpr size_t kMaxCompared = 4'000'000;
constexpr size_t kMaxVisited = 20'000'000;

using Name = std::string_view;

// Smallest value among the first so many places.
class PrefixMinimum {
 public:
  explicit PrefixMinimum(size_t size) : tree_(size + 1, {kUnreached, -1}) {}
  void Put(size_t place, double value, int index) {
    for (size_t i = place + 1; i < tree_.size(); i += i & (~i + 1))
      tree_[i] = std::min(tree_[i], {value, index});
  }
  std::pair<double, int> Before(size_t place) const {
    std::pair<double, int> best{kUnreached, -1};
    for (size_t i = place; i > 0; i -= i & (~i + 1)) best = std::min(best, tree_[i]);
    return best;
  }

 private:
  std::vector<std::pair<double, int>> tree_;
};

class Locator {
 public:
  Locator(const std::vector<RecordedFunction>& recorded, const PythonModule& module)
      : recorded_(recorded), module_(module), out_(recorded.size()) {
    for (size_t f = 0; f < module.functions.size(); ++f) {
      const PythonFunction& function = module.functions[f];
      by_name_[function.name].push_back(static_cast<int>(f));
      methods_.emplace(function.class_index, function.name);
    }
    for (size_t c = 0; c < module.classes.size(); ++c)
      classes_.emplace(module.classes[c].name, static_cast<int>(c));
  }

  std::vector<LocatedFunction> Run(bool* exact) {
    bool all = AllInPlace();
    if (!all) {
      MatchLines();
      all = stays_;
      if (!all) {
        RescueUnique();
        FollowHolders();
      }
    }
    FindInside(&all);
    if (exact != nullptr) *exact = all;
    return out_;
  }

 private:
  static bool IsModule(const RecordedFunction& r) { return r.name == "<module>"; }
  // Named by its first line.
  static bool IsFirst(const RecordedFunction& r) { return !r.line_inside && !IsModule(r); }

  // --- How well a definition fits.
  // How little a site can have made a call, 0..1.
  static double Missing(const PythonFunction& function, const Site& s, const Observed& o) {
    const float cost = MatchCost(s, o);
    if (cost < kNamed) return 0;
    if (cost >= kPerhaps) return 1;
    const std::vector<std::string>& variables = function.parameters;
    const bool variable = !s.aliases.empty() ||
                          std::find(variables.begin(), variables.end(), s.name) != variables.end();
    return variable ? 0.25 : 0.75;
  }

  double Misfit(size_t i, int f) {
    const auto [known, fresh] = misfits_.try_emplace(static_cast<uint64_t>(i) << 32 | f, 0.0);
    const PythonFunction& function = module_.functions[f];
    const std::vector<Observed>& called = recorded_[i].called;
    if (!fresh || called.empty() || compared_ > kMaxCompared) return known->second;
    compared_ += function.sites.size() * called.size();
    double missing = 0;
    for (const Observed& o : called) {
      double best = 1;
      for (const Site& s : function.sites) best = std::min(best, Missing(function, s, o));
      missing += best;
    }
    return known->second = kMisfit * missing / static_cast<double>(called.size());
  }

  bool IsBase(int base, int derived) const {
    std::vector<int> family = {derived};
    for (size_t k = 0; k < family.size() && family.size() < kMaxFamily; ++k) {
      if (family[k] == base) return true;
      for (const std::string& name : module_.classes[family[k]].bases) {
        const auto it = classes_.find(name);
        if (it != classes_.end()) family.push_back(it->second);
      }
    }
    return std::find(family.begin(), family.end(), base) != family.end();
  }

  double ClassCost(size_t i, int f) const {
    const Name hint = recorded_[i].class_hint;
    const int owner = module_.functions[f].class_index;
    if (hint.empty() || owner < 0 || module_.classes[owner].name == hint) return 0;
    const auto it = classes_.find(hint);
    if (it == classes_.end()) return kUnknownClass;  // derived elsewhere, or renamed
    if (methods_.contains({it->second, recorded_[i].name})) return kUnreached;
    return IsBase(owner, it->second) ? 0 : kOtherClass;
  }

  double Cost(size_t i, int f) {
    const double owner = ClassCost(i, f);
    const double cost = owner < kLeftOut ? owner + Misfit(i, f) : kUnreached;
    return cost < kLeftOut ? cost : kUnreached;
  }

  // --- Where nothing was changed.
  bool AllInPlace() {
    std::map<std::pair<Name, int>, int> by_line;
    for (size_t f = 0; f < module_.functions.size(); ++f) {
      const PythonFunction& function = module_.functions[f];
      by_line.emplace(std::pair(Name(function.name), function.first_line), static_cast<int>(f));
      by_line.emplace(std::pair(Name(function.name), function.def_line), static_cast<int>(f));
    }
    bool all = true;
    for (size_t i = 0; i < recorded_.size(); ++i) {
      const RecordedFunction& r = recorded_[i];
      if (!IsFirst(r)) continue;
      const auto it = by_line.find({r.name, r.line});
      if (it == by_line.end() || Cost(i, it->second) > kContradicts) {
        all = false;
        continue;
      }
      out_[i] = {it->second, 0, r.line};
    }
    return all;
  }

  // --- Where something was.
  struct Line {
    int line = 0;
    std::vector<size_t> indexes;  // of recorded functions
  };
  struct TextLine {
    int line = 0;
    std::map<Name, int> definitions;  // the first of each name
  };
  struct Pair {
    size_t recorded = 0, text = 0;  // indexes of lines
    int offset = 0;
    double cost = 0;
  };

  // The definition on a line of the text that a recorded function is; -1 where there is none.
  int OnLine(size_t i, const TextLine& text) const {
    const auto it = text.definitions.find(recorded_[i].name);
    return it == text.definitions.end() ? -1 : it->second;
  }

  void ReadLines() {
    std::map<int, std::vector<size_t>> recorded;
    for (size_t i = 0; i < recorded_.size(); ++i) {
      if (IsFirst(recorded_[i])) recorded[recorded_[i].line].push_back(i);
    }
    for (auto& [line, indexes] : recorded) recorded_lines_.push_back({line, std::move(indexes)});
    left_out_.assign(1, 0);
    for (const Line& line : recorded_lines_)
      left_out_.push_back(left_out_.back() + kLeftOut * static_cast<double>(line.indexes.size()));
    std::map<int, std::map<Name, int>> text;
    for (size_t f = 1; f < module_.functions.size(); ++f) {
      const PythonFunction& function = module_.functions[f];
      text[function.first_line].emplace(function.name, static_cast<int>(f));
    }
    for (auto& [line, definitions] : text) {
      for (const auto& [name, f] : definitions) lines_of_[name].push_back(text_lines_.size());
      text_lines_.push_back({line, std::move(definitions)});
    }
  }

  // Lines of the text that hold a definition of one of the names, the nearest where there are many.
  std::vector<size_t> Candidates(const Line& line) const {
    const size_t most =
        std::clamp(kMaxPairs / recorded_lines_.size(), kMinCandidates, kMaxCandidates);
    std::set<size_t> found;
    for (const size_t i : line.indexes) {
      const auto it = lines_of_.find(recorded_[i].name);
      if (it == lines_of_.end()) continue;
      const std::vector<size_t>& all = it->second;
      const auto at =
          std::lower_bound(all.begin(), all.end(), line.line,
                           [&](size_t t, int wanted) { return text_lines_[t].line < wanted; });
      const auto before = std::min<ptrdiff_t>(static_cast<ptrdiff_t>(most), at - all.begin());
      const auto after = std::min<ptrdiff_t>(static_cast<ptrdiff_t>(most), all.end() - at);
      found.insert(at - before, at + after);
    }
    std::vector<size_t> out(found.begin(), found.end());
    const auto away = [&](size_t t) { return std::abs(text_lines_[t].line - line.line); };
    std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) { return away(a) < away(b); });
    if (out.size() > most) out.resize(most);
    return out;
  }

  void MakePairs() {
    for (size_t r = 0; r < recorded_lines_.size(); ++r) {
      const Line& line = recorded_lines_[r];
      for (const size_t t : Candidates(line)) {
        double cost = 0;
        bool any = false;
        for (const size_t i : line.indexes) {
          const int f = OnLine(i, text_lines_[t]);
          const double own = f < 0 ? kUnreached : Cost(i, f);
          any = any || own < kUnreached;
          cost += std::min(own, kLeftOut);
        }
        if (any) pairs_.push_back({r, t, text_lines_[t].line - line.line, cost});
      }
    }
  }

  // The cheapest choice of pairs without the one at `without` (-1: of all); their indexes.
  double Cheapest(int without, std::vector<int>* chosen) {
    PrefixMinimum ends(text_lines_.size());
    std::unordered_map<int, std::pair<double, int>> same;  // by offset
    std::vector<double> costs(pairs_.size(), kUnreached);
    std::vector<int> before(pairs_.size(), -1);
    std::pair<double, int> best{left_out_.back(), -1};
    visited_ += pairs_.size();
    for (size_t begin = 0, end = 0; begin < pairs_.size(); begin = end) {
      const size_t r = pairs_[begin].recorded;
      for (end = begin; end < pairs_.size() && pairs_[end].recorded == r; ++end) {
        const Pair& p = pairs_[end];
        if (static_cast<int>(end) == without) continue;
        // What lies between is left out; sums up to here are kept without what lies before.
        std::pair<double, int> from{p.offset == 0 ? 0.0 : kMoves, -1};
        const std::pair<double, int> any = ends.Before(p.text);
        from = std::min(from, {any.first + kMoves, any.second});
        const auto it = same.find(p.offset);
        if (it != same.end()) from = std::min(from, it->second);
        costs[end] = from.first + left_out_[r] + p.cost;
        before[end] = from.second;
      }
      for (size_t k = begin; k < end; ++k) {
        if (costs[k] == kUnreached) continue;
        const double value = costs[k] - left_out_[r + 1];
        const int index = static_cast<int>(k);
        ends.Put(pairs_[k].text, value, index);
        const auto [it, fresh] = same.try_emplace(pairs_[k].offset, value, index);
        if (!fresh) it->second = std::min(it->second, {value, index});
        best = std::min(best, {value + left_out_.back(), index});
      }
    }
    if (chosen != nullptr) {
      chosen->clear();
      for (int k = best.second; k >= 0; k = before[k]) chosen->push_back(k);
    }
    return best.first;
  }

  // Other pairs could take the place of this one.
  bool HasRivals(const Pair& p) const {
    size_t of_recorded = 0;
    const TextLine& text = text_lines_[p.text];
    for (const size_t i : recorded_lines_[p.recorded].indexes) {
      const int f = OnLine(i, text);
      if (f < 0) continue;
      of_recorded = std::max(of_recorded, by_name_.find(recorded_[i].name)->second.size());
      of_recorded = std::max(of_recorded, named_.find(recorded_[i].name)->second);
    }
    return of_recorded > 1;
  }

  void MatchLines() {
    ReadLines();
    for (const Line& line : recorded_lines_) {
      for (const size_t i : line.indexes) ++named_[recorded_[i].name];
    }
    std::fill(out_.begin(), out_.end(), LocatedFunction{});
    MakePairs();
    std::vector<int> chosen;
    const double total = Cheapest(-1, &chosen);
    stays_ = Stays(chosen);
    for (const int k : chosen) {
      const Pair& p = pairs_[k];
      const bool look = !stays_ && HasRivals(p) && visited_ < kMaxVisited;
      if (look && Cheapest(k, nullptr) < total + kClear) continue;
      for (const size_t i : recorded_lines_[p.recorded].indexes) {
        const int f = Fitting(i, p);
        if (f >= 0) out_[i] = {f, p.offset, text_lines_[p.text].line};
      }
    }
  }

  int Fitting(size_t i, const Pair& p) {
    const int f = OnLine(i, text_lines_[p.text]);
    return f >= 0 && Cost(i, f) < kUnreached ? f : -1;
  }

  // Every function is where it was.
  bool Stays(const std::vector<int>& chosen) {
    size_t placed = 0, all = 0;
    for (const Line& line : recorded_lines_) all += line.indexes.size();
    for (const int k : chosen) {
      if (pairs_[k].offset != 0) return false;
      for (const size_t i : recorded_lines_[pairs_[k].recorded].indexes)
        placed += Fitting(i, pairs_[k]) >= 0 ? 1 : 0;
    }
    return placed == all;
  }

  // What was moved past others, but is the only one of its name and did what it says.
  void RescueUnique() {
    std::set<int> taken;
    for (const LocatedFunction& l : out_) taken.insert(l.function);
    for (size_t i = 0; i < recorded_.size(); ++i) {
      const RecordedFunction& r = recorded_[i];
      if (out_[i].function >= 0 || !IsFirst(r) || r.called.empty() || named_[r.name] > 1) continue;
      const auto it = by_name_.find(r.name);
      if (it == by_name_.end() || it->second.size() > 1) continue;
      const int f = it->second.front();
      if (taken.contains(f) || Cost(i, f) > kContradicts) continue;
      const int line = module_.functions[f].first_line;
      out_[i] = {f, line - r.line, line};
    }
  }

  // --- Comprehensions and lambdas: many share a name, but each lies in a function that has one.
  static bool IsHeld(const RecordedFunction& r) { return IsFirst(r) && r.name.starts_with('<'); }

  // The innermost function around this one in the text that has a name.
  int Holder(int f) const {
    do {
      f = module_.functions[f].parent;
    } while (f > 0 && module_.functions[f].name.starts_with('<'));
    return f;
  }

  // Those that are not where their functions went, go there; or are stale where these are.
  void FollowHolders() {
    std::map<int, size_t> named;  // recorded functions with names, by line
    std::map<int, size_t> of;     // and by the function of the text that they are
    for (size_t i = 0; i < recorded_.size(); ++i) {
      if (!IsFirst(recorded_[i]) || IsHeld(recorded_[i])) continue;
      named.emplace(recorded_[i].line, i);
      if (out_[i].function >= 0) of.emplace(out_[i].function, i);
    }
    for (size_t i = 0; i < recorded_.size(); ++i) {
      const RecordedFunction& r = recorded_[i];
      const auto after = named.upper_bound(r.line);
      if (!IsHeld(r) || after == named.begin()) continue;
      const size_t above = std::prev(after)->second;
      const LocatedFunction& holder = out_[above];
      if (out_[i].function >= 0) {
        const auto now = of.find(Holder(out_[i].function));
        if (now == of.end() || now->second == above) continue;
        out_[i] = {};  // another function's
      }
      if (holder.function < 0) continue;
      const int line = r.line + holder.moved;
      const int f = module_.FindFunction(r.name, line);
      if (f >= 0 && Holder(f) == holder.function && Cost(i, f) <= kContradicts)
        out_[i] = {f, holder.moved, line};
    }
  }

  // --- Lines inside functions.
  // By how much the text moved on either side of a recorded line.
  std::pair<int, int> Around(const std::map<int, int>& moved, int line) const {
    if (moved.empty()) return {0, 0};
    const auto after = moved.upper_bound(line);
    const int below = after == moved.end() ? std::prev(after)->second : after->second;
    return {after == moved.begin() ? below : std::prev(after)->second, below};
  }

  // A run can have stood on this line: it yields there, or calls something.
  bool StandsAt(const PythonFunction& function, int line) {
    compared_ += function.sites.size() + function.resumptions.size();
    if (compared_ > kMaxCompared) return false;
    const auto next =
        std::upper_bound(module_.statements.begin(), module_.statements.end(), line,
                         [](int wanted, const PythonStatement& s) { return wanted < s.line; });
    int first = line, last = line;
    if (next != module_.statements.begin() && std::prev(next)->end_line >= line) {
      first = std::prev(next)->line;
      last = std::prev(next)->end_line;
    }
    const auto there = [&](const auto& place) { return first <= place.line && place.line <= last; };
    return std::any_of(function.resumptions.begin(), function.resumptions.end(), there) ||
           std::any_of(function.sites.begin(), function.sites.end(), there);
  }

  void FindInside(bool* all) {
    std::map<int, int> moved;  // by recorded line
    for (size_t i = 0; i < recorded_.size(); ++i) {
      if (IsFirst(recorded_[i]) && out_[i].function >= 0)
        moved.emplace(recorded_[i].line, out_[i].moved);
    }
    for (size_t i = 0; i < recorded_.size(); ++i) {
      const RecordedFunction& r = recorded_[i];
      if (IsFirst(r)) continue;
      const auto [above, below] = Around(moved, r.line);
      if (IsModule(r)) {
        out_[i] = {module_.functions.empty() ? -1 : 0, 0, above == below ? r.line + above : 0};
        continue;
      }
      PlaceInside(i, above, below);
      *all = *all && out_[i].line == r.line;
    }
  }

  void PlaceInside(size_t i, int above, int below) {
    const RecordedFunction& r = recorded_[i];
    const int a = module_.FunctionAround(r.name, r.line + above);
    const int b = module_.FunctionAround(r.name, r.line + below);
    if (a >= 0 && b >= 0 && a != b) return;
    const auto named = by_name_.find(r.name);
    int f = std::max(a, b);
    if (f < 0 && named != by_name_.end() && named->second.size() == 1) f = named->second.front();
    if (f < 0) return;
    const int shift = a == f ? above : below;
    const int line = std::max(a, b) == f ? r.line + shift : 0;
    out_[i] = {f, shift, line > 0 && StandsAt(module_.functions[f], line) ? line : 0};
  }

  const std::vector<RecordedFunction>& recorded_;
  const PythonModule& module_;
  std::vector<LocatedFunction> out_;
  std::map<Name, std::vector<int>> by_name_;
  std::map<Name, int> classes_;
  std::set<std::pair<int, Name>> methods_;  // with their classes
  std::map<Name, size_t> named_;            // recorded first lines
  std::unordered_map<uint64_t, double> misfits_;
  size_t compared_ = 0, visited_ = 0;
  std::vector<Line> recorded_lines_;
  std::vector<TextLine> text_lines_;
  std::map<Name, std::vector<size_t>> lines_of_;  // indexes of text_lines_
  std::vector<double> left_out_;                  // cost of leaving out all recorded lines before
  std::vector<Pair> pairs_;
  bool stays_ = false;
};

}  // namespace

std::vector<LocatedFunction> LocateFunctions(const std::vector<RecordedFunction>& recorded,
                                             const PythonModule& module, bool* exact) {
  return Locator(recorded, module).Run(exact);
}

}  // namespace emberline
