// source/*: what the editor shows in Python files.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "rpc/views/common.h"
#include "rpc/views/source_params.h"
#include "rpc/views/view.h"
#include "session/document_costs.h"

namespace emberline {
namespace {

// Replies stay below 256 KiB: the hottest lines and definitions of a document.
constexpr size_t kMaxLines = 300;
constexpr size_t kMaxLenses = 300;
constexpr size_t kMaxLineBytes = 130 << 10, kMaxLensBytes = 80 << 10, kMaxHotBytes = 180 << 10;
constexpr size_t kMaxSliceBytes = 160 << 10;
constexpr size_t kHoverOperators = 12, kHoverKernels = 8, kHoverCallers = 8, kHoverSlices = 8,
                 kHoverShapes = 3;
constexpr size_t kMaxShapeText = 200;
constexpr size_t kMaxListedText = 240;  // of a line in a listing
constexpr size_t kMaxName = 300;
constexpr size_t kMaxFrames = 200;

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

// Slices of locations: the calls made there (or the frames, where only the function is known) and
// the device work blamed on them.
std::vector<SliceIndex> SlicesOf(const ViewRequest& request, const LineAttribution& at,
                                 const std::vector<bool>& wanted) {
  const Model& model = *request.trace.model;
  const TraceStore& store = model.store();
  const auto location = [&](uint32_t context) {
    return context == kNone ? kNone : at.contexts[context].location;
  };
  std::vector<SliceIndex> out;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (i % 8192 == 0 && request.cancel.cancelled()) break;
    if (!request.steps.Contains(model.step[i])) continue;
    uint32_t l = kNone;
    if (IsDeviceWork(store.kind(i))) {
      l = location(DevicePlaceOf(model, at, i).blamed);
    } else {
      l = location(at.called[i]);
      if (l == kNone || !wanted[l]) {
        if (at.user_frame[i])
          l = location(at.context[i]);
        else if (at.pass[i] != Pass::kForward && store.kind(i) == SliceKind::kCpuOp &&
                 at.blamed[i] != at.context[i] &&
                 (at.parent[i] == kNone || at.blamed[at.parent[i]] != at.blamed[i])) {
          l = location(at.blamed[i]);  // outermost op of the line's backward, or that ran again
        }
      }
    }
    if (l != kNone && wanted[l]) out.push_back(i);
  }
  std::sort(out.begin(), out.end(), [&](SliceIndex a, SliceIndex b) {
    return store.start(a) != store.start(b) ? store.start(a) < store.start(b) : a < b;
  });
  return out;
}

struct Part {
  uint64_t calls = 0;
  Ns device = 0, host = 0, backward = 0;
  std::map<std::string, uint64_t> shapes;
};

Json PartsJson(const TraceStore& store, const std::unordered_map<StringId, Part>& parts,
               bool device, size_t most) {
  std::vector<std::pair<StringId, const Part*>> order;
  for (const auto& [name, part] : parts) order.emplace_back(name, &part);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (device && a.second->device != b.second->device) return a.second->device > b.second->device;
    if (a.second->host != b.second->host) return a.second->host > b.second->host;
    return store.strings().Get(a.first) < store.strings().Get(b.first);
  });
  Json out = Json::array();
  for (const auto& [name, part] : order) {
    if (out.size() == most) break;
    std::vector<std::pair<uint64_t, std::string>> shapes;
    for (const auto& [text, count] : part->shapes) shapes.emplace_back(count, text);
    std::stable_sort(shapes.begin(), shapes.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    Json texts = Json::array();
    for (const auto& [count, text] : shapes) {
      if (texts.size() == kHoverShapes) break;
      texts.push_back(text);
    }
    out.push_back({{"name", Shortened(store.strings().Get(name), kMaxName)},
                   {"calls", part->calls},
                   {"deviceUs", Us(part->device)},
                   {"hostUs", Us(part->host)},
                   {"backwardUs", Us(part->backward)},
                   {"shapes", std::move(texts)}});
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
    for (size_t most = kMaxLines; most > 0; most /= 2) {
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
  const std::vector<AnnotatedLine> lines = costs.Lines(kMaxLines);
  const auto hit = std::find_if(lines.begin(), lines.end(),
                                [&](const AnnotatedLine& a) { return a.line == line; });
  if (hit == lines.end()) return result;

  const LineAttribution& at = document->data->attribution;
  const Model& model = *request.trace.model;
  const TraceStore& store = model.store();
  std::vector<bool> wanted(at.locations.size(), false);
  for (const uint32_t l : hit->locations) wanted[l] = true;
  // Contexts at or below the line, and the caller by which each was reached.
  std::vector<bool> inside(at.contexts.size(), false);
  std::vector<uint32_t> caller(at.contexts.size(), kNone);
  for (uint32_t c = 0; c < at.contexts.size(); ++c) {  // parents come first
    const uint32_t p = at.contexts[c].parent;
    if (p != kNone && inside[p]) {
      inside[c] = true;
      caller[c] = caller[p];
    } else if (wanted[at.contexts[c].location]) {
      inside[c] = true;
      caller[c] = p == kNone ? kNone : at.contexts[p].location;
    }
  }
  std::unordered_map<StringId, Part> operators, kernels;
  std::map<uint32_t, std::pair<Ns, Ns>> callers;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (i % 8192 == 0 && request.cancel.cancelled()) {
      return Error{ErrorKind::kCancelled, "The hover was cancelled.", "", {}};
    }
    if (!request.steps.Contains(model.step[i])) continue;
    const bool device = IsDeviceWork(store.kind(i));
    DevicePlace place;
    if (device) {
      place = DevicePlaceOf(model, at, i);
    } else {
      place.blamed = at.blamed[i];
      place.context = at.context[i];
      if (!at.origin.empty()) place.origin = at.origin[i];
      place.pass = at.pass[i];
    }
    uint32_t context = kNone;
    for (const uint32_t c : {place.blamed, place.context, place.caller, place.origin}) {
      if (context == kNone && c != kNone && inside[c]) context = c;
    }
    if (context == kNone) continue;
    const bool backward = place.pass == Pass::kBackward;
    if (device) {
      Part& kernel = kernels[store.name_id(i)];
      ++kernel.calls;
      kernel.device += store.duration(i);
      if (backward) kernel.backward += store.duration(i);
      if (place.op != kNone) {
        Part& op = operators[store.name_id(place.op)];
        op.device += store.duration(i);
        if (backward) op.backward += store.duration(i);
      }
      if (caller[context] != kNone) callers[caller[context]].first += store.duration(i);
      continue;
    }
    if (caller[context] != kNone) callers[caller[context]].second += at.exclusive[i];
    if (store.kind(i) != SliceKind::kCpuOp) continue;
    Part& op = operators[store.name_id(i)];
    ++op.calls;
    op.host += at.exclusive[i];
    if (backward && !(*sums)->has_device_work) op.backward += at.exclusive[i];
    if (store.HasArg(ArgRole::kInputShapes)) {
      const std::string shape(Beginning(store.ArgText(i, ArgRole::kInputShapes), kMaxShapeText));
      if (!shape.empty() && (op.shapes.size() < 64 || op.shapes.contains(shape))) {
        ++op.shapes[shape];
      }
    }
  }
  const bool has_device = (*sums)->has_device_work;
  result["found"] = true;
  result["cost"] = AnnotatedLineJson(*document, **sums, *hit);
  result["byOperator"] = PartsJson(store, operators, has_device, kHoverOperators);
  result["byKernel"] = PartsJson(store, kernels, true, kHoverKernels);
  std::vector<std::pair<uint32_t, std::pair<Ns, Ns>>> order(callers.begin(), callers.end());
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return has_device ? a.second.first > b.second.first : a.second.second > b.second.second;
  });
  for (const auto& [location, cost] : order) {
    if (result["callers"].size() == kHoverCallers) break;
    const LineLocation& l = at.locations[location];
    result["callers"].push_back({{"file", l.file},
                                 {"line", l.line},
                                 {"function", l.function},
                                 {"deviceUs", Us(cost.first)},
                                 {"hostUs", Us(cost.second)}});
  }
  std::vector<SliceIndex> slices = SlicesOf(request, at, wanted);
  std::stable_sort(slices.begin(), slices.end(), [&](SliceIndex a, SliceIndex b) {
    return store.duration(a) > store.duration(b);
  });
  if (slices.size() > kHoverSlices) slices.resize(kHoverSlices);
  for (const SliceIndex i : slices) result["slices"].push_back(SliceRefJson(store, i, kMaxName));
  return result;
}

