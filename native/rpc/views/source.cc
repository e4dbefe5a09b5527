// source/*: what the editor shows in Python files.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "rpc/views/common.h"
#include "rpc/views/source_params.h"
#include "rpc/views/view.h"

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

// A recorded location, or several that lie on one line, in the document as it is now.
struct Annotated {
  int line = 0;
  bool stale = false;
  LineCost cost;            // summed; location is that of the hottest
  bool inner_runs = false;  // cost.runs is of a comprehension or lambda on the line
  std::vector<uint32_t> locations;
};

class Annotator {
 public:
  Annotator(const DocumentLines& document, const LinesResult& sums)
      : document_(document), sums_(sums) {
    for (const std::string& file : document.files) files_.insert(file);
  }

  // Lines with a cost, by line; what lost its place apart from what did not. Locations whose
  // function is gone are left out.
  std::vector<Annotated> Lines(size_t most) const {
    std::map<std::pair<int, bool>, Annotated> by_line;
    for (const LineCost& c : sums_.rows) {
      const LineLocation& l = document_.data->attribution.locations[c.location];
      if (!files_.count(l.file)) continue;
      Annotated a;
      if (!Find(l, &a.line, &a.stale)) continue;
      const auto [it, fresh] = by_line.try_emplace({a.line, a.stale});
      Annotated& at = it->second;
      if (fresh) {
        at = std::move(a);
        at.cost = c;
        at.inner_runs = IsInner(c);
      } else {
        Add(at, c);
      }
      at.locations.push_back(c.location);
    }
    std::vector<Annotated> out;
    for (auto& [key, a] : by_line) out.push_back(std::move(a));
    if (out.size() > most) {
      const bool device = sums_.has_device_work;
      std::stable_sort(out.begin(), out.end(), [&](const Annotated& a, const Annotated& b) {
        return device ? a.cost.device_total > b.cost.device_total
                      : a.cost.host_total > b.cost.host_total;
      });
      out.resize(most);
      std::sort(out.begin(), out.end(),
                [](const Annotated& a, const Annotated& b) { return a.line < b.line; });
    }
    return out;
  }

