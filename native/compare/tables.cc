#include "compare/tables.h"

#include <algorithm>
#include <cmath>

#include "analysis/columns.h"

namespace emberline {
namespace {

constexpr uint32_t kNoRow = UINT32_MAX;

// "Host self" as it stands behind another word; "FLOPs" stays.
std::string InSentence(std::string title) {
  const auto is_capital = [&](size_t at) {
    return at < title.size() && title[at] >= 'A' && title[at] <= 'Z';
  };
  if (is_capital(0) && !is_capital(1)) title[0] = static_cast<char>(title[0] - 'A' + 'a');
  return title;
}

std::string CellText(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  return "";
}

std::optional<double> NumberOf(const Cell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&cell)) return *d;
  return std::nullopt;
}

// "DeviceSelfUs" of "deviceSelfUs".
std::string Capitalised(std::string key) {
  if (!key.empty() && key[0] >= 'a' && key[0] <= 'z')
    key[0] = static_cast<char>(key[0] - 'a' + 'A');
  return key;
}

// "Us" of a column of microseconds.
const char* UnitSuffix(Unit unit) {
  switch (unit) {
    case Unit::kUs:
      return "Us";
    case Unit::kNs:
      return "Ns";
    case Unit::kBytes:
      return "Bytes";
    case Unit::kCount:
      return "Count";
    default:
      return "";
  }
}

// A row of either side or of both.
struct RowPair {
  uint32_t baseline = kNoRow, candidate = kNoRow;
};

// A measure that both tables have.
struct Measure {
  size_t baseline = 0, candidate = 0;  // columns
  Column column;
  std::string stem;  // "DeviceSelfUs", or "Us" of the one that orders the rows
};

class Comparison {
 public:
  Comparison(const Table& baseline, const Table& candidate, const TableComparison& options)
      : a_(baseline), b_(candidate), options_(options) {}

  Table Run() {
    PairRows();
    FindMeasures();
    Sort();
    TableBuilder<RowPair> table;
    AddNames(table);
    for (const Measure& measure : measures_) AddMeasure(table, measure);
    AddLinks(table, "baseline", a_, &RowPair::baseline);
    AddLinks(table, "candidate", b_, &RowPair::candidate);
    return table.Make(pairs_);
  }

 private:
  void PairRows() {
    std::unordered_map<std::string, uint32_t> row_of;
    const auto key = [](const Table& table, const std::vector<std::string>& keys, uint32_t row) {
      return keys.empty() ? RowKey(table, table.rows[row]) : keys[row];
    };
    for (uint32_t i = 0; i < a_.rows.size(); ++i) {
      // Rows that are said to be the same twice stay apart.
      if (row_of.try_emplace(key(a_, options_.baseline_keys, i), pairs_.size()).second) {
        keys_.push_back(key(a_, options_.baseline_keys, i));
      } else {
        keys_.push_back(key(a_, options_.baseline_keys, i) + "#" + std::to_string(i));
      }
      pairs_.push_back({i, kNoRow});
    }
    for (uint32_t j = 0; j < b_.rows.size(); ++j) {
      const std::string text = key(b_, options_.candidate_keys, j);
      const auto at = row_of.find(text);
      if (at != row_of.end() && pairs_[at->second].candidate == kNoRow) {
        pairs_[at->second].candidate = j;
        continue;
      }
      pairs_.push_back({kNoRow, j});
      keys_.push_back(at == row_of.end() ? text : text + "#+" + std::to_string(j));
    }
  }

  void FindMeasures() {
    for (size_t c = 0; c < a_.columns.size(); ++c) {
      const Column& column = a_.columns[c];
      const int other = b_.ColumnIndex(column.key);
      if (column.role != ColumnRole::kMeasure || other < 0) continue;
      Measure measure{c, static_cast<size_t>(other), column, Capitalised(column.key)};
      // What one side has is worth showing.
      measure.column.hidden = column.hidden && b_.columns[static_cast<size_t>(other)].hidden;
      if (column.key == options_.measure) {
        measure.stem = UnitSuffix(column.unit);
        measures_.insert(measures_.begin(), std::move(measure));
      } else {
        measures_.push_back(std::move(measure));
      }
    }
    // Calls stand beside the times.
    std::stable_partition(measures_.begin() + (measures_.empty() ? 0 : 1), measures_.end(),
                          [](const Measure& measure) { return measure.column.key == "calls"; });
  }