namespace {

bool Names(const LineLocation& location, const Frame& frame) {
  if (location.file != frame.file) return false;
  const std::string_view function = location.function;
  return function.substr(function.rfind('.') + 1) == frame.function;
}

// The calling lines that were found for a stack whose innermost user's frame is on `context`; a
// chain that begins elsewhere is that of another stack, and changes nothing.
bool PlaceFrames(const LineData& data, uint32_t context, SliceIndex slice,
                 std::vector<Frame>* frames) {
  const LineAttribution& at = data.attribution;
  bool any = false;
  for (Frame& frame : *frames) {
    // A frame that is the slice itself calls nothing that is asked for.
    if (!frame.line_is_definition || frame.slice == slice) continue;
    const auto file = data.files.find(frame.file);
    if (file == data.files.end() || !file->second.user) continue;
    if (context == kNone) break;
    const LineLocation& l = at.locations[at.contexts[context].location];
    if (!Names(l, frame)) return any;
    any = true;
    if (l.confidence != LineConfidence::kFunction && !l.stale) {
      frame.line = l.line;
      frame.line_is_definition = false;
    }
    context = at.contexts[context].parent;
  }
  return any;
}

}  // namespace

Result<Json> SourceStack(const ViewRequest& request) {
  const Result<SliceIndex> slice = SliceOf(request);
  if (!slice.ok()) return slice.error();
  const auto data = LinesOf(request.trace, SpaceParam(request.params), request.cancel);
  if (!data.ok()) return data.error();
  const LineAttribution& at = (*data)->attribution;
  const Model& model = *request.trace.model;
  std::vector<Frame> frames = StackOf(model, *slice);
  if (frames.size() > kMaxFrames) frames.resize(kMaxFrames);
  uint32_t around = at.context[*slice], blamed = at.blamed[*slice];
  if (IsDeviceWork(request.trace.store->kind(*slice))) {
    const DevicePlace place = DevicePlaceOf(model, at, *slice);
    around = place.context;
    blamed = place.blamed;
  }
  // Backward work has its forward operator's stack where it has none of its own.
  if (!PlaceFrames(**data, around, *slice, &frames)) {
    PlaceFrames(**data, blamed, *slice, &frames);
  }
  Json json = Json::array();
  for (const Frame& frame : frames) json.push_back(FrameJson(frame));
  return Json{{"frames", std::move(json)}};
}