  // Functions and classes of the document with their costs, by line.
  Json Lenses(size_t most) {
    std::vector<std::pair<int, Json>> found;
    for (const LineGroup& g : sums_.functions) {
      if (found.size() >= most || !files_.count(g.file)) continue;
      const PythonModule* base = Base(g.file);
      if (base == nullptr) continue;
      LineLocation l;
      l.function = g.function;
      l.function_line = g.line;
      const int f = BaseFunction(*base, g.file, l);
      if (f < 0 || base->functions[f].kind != FunctionKind::kFunction) continue;
      const Drift& drift = *document_.drift.at(g.file);
      const int now = drift.function[f];
      if (now < 0) continue;
      const PythonFunction& today = document_.now->functions[now];
      found.emplace_back(today.def_line, Lens(g, today.def_line, "function", today.qualified,
                                              g.line, drift.changed[f]));
    }
    for (const LineGroup& g : sums_.classes) {
      if (found.size() >= most || !files_.count(g.file)) continue;
      for (const PythonClass& c : document_.now->classes) {
        if (c.qualified != g.function) continue;
        const bool module = std::any_of(c.bases.begin(), c.bases.end(), [&](const std::string& b) {
          return b == "Module" || b == "LightningModule" || b == "Sequential" ||
                 b == "ModuleList" || IsModule(b);
        });
        found.emplace_back(c.def_line, Lens(g, c.def_line, module ? "module" : "class", c.qualified,
                                            c.def_line, false));
        break;
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Json out = Json::array();
    for (auto& [line, lens] : found) out.push_back(std::move(lens));
    return out;
  }

  Json LineJson(const Annotated& a) const {
    Json json = LineCostJson(document_.data->attribution, a.cost);
    json["recordedLine"] = json["line"];
    json["line"] = a.line;
    json["stale"] = a.stale;
    json["deviceShare"] = Share(a.cost.device_total, sums_.totals.device);
    json["hostShare"] = Share(a.cost.host_total, sums_.totals.host);
    return json;
  }

  static double Share(Ns part, Ns whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  }

 private:
  const PythonModule* Base(const std::string& file) const {
    const auto it = document_.data->files.find(file);
    return it == document_.data->files.end() || !document_.drift.count(file)
               ? nullptr
               : it->second.module.get();
  }

  // A class of this document that is a module itself.
  bool IsModule(const std::string& name) const {
    for (const PythonClass& c : document_.now->classes) {
      if (c.name != name) continue;
      return std::find(c.bases.begin(), c.bases.end(), "Module") != c.bases.end();
    }
    return false;
  }

  // The function of the aligned text that a location lies in; -1 when the text does not hold it.
  int BaseFunction(const PythonModule& base, const std::string& file, const LineLocation& l) const {
    auto& index = functions_[file];
    if (index.empty()) {
      for (size_t i = 0; i < base.functions.size(); ++i) {
        const PythonFunction& f = base.functions[i];
        index.emplace(f.qualified + '\n' + std::to_string(f.first_line), static_cast<int>(i));
      }
    }
    const auto it = index.find(l.function + '\n' + std::to_string(l.function_line));
    return it == index.end() ? -1 : it->second;
  }

  bool Find(const LineLocation& l, int* line, bool* stale) const {
    const PythonModule* base = Base(l.file);
    if (base == nullptr) return false;
    const int f = BaseFunction(*base, l.file, l);
    if (f < 0) return false;
    const Drift& drift = *document_.drift.at(l.file);
    const int now = drift.function[f];
    if (now < 0) return false;
    const PythonFunction& today = document_.now->functions[now];
    *stale = l.stale;
    if (l.confidence == LineConfidence::kFunction) {
      *line = today.kind == FunctionKind::kModule ? 1 : today.def_line;
      return true;
    }
    const auto it = drift.line.find(l.line);
    if (it != drift.line.end()) {
      *line = it->second;
      return true;
    }
    *stale = true;
    *line = today.kind == FunctionKind::kModule ? 1 : today.def_line;
    return true;
  }

  bool IsInner(const LineCost& c) const {
    const std::string& name = document_.data->attribution.locations[c.location].function;
    return name.ends_with('>') && name != "<module>";
  }

  void Add(Annotated& at, const LineCost& c) const {
    LineCost& sum = at.cost;
    const auto& locations = document_.data->attribution.locations;
    // A line of its own outranks what is merely known to be in the function that begins there.
    const bool line_first = locations[sum.location].confidence == LineConfidence::kFunction &&
                            locations[c.location].confidence != LineConfidence::kFunction;
    if (line_first) {
      sum.location = c.location;
      sum.operators = c.operators;
    }
    sum.device_self += c.device_self;
    sum.host_self += c.host_self;
    sum.device_total = std::max(sum.device_total, c.device_total);
    sum.host_total = std::max(sum.host_total, c.host_total);
    sum.backward_device = std::max(sum.backward_device, c.backward_device);
    sum.backward_host = std::max(sum.backward_host, c.backward_host);
    sum.recompute_device = std::max(sum.recompute_device, c.recompute_device);
    sum.recompute_host = std::max(sum.recompute_host, c.recompute_host);
    sum.calls += c.calls;
    // The bodies of comprehensions and lambdas run more often than the line that holds them.
    const bool inner = IsInner(c);
    if (line_first || (at.inner_runs && !inner)) {
      sum.runs = c.runs;
      at.inner_runs = inner;
    } else if (inner == at.inner_runs) {
      sum.runs = std::max(sum.runs, c.runs);
    }
    sum.allocated_bytes += c.allocated_bytes;
    sum.collectives += c.collectives;
    sum.collective += c.collective;
    sum.synchronisation += c.synchronisation;
    sum.idle += c.idle;
  }

  Json Lens(const LineGroup& g, int line, const char* kind, const std::string& name, int recorded,
            bool stale) const {
    const bool device = sums_.has_device_work;
    const Ns backward = device ? g.backward_device : g.backward_host;
    return {{"line", line},
            {"kind", kind},
            {"name", name},
            {"recordedLine", recorded},
            {"deviceUs", Us(g.device)},
            {"deviceShare", Share(g.device, sums_.totals.device)},
            {"hostUs", Us(g.host)},
            {"hostShare", Share(g.host, sums_.totals.host)},
            {"backwardUs", Us(backward)},
            {"backwardShare", Share(backward, device ? g.device : g.host)},
            {"recomputeUs", Us(device ? g.recompute_device : g.recompute_host)},
            {"calls", g.calls},
            {"operators", g.operators},
            {"stale", stale}};
  }

  const DocumentLines& document_;
  const LinesResult& sums_;
  std::set<std::string> files_;
  mutable std::unordered_map<std::string, std::unordered_map<std::string, int>> functions_;
};

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
    Annotator annotator(*document, **sums);
    // Long names and paths: fewer lines rather than a reply that is refused.
    for (size_t most = kMaxLines; most > 0; most /= 2) {
      lines = Json::array();
      for (const Annotated& a : annotator.Lines(most)) lines.push_back(annotator.LineJson(a));
      if (DumpJson(lines).size() <= kMaxLineBytes) break;
    }
    for (size_t most = kMaxLenses; most > 0; most /= 2) {
      lenses = annotator.Lenses(most);
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
  Annotator annotator(*document, **sums);
  const int64_t line = IntegerParam(request.params, "line", 0);
  const std::vector<Annotated> lines = annotator.Lines(kMaxLines);
  const auto hit =
      std::find_if(lines.begin(), lines.end(), [&](const Annotated& a) { return a.line == line; });
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
  const StringId dims = store.strings().Find("Input Dims");
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
    if (dims != kNone) {
      const std::string shape(Beginning(store.ArgText(i, dims), kMaxShapeText));
      if (!shape.empty() && (op.shapes.size() < 64 || op.shapes.contains(shape))) {
        ++op.shapes[shape];
      }
    }
  }
  const bool has_device = (*sums)->has_device_work;
  result["found"] = true;
  result["cost"] = annotator.LineJson(*hit);
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
  const Annotator annotator(*lines, **sums);
  const int64_t recorded = IntegerParam(request.params, "line", 1);
  std::map<int64_t, Json> costs;
  int64_t wanted = 0;
  for (const Annotated& a : annotator.Lines(kMaxLines)) {
    const Json json = annotator.LineJson(a);
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
    lines.push_back({{"cost", LineCostJson((*data)->attribution, c)},
                     {"path", path},
                     {"text", LineText(resolved, l, &texts)},
                     {"share", Annotator::Share(
                                   self, device ? (*sums)->totals.device : (*sums)->totals.host)}});
    bytes += DumpJson(lines.back()).size();
  }
  return Json{{"lines", std::move(lines)}, {"hasDeviceWork", device}};
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