  const Cell& BaselineCell(const RowPair& row, size_t column) const {
    static const Cell none;
    return row.baseline == kNoRow ? none : a_.rows[row.baseline][column];
  }
  const Cell& CandidateCell(const RowPair& row, size_t column) const {
    static const Cell none;
    return row.candidate == kNoRow ? none : b_.rows[row.candidate][column];
  }

  std::optional<double> Value(const Measure& measure, const RowPair& row, bool candidate) const {
    const bool present = (candidate ? row.candidate : row.baseline) != kNoRow;
    const bool adds = measure.column.merge == Merge::kSum;
    const Cell& cell =
        candidate ? CandidateCell(row, measure.candidate) : BaselineCell(row, measure.baseline);
    const std::optional<double> value = NumberOf(cell);
    if (!value) return adds && !present ? std::optional<double>(0) : std::nullopt;
    const double scale = candidate ? options_.candidate_scale : options_.baseline_scale;
    return adds ? *value * scale : *value;
  }

  // Counts and bytes stay whole numbers, unless they are per step.
  bool IsWhole(const Measure& measure) const {
    return measure.column.type == CellType::kInteger && options_.baseline_scale == 1 &&
           options_.candidate_scale == 1;
  }

  // In the precision of nanoseconds, so that no residue of the arithmetic shows.
  static double Rounded(double value) { return std::round(value * 1000) / 1000; }

  std::optional<double> Delta(const Measure& measure, const RowPair& row) const {
    const auto before = Value(measure, row, false), after = Value(measure, row, true);
    if (!before || !after) return std::nullopt;
    return measure.column.unit == Unit::kRatio || measure.column.unit == Unit::kNone
               ? *after - *before
               : Rounded(*after - *before);
  }

