#include "source/drift.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "source/python_tokens.h"

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

using NameSet = std::unordered_set<uint64_t>;

// Names that one text gives to something and another does not.
struct Renames {
  NameSet gone, fresh;
  Renames(const NameSet& before, const NameSet& now) {
    for (const uint64_t name : before) {
      if (!now.contains(name)) gone.insert(name);
    }
    for (const uint64_t name : now) {
      if (!before.contains(name)) fresh.insert(name);
    }
  }
  bool Allow(uint64_t from, uint64_t to) const { return gone.contains(from) && fresh.contains(to); }
};

NameSet BoundIn(const PythonModule& module) {
  NameSet names;
  // What a class defines is an attribute of its objects.
  for (const PythonFunction& f : module.functions) {
    names.insert(NameHash(f.name));
    if (f.class_index >= 0) names.insert(AttributeHash(NameHash(f.name)));
  }
  for (const PythonClass& c : module.classes) names.insert(NameHash(c.name));
  for (const PythonStatement& s : module.statements) {
    names.insert(s.bound.begin(), s.bound.end());
    const size_t f = static_cast<size_t>(s.function);
    if (f >= module.functions.size() || module.functions[f].kind != FunctionKind::kClassBody)
      continue;
    for (const uint64_t name : s.bound) names.insert(AttributeHash(name));
  }
  return names;
}

NameSet BoundIn(const PythonModule& module, size_t function,
                const std::vector<uint32_t>& statements) {
  NameSet names;
  for (const std::string& p : module.functions[function].parameters) names.insert(NameHash(p));
  for (const uint32_t s : statements) {
    const std::vector<uint64_t>& bound = module.statements[s].bound;
    names.insert(bound.begin(), bound.end());
  }
  return names;
}

// The statements of one function in two texts.
struct Statements {
  const PythonModule& module;
  const std::vector<uint32_t>& own;
  const PythonStatement& at(size_t i) const { return module.statements[own[i]]; }
};

// Pairs the statements between two neighbors in which only names differ. Where several have one
// form, there must be as many on both sides: else it is not known which of them is which.
class RenamedStatements {
 public:
  RenamedStatements(const Renames& everywhere, const Renames& here)
      : everywhere_(everywhere), here_(here) {}

  void Pair(const Statements& a, size_t begin_a, size_t end_a, const Statements& b, size_t begin_b,
            size_t end_b, Pairs* out) const {
    if (begin_a == end_a || begin_b == end_b) return;
    std::unordered_map<uint64_t, int> surplus;
    for (size_t i = begin_a; i < end_a; ++i) ++surplus[a.at(i).form];
    for (size_t j = begin_b; j < end_b; ++j) --surplus[b.at(j).form];
    // One that cannot be told stands for nothing on the other side.
    const auto forms = [&](const Statements& s, size_t begin, size_t end, uint64_t unlike) {
      std::vector<uint64_t> list;
      for (size_t i = begin; i < end; ++i)
        list.push_back(surplus[s.at(i).form] == 0 ? s.at(i).form : unlike);
      return list;
    };
    for (const auto& [i, j] :
         CommonSubsequence(forms(a, begin_a, end_a, 1), forms(b, begin_b, end_b, 2))) {
      if (SameCalls(a.at(begin_a + i), b.at(begin_b + j)))
        out->emplace_back(static_cast<uint32_t>(begin_a + i), static_cast<uint32_t>(begin_b + j));
    }
  }

 private:
  // What is called has its old name, or the one that was given to it instead.
  bool SameCalls(const PythonStatement& a, const PythonStatement& b) const {
    return std::equal(a.called.begin(), a.called.end(), b.called.begin(), b.called.end(),
                      [&](uint64_t from, uint64_t to) {
                        return from == to || everywhere_.Allow(from, to) || here_.Allow(from, to);
                      });
  }

  const Renames& everywhere_;
  const Renames& here_;
};

// Adds what lies between the pairs.
void AddRenamed(const Statements& a, const Statements& b, const RenamedStatements& renamed,
                Pairs* pairs) {
  Pairs more;
  size_t next_a = 0, next_b = 0;
  for (const auto& [i, j] : *pairs) {
    renamed.Pair(a, next_a, i, b, next_b, j, &more);
    next_a = i + 1;
    next_b = j + 1;
  }
  renamed.Pair(a, next_a, a.own.size(), b, next_b, b.own.size(), &more);
  pairs->insert(pairs->end(), more.begin(), more.end());
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
  const Renames everywhere(BoundIn(before), BoundIn(now));
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
    Pairs pairs = CommonSubsequence(Hashes(before, own_before[i]), Hashes(now, own_now[j]));
    matched += pairs.size();
    if (drift.changed[i]) {
      const Statements old_ones{before, own_before[i]}, new_ones{now, own_now[j]};
      const Renames here(BoundIn(before, i, own_before[i]), BoundIn(now, j, own_now[j]));
      AddRenamed(old_ones, new_ones, RenamedStatements(everywhere, here), &pairs);
    }
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

}  // namespace emberline
