#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/columns.h"
#include "base/text.h"
#include "compare/overview.h"
#include "rpc/views/common.h"
#include "rpc/views/compare_tables.h"
#include "rpc/views/source_params.h"
#include "session/document_costs.h"

namespace emberline {
namespace {

// Replies stay below 256 KiB: the lines and functions that changed most.
constexpr size_t kMaxPlaces = 300;
constexpr size_t kMaxBytes = 100 << 10;
constexpr size_t kMaxName = 300;

// A place of the recorded text on one side: file, line, and of classes, which have no line, the
// name.
using RecordedPlace = std::tuple<std::string, int64_t, std::string>;

// The rows of a compared table by the places that they have on one side.
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
    const std::string name =
        classes ? TextIn(table, table.rows[i], (side + "Function").c_str()) : "";
    rows[{*path, *number, name}].push_back(i);
  }
  return rows;
}

// One measure on both sides, and their difference.
Json DeltaJson(const Table& table, const std::vector<Cell>& row, const std::string& stem) {
  const double before = NumberIn(table, row, ("baseline" + stem).c_str());
  const double after = NumberIn(table, row, ("candidate" + stem).c_str());
  return {{"baselineUs", before},
          {"candidateUs", after},
          {"deltaUs", NumberIn(table, row, ("delta" + stem).c_str())}};
}

// A row at its place in the document.
Json PlaceJson(const Compared& compared, size_t at, Time time, const char* side, int line,
               bool stale) {
  const Table& table = compared.table;
  const std::vector<Cell>& row = table.rows[at];
  const auto text = [&](const std::string& key) {
    return Shortened(TextIn(table, row, key.c_str()), kMaxName);
  };
  const std::string own(side);
  // The measure that orders the rows is the self time; totals keep their names.
  return {{"line", line},
          {"stale", stale},
          {"side", side},
          {"file", text(own + "File")},
          {"recordedLine", static_cast<int64_t>(NumberIn(table, row, (own + "Line").c_str()))},
          {"function", text(own + "Function")},
          {"status", text("status")},
          {"total", DeltaJson(table, row, time == Time::kDevice ? "DeviceTotalUs" : "HostTotalUs")},
          {"self", DeltaJson(table, row, "Us")},
          {"baselineCalls", static_cast<int64_t>(NumberIn(table, row, "baselineCalls"))},
          {"candidateCalls", static_cast<int64_t>(NumberIn(table, row, "candidateCalls"))}};
}

// Lines, functions and classes of one side that the document holds.
struct SidePlaces {
  DocumentLines document;
  std::vector<AnnotatedLine> lines;
  std::vector<AnnotatedDefinition> functions, classes;
  std::shared_ptr<const LinesResult> sums;
};

Result<SidePlaces> PlacesOf(const ViewRequest& side) {
  auto document =
      DocumentLinesOf(side.trace, SpaceParam(side.params), DocumentParam(side.params), side.cancel);
  if (!document.ok()) return document.error();
  auto sums = LineSumsOf(side.trace, *document->data, side.steps, side.cancel);
  if (!sums.ok()) return sums.error();
  SidePlaces places{std::move(*document), {}, {}, {}, std::move(*sums)};
  if (places.document.files.empty()) return places;
  const DocumentCosts costs(places.document, *places.sums);
  places.lines = costs.Lines(SIZE_MAX);
  for (AnnotatedDefinition& definition : costs.Definitions(SIZE_MAX)) {
    const bool function = definition.kind == AnnotatedDefinition::Kind::kFunction;
    (function ? places.functions : places.classes).push_back(std::move(definition));
  }
  return places;
}

// Puts the rows of two compared tables where the document has them. What only the baseline had
// stands where its own lines are in the text of now.
class Placer {
 public:
  Placer(const Compared& compared, Time time, bool classes = false)
      : compared_(compared), time_(time) {
    for (const char* side : {"candidate", "baseline"}) {
      rows_[side] = RowsByPlace(compared.table, side, classes);
    }
  }

