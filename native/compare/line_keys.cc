#include "compare/line_keys.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "compare/sequences.h"

namespace emberline {
namespace {

// A table's cells that say where a line is; -1 for columns that it has not.
class Places {
 public:
  explicit Places(const Table& table)
      : table_(table),
        file_(table.ColumnIndex("file")),
        line_(table.ColumnIndex("line")),
        function_(table.ColumnIndex("function")),
        operators_(table.ColumnIndex("operators")) {}
  size_t rows() const { return table_.rows.size(); }
  const std::string& File(size_t row) const { return Text(row, file_); }
  const std::string& Function(size_t row) const { return Text(row, function_); }
  const std::string& Operators(size_t row) const { return Text(row, operators_); }
  int64_t Line(size_t row) const {
    if (line_ < 0) return 0;
    const auto* line = std::get_if<int64_t>(&table_.rows[row][static_cast<size_t>(line_)]);
    return line != nullptr ? *line : 0;
  }

 private:
  const std::string& Text(size_t row, int column) const {
    static const std::string none;
    if (column < 0) return none;
    const auto* text = std::get_if<std::string>(&table_.rows[row][static_cast<size_t>(column)]);
    return text != nullptr ? *text : none;
  }
  const Table& table_;
  const int file_, line_, function_, operators_;
};

// The last `parts` parts of a path.
std::string_view Ending(std::string_view path, int parts) {
  size_t at = path.size();
  while (parts-- > 0 && at != std::string_view::npos && at > 0) {
    at = path.find_last_of("/\\", at - 1);
  }
  return at == std::string_view::npos || at == 0 ? path : path.substr(at + 1);
}

// Functions of each of the files that are not matched yet.
std::map<std::string, std::set<std::string>> FunctionsOfUnmatched(
    const Places& places, const std::map<std::string, bool>& files) {
  std::map<std::string, std::set<std::string>> functions;
  for (size_t row = 0; row < places.rows(); ++row) {
    if (!files.at(places.File(row))) functions[places.File(row)].insert(places.Function(row));
  }
  return functions;
}

// Files that were renamed: those that share most of their functions, and with no other more.
void MatchByFunctions(const Places& baseline, const Places& candidate,
                      const std::map<std::string, bool>& left,
                      const std::map<std::string, bool>& right,
                      std::unordered_map<std::string, std::string>* matched) {
  const auto before = FunctionsOfUnmatched(baseline, left);
  const auto after = FunctionsOfUnmatched(candidate, right);
  std::unordered_map<std::string, std::vector<const std::string*>> files_of;  // by function
  for (const auto& [file, functions] : after) {
    for (const std::string& function : functions) files_of[function].push_back(&file);
  }
  struct Shared {
    size_t count;
    const std::string *left, *right;
  };
  std::vector<Shared> all;
  for (const auto& [file, functions] : before) {
    std::map<std::string, Shared> shared;
    for (const std::string& function : functions) {
      const auto at = files_of.find(function);
      // "forward" and "__init__" are everywhere, and say nothing.
      if (at == files_of.end() || at->second.size() > 8) continue;
      for (const std::string* other : at->second) {
        ++shared.try_emplace(*other, Shared{0, &file, other}).first->second.count;
      }
    }
    for (const auto& [other, pair] : shared) {
      const size_t most = std::max(functions.size(), after.at(other).size());
      if (2 * pair.count >= most) all.push_back(pair);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Shared& a, const Shared& b) { return a.count > b.count; });
  std::set<std::string> taken;
  for (const Shared& pair : all) {
    if (matched->contains(*pair.left) || !taken.insert(*pair.right).second) continue;
    (*matched)[*pair.left] = *pair.right;
  }
}

// Recorded paths of the baseline by those of the candidate: the same path, else the same ending,
// as long as only one file of each side has it.
std::unordered_map<std::string, std::string> MatchFiles(const Places& baseline,
                                                        const Places& candidate) {
  std::map<std::string, bool> left, right;  // path -> matched
  for (size_t i = 0; i < baseline.rows(); ++i) left[baseline.File(i)] = false;
  for (size_t j = 0; j < candidate.rows(); ++j) right[candidate.File(j)] = false;
  std::unordered_map<std::string, std::string> matched;  // baseline -> candidate
  for (auto& [path, taken] : left) {
    const auto same = right.find(path);
    if (same == right.end()) continue;
    matched[path] = path;
    taken = same->second = true;
  }
  constexpr int kMaxParts = 8;
  for (int parts = kMaxParts; parts > 0; --parts) {
    const auto by_ending = [parts](std::map<std::string, bool>& files) {
      std::map<std::string_view, std::vector<std::map<std::string, bool>::iterator>> groups;
      for (auto at = files.begin(); at != files.end(); ++at) {
        if (!at->second && !at->first.empty()) groups[Ending(at->first, parts)].push_back(at);
      }
      return groups;
    };
    const auto others = by_ending(right);
    for (const auto& [ending, files] : by_ending(left)) {
      const auto other = others.find(ending);
      if (files.size() != 1 || other == others.end() || other->second.size() != 1) continue;
      matched[files[0]->first] = other->second[0]->first;
      files[0]->second = other->second[0]->second = true;
    }
  }
  MatchByFunctions(baseline, candidate, left, right, &matched);
  return matched;
}

// Rows by file and function, in the order of their lines.
using Functions = std::map<std::pair<std::string, std::string>, std::vector<uint32_t>>;

template <typename FileOf>
Functions FunctionsOf(const Places& places, FileOf&& file_of) {
  Functions functions;
  for (uint32_t row = 0; row < places.rows(); ++row) {
    functions[{file_of(places.File(row)), places.Function(row)}].push_back(row);
  }
  for (auto& [name, rows] : functions) {
    std::sort(rows.begin(), rows.end(),
              [&](uint32_t x, uint32_t y) { return places.Line(x) < places.Line(y); });
  }
  return functions;
}

// Lines of a function. What was called from a line says most about which it is; its distance from
// the line before tells those apart that called the same.
std::vector<ElementLabel> PlaceLabels(const Places& places, const std::vector<uint32_t>& rows) {
  std::vector<ElementLabel> labels;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t before = i > 0 ? places.Line(rows[i - 1]) : places.Line(rows[0]);
    const int64_t after = i + 1 < rows.size() ? places.Line(rows[i + 1]) : places.Line(rows[i]);
    labels.push_back({StableHash(places.Operators(rows[i])),
                      static_cast<uint64_t>(places.Line(rows[i]) - before),
                      static_cast<uint64_t>(after - places.Line(rows[i]))});
  }
  return labels;
}

}  // namespace

