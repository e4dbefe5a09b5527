#include "ranks/make_digest.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "json/json.h"
#include "ranks/digest_file.h"
#include "ranks/digest_parts.h"
#include "ranks/messages.h"
#include "store/recorder.h"

namespace emberline {
namespace {

constexpr size_t kMaxText = 400;
constexpr size_t kKernelsKept = 24;  // of one device; sums over ranks keep all

// The name of the machine, where it was recorded.
std::string HostName(const TraceMetadata& meta) {
  for (const auto& [key, value] : meta.others) {
    if (key != "host_name") continue;
    const Result<Json> name = ParseJson(value);
    if (name.ok() && name->is_string()) return Shortened(name->get<std::string>(), kMaxText);
  }
  return "";
}

// What the file says of the software that it ran with.
void AddVersions(const TraceMetadata& meta, RankDigest* digest) {
  for (const auto& [key, value] : meta.others) {
    if (key.find("version") == std::string::npos) continue;
    digest->versions.emplace_back(Shortened(key, kMaxText), Shortened(value, kMaxText));
  }
  if (meta.distributed) {
    const Result<Json> info = ParseJson(meta.distributed->raw);
    if (info.ok() && info->is_object() && info->contains("nccl_version")) {
      const Json& version = (*info)["nccl_version"];
      if (version.is_string() && version != "unknown") {
        digest->versions.emplace_back("nccl_version",
                                      Shortened(version.get<std::string>(), kMaxText));
      }
    }
  }
  std::sort(digest->versions.begin(), digest->versions.end());
}

void AddIdentity(const LoadedTrace& trace, const std::string& worker, RankDigest* digest) {
  const TraceStore& s = *trace.store;
  const TraceMetadata& meta = s.metadata();
  digest->path = trace.path.string();
  digest->worker = worker;
  digest->node = HostName(meta);
  if (digest->node.empty()) digest->node = NodeOf(worker);
  if (meta.distributed) {
    digest->rank = meta.distributed->rank;
    digest->world_size = meta.distributed->world_size;
    digest->backend = Shortened(meta.distributed->backend, kMaxText);
  }
  if (digest->rank < 0) digest->rank = RankOfName(trace.path.filename().string());
  // Where each rank has a folder, it is that which names the rank.
  if (digest->rank < 0) digest->rank = RankOfName(worker);
  AddVersions(meta, digest);
  if (trace.model->devices.size() > kMaxDevices) {
    digest->notices.push_back(Say(messages::kManyDevices, {{"limit", kMaxDevices}}).text);
  }
  for (const Device& device : DevicesOf(*trace.model)) {
    DeviceInfo info{device.ordinal, device.kind, device.name, 0, 0};
    if (device.properties != nullptr) {
      info.memory_bytes = device.properties->total_global_mem;
      info.multiprocessors = device.properties->num_sms;
    }
    digest->devices.push_back(std::move(info));
  }
  for (const Track& track : s.tracks()) {
    if (track.kind == TrackKind::kHostThread && !track.pid.is_text && digest->process < 0) {
      digest->process = track.pid.number;
    }
  }
  digest->base_ns = s.base_ns();
  digest->end = s.extent().end;
  digest->events = s.counts().events;
  digest->dropped = s.counts().dropped;
  digest->file_bytes = s.counts().file_bytes;
  digest->incomplete = IsIncomplete(s);
  for (const Problem& problem : s.problems()) {
    if (problem.notice || problem.kind == ProblemKindName(ProblemKind::kTruncated) ||
        problem.kind == ProblemKindName(ProblemKind::kTruncatedGzip) ||
        problem.kind == ProblemKindName(ProblemKind::kDamagedGzip)) {
      digest->notices.push_back(problem.message);
    }
  }
  digest->has_steps = trace.model->has_recorded_steps;
  for (const Step& step : trace.model->steps) {
    digest->steps.push_back({step.name, step.number, step.time.begin, step.time.end, step.partial});
  }
}

void AddKernels(const Model& model, const CancelToken& cancel, JobDigest* job) {
  const TraceStore& s = model.store();
  RankDigest& rank = job->ranks[0];
  struct Key {
    StringId name;
    const char* kind;
  };
  std::unordered_map<uint64_t, std::pair<Key, Stat>, NumberHash> found;
  std::map<int64_t, std::unordered_map<StringId, KernelPart, NumberHash>> devices;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return;
    if (!IsDeviceWork(s.kind(i))) continue;
    const char* kind = WorkKind(model, i);
    auto& [key, stat] = found[uint64_t{s.name_id(i)} << 8 | static_cast<unsigned char>(kind[3])];
    key = {s.name_id(i), kind};
    stat.Add(s.duration(i), rank.rank);
    KernelPart& part = devices[s.tracks()[s.track(i)].device][s.name_id(i)];
    const Ns duration = s.duration(i);
    part.min = part.count == 0 ? duration : std::min(part.min, duration);
    part.max = std::max(part.max, duration);
    part.sum += duration;
    part.squares.Add(duration);
    part.kind = kind;
    ++part.count;
  }
  for (auto& [hash, entry] : found) {
    const std::string name = Shortened(s.strings().Get(entry.first.name), 4 * kMaxText);
    std::vector<KernelStat>& stats = job->kernels[{entry.first.kind, name}];
    if (stats.empty()) stats.emplace_back();  // of the one trace
    stats[0].stat.Merge(entry.second);        // long names may be cut to the same one
  }
  if (devices.size() > kMaxDevices) {
    devices.erase(std::next(devices.begin(), kMaxDevices), devices.end());
  }
  for (auto& [device, parts] : devices) {
    std::vector<KernelPart> kernels;
    for (auto& [name, part] : parts) {
      part.device = device;
      part.name = Shortened(s.strings().Get(name), 4 * kMaxText);
      kernels.push_back(std::move(part));
    }
    std::sort(kernels.begin(), kernels.end(), [](const KernelPart& a, const KernelPart& b) {
      return std::tie(b.sum, a.name) < std::tie(a.sum, b.name);
    });
    if (kernels.size() > kKernelsKept) kernels.resize(kKernelsKept);
    std::move(kernels.begin(), kernels.end(), std::back_inserter(rank.kernels));
  }
}

}  // namespace