Result<Json> SourceLineSlices(const ViewRequest& request) {
  const auto data = LinesOf(request.trace, SpaceParam(request.params), request.cancel);
  if (!data.ok()) return data.error();
  const LineAttribution& at = (*data)->attribution;
  const std::string file = TextParam(request.params, "file");
  const int64_t line = IntegerParam(request.params, "line", 0);
  std::vector<bool> wanted(at.locations.size(), false);
  bool any = false;
  for (size_t l = 0; l < at.locations.size(); ++l) {
    wanted[l] = at.locations[l].line == line && at.locations[l].file == file;
    any = any || wanted[l];
  }
  Json slices = Json::array();
  size_t total = 0;
  if (any) {
    const std::vector<SliceIndex> found = SlicesOf(request, at, wanted);
    total = found.size();
    const auto limit = static_cast<size_t>(
        std::clamp<int64_t>(IntegerParam(request.params, "limit", 200), 1, 2000));
    size_t bytes = 0;
    for (const SliceIndex i : found) {
      bytes += 100 + std::min<size_t>(kMaxName, request.trace.store->name(i).size());
      if (slices.size() == limit || bytes > kMaxSliceBytes) break;
      slices.push_back(SliceRefJson(*request.trace.store, i, kMaxName));
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
  for (const AnnotatedLine& a : located.Lines(kMaxLines)) {
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
  std::string_view rest = entry->second;
  for (int line = 1; line < location.line; ++line) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return "";
    rest.remove_prefix(end + 1);
  }
  std::string_view text = rest.substr(0, rest.find('\n'));
  text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return Shortened(text, kMaxListedText);
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
  const uint32_t n = store.slice_count();
  const auto listed = [&](SliceIndex i) {
    if (at.called[i] == kNone) return false;
    const auto file = (*data)->files.find(at.locations[at.contexts[at.called[i]].location].file);
    return file != (*data)->files.end() && file->second.module != nullptr;
  };
  // Nearest listed call around each slice; parents come first.
  std::vector<SliceIndex> around(n, kNone);
  std::vector<Ns> exclusive(n, 0);
  std::vector<bool> is_listed(n, false);
  for (SliceIndex i = 0; i < n; ++i) {
    const SliceIndex p = at.parent[i];
    if (p != kNone) around[i] = is_listed[p] ? p : around[p];
    is_listed[i] = listed(i);
    if (!is_listed[i]) continue;
    exclusive[i] += store.duration(i);
    if (around[i] != kNone) exclusive[around[i]] -= store.duration(i);
  }
  const int64_t limit = IntegerParam(request.params, "limit", 500);
  const uint64_t begin =
      static_cast<uint64_t>(std::max<int64_t>(0, IntegerParam(request.params, "offset", 0)));
  const uint64_t most =
      limit < 0 ? UINT64_MAX : static_cast<uint64_t>(std::min<int64_t>(limit, 1000));
  uint64_t total = 0;
  Json events = Json::array();
  for (SliceIndex i = 0; i < n; ++i) {
    if (!is_listed[i]) continue;
    if (total++ < begin || events.size() >= most) continue;
    const LineLocation& l = at.locations[at.contexts[at.called[i]].location];
    events.push_back({{"event", store.event_index(i)},
                      {"file", l.file},
                      {"line", l.line},
                      {"confidence", LineConfidenceName(l.confidence)},
                      {"durationUs", Us(store.duration(i))},
                      {"exclusiveUs", Us(std::max<Ns>(0, exclusive[i]))}});
  }
  return Json{{"events", std::move(events)}, {"total", total}};
}

}  // namespace emberline