std::pair<std::vector<std::string>, std::vector<std::string>> MatchLines(const Table& baseline,
                                                                         const Table& candidate) {
  const Places left(baseline), right(candidate);
  std::vector<std::string> left_keys(left.rows()), right_keys(right.rows());
  const auto key = [](const Places& places, size_t row) {
    return places.File(row) + ":" + std::to_string(places.Line(row)) + " " + places.Function(row);
  };
  for (size_t i = 0; i < left.rows(); ++i) left_keys[i] = "- " + key(left, i);
  for (size_t j = 0; j < right.rows(); ++j) right_keys[j] = "+ " + key(right, j);
  const auto files = MatchFiles(left, right);
  const Functions before = FunctionsOf(left, [&](const std::string& file) {
    const auto at = files.find(file);
    return at == files.end() ? "- " + file : at->second;
  });
  const Functions after = FunctionsOf(right, [](const std::string& file) { return file; });
  for (const auto& function : after) {
    const std::vector<uint32_t>& rows = function.second;
    const auto at = before.find(function.first);
    if (at == before.end()) continue;
    const std::vector<uint32_t>& old = at->second;
    std::vector<bool> used(old.size(), false), found(rows.size(), false);
    const auto match = [&](size_t i, size_t j) {
      left_keys[old[i]] = right_keys[rows[j]] = key(right, rows[j]);
      used[i] = found[j] = true;
    };
    if (old.size() == rows.size()) {
      // Nothing was added and nothing went: only a text that was written anew differs.
      for (size_t i = 0; i < old.size(); ++i) match(i, i);
      continue;
    }
    for (const Match& pair : MatchSequences(PlaceLabels(left, old), PlaceLabels(right, rows))) {
      if (!pair.moved) match(pair.baseline, pair.candidate);
    }
    // A line between two matched ones, alone on both sides, is one line that calls something else.
    for (size_t i = 0, j = 0; i < old.size() && j < rows.size();) {
      const bool lonely_left = !used[i] && (i + 1 == old.size() || used[i + 1]);
      const bool lonely_right = !found[j] && (j + 1 == rows.size() || found[j + 1]);
      if (used[i] && found[j]) {
        ++i;
        ++j;
      } else if (lonely_left && lonely_right) {
        match(i++, j++);
      } else if (!used[i]) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  return {std::move(left_keys), std::move(right_keys)};
}

}  // namespace emberline