const char* WorkKind(const Model& model, SliceIndex work) {
  if (!IsKernel(model.store().kind(work))) return "memory";
  return model.is_communication[work] ? "communication" : "computation";
}

std::string PlaceOf(FrameFinder& frames, SliceIndex slice) {
  const std::optional<Frame> frame = frames.UserFrame(slice);
  if (!frame || frame->file.empty()) return "";
  return Shortened(frame->file, kMaxText) + ":" + std::to_string(frame->line) + " (" +
         Shortened(frame->function, kMaxText) + ")";
}

std::string NodeOf(const std::string& worker) {
  // Of a folder for each machine, and files for its ranks.
  if (const size_t slash = worker.find('/'); slash != std::string::npos) {
    return worker.substr(0, slash);
  }
  const size_t cut = worker.rfind('_');
  if (cut == std::string::npos || cut == 0 || cut + 1 >= worker.size()) return worker;
  const bool number = IsDigit(worker[cut + 1]);
  const std::string name = worker.substr(0, cut);
  // "rank_3" names a rank, "node_3" a machine.
  const bool counts = name == "rank" || name == "worker" || name == "process" || name == "node";
  return number && !counts ? name : worker;
}

int64_t RankOfName(std::string_view name) {
  for (size_t at = name.find("rank"); at != std::string_view::npos;
       at = name.find("rank", at + 1)) {
    size_t from = at + 4;
    while (from < name.size() && (name[from] == '-' || name[from] == '_' || name[from] == '[')) {
      ++from;
    }
    const size_t end = std::min(name.find_first_not_of("0123456789", from), name.size());
    if (end == from || end - from > 7) continue;
    if (const auto rank = ParseInteger(name.substr(from, end - from))) return *rank;
  }
  return -1;
}

Result<JobDigest> MakeDigest(const LoadedTrace& trace, const std::string& worker,
                             const CancelToken& cancel) {
  JobDigest job;
  job.ranks.resize(1);
  RankDigest& digest = job.ranks[0];
  if (!trace.path.empty()) {
    const auto id = FileId(trace.path);
    if (!id.ok()) return id.error();
    digest.file_id = *id;
  }
  AddIdentity(trace, worker, &digest);
  const auto collectives = FindCollectives(*trace.model, cancel);
  if (!collectives.ok()) return collectives.error();
  FrameFinder frames(*trace.model);
  const DigestWork work{*trace.model, *collectives, frames, cancel};
  AddCollectives(work, &digest);
  AddDeviceTimes(work, &digest);
  AddIdle(work, &digest);
  AddLaunches(work, &digest);
  AddQueues(work, &digest);
  AddCopies(work, &digest);
  AddSequences(work, &digest);
  AddOperatorKernels(work, &digest);
  AddAnnotations(work, &digest);
  AddKernels(*trace.model, cancel, &job);
  AddCriticalPath(work, &digest);
  AddCounters(work, &digest);
  if (cancel.cancelled()) {
    return Cancelled();
  }
  return job;
}

}  // namespace emberline