  void Sort() {
    if (measures_.empty()) return;
    const Measure& first = measures_[0];
    std::vector<double> weight(pairs_.size()), size(pairs_.size());
    std::vector<uint32_t> order(pairs_.size());
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      order[i] = i;
      weight[i] = std::abs(Delta(first, pairs_[i]).value_or(0));
      size[i] = std::max(Value(first, pairs_[i], false).value_or(0),
                         Value(first, pairs_[i], true).value_or(0));
    }
    std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
      if (weight[x] != weight[y]) return weight[x] > weight[y];
      if (size[x] != size[y]) return size[x] > size[y];
      return keys_[x] < keys_[y];
    });
    std::vector<RowPair> pairs;
    std::vector<std::string> keys;
    for (const uint32_t i : order) {
      pairs.push_back(pairs_[i]);
      keys.push_back(std::move(keys_[i]));
    }
    pairs_ = std::move(pairs);
    keys_ = std::move(keys);
  }

  // What the row is called, as the candidate has it where it is there.
  void AddNames(TableBuilder<RowPair>& table) {
    table.Add(HiddenIf(true, TextKey("key", "Key", "Identifies the row.")),
              [this](const RowPair& row) { return Cell(keys_[&row - pairs_.data()]); });
    bool first = true;
    for (size_t c = 0; c < b_.columns.size(); ++c) {
      const Column& column = b_.columns[c];
      const int other = a_.ColumnIndex(column.key);
      if (other < 0 || (column.role != ColumnRole::kKey && column.role != ColumnRole::kFact)) {
        continue;
      }
      Column shown = column;
      shown.role = column.role == ColumnRole::kKey ? ColumnRole::kFact : column.role;
      if (first) shown.key = "name";
      table.Add(std::move(shown), [this, c, other](const RowPair& row) {
        return row.candidate != kNoRow ? CandidateCell(row, c)
                                       : BaselineCell(row, static_cast<size_t>(other));
      });
      if (first) {
        name_column_baseline_ = static_cast<size_t>(other);
        name_column_candidate_ = c;
        table.Add(
            TextFact(
                "status", "Status",
                "both: in both profiles; new: only in the candidate; gone: only in the baseline; "
                "replaced: only in one, with something else in its place in the other."),
            [this](const RowPair& row) { return Cell(std::string(StatusOf(row))); });
        if (!options_.baseline_keys.empty()) {
          table.Add(HiddenIf(true, TextFact("baselineName", "Name in the baseline",
                                            "Its name in the baseline, if different.")),
                    [this](const RowPair& row) -> Cell {
                      if (row.baseline == kNoRow || row.candidate == kNoRow) return Cell();
                      const std::string name = BaselineNameOf(row);
                      return name == NameOf(row) ? Cell() : TextCell(name);
                    });
        }
      }
      first = false;
    }
  }

  std::string NameOf(const RowPair& row) const {
    return row.candidate != kNoRow ? CellText(CandidateCell(row, name_column_candidate_))
                                   : CellText(BaselineCell(row, name_column_baseline_));
  }

  // What the baseline calls it, or the candidate where the baseline lacks it.
  std::string BaselineNameOf(const RowPair& row) const {
    return row.baseline == kNoRow ? NameOf(row)
                                  : CellText(BaselineCell(row, name_column_baseline_));
  }

  const char* StatusOf(const RowPair& row) const {
    if (row.baseline != kNoRow && row.candidate != kNoRow) {
      return CompareStatusName(CompareStatus::kBoth);
    }
    const bool gone = row.candidate == kNoRow;
    const auto& replaced = gone ? options_.baseline_replaced : options_.candidate_replaced;
    if (!replaced.empty() && replaced[gone ? row.baseline : row.candidate]) {
      return CompareStatusName(CompareStatus::kReplaced);
    }
    return CompareStatusName(gone ? CompareStatus::kGone : CompareStatus::kNew);
  }

  // Of the rows themselves. Nothing is known of one that the other side lacks.
  Difference SingleNoiseOf(const Measure& measure, const RowPair& row) const {
    const auto sample = [](const std::vector<Sample>& samples, uint32_t at) {
      return at == kNoRow ? Sample() : samples[at];
    };
    return CompareSingle(sample(options_.baseline_samples, row.baseline),
                         sample(options_.candidate_samples, row.candidate),
                         Delta(measure, row).value_or(0));
  }

  // Difference of the means per step, in the scale of the table. The samples are known.
  Difference NoiseOf(const Measure& measure, const RowPair& row) const {
    if (options_.single) return SingleNoiseOf(measure, row);
    const auto sample = [](const std::vector<Sample>& samples, uint32_t at) {
      return at == kNoRow ? Sample() : samples[at];
    };
    const Sample baseline = sample(options_.baseline_samples, row.baseline);
    const Sample candidate = sample(options_.candidate_samples, row.candidate);
    // What differs without being in a step ran outside of them: their spread says nothing about it.
    const double delta = Delta(measure, row).value_or(0);
    if (delta != 0 && baseline.count == 0 && candidate.count == 0) return {delta, std::nullopt};
    Difference difference = Compare(WithZeros(baseline, options_.baseline_steps),
                                    WithZeros(candidate, options_.candidate_steps));
    const double steps = options_.candidate_scale * options_.candidate_steps;
    difference.delta *= steps;
    if (difference.noise) *difference.noise *= steps;
    return difference;
  }

  void AddMeasure(TableBuilder<RowPair>& table, const Measure& measure) {
    const Column& column = measure.column;
    const bool main = column.key == options_.measure;
    const bool whole = IsWhole(measure);
    const auto made = [&](const std::string& key, const std::string& title,
                          const std::string& definition, Unit unit) {
      Column out = column;
      out.key = key;
      out.title = title;
      out.definition = definition;
      out.unit = unit;
      out.type = whole && unit == column.unit ? CellType::kInteger : CellType::kNumber;
      return out;
    };
    const std::string what = " " + InSentence(column.title);
    const auto cell = [whole](const std::optional<double>& number) -> Cell {
      if (!number) return Cell();
      return whole ? Cell(static_cast<int64_t>(std::llround(*number))) : Cell(*number);
    };
    const auto value = [this, measure, cell](bool candidate) {
      return [this, measure, cell, candidate](const RowPair& row) {
        return cell(Value(measure, row, candidate));
      };
    };
    table.Add(made("baseline" + measure.stem, "Baseline" + what, column.definition, column.unit),
              value(false));
    table.Add(made("candidate" + measure.stem, "Candidate" + what, column.definition, column.unit),
              value(true));
    table.Add(
        made("delta" + measure.stem, "Delta" + what, "Candidate minus baseline.", column.unit),
        [this, measure, cell](const RowPair& row) { return cell(Delta(measure, row)); });
    const std::string percent = main ? "deltaPercent" : "delta" + measure.stem + "Percent";
    table.Add(
        made(percent, main ? "Delta %" : "Delta % of" + what,
             "Candidate minus baseline, in percent of the baseline; empty if the baseline is 0.",
             Unit::kPercent),
        [this, measure](const RowPair& row) -> Cell {
          const auto before = Value(measure, row, false), delta = Delta(measure, row);
          return before && delta ? OptionalCell(PercentOf(*delta, *before)) : Cell();
        });
    if (!main || !options_.knows_noise) return;
    // One test gives both.
    Column noise =
        made("noise" + measure.stem, "Noise" + what,
             options_.single
                 ? "How far apart two single steps can be by chance in 95 of 100 pairs, "
                   "from the spread over the steps (Welch's t-test); empty with one step."
                 : "Half the width of the 95 % confidence interval of the difference, "
                   "from the spread over the steps (Welch's t-test); empty with one step and "
                   "for what ran outside the steps.",
             column.unit);
    noise.type = CellType::kNumber;
    table.AddAll({std::move(noise),
                  FlagFact("beyondNoise", "Beyond noise",
                           "Whether the difference is larger than the noise; empty if the noise is "
                           "unknown.")},
                 [this, measure](const RowPair& row, std::vector<Cell>& cells) {
                   const Difference difference = NoiseOf(measure, row);
                   cells.push_back(OptionalCell(difference.noise));
                   cells.push_back(OptionalCell(difference.Significant()));
                 });
  }

  void AddLinks(TableBuilder<RowPair>& table, const std::string& side, const Table& from,
                uint32_t RowPair::*row_of) {
    for (size_t c = 0; c < from.columns.size(); ++c) {
      const Column& column = from.columns[c];
      // Where a row's keys are its place, they lead there as links do.
      const bool place = column.key == "file" || column.key == "line" || column.key == "function";
      if (column.role != ColumnRole::kLink && !place) continue;
      Column link = Link("", column.title.c_str(), column.definition.c_str(), column.type);
      link.key = side + Capitalised(column.key);
      table.Add(std::move(link), [&from, row_of, c](const RowPair& row) {
        static const Cell none;
        const uint32_t at = row.*row_of;
        return at == kNoRow ? none : from.rows[at][c];
      });
    }
  }

  const Table& a_;
  const Table& b_;
  const TableComparison& options_;
  std::vector<RowPair> pairs_;
  std::vector<std::string> keys_;  // parallel to pairs_
  std::vector<Measure> measures_;
  size_t name_column_baseline_ = 0, name_column_candidate_ = 0;
};

}  // namespace

std::string RowKey(const Table& table, const std::vector<Cell>& row) {
  std::string key;
  bool first = true;
  for (size_t c = 0; c < table.columns.size() && c < row.size(); ++c) {
    if (table.columns[c].role != ColumnRole::kKey) continue;
    if (!first) key += '\n';
    key += CellText(row[c]);
    first = false;
  }
  return key;
}

Table CompareTables(const Table& baseline, const Table& candidate,
                    const TableComparison& comparison) {
  return Comparison(baseline, candidate, comparison).Run();
}

}  // namespace emberline
