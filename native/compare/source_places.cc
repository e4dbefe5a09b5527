#include "compare/source_places.h"

#include <algorithm>
#include <cmath>

namespace emberline {
namespace {

std::map<RecordedPlace, std::vector<size_t>> RowsByPlace(const Table& table,
                                                         const std::string& side, bool classes) {
  std::map<RecordedPlace, std::vector<size_t>> rows;
  const int file = table.ColumnIndex(side + "File");
  const int line = table.ColumnIndex(side + "Line");
  if (file < 0 || line < 0) return rows;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const auto* path = std::get_if<std::string>(&table.rows[i][static_cast<size_t>(file)]);
    const auto* number = std::get_if<int64_t>(&table.rows[i][static_cast<size_t>(line)]);
    if (path == nullptr || number == nullptr) continue;
    const std::string name = classes ? TextIn(table, table.rows[i], side + "Function") : "";
    rows[{*path, *number, name}].push_back(i);
  }
  return rows;
}

// One measure on both sides, and their difference.
Delta DeltaIn(const Table& table, const std::vector<Cell>& row, const std::string& stem) {
  return {NumberIn(table, row, "baseline" + stem), NumberIn(table, row, "candidate" + stem),
          NumberIn(table, row, "delta" + stem)};
}

double WeightOf(const ChangedPlace& place) {
  return std::max(std::abs(place.total.delta_us), std::abs(place.self.delta_us));
}

}  // namespace

const char* CompareSideName(CompareSide side) {
  return side == CompareSide::kCandidate ? "candidate" : "baseline";
}

SourcePlaces::SourcePlaces(const Table& table, bool device, bool classes)
    : table_(table), device_(device) {
  for (const CompareSide side : {CompareSide::kCandidate, CompareSide::kBaseline}) {
    rows_[static_cast<size_t>(side)] = RowsByPlace(table, CompareSideName(side), classes);
  }
}

ChangedPlace SourcePlaces::PlaceOf(size_t at, CompareSide side, int line, bool stale) const {
  const std::vector<Cell>& row = table_.rows[at];
  const std::string own = CompareSideName(side);
  const auto count = [&](const char* key) {
    return static_cast<int64_t>(NumberIn(table_, row, key));
  };
  ChangedPlace place;
  place.line = line;
  place.stale = stale;
  place.side = side;
  place.file = TextIn(table_, row, own + "File");
  place.function = TextIn(table_, row, own + "Function");
  place.recorded_line = static_cast<int64_t>(NumberIn(table_, row, own + "Line"));
  place.status = TextIn(table_, row, "status");
  place.total = DeltaIn(table_, row, device_ ? "DeviceTotalUs" : "HostTotalUs");
  place.self = DeltaIn(table_, row, "Us");
  place.baseline_calls = count("baselineCalls");
  place.candidate_calls = count("candidateCalls");
  return place;
}

void SourcePlaces::Add(CompareSide side, const RecordedPlace& place, int line, bool stale) {
  const auto& rows = rows_[static_cast<size_t>(side)];
  const auto at = rows.find(place);
  if (at == rows.end()) return;
  for (const size_t row : at->second) {
    if (taken_.insert(row).second) places_.push_back(PlaceOf(row, side, line, stale));
  }
}

std::vector<ChangedPlace> SourcePlaces::MostChangedFirst() const {
  std::vector<ChangedPlace> sorted = places_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const ChangedPlace& a, const ChangedPlace& b) {
    return WeightOf(a) > WeightOf(b);
  });
  return sorted;
}

}  // namespace emberline
