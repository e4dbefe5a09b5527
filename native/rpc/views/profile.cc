#include "rpc/views/profile.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/features.h"
#include "analysis/tensor_cores.h"
#include "base/escape.h"
#include "json/message_json.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "session/first_picture.h"
#include "store/problems.h"
#include "store/recorder.h"

namespace emberline {
namespace {

Result<std::shared_ptr<const Features>> FeaturesOf(const LoadedTrace& trace,
                                                   const CancelToken& cancel) {
  return trace.results.Get<Features>("profile/features", cancel,
                                     [&] { return FindFeatures(*trace.model); });
}

// A folder may have thousands of workers: each is told in as few bytes as its page needs.
Json WorkerJson(const WorkerFiles& worker, const std::filesystem::path& opened) {
  uint64_t size_bytes = 0;
  for (const SpanFile& span : worker.spans) size_bytes += span.size_bytes;
  Json json = {{"name", worker.name}, {"sizeBytes", size_bytes}};
  if (worker.spans.size() < 2) return json;
  Json& spans = json["spans"] = Json::array();
  for (const SpanFile& span : worker.spans) {
    const std::filesystem::path file = span.path.lexically_relative(opened);
    spans.push_back({{"span", span.span},
                     {"file", Escaped((file.empty() ? span.path : file).string())},
                     {"sizeBytes", span.size_bytes}});
  }
  return json;
}

Json RunsJson(const Profile& profile) {
  Json runs = Json::array();
  for (const RunFiles& run : profile.discovery.runs) {
    Json workers = Json::array();
    for (const WorkerFiles& worker : run.workers) {
      workers.push_back(WorkerJson(worker, profile.path));
    }
    runs.push_back({{"name", run.name}, {"workers", std::move(workers)}});
  }
  return runs;
}

Result<Json> Open(const Json& params, const CallContext& context) {
  const std::string path = TextParam(params, "path");
  if (path.empty()) {
    return MakeError(errors::kEmptyPath);
  }
  Result<Profile> profile = context.session.Open(path, context.cancel);
  if (!profile.ok()) return profile.error();
  Json skipped = Json::array();
  for (const Message& why : profile->discovery.skipped) skipped.push_back(why.text);
  return Json{{"profileId", profile->id},
              {"path", Escaped(profile->path.string())},
              {"runs", RunsJson(*profile)},
              {"skipped", std::move(skipped)}};
}

Result<Json> Close(const Json& params, const CallContext& context) {
  Result<bool> closed = context.session.Close(TextParam(params, "profileId"));
  if (!closed.ok()) return closed.error();
  return Json(nullptr);
}

Result<Json> Load(const Json& params, const CallContext& context) {
  const std::string id = TextParam(params, "profileId");
  const TraceSelection selection = SelectionOf(params);
  ReadOptions options{context.cancel, context.progress};
  options.first_picture = context.first_picture;
  Result<std::shared_ptr<const LoadedTrace>> trace =
      context.session.Load(id, selection, options, /*renew=*/true);
  if (!trace.ok()) return trace.error();
  Result<Profile> profile = context.session.Find(id);
  if (!profile.ok()) return profile.error();
  if (context.loaded) context.loaded(trace.value());
  return TraceInfoJson(*trace.value(), profile.value(), selection, context.cancel);
}

Result<Json> Picture(const Json& params, const CallContext& context) {
  const std::string id = TextParam(params, "profileId");
  const TraceSelection selection = SelectionOf(params);
  const std::shared_ptr<void> work = context.session.BeginWork(id, context.cancel);
  const auto part = context.session.FirstPartOf(id, selection);
  if (!part.ok()) return part.error();
  const Result<Profile> profile = context.session.Find(id);
  if (!profile.ok()) return profile.error();
  const LoadedTrace& trace = *(*part)->trace;
  Result<Json> info = TraceInfoJson(trace, *profile, selection, context.cancel);
  if (!info.ok()) return info.error();
  // That the text ends is no problem of the file: the rest is being read.
  Json problems = Json::array();
  for (Json& problem : (*info)["problems"]) {
    if (problem["kind"] != ProblemKindName(ProblemKind::kTruncated)) {
      problems.push_back(std::move(problem));
    }
  }
  (*info)["problems"] = std::move(problems);
  const auto workers = [&] { return WorkersOf(*profile, selection); };
  Result<Json> overview =
      OverviewOfPart(ViewRequest{trace, params, context.cancel, StepSelection{}, workers, nullptr});
  if (!overview.ok()) return overview.error();
  const SliceCounts slices = CountSlices(*trace.store);
  return Json{{"fraction", (*part)->fraction},
              {"hostSlices", slices.host},
              {"deviceSlices", slices.device},
              {"trace", std::move(info.value())},
              {"overview", std::move(overview.value())}};
}

Json Absences(const LoadedTrace& trace, const Features& features) {
  Json absences = Json::array();
  if (trace.store->counts().events == 0) {
    absences.push_back(AbsenceJson(messages::kNoEvents));
    return absences;
  }
  if (IsOfOtherRecorder(*trace.store)) return absences;
  const auto lacks = [&](const AbsenceText& text) { absences.push_back(AbsenceJson(text)); };
  if (!features.device_work) lacks(messages::kNoDeviceWork);
  if (!trace.model->has_recorded_steps) lacks(messages::kNoSteps);
  if (!features.stacks) lacks(messages::kNoStacks);
  if (!features.shapes) lacks(messages::kNoShapes);
  if (!features.memory) absences.push_back(NoMemoryJson(*trace.store));
  if (!features.modules) lacks(messages::kNoModules);
  return absences;
}

const char* LinkName(OpLinkMethod method) {
  switch (method) {
    case OpLinkMethod::kNone:
      return "none";
    case OpLinkMethod::kExternalId:
      return "externalId";
    case OpLinkMethod::kContainment:
      return "containment";
    case OpLinkMethod::kArrow:
      return "arrow";
  }
  return "none";
}

Result<Json> Check(const Json& params, const CallContext& context) {
  Result<std::shared_ptr<const LoadedTrace>> loaded =
      context.session.Load(TextParam(params, "profileId"), SelectionOf(params),
                           ReadOptions{context.cancel, context.progress});
  if (!loaded.ok()) return loaded.error();
  const LoadedTrace& trace = *loaded.value();
  const auto features = FeaturesOf(trace, context.cancel);
  if (!features.ok()) return features.error();
  const TraceStore& store = *trace.store;
  const ReadCounts& counts = store.counts();
  Json stages = Json::array();
  for (const StageTime& stage : trace.stages) {
    stages.push_back({{"name", stage.name}, {"seconds", stage.seconds}});
  }
  std::vector<std::pair<std::string, uint64_t>> by_category(counts.by_category.begin(),
                                                            counts.by_category.end());
  std::stable_sort(by_category.begin(), by_category.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Json categories = Json::array();
  for (const auto& [name, count] : by_category) {
    categories.push_back({{"category", name}, {"count", count}});
  }
  Json result{{"stages", std::move(stages)},
              {"totalSeconds", trace.total_seconds},
              {"fileBytes", counts.file_bytes},
              {"textBytes", counts.text_bytes},
              {"memoryBytes", store.MemoryBytes()},
              {"events", counts.events},
              {"counts",
               {{"slices", counts.slices},
                {"paired", counts.paired},
                {"instants", counts.instants},
                {"memory", counts.memory},
                {"counters", counts.counters},
                {"flows", counts.flows},
                {"metadata", counts.metadata},
                {"dropped", counts.dropped}}},
              {"categories", std::move(categories)},
              {"problems", ProblemsJson(store)},
              {"absences", Absences(trace, **features)},
              {"opLink", LinkName(trace.model->op_link)},
              {"unlinkedDeviceSlices", trace.model->unlinked_device_slices}};
  DropMisplacedAdvice(store, &result);
  return result;
}

}  // namespace

Json ProblemsJson(const TraceStore& store) {
  Json problems = Json::array();
  for (const Problem& problem : store.problems()) {
    problems.push_back({{"kind", problem.kind},
                        {"message", problem.message},
                        {"arguments", ArgumentsJson(problem.arguments)},
                        {"count", problem.count},
                        {"firstOffset", problem.first_offset},
                        {"notice", problem.notice},
                        {"losesEvents", LosesEvents(problem)},
                        {"leftover", IsLeftover(problem, store.problems())}});
  }
  return problems;
}

Result<Json> TraceInfoJson(const LoadedTrace& trace, const Profile& profile,
                           const TraceSelection& selection, const CancelToken& cancel) {
  const TraceStore& store = *trace.store;
  const Model& model = *trace.model;
  // The names of what was chosen, also when the request left them out.
  std::string run_name, worker_name, span_name;
  for (const RunFiles& run : profile.discovery.runs) {
    if (!selection.run.empty() && run.name != selection.run) continue;
    for (const WorkerFiles& worker : run.workers) {
      for (const SpanFile& span : worker.spans) {
        if (span.path != trace.path) continue;
        run_name = run.name;
        worker_name = worker.name;
        span_name = span.span;
      }
    }
  }
  Json steps = Json::array();
  for (const Step& step : model.steps) {
    steps.push_back({{"name", step.name},
                     {"startNs", step.time.begin},
                     {"durationNs", step.time.Length()},
                     {"partial", step.partial}});
  }
  Json devices = Json::array();
  for (const Device& device : model.devices) {
    devices.push_back(
        {{"ordinal", device.ordinal}, {"label", DeviceLabel(device)}, {"name", device.name}});
  }
  const auto found = FeaturesOf(trace, cancel);
  if (!found.ok()) return found.error();
  const Features& features = **found;
  const auto& distributed = store.metadata().distributed;
  const bool ranked = distributed && distributed->rank >= 0;
  const bool sized = distributed && distributed->world_size >= 0;
  return Json{{"path", Escaped(trace.path.string())},
              {"run", run_name},
              {"worker", worker_name},
              {"span", span_name},
              {"events", store.counts().events},
              {"slices", store.slice_count()},
              {"baseNs", store.base_ns()},
              {"durationNs", store.extent().Length()},
              {"rank", ranked ? Json(distributed->rank) : Json()},
              {"worldSize", sized ? Json(distributed->world_size) : Json()},
              {"hasRecordedSteps", model.has_recorded_steps},
              {"steps", std::move(steps)},
              {"devices", std::move(devices)},
              {"vendor", VendorName(VendorOf(model))},
              {"hasStacks", features.stacks},
              {"hasShapes", features.shapes},
              {"hasMemory", features.memory},
              {"hasModules", features.modules},
              {"hasLightning", features.lightning},
              {"hasDeviceWork", features.device_work},
              {"hasCommunication", features.communication},
              {"problems", ProblemsJson(store)}};
}

size_t WorkersOf(const Profile& profile, const TraceSelection& selection) {
  for (const RunFiles& run : profile.discovery.runs) {
    if (selection.run.empty() || run.name == selection.run) return run.workers.size();
  }
  return 0;
}

ProfileFunction FindProfileMethod(const std::string& method) {
  static const std::map<std::string, ProfileFunction> functions = {
      {"profile/open", Open},   {"profile/load", Load},   {"profile/firstPicture", Picture},
      {"profile/check", Check}, {"profile/close", Close},
  };
  const auto it = functions.find(method);
  return it == functions.end() ? nullptr : it->second;
}

}  // namespace emberline
