#include "rpc/views/distributed.h"

#include <algorithm>
#include <map>

#include "base/escape.h"
#include "json/message_json.h"
#include "ranks/job_lanes.h"
#include "ranks/job_sums.h"
#include "ranks/job_tables.h"
#include "ranks/launch_rows.h"
#include "ranks/load_job.h"
#include "rpc/errors.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/job_absences.h"
#include "rpc/views/messages.h"
#include "rpc/views/view.h"
#include "session/byte_size.h"

namespace emberline {
namespace {

constexpr size_t kMaxListed = 4096;  // ranks in a reply; tables have all

using JobPtr = std::shared_ptr<const LoadedJob>;

JobSource SourceOf(const Json& params) {
  JobSource source;
  source.profile_id = TextParam(params, "profileId");
  source.run = TextParam(params, "run");
  source.span = TextParam(params, "span");
  source.digests = TextParam(params, "digests");
  source.max_ranks = static_cast<size_t>(IntegerParam(params, "maxRanks", 0));
  return source;
}

Result<JobPtr> JobOf(const Json& params, const CallContext& context, bool renew = false) {
  const JobSource source = SourceOf(params);
  if (source.profile_id.empty() && source.digests.empty()) {
    return MakeError(errors::kNoJobNamed);
  }
  std::shared_ptr<void> work;
  if (source.digests.empty()) {
    work = context.session.BeginWork(source.profile_id, context.cancel);
    const Result<Profile> profile = context.session.Find(source.profile_id);
    if (!profile.ok()) return profile.error();
  }
  return LoadJob(context.session, source, ReadOptions{context.cancel, context.progress}, {}, renew);
}

Json JobNotesJson(const Job& job) {
  Json notes = Json::array();
  for (const JobNote& note : job.notes) {
    notes.push_back({{"kind", note.kind},
                     {"text", note.text},
                     {"arguments", ArgumentsJson(note.arguments)},
                     {"ranks", note.ranks}});
  }
  return notes;
}

Json ActivityJson(const Activity& activity) {
  static constexpr const char* kWhere[] = {"device", "host", "communication"};
  return {{"where", kWhere[std::min<int>(activity.where, 2)]},
          {"name", activity.name},
          {"place", activity.place},
          {"timeUs", Us(activity.time)}};
}

Json RanksJson(const Job& job) {
  Json ranks = Json::array();
  for (const JobRank& rank : job.ranks) {
    if (ranks.size() == kMaxListed) break;
    const RankDigest& digest = *rank.digest;
    Json devices = Json::array();
    for (const DeviceInfo& device : digest.devices) {
      devices.push_back({{"ordinal", device.ordinal},
                         {"kind", device.kind},
                         {"name", device.name},
                         {"memoryBytes", device.memory_bytes}});
    }
    ranks.push_back({{"rank", rank.rank},
                     {"recorded", rank.rank_known},
                     {"worker", digest.worker},
                     {"path", Escaped(digest.path)},
                     {"node", rank.node},
                     {"process", digest.process},
                     {"devices", std::move(devices)},
                     {"startNs", rank.At(0, job.base_ns)},
                     {"durationNs", digest.end},
                     {"correctionNs", rank.correction},
                     {"driftPpb", rank.FasterPpb()},
                     {"residualNs", rank.residual},
                     {"matchedCalls", rank.matched},
                     {"clock", rank.clock}});
  }
  return ranks;
}

Json BreakdownJson(const JobBreakdown& mean) {
  return {{"steps", mean.steps},
          {"stepUs", mean.length / 1000},
          {"computationUs", mean.computation / 1000},
          {"overlapUs", mean.overlap / 1000},
          {"communicationUs", mean.communication / 1000},
          {"otherUs", mean.other / 1000},
          {"busyUs", mean.busy / 1000}};
}

// Steps of late work that a reply lists; the table has all.
constexpr size_t kMaxLargestSteps = 8;

Json LateWorkJson(const Job& job, const RankLateness& late) {
  Json all = Json::array();
  for (const LateWork& work : late.work) {
    std::vector<const LateWork::Step*> largest;
    for (const LateWork::Step& step : work.steps) largest.push_back(&step);
    std::stable_sort(largest.begin(), largest.end(),
                     [](const auto* a, const auto* b) { return a->excess > b->excess; });
    if (largest.size() > kMaxLargestSteps) largest.resize(kMaxLargestSteps);
    const RankDigest& digest = *job.ranks[late.rank].digest;
    Json steps = Json::array();
    for (const LateWork::Step* step : largest) {
      if (step->step < 0) continue;
      steps.push_back({{"step", digest.steps[static_cast<size_t>(step->step)].name},
                       {"excessUs", Us(step->excess)},
                       {"tracedUs", Us(step->caused)}});
    }
    all.push_back({{"kind", DelayKindName(work.kind)},
                   {"calls", work.whole.calls},
                   {"stepCount", work.steps.size()},
                   {"usualUs", Us(work.whole.usual)},
                   {"excessUs", Us(work.whole.excess)},
                   {"tracedUs", Us(work.whole.caused)},
                   {"steps", std::move(steps)}});
  }
  return all;
}

Json StragglersJson(const Job& job) {
  Json stragglers = Json::array();
  for (const RankLateness& late : job.lateness) {
    if (!late.straggler) continue;
    if (stragglers.size() == 16) break;
    Json reasons = Json::array();
    for (const LateReason& reason : late.reasons) reasons.push_back(ActivityJson(reason.activity));
    stragglers.push_back({{"rank", job.ranks[late.rank].rank},
                          {"timesLast", late.times_last},
                          {"calls", late.calls},
                          {"causedUs", Us(late.caused)},
                          {"tracedUs", Us(late.traced)},
                          {"latenessUs", Us(late.lateness)},
                          {"work", LateWorkJson(job, late)},
                          {"reasons", std::move(reasons)}});
  }
  return stragglers;
}

Result<Json> DistributedJob(const Json& params, const CallContext& context) {
  const Result<JobPtr> loaded = JobOf(params, context, /*renew=*/true);
  if (!loaded.ok()) return loaded.error();
  const Job& job = (*loaded)->job;
  const JobCalls calls = SumCalls(job);
  std::map<std::string, std::vector<int64_t>> nodes;
  for (const JobRank& rank : job.ranks) nodes[rank.node].push_back(rank.rank);
  Json node_list = Json::array();
  for (auto& [name, ranks] : nodes) node_list.push_back({{"name", name}, {"ranks", ranks}});
  Json tables = Json::array();
  for (const JobTable& table : JobTables()) {
    tables.push_back({{"by", table.name}, {"title", table.title}});
  }
  return Json{{"worldSize", job.world_size > 0 ? Json(job.world_size) : Json()},
              {"files", (*loaded)->files},
              {"loaded", (*loaded)->loaded},
              {"baseNs", job.base_ns},
              {"durationNs", job.length},
              {"ranks", RanksJson(job)},
              {"nodes", std::move(node_list)},
              {"groups", job.groups.size()},
              {"collectives", job.calls.size()},
              {"matchedCollectives", calls.matched},
              {"unmatchedCalls", job.unmatched},
              {"transferUs", Us(calls.transfer)},
              {"waitingUs", Us(calls.waiting)},
              {"breakdown", BreakdownJson(BreakdownOf(job))},
              {"stragglers", StragglersJson(job)},
              {"notes", JobNotesJson(job)},
              {"tables", std::move(tables)}};
}

// A page of the launches of one rank: rows are made of its trace, which stays loaded as that of any
// view does.
Result<Json> LaunchRowsPage(const Json& params, const CallContext& context, const Job& job) {
  const ReadOptions options{context.cancel, context.progress};
  const auto found = TraceOfRank(context.session, SourceOf(params), job,
                                 IntegerParam(params, "rank", -1), options);
  if (!found.ok()) return found.error();
  const LoadedTrace& trace = *found->trace;
  const std::string key = "launchRows";
  const auto list = trace.results.Get<LaunchList>(
      key, context.cancel, [&] { return FindLaunches(*trace.model, context.cancel); });
  if (!list.ok()) return list.error();
  const auto table = LaunchRowsTable(*trace.model, **list, found->rank);
  const ViewRequest request{trace, params, context.cancel, {}, {}, context.sink};
  Result<Json> result = TableResult(request, key, *table);
  if (!result.ok()) return result;
  (*result)["by"] = "launchRows";
  (*result)["absences"] = Json::array();
  if ((*list)->launches.empty()) {
    (*result)["absences"].push_back(AbsenceJson(
        trace.model->devices.empty() ? messages::kNoDeviceWorkOfJob : messages::kNoLinkedLaunches));
  }
  DropMisplacedAdvice(*trace.store, &result.value());
  return result;
}

void DropAdviceWhereRanksAreCut(const Job& job, Json* result) {
  std::vector<int64_t> cut;
  for (const JobRank& rank : job.ranks) {
    if (rank.digest->incomplete) cut.push_back(rank.rank);
  }
  if (cut.empty()) return;
  if (job.ranks.size() == 1) return DropAdvice(messages::kMayBeCut, {}, result);
  DropAdvice(messages::kRanksMayBeCut, {{"ranks", RankList(cut)}, {"count", cut.size()}}, result);
}

Result<Json> DistributedTable(const Json& params, const CallContext& context) {
  const Result<JobPtr> loaded = JobOf(params, context);
  if (!loaded.ok()) return loaded.error();
  // A job's tables are asked for page by page.
  const std::string by = TextParam(params, "by");
  if (by == "launchRows") return LaunchRowsPage(params, context, (*loaded)->job);
  const std::string name = by == "sequences" ? TextParam(params, "operator") : "";
  std::string key = "jobTable/" + by + "/" + name + "/";
  for (const char* part : {"profileId", "run", "span", "digests"})
    key += TextParam(params, part) + "/";
  key += std::to_string(reinterpret_cast<uintptr_t>(loaded->get()));
  struct Kept {
    JobPtr job;  // so that no other job comes to lie at its address
    Table table;
    size_t MemoryBytes() const { return HeapBytesOf(table); }
  };
  const auto kept = context.session.results().Get<Kept>(key, context.cancel, [&]() -> Result<Kept> {
    Result<Table> table =
        name.empty() ? MakeJobTable((*loaded)->job, by)
                     : SequencesByOperator(context.session, SourceOf(params), (*loaded)->job, name,
                                           ReadOptions{context.cancel, context.progress});
    if (!table.ok()) return table.error();
    return Kept{*loaded, std::move(*table)};
  });
  if (!kept.ok()) return kept.error();
  Result<Json> result = TableResult((*kept)->table, params, context.sink);
  if (!result.ok()) return result;
  (*result)["by"] = by;
  (*result)["absences"] = Json::array();
  if ((*kept)->table.rows.empty()) {
    (*result)["absences"].push_back(AbsenceJson(WhyNoRows((*loaded)->job, by, !name.empty())));
  }
  DropAdviceWhereRanksAreCut((*loaded)->job, &result.value());
  return result;
}

Result<Json> DistributedCall(const Json& params, const CallContext& context) {
  const Result<JobPtr> loaded = JobOf(params, context);
  if (!loaded.ok()) return loaded.error();
  const Job& job = (*loaded)->job;
  const int64_t index = IntegerParam(params, "call", -1);
  if (index < 0 || index >= static_cast<int64_t>(job.calls.size())) {
    return MakeError(errors::kNoSuchCall, {{"call", index}, {"calls", job.calls.size()}});
  }
  const MatchedCall& call = job.calls[static_cast<size_t>(index)];
  Json members = Json::array();
  for (const MatchedCall::Member& member : call.members) {
    if (members.size() == kMaxListed) break;
    const JobRank& rank = job.ranks[member.rank];
    const CollectiveDigest& c = rank.digest->collectives[member.call];
    Json before = Json::array();
    for (const Activity& activity : c.before) before.push_back(ActivityJson(activity));
    members.push_back({{"rank", rank.rank},
                       {"device", c.device},
                       {"slice", c.slice},
                       {"startNs", member.begin},
                       {"durationNs", member.end - member.begin},
                       {"waitingUs", Us(member.waiting)},
                       {"bytes", c.bytes >= 0 ? Json(c.bytes) : Json()},
                       {"operator", c.operation},
                       {"place", c.place},
                       {"sinceUs", Us(c.since)},
                       {"before", std::move(before)}});
  }
  Json lacking = Json::array();
  for (const uint32_t rank : call.lacking) lacking.push_back(job.ranks[rank].rank);
  return Json{
      {"call", index},
      {"operation", CollectiveOpName(call.op)},
      {"sequence", call.sequence >= 0 ? Json(call.sequence) : Json()},
      {"lastRank",
       call.members.size() > 1 ? Json(job.ranks[call.members[call.last].rank].rank) : Json()},
      {"transferUs", Us(call.transfer)},
      {"waitingUs", Us(call.waiting)},
      {"spreadUs", Us(call.spread)},
      {"latenessUs", Us(call.lateness)},
      {"bytes", call.bytes >= 0 ? Json(call.bytes) : Json()},
      {"algorithmBandwidth",
       call.algorithm_bandwidth > 0 ? Json(call.algorithm_bandwidth) : Json()},
      {"busBandwidth", call.bus_bandwidth > 0 ? Json(call.bus_bandwidth) : Json()},
      {"members", std::move(members)},
      {"lacking", std::move(lacking)}};
}

Json LaneJson(const Job& job, const JobLane& lane) {
  const JobRank& rank = job.ranks[lane.rank];
  Json steps = Json::array(), boxes = Json::array();
  for (const LaneStep& step : lane.steps) {
    steps.push_back({{"name", rank.digest->steps[step.step].name},
                     {"startNs", step.begin},
                     {"endNs", step.end}});
  }
  for (const LaneBox& box : lane.boxes) {
    boxes.insert(boxes.end(),
                 {Json(box.begin), Json(box.end - box.begin), Json(box.waiting), Json(box.call),
                  Json(box.count), Json(static_cast<int>(job.calls[box.call].op))});
  }
  return {{"rank", rank.rank},
          {"device", lane.device >= 0 ? Json(lane.device) : Json()},
          {"steps", std::move(steps)},
          {"boxes", std::move(boxes)}};
}

Result<Json> DistributedLanes(const Json& params, const CallContext& context) {
  const Result<JobPtr> loaded = JobOf(params, context);
  if (!loaded.ok()) return loaded.error();
  const Job& job = (*loaded)->job;
  LaneWindow window;
  // Beyond the job there is nothing to see, and sums of times stay in range.
  window.from = std::clamp<Ns>(IntegerParam(params, "fromNs", 0), 0, job.length);
  window.to = std::clamp<Ns>(IntegerParam(params, "toNs", 0), 0, job.length);
  window.first_rank = static_cast<size_t>(IntegerParam(params, "firstRank", 0));
  window.ranks = static_cast<size_t>(IntegerParam(params, "rankCount", 32));
  window.pixels = static_cast<size_t>(IntegerParam(params, "pixels", 1000));
  const JobLanes lanes = LanesOf(job, window);
  Json operations = Json::array(), list = Json::array();
  for (int op = 0; op < kCollectiveOpCount; ++op) {
    operations.push_back(CollectiveOpName(static_cast<CollectiveOp>(op)));
  }
  for (const JobLane& lane : lanes.lanes) list.push_back(LaneJson(job, lane));
  return Json{{"fromNs", lanes.from},
              {"toNs", lanes.to},
              {"operations", std::move(operations)},
              {"lanes", std::move(list)}};
}

}  // namespace

DistributedFunction FindDistributedMethod(const std::string& method) {
  static const std::map<std::string, DistributedFunction> functions = {
      {"distributed/job", DistributedJob},
      {"distributed/table", DistributedTable},
      {"distributed/call", DistributedCall},
      {"distributed/lanes", DistributedLanes},
  };
  const auto it = functions.find(method);
  return it == functions.end() ? nullptr : it->second;
}

}  // namespace emberline