  void Add(const char* side, const RecordedPlace& place, int line, bool stale) {
    const auto at = rows_[side].find(place);
    if (at == rows_[side].end()) return;
    for (const size_t row : at->second) {
      if (!seen_.insert(row).second) continue;
      places_.push_back(PlaceJson(compared_, row, time_, side, line, stale));
    }
  }

  // Those that changed most, by line.
  Json Places() {
    const auto weight = [](const Json& place) {
      return std::max(std::abs(place["total"]["deltaUs"].get<double>()),
                      std::abs(place["self"]["deltaUs"].get<double>()));
    };
    std::stable_sort(places_.begin(), places_.end(),
                     [&](const Json& a, const Json& b) { return weight(a) > weight(b); });
    size_t bytes = 0, count = 0;
    while (count < places_.size() && count < kMaxPlaces) {
      bytes += DumpJson(places_[count]).size();
      if (bytes > kMaxBytes) break;
      ++count;
    }
    places_.resize(count);
    std::stable_sort(places_.begin(), places_.end(), [](const Json& a, const Json& b) {
      return a["line"].get<int>() < b["line"].get<int>();
    });
    return Json(places_);
  }

 private:
  const Compared& compared_;
  const Time time_;
  std::map<std::string, std::map<RecordedPlace, std::vector<size_t>>> rows_;
  std::set<size_t> seen_;
  std::vector<Json> places_;
};

}  // namespace

Result<Json> CompareAnnotations(const CompareRequest& request) {
  const auto time = TimeOf(request);
  if (!time.ok()) return time.error();
  Json files = Json::array();
  SidePlaces sides[2];
  for (const bool candidate : {false, true}) {
    auto places = PlacesOf(candidate ? request.candidate : request.baseline);
    if (!places.ok()) return places.error();
    for (const std::string& file : places->document.files) files.push_back(file);
    sides[candidate ? 1 : 0] = std::move(*places);
  }
  Json result = {{"files", std::move(files)},
                 {"time", *time == Time::kDevice ? "device" : "host"},
                 {"deviceKind",
                  CommonDeviceKind(*request.baseline.trace.model, *request.candidate.trace.model)},
                 {"per", IsPerStep(request) ? "step" : "selection"},
                 {"lines", Json::array()},
                 {"functions", Json::array()},
                 {"classes", Json::array()}};
  const auto whole = [&](const SidePlaces& places, const ViewRequest& side) {
    const Ns sum = *time == Time::kDevice ? places.sums->totals.device : places.sums->totals.host;
    return Us(sum) / (IsPerStep(request) ? SelectedSteps(side) : 1);
  };
  result["baselineUs"] = whole(sides[0], request.baseline);
  result["candidateUs"] = whole(sides[1], request.candidate);
  if (result["files"].empty()) return result;
  const auto lines = CompareBy(request, "lines", *time);
  if (!lines.ok()) return lines.error();
  const auto functions = CompareBy(request, "functions", *time);
  if (!functions.ok()) return functions.error();
  const auto classes = CompareBy(request, "classes", *time);
  if (!classes.ok()) return classes.error();
  Placer line_places(**lines, *time), function_places(**functions, *time),
      class_places(**classes, *time, true);
  for (const bool candidate : {true, false}) {
    const SidePlaces& places = sides[candidate ? 1 : 0];
    const char* side = candidate ? "candidate" : "baseline";
    for (const AnnotatedLine& line : places.lines) {
      for (const uint32_t at : line.locations) {
        const LineLocation& location = places.document.data->attribution.locations[at];
        line_places.Add(side, {location.file, location.line, ""}, line.line, line.stale);
      }
    }
    for (const AnnotatedDefinition& function : places.functions) {
      function_places.Add(side, {function.cost->file, function.recorded_line, ""}, function.line,
                          function.stale);
    }
    for (const AnnotatedDefinition& one : places.classes) {
      class_places.Add(side, {one.cost->file, 0, one.cost->function}, one.line, one.stale);
    }
  }
  result["lines"] = line_places.Places();
  result["functions"] = function_places.Places();
  result["classes"] = class_places.Places();
  return result;
}

}  // namespace emberline
