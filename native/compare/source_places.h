// The rows of two compared tables of lines or functions, put where a document has them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/table.h"

namespace emberline {

enum class CompareSide : uint8_t { kCandidate, kBaseline };
const char* CompareSideName(CompareSide side);  // "candidate", "baseline"

// A place of the recorded text on one side: file, line, and of classes, which have no line, the
// name.
using RecordedPlace = std::tuple<std::string, int64_t, std::string>;

// Microseconds on both sides.
struct Delta {
  double baseline_us = 0, candidate_us = 0, delta_us = 0;
};

// A row at its place in the document.
struct ChangedPlace {
  int line = 0;  // of the document, from 1
  bool stale = false;
  CompareSide side = CompareSide::kCandidate;  // whose recorded place it is
  std::string file, function;                  // as recorded
  int64_t recorded_line = 0;
  std::string status;  // "both", "new", "gone", "replaced"
  Delta total, self;
  int64_t baseline_calls = 0, candidate_calls = 0;
};

// What only the baseline had stands where its own lines are in the text of now: places of the
// candidate are added first, and a row is taken once.
class SourcePlaces {
 public:
  // `table` must outlive it. `device`: the time whose totals are shown; the measure that orders the
  // rows is the self time. `classes`: rows are told apart by names, too.
  SourcePlaces(const Table& table, bool device, bool classes);
  void Add(CompareSide side, const RecordedPlace& place, int line, bool stale);
  // Those that changed most first; of like ones, those that were added first.
  std::vector<ChangedPlace> MostChangedFirst() const;

 private:
  ChangedPlace PlaceOf(size_t row, CompareSide side, int line, bool stale) const;

  const Table& table_;
  const bool device_;
  std::map<RecordedPlace, std::vector<size_t>> rows_[2];  // by side
  std::set<size_t> taken_;
  std::vector<ChangedPlace> places_;
};

}  // namespace emberline
