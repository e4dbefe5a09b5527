#include "source/drift.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_set>

namespace emberline {
namespace {

constexpr size_t kMaxTable = 4'000'000;  // cells of a common-subsequence table
constexpr size_t kMaxNamesakes = 256;    // functions of one name that are told apart by shape
constexpr size_t kMaxRenames = 200;      // functions tried as renamed ones
constexpr double kSimilar = 0.6;         // share of statements that a renamed function keeps

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

// Longest common subsequence of hashes; indexes into the two lists.
Pairs CommonSubsequence(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  Pairs out;
  size_t begin = 0, end_a = a.size(), end_b = b.size();
  while (begin < end_a && begin < end_b && a[begin] == b[begin]) {
    out.emplace_back(begin, begin);
    ++begin;
  }
  Pairs tail;
  while (end_a > begin && end_b > begin && a[end_a - 1] == b[end_b - 1]) {
    --end_a;
    --end_b;
    tail.emplace_back(end_a, end_b);
  }
  const size_t n = end_a - begin, m = end_b - begin;
  if (n > 0 && m > 0 && n * m <= kMaxTable) {
    std::vector<uint32_t> length((n + 1) * (m + 1), 0);
    const auto at = [&](size_t i, size_t j) -> uint32_t& { return length[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;) {
      for (size_t j = m; j-- > 0;) {
        at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1
                                                : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (size_t i = 0, j = 0; i < n && j < m;) {
      if (a[begin + i] == b[begin + j]) {
        out.emplace_back(begin + i, begin + j);
        ++i;
        ++j;
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  } else if (n > 0 && m > 0) {
    // Too large for a table: statements that occur once on both sides, as far as they keep order.
    std::unordered_map<uint64_t, std::pair<uint32_t, uint32_t>> count_a, count_b;
    for (size_t i = begin; i < end_a; ++i)
      count_a[a[i]] = {count_a[a[i]].first + 1, static_cast<uint32_t>(i)};
    for (size_t j = begin; j < end_b; ++j)
      count_b[b[j]] = {count_b[b[j]].first + 1, static_cast<uint32_t>(j)};
    uint32_t last = 0;
    bool any = false;
    for (size_t i = begin; i < end_a; ++i) {
      if (count_a[a[i]].first != 1) continue;
      const auto it = count_b.find(a[i]);
      if (it == count_b.end() || it->second.first != 1 || (any && it->second.second <= last))
        continue;
      out.emplace_back(static_cast<uint32_t>(i), it->second.second);
      last = it->second.second;
      any = true;
    }
  }
  out.insert(out.end(), tail.rbegin(), tail.rend());
  return out;
}

// Indexes of the statements that belong to each function itself.
std::vector<std::vector<uint32_t>> OwnStatements(const PythonModule& module) {
  std::vector<std::vector<uint32_t>> out(module.functions.size());
  for (uint32_t i = 0; i < module.statements.size(); ++i) {
    const int f = module.statements[i].function;
    if (f >= 0 && static_cast<size_t>(f) < out.size()) out[f].push_back(i);
  }
  return out;
}

std::vector<uint64_t> Hashes(const PythonModule& module, const std::vector<uint32_t>& statements) {
  std::vector<uint64_t> out;
  out.reserve(statements.size());
  for (const uint32_t s : statements) out.push_back(module.statements[s].hash);
  return out;
}

}  // namespace

Drift FollowEdits(const PythonModule& before, const PythonModule& now) {
  Drift drift;
  const size_t n = before.functions.size(), m = now.functions.size();
  drift.function.assign(n, -1);
  drift.changed.assign(n, true);
  std::vector<bool> taken(m, false);
  const auto pair = [&](size_t i, size_t j) {
    drift.function[i] = static_cast<int>(j);
    taken[j] = true;
  };

  // By qualified name; of several with one name (overloads, lambdas) by shape, then by order.
  std::map<std::pair<std::string_view, FunctionKind>, std::vector<size_t>> names;
  for (size_t j = 0; j < m; ++j)
    names[{now.functions[j].qualified, now.functions[j].kind}].push_back(j);
  for (const bool by_shape : {true, false}) {
    std::map<std::pair<std::string_view, FunctionKind>, size_t> next;
    for (size_t i = 0; i < n; ++i) {
      if (drift.function[i] >= 0) continue;
      const PythonFunction& f = before.functions[i];
      const auto it = names.find({f.qualified, f.kind});
      if (it == names.end() || (by_shape && it->second.size() > kMaxNamesakes)) continue;
      size_t& from = next[it->first];
      for (size_t k = by_shape ? 0 : from; k < it->second.size(); ++k) {
        const size_t j = it->second[k];
        if (taken[j] || (by_shape && now.functions[j].shape != f.shape)) continue;
        pair(i, j);
        from = k + 1;
        break;
      }
    }
  }
  // Renamed ones: the same body under another name.
  std::unordered_map<uint64_t, std::vector<size_t>> shapes;
  for (size_t j = 0; j < m; ++j) {
    if (!taken[j]) shapes[now.functions[j].shape].push_back(j);
  }
  for (size_t i = 0; i < n; ++i) {
    if (drift.function[i] >= 0) continue;
    const auto it = shapes.find(before.functions[i].shape);
    if (it == shapes.end()) continue;
    for (const size_t j : it->second) {
      if (taken[j] || now.functions[j].kind != before.functions[i].kind) continue;
      pair(i, j);
      break;
    }
  }
  const std::vector<std::vector<uint32_t>> own_before = OwnStatements(before),
                                           own_now = OwnStatements(now);
  size_t tried = 0;
  for (size_t i = 0; i < n && tried < kMaxRenames; ++i) {
    if (drift.function[i] >= 0 || own_before[i].size() < 2) continue;
    ++tried;
    std::unordered_set<uint64_t> mine;
    for (const uint32_t s : own_before[i]) mine.insert(before.statements[s].hash);
    double best = kSimilar;
    size_t candidate = m, looked = 0;
    for (size_t j = 0; j < m && looked < kMaxRenames; ++j) {
      if (taken[j] || own_now[j].empty() || now.functions[j].kind != before.functions[i].kind)
        continue;
      ++looked;
      size_t common = 0;
      for (const uint32_t s : own_now[j]) common += mine.count(now.statements[s].hash);
      const double share = static_cast<double>(common) /
                           static_cast<double>(std::max(own_before[i].size(), own_now[j].size()));
      if (share >= best) {
        best = share;
        candidate = j;
      }
    }
    if (candidate < m) pair(i, candidate);
  }

  size_t matched = 0;
  for (size_t i = 0; i < n; ++i) {
    if (drift.function[i] < 0) continue;
    const size_t j = static_cast<size_t>(drift.function[i]);
    const PythonFunction& f = before.functions[i];
    const PythonFunction& g = now.functions[j];
    drift.changed[i] = f.shape != g.shape;
    if (f.kind != FunctionKind::kModule) {
      drift.line.emplace(f.first_line, g.first_line);
      drift.line.emplace(f.def_line, g.def_line);
    }
    const Pairs pairs = CommonSubsequence(Hashes(before, own_before[i]), Hashes(now, own_now[j]));
    matched += pairs.size();
    for (const auto& [a, b] : pairs) {
      const PythonStatement& old_statement = before.statements[own_before[i][a]];
      const PythonStatement& new_statement = now.statements[own_now[j][b]];
      const size_t tokens =
          std::min(old_statement.token_lines.size(), new_statement.token_lines.size());
      for (size_t t = 0; t < tokens; ++t) {
        drift.line.emplace(static_cast<int>(old_statement.token_lines[t]),
                           static_cast<int>(new_statement.token_lines[t]));
      }
    }
  }
  drift.identical = matched == before.statements.size() && matched == now.statements.size();
  return drift;
}

std::vector<int> LocateFunctions(const std::vector<RecordedFunction>& recorded,
                                 const PythonModule& module, bool* exact) {
  std::vector<int> out(recorded.size(), -1);
  bool all = true;
  const auto class_of = [&](int f) -> std::string_view {
    const int c = module.functions[f].class_index;
    return c >= 0 ? std::string_view(module.classes[c].name) : std::string_view();
  };
  // (name, line) -> function, as PythonModule::FindFunction() finds it.
  std::map<std::pair<std::string_view, int>, int> by_line;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    const PythonFunction& function = module.functions[f];
    by_line.emplace(std::pair(std::string_view(function.name), function.first_line),
                    static_cast<int>(f));
    by_line.emplace(std::pair(std::string_view(function.name), function.def_line),
                    static_cast<int>(f));
  }
  const auto find = [&](const RecordedFunction& r) {
    if (r.line_inside) return module.FunctionAround(r.name, r.line);
    const auto it = by_line.find({r.name, r.line});
    if (it != by_line.end()) return it->second;
    return r.name == "<module>" && !module.functions.empty() ? 0 : -1;
  };
  for (size_t i = 0; i < recorded.size(); ++i) {
    const RecordedFunction& r = recorded[i];
    const int f = find(r);
    if (f < 0) {
      all = false;
      continue;
    }
    out[i] = f;
  }
  if (exact != nullptr) *exact = all;
  if (all) return out;

  // The text changed. Per name: recorded lines in order against today's in order, order kept,
  // least movement (a small dynamic program; leaving one out costs more than any movement).
  constexpr double kLeftOut = 1e6, kOtherClass = 1e5;
  constexpr size_t kMaxCells = 1'000'000;
  std::map<std::string_view, std::vector<size_t>> by_name;
  for (size_t i = 0; i < recorded.size(); ++i) by_name[recorded[i].name].push_back(i);
  std::map<std::string_view, std::vector<int>> today;
  for (size_t f = 0; f < module.functions.size(); ++f)
    today[module.functions[f].name].push_back(static_cast<int>(f));
  for (auto& [name, indexes] : by_name) {
    std::vector<size_t>& mine = indexes;  // clang 14 captures no binding
    const auto it = today.find(name);
    if (it == today.end()) {
      for (const size_t i : mine) out[i] = -1;
      continue;
    }
    std::vector<int>& theirs = it->second;
    std::stable_sort(mine.begin(), mine.end(),
                     [&](size_t a, size_t b) { return recorded[a].line < recorded[b].line; });
    std::stable_sort(theirs.begin(), theirs.end(), [&](int a, int b) {
      return module.functions[a].first_line < module.functions[b].first_line;
    });
    // Frames cut by the recording repeat a function under other lines; each is placed alone.
    bool any_inside = false;
    for (const size_t i : mine) any_inside = any_inside || recorded[i].line_inside;
    const size_t n = mine.size(), m = theirs.size();
    if (any_inside || n * m > kMaxCells) {
      for (const size_t i : mine) {
        if (out[i] >= 0) continue;
        // The nearest by first line; they are in order.
        const auto after = std::lower_bound(
            theirs.begin(), theirs.end(), recorded[i].line,
            [&](int f, int line) { return module.functions[f].first_line < line; });
        int best = after == theirs.end() ? theirs.back() : *after;
        if (after != theirs.begin() &&
            recorded[i].line - module.functions[*std::prev(after)].first_line <=
                std::abs(module.functions[best].first_line - recorded[i].line)) {
          best = *std::prev(after);
        }
        out[i] = best;
      }
      continue;
    }
    std::vector<double> cost((n + 1) * (m + 1), 0);
    const auto at = [&](size_t i, size_t j) -> double& { return cost[i * (m + 1) + j]; };
    const auto move = [&](size_t i, size_t j) {
      const RecordedFunction& r = recorded[mine[i]];
      double c = std::abs(module.functions[theirs[j]].first_line - r.line);
      const std::string_view owner = class_of(theirs[j]);
      if (!r.class_hint.empty() && !owner.empty() && owner != r.class_hint) c += kOtherClass;
      return c;
    };
    for (size_t i = n; i-- > 0;) {
      at(i, m) = at(i + 1, m) + kLeftOut;
      for (size_t j = m; j-- > 0;) {
        at(i, j) = std::min({at(i + 1, j + 1) + move(i, j), at(i, j + 1), at(i + 1, j) + kLeftOut});
      }
    }
    for (size_t i = 0, j = 0; i < n;) {
      if (j < m && at(i, j) == at(i + 1, j + 1) + move(i, j)) {
        out[mine[i]] = theirs[j];
        ++i;
        ++j;
      } else if (j < m && at(i, j) == at(i, j + 1)) {
        ++j;
      } else {
        out[mine[i]] = -1;
        ++i;
      }
    }
  }
  return out;
}

}  // namespace emberline
