#include <algorithm>
#include <vector>

#include "analysis/columns.h"
#include "base/text.h"
#include "compare/overview.h"
#include "compare/source_places.h"
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

Json DeltaJson(const Delta& delta) {
  return {{"baselineUs", delta.baseline_us},
          {"candidateUs", delta.candidate_us},
          {"deltaUs", delta.delta_us}};
}

Json PlaceJson(const ChangedPlace& place) {
  return {{"line", place.line},
          {"stale", place.stale},
          {"side", CompareSideName(place.side)},
          {"file", Shortened(place.file, kMaxName)},
          {"recordedLine", place.recorded_line},
          {"function", Shortened(place.function, kMaxName)},
          {"status", place.status},
          {"total", DeltaJson(place.total)},
          {"self", DeltaJson(place.self)},
          {"baselineCalls", place.baseline_calls},
          {"candidateCalls", place.candidate_calls}};
}

// Those that changed most, as many as a reply holds, by line.
Json PlacesJson(const SourcePlaces& places) {
  std::vector<Json> list;
  size_t bytes = 0;
  for (const ChangedPlace& place : places.MostChangedFirst()) {
    if (list.size() == kMaxPlaces) break;
    Json json = PlaceJson(place);
    bytes += DumpJson(json).size();
    if (bytes > kMaxBytes) break;
    list.push_back(std::move(json));
  }
  std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
    return a["line"].get<int>() < b["line"].get<int>();
  });
  return Json(list);
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
  const bool device = *time == Time::kDevice;
  SourcePlaces line_places((*lines)->table, device, false);
  SourcePlaces function_places((*functions)->table, device, false);
  SourcePlaces class_places((*classes)->table, device, true);
  for (const CompareSide side : {CompareSide::kCandidate, CompareSide::kBaseline}) {
    const SidePlaces& places = sides[side == CompareSide::kCandidate ? 1 : 0];
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
  result["lines"] = PlacesJson(line_places);
  result["functions"] = PlacesJson(function_places);
  result["classes"] = PlacesJson(class_places);
  return result;
}

}  // namespace emberline
