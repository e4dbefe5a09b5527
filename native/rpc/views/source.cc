// source/*: what the editor shows in Python files.
#include <algorithm>
#include <map>

#include "analysis/line_slices.h"
#include "attribution/stack_lines.h"
#include "base/text.h"
#include "rpc/views/common.h"
#include "rpc/views/source_params.h"
#include "rpc/views/view.h"
#include "session/document_costs.h"

namespace emberline {
namespace {

// Replies stay below 256 KiB: the hottest lines and definitions of a document.
constexpr size_t kMaxLinesShown = 300;
constexpr size_t kMaxLenses = 300;
constexpr size_t kMaxLineBytes = 130 << 10, kMaxLensBytes = 80 << 10, kMaxHotBytes = 180 << 10;
constexpr size_t kMaxSliceBytes = 160 << 10;
constexpr size_t kHoverSlices = 8;
constexpr size_t kMaxListedText = 240;  // of a line in a listing
constexpr size_t kMaxSourceName = 300;
constexpr size_t kMaxStackFrames = 200;

double Share(Ns part, Ns whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

Json AnnotatedLineJson(const DocumentLines& document, const LinesResult& sums,
                       const AnnotatedLine& a) {
  Json json = LineCostJson(document.data->attribution, a.cost);
  json["recordedLine"] = json["line"];
  json["line"] = a.line;
  json["stale"] = a.stale;
  json["deviceShare"] = Share(a.cost.device_total, sums.totals.device);
  json["hostShare"] = Share(a.cost.host_total, sums.totals.host);
  return json;
}

Json LensJson(const LinesResult& sums, const AnnotatedDefinition& definition) {
  static constexpr const char* kKinds[] = {"function", "class", "module"};
  const LineGroup& g = *definition.cost;
  const bool device = sums.has_device_work;
  const Ns backward = device ? g.backward_device : g.backward_host;
  return {{"line", definition.line},
          {"kind", kKinds[static_cast<size_t>(definition.kind)]},
          {"name", definition.name},
          {"recordedLine", definition.recorded_line},
          {"deviceUs", Us(g.device)},
          {"deviceShare", Share(g.device, sums.totals.device)},
          {"hostUs", Us(g.host)},
          {"hostShare", Share(g.host, sums.totals.host)},
          {"backwardUs", Us(backward)},
          {"backwardShare", Share(backward, device ? g.device : g.host)},
          {"recomputeUs", Us(device ? g.recompute_device : g.recompute_host)},
          {"calls", g.calls},
          {"operators", g.operators},
          {"stale", definition.stale}};
}

Json LinePartsJson(const TraceStore& store, const std::vector<LinePart>& parts) {
  Json out = Json::array();
  for (const LinePart& part : parts) {
    out.push_back({{"name", Shortened(store.strings().Get(part.name), kMaxSourceName)},
                   {"calls", part.calls},
                   {"deviceUs", Us(part.device)},
                   {"hostUs", Us(part.host)},
                   {"backwardUs", Us(part.backward)},
                   {"shapes", part.shapes}});
  }
  return out;
}

}  // namespace

Result<Json> SourceResolve(const ViewRequest& request) {
  const SearchScope scope =
      request.params.value("anywhere", false) ? SearchScope::kAnywhere : SearchScope::kSourceSpace;
  const ResolvedPath found = ResolveSource(request.trace, SpaceParam(request.params),
                                           TextParam(request.params, "file"), scope);
  Json path;
  if (found.status == ResolveStatus::kFound) path = found.path;
  return Json{{"status", found.status == ResolveStatus::kFound       ? "found"
                         : found.status == ResolveStatus::kAmbiguous ? "ambiguous"
                                                                     : "missing"},
              {"path", path},
              {"candidates", found.candidates}};
}

Result<Json> SourceAnnotations(const ViewRequest& request) {
  const auto document = DocumentLinesOf(request.trace, SpaceParam(request.params),
                                        DocumentParam(request.params), request.cancel);
  if (!document.ok()) return document.error();
  const auto sums = LineSumsOf(request.trace, *document->data, request.steps, request.cancel);
  if (!sums.ok()) return sums.error();
  Json lines = Json::array(), lenses = Json::array();
  bool drifted = false;
  if (!document->files.empty()) {
    const DocumentCosts costs(*document, **sums);
    // Long names and paths: fewer lines rather than a reply that is refused.
    for (size_t most = kMaxLinesShown; most > 0; most /= 2) {
      lines = Json::array();
      for (const AnnotatedLine& a : costs.Lines(most)) {
        lines.push_back(AnnotatedLineJson(*document, **sums, a));
      }
      if (DumpJson(lines).size() <= kMaxLineBytes) break;
    }
    for (size_t most = kMaxLenses; most > 0; most /= 2) {
      lenses = Json::array();
      for (const AnnotatedDefinition& definition : costs.Definitions(most)) {
        lenses.push_back(LensJson(**sums, definition));
      }
      if (DumpJson(lenses).size() <= kMaxLensBytes) break;
    }
    for (const auto& [file, drift] : document->drift) {
      drifted = drifted || !drift->identical || !document->data->files.at(file).exact;
    }
  }
  return Json{{"files", document->files},
              {"lines", std::move(lines)},
              {"lenses", std::move(lenses)},
              {"totals", LineTotalsJson((*sums)->totals)},
              {"hasDeviceWork", (*sums)->has_device_work},
              {"deviceKind", DeviceKindOf(*request.trace.model)},
              {"drifted", drifted}};
}

Result<Json> SourceHover(const ViewRequest& request) {
  Json result = {{"found", false},
                 {"cost", Json()},
                 {"byOperator", Json::array()},
                 {"byKernel", Json::array()},
                 {"callers", Json::array()},
                 {"slices", Json::array()}};
  const auto document = DocumentLinesOf(request.trace, SpaceParam(request.params),
                                        DocumentParam(request.params), request.cancel);
  if (!document.ok()) return document.error();
  if (document->files.empty()) return result;
  const auto sums = LineSumsOf(request.trace, *document->data, request.steps, request.cancel);
  if (!sums.ok()) return sums.error();
  const DocumentCosts costs(*document, **sums);
  const int64_t line = IntegerParam(request.params, "line", 0);
  const std::vector<AnnotatedLine> lines = costs.Lines(kMaxLinesShown);
  const auto hit = std::find_if(lines.begin(), lines.end(),
                                [&](const AnnotatedLine& a) { return a.line == line; });
  if (hit == lines.end()) return result;

  const LineAttribution& at = document->data->attribution;
  const Model& model = *request.trace.model;
  const TraceStore& store = model.store();
  std::vector<bool> wanted(at.locations.size(), false);
  for (const uint32_t l : hit->locations) wanted[l] = true;
  const auto parts =
      BreakDownLine(model, at, wanted, request.steps, (*sums)->has_device_work, request.cancel);
  if (!parts.ok()) return parts.error();
  result["found"] = true;
  result["cost"] = AnnotatedLineJson(*document, **sums, *hit);
  result["byOperator"] = LinePartsJson(store, parts->operators);
  result["byKernel"] = LinePartsJson(store, parts->kernels);
  for (const LineCaller& caller : parts->callers) {
    const LineLocation& l = at.locations[caller.location];
    result["callers"].push_back({{"file", l.file},
                                 {"line", l.line},
                                 {"function", l.function},
                                 {"deviceUs", Us(caller.device)},
                                 {"hostUs", Us(caller.host)}});
  }
  const std::vector<SliceIndex> slices = LongestSlices(
      store, SlicesOfLocations(model, at, wanted, request.steps, request.cancel), kHoverSlices);
  for (const SliceIndex i : slices)
    result["slices"].push_back(SliceRefJson(store, i, kMaxSourceName));
  return result;
}

Result<Json> SourceStack(const ViewRequest& request) {
  const Result<SliceIndex> slice = SliceOf(request);
  if (!slice.ok()) return slice.error();
  const auto data = LinesOf(request.trace, SpaceParam(request.params), request.cancel);
  if (!data.ok()) return data.error();
  Json json = Json::array();
  for (const Frame& frame : StackWithLines(*request.trace.model, **data, *slice, kMaxStackFrames)) {
    json.push_back(FrameJson(frame));
  }
  return Json{{"frames", std::move(json)}};
}

Result<Json> SourceLineSlices(const ViewRequest& request) {
  const auto data = LinesOf(request.trace, SpaceParam(request.params), request.cancel);
  if (!data.ok()) return data.error();
  const LineAttribution& at = (*data)->attribution;
  const std::string file = TextParam(request.params, "file");
  const int64_t line = IntegerParam(request.params, "line", 0);
  const std::vector<bool> wanted = LocationsAt(at, file, line);
  Json slices = Json::array();
  size_t total = 0;
  if (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) {
    const std::vector<SliceIndex> found =
        SlicesOfLocations(*request.trace.model, at, wanted, request.steps, request.cancel);
    total = found.size();
    const auto limit = static_cast<size_t>(
        std::clamp<int64_t>(IntegerParam(request.params, "limit", 200), 1, 2000));
    size_t bytes = 0;
    for (const SliceIndex i : found) {
      bytes += 100 + std::min<size_t>(kMaxSourceName, request.trace.store->name(i).size());
      if (slices.size() == limit || bytes > kMaxSliceBytes) break;
      slices.push_back(SliceRefJson(*request.trace.store, i, kMaxSourceName));
    }
  }
  return Json{{"slices", std::move(slices)}, {"total", total}};
}

Result<Json> SourceListing(const ViewRequest& request) {
  Json result = {{"found", false}, {"path", Json()}, {"line", Json()}, {"lines", Json::array()}};
  const SourceSpace space = SpaceParam(request.params);
  const std::string file = TextParam(request.params, "file");
  const ResolvedPath resolved = ResolveSource(request.trace, space, file);
  SourceDocument document;
  document.text = SourceText(resolved);
  if (document.text.empty()) return result;
  document.path = resolved.path;
  const auto lines = DocumentLinesOf(request.trace, space, document, request.cancel);
  if (!lines.ok()) return lines.error();
  const auto sums = LineSumsOf(request.trace, *lines->data, request.steps, request.cancel);
  if (!sums.ok()) return sums.error();
  const DocumentCosts located(*lines, **sums);
  const int64_t recorded = IntegerParam(request.params, "line", 1);
  std::map<int64_t, Json> costs;
  int64_t wanted = 0;
  for (const AnnotatedLine& a : located.Lines(kMaxLinesShown)) {
    const Json json = AnnotatedLineJson(*lines, **sums, a);
    for (const uint32_t l : a.locations) {
      const LineLocation& location = lines->data->attribution.locations[l];
      if (location.file == file && location.line == recorded && wanted == 0) wanted = a.line;
    }
    if (!a.stale) costs.emplace(a.line, json);
  }
  if (wanted == 0) wanted = recorded;
  const int64_t around = std::clamp<int64_t>(IntegerParam(request.params, "around", 8), 0, 200);
  std::string_view rest = document.text;
  for (int64_t line = 1; !rest.empty() && line <= wanted + around; ++line) {
    const size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line < wanted - around) continue;
    if (text.ends_with('\r')) text.remove_suffix(1);
    const auto cost = costs.find(line);
    result["lines"].push_back({{"line", line},
                               {"text", std::string(text.substr(0, kMaxListedText))},
                               {"cost", cost == costs.end() ? Json() : cost->second}});
  }
  result["found"] = !result["lines"].empty();
  result["path"] = resolved.path;
  result["line"] = wanted;
  return result;
}

// The text of a line without its indent; "" where its file is not at hand or only the function is
// known. `texts` keeps the files that were read.
static std::string LineText(const ResolvedPath& resolved, const LineLocation& location,
                            std::map<std::string, std::string>* texts) {
  if (resolved.status != ResolveStatus::kFound || location.stale ||
      location.confidence == LineConfidence::kFunction) {
    return "";
  }
  auto [entry, fresh] = texts->try_emplace(resolved.path);
  if (fresh) entry->second = SourceText(resolved);
  return Shortened(TrimmedLine(entry->second, location.line), kMaxListedText);
}

Result<Json> SourceHotLines(const ViewRequest& request) {
  const SourceSpace space = SpaceParam(request.params);
  const auto data = LinesOf(request.trace, space, request.cancel);
  if (!data.ok()) return data.error();
  const auto sums = LineSumsOf(request.trace, **data, request.steps, request.cancel);
  if (!sums.ok()) return sums.error();
  const auto limit =
      static_cast<size_t>(std::clamp<int64_t>(IntegerParam(request.params, "limit", 20), 1, 200));
  const bool device = (*sums)->has_device_work;
  Json lines = Json::array();
  size_t bytes = 0;
  std::map<std::string, std::string> texts;
  for (const LineCost& c : (*sums)->rows) {
    if (lines.size() == limit || bytes > kMaxHotBytes) break;
    const Ns self = device ? c.device_self : c.host_self;
    if (self <= 0) break;
    const LineLocation& l = (*data)->attribution.locations[c.location];
    const auto file = (*data)->files.find(l.file);
    ResolvedPath resolved;
    if (file != (*data)->files.end())
      resolved = file->second.resolved;
    else
      resolved = ResolveSource(request.trace, space, l.file);
    Json path;
    if (resolved.status == ResolveStatus::kFound) path = resolved.path;
    lines.push_back(
        {{"cost", LineCostJson((*data)->attribution, c)},
         {"path", path},
         {"text", LineText(resolved, l, &texts)},
         {"share", Share(self, device ? (*sums)->totals.device : (*sums)->totals.host)}});
    bytes += DumpJson(lines.back()).size();
  }
  return Json{{"lines", std::move(lines)},
              {"hasDeviceWork", device},
              {"deviceKind", DeviceKindOf(*request.trace.model)}};
}

Result<Json> SourceEventLines(const ViewRequest& request) {
  const auto data = LinesOf(request.trace, SpaceParam(request.params), request.cancel);
  if (!data.ok()) return data.error();
  const LineAttribution& at = (*data)->attribution;
  const TraceStore& store = *request.trace.store;
  // Calls in files whose text is known.
  std::vector<bool> listed(at.locations.size(), false);
  for (size_t l = 0; l < listed.size(); ++l) {
    const auto file = (*data)->files.find(at.locations[l].file);
    listed[l] = file != (*data)->files.end() && file->second.module != nullptr;
  }
  const int64_t limit = IntegerParam(request.params, "limit", 500);
  const uint64_t begin =
      static_cast<uint64_t>(std::max<int64_t>(0, IntegerParam(request.params, "offset", 0)));
  const uint64_t most =
      limit < 0 ? UINT64_MAX : static_cast<uint64_t>(std::min<int64_t>(limit, 1000));
  const auto found = CallsFrom(store, at, listed, request.cancel);
  if (!found.ok()) return found.error();
  const std::vector<LineCall>& calls = *found;
  Json events = Json::array();
  for (uint64_t k = begin; k < calls.size() && events.size() < most; ++k) {
    const SliceIndex i = calls[k].slice;
    const LineLocation& l = at.locations[at.contexts[at.CalledFrom(i)].location];
    events.push_back({{"event", store.event_index(i)},
                      {"file", l.file},
                      {"line", l.line},
                      {"confidence", LineConfidenceName(l.confidence)},
                      {"durationUs", Us(store.duration(i))},
                      {"exclusiveUs", Us(calls[k].exclusive)}});
  }
  return Json{{"events", std::move(events)}, {"total", calls.size()}};
}

}  // namespace emberline
