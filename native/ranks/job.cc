#include "ranks/job.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/byte_size.h"
#include "ranks/make_digest.h"
#include "ranks/messages.h"
#include "ranks/parallelism.h"
#include "ranks/recordings.h"

namespace emberline {
namespace {

// The value that most have; of equals the smallest.
int64_t MostCommon(const std::map<int64_t, size_t>& counts) {
  int64_t best = -1;
  size_t most = 0;
  for (const auto& [value, count] : counts) {
    if (value > 0 && count > most) {
      best = value;
      most = count;
    }
  }
  return best;
}

// Launchers give a machine's devices to ranks in a row: where a device comes again, the next
// machine has begun. Empty where this tells no machine of several ranks.
std::vector<std::string> NodesByDevices(const std::vector<JobRank>& ranks) {
  std::vector<std::string> nodes;
  std::set<int64_t> taken;
  size_t node = 0;
  bool shared = false;
  for (const JobRank& rank : ranks) {
    const std::vector<DeviceInfo>& devices = rank.digest->devices;
    if (devices.empty()) return {};
    const bool again = std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& device) {
      return taken.count(device.ordinal) > 0;
    });
    if (again) {
      taken.clear();
      ++node;
    } else {
      shared = shared || !taken.empty();
    }
    for (const DeviceInfo& device : devices) taken.insert(device.ordinal);
    nodes.push_back("node " + std::to_string(node));
  }
  return shared ? nodes : std::vector<std::string>();
}

// Names that differ from rank to rank may name ranks instead of machines: then devices tell. Where
// each rank uses a device of its own, one machine can hold them all, and is taken to.
void NameNodes(Job* job) {
  std::set<std::string> names;
  std::set<int64_t> devices;
  bool apart = true, recorded = false;
  for (JobRank& rank : job->ranks) {
    rank.node = rank.digest->node;
    names.insert(rank.node);
    recorded = recorded || rank.node != NodeOf(rank.digest->worker);
    for (const DeviceInfo& device : rank.digest->devices) {
      apart = devices.insert(device.ordinal).second && apart;
    }
  }
  if (recorded || names.size() < job->ranks.size()) return;
  if (apart && devices.size() >= job->ranks.size()) {
    for (JobRank& rank : job->ranks) rank.node = "";
    return;
  }
  const std::vector<std::string> nodes = NodesByDevices(job->ranks);
  for (size_t r = 0; r < nodes.size(); ++r) job->ranks[r].node = nodes[r];
}

// Ranks are below their number.
bool IsImpossible(const RankDigest& rank) {
  return rank.rank >= 0 && rank.world_size > 0 && rank.rank >= rank.world_size;
}

// Between 2000 and 2100. Recorders put the absolute time behind the events, so that a trace that
// was cut has only the time since some moment: nothing would be known from a clock centuries away.
bool IsTimeOfDay(int64_t ns) {
  return ns >= int64_t{946'684'800} * 1'000'000'000 && ns < int64_t{4'102'444'800} * 1'000'000'000;
}

// Where only some have a time of day, the rest begin with the first of them, until their
// collectives tell more, and so do those that are far away from them. Where none has, all may count
// from one moment.
void PlaceInTime(Job* job) {
  // Hostile files give any; differences have to fit.
  constexpr int64_t kMost = int64_t{1} << 61;
  std::vector<int64_t> known, all;
  for (JobRank& rank : job->ranks) {
    rank.base_ns = std::clamp(rank.digest->base_ns, -kMost, kMost);
    rank.base_known = IsTimeOfDay(rank.digest->base_ns);
    all.push_back(rank.base_ns);
    if (rank.base_known) known.push_back(rank.base_ns);
  }
  const bool none_known = known.empty();
  if (none_known) known = std::move(all);
  std::sort(known.begin(), known.end());
  const int64_t middle = known[known.size() / 2];
  job->base_ns = middle;
  for (JobRank& rank : job->ranks) {
    rank.base_known |= none_known;
    if (!rank.base_known) continue;
    rank.apart = rank.base_ns - middle;
    if (!rank.is_far()) job->base_ns = std::min(job->base_ns, rank.base_ns);
  }
  for (JobRank& rank : job->ranks) {
    if (!rank.base_known || rank.is_far()) rank.base_ns = job->base_ns;
  }
}

// Files that were copied or numbered in another way.
void NoteOtherNames(Job* job) {
  std::vector<const JobRank*> others;
  for (const JobRank& rank : job->ranks) {
    const int64_t named = RankOfName(std::filesystem::path(rank.digest->path).filename().string());
    if (rank.rank_known && named >= 0 && named != rank.rank) others.push_back(&rank);
  }
  if (others.empty()) return;
  std::vector<int64_t> ranks;
  for (const JobRank* rank : others) ranks.push_back(rank->rank);
  AddNote(job, messages::kOtherName,
          {{"count", others.size()}, {"path", others[0]->digest->path}, {"rank", ranks[0]}}, ranks);
}

}  // namespace

void AddNote(Job* job, const Sentence& sentence, MessageArgs arguments,
             std::vector<int64_t> ranks) {
  std::erase_if(ranks, [](int64_t rank) { return rank < 0; });  // not known
  Message said = Say(sentence, std::move(arguments));
  job->notes.push_back(
      {std::move(said.code), std::move(said.text), std::move(ranks), std::move(said.arguments)});
}

namespace {

// Traces that are no ranks of the job.
struct LeftOut {
  std::vector<const RankDigest*> empty;
  std::map<int64_t, std::vector<const RankDigest*>> of_other_jobs;  // by their number of ranks
  std::map<int64_t, std::vector<const RankDigest*>> twice;          // by rank
};

// One sentence about those that are left out for the same reason, however many they are.
void NoteLeftOut(const LeftOut& left_out, const std::map<int64_t, const RankDigest*>& chosen,
                 Job* job) {
  const auto first_path = [](const std::vector<const RankDigest*>& traces) {
    return (*std::min_element(
                traces.begin(), traces.end(),
                [](const RankDigest* a, const RankDigest* b) { return a->path < b->path; }))
        ->path;
  };
  if (!left_out.empty.empty()) {
    AddNote(job, messages::kEmptyRank,
            {{"count", left_out.empty.size()}, {"path", first_path(left_out.empty)}});
  }
  for (const auto& [size, traces] : left_out.of_other_jobs) {
    std::vector<int64_t> ranks;
    for (const RankDigest* trace : traces) ranks.push_back(trace->rank);
    AddNote(job, messages::kOtherJob,
            {{"count", traces.size()},
             {"path", first_path(traces)},
             {"size", size},
             {"usual", job->world_size}},
            std::move(ranks));
  }
  for (const auto& [rank, traces] : left_out.twice) {
    AddNote(job, messages::kDuplicateRank,
            {{"count", traces.size()},
             {"rank", rank},
             {"kept", chosen.at(rank)->path},
             {"other", first_path(traces)}},
            {rank});
  }
}

// Of `traces`, which are those of the digest in their order.
void ChooseOf(const std::vector<const RankDigest*>& traces, Job* job) {
  std::map<int64_t, size_t> worlds;
  for (const RankDigest* trace : traces) ++worlds[trace->world_size];
  job->world_size = MostCommon(worlds);
  std::map<int64_t, const RankDigest*> chosen;
  std::vector<const RankDigest*> unnamed;
  // What was cut before its first event has no place in time either.
  const auto empty = [](const RankDigest& rank) { return rank.end <= 0; };
  const bool any = !std::all_of(traces.begin(), traces.end(),
                                [&](const RankDigest* trace) { return empty(*trace); });
  if (!any) AddNote(job, messages::kOnlyEmptyRanks, {{"count", traces.size()}});
  const auto of_other_job = [job](const RankDigest& rank) {
    return rank.world_size > 0 && rank.world_size != job->world_size;
  };
  // More ranks than the job is said to have: their numbers are right, and it is not.
  std::set<int64_t> numbers;
  for (const RankDigest* trace : traces) {
    if (trace->rank >= 0 && !of_other_job(*trace)) numbers.insert(trace->rank);
  }
  const bool too_small = job->world_size > 0 && std::cmp_greater(numbers.size(), job->world_size);
  const auto impossible = [&](const RankDigest& rank) { return !too_small && IsImpossible(rank); };
  if (too_small) {
    AddNote(job, messages::kSmallWorld, {{"size", job->world_size}, {"count", numbers.size()}});
  }
  std::vector<const RankDigest*> named;
  for (const RankDigest* trace : traces) {
    const bool left_out = (any && empty(*trace)) || of_other_job(*trace);
    if (!left_out && trace->rank >= 0 && !impossible(*trace)) named.push_back(trace);
  }
  const std::set<const RankDigest*> others = OfOtherRecordings(std::move(named));
  if (!others.empty()) {
    const RankDigest& first = **std::min_element(
        others.begin(), others.end(), [](const RankDigest* a, const RankDigest* b) {
          return std::tie(a->rank, a->path) < std::tie(b->rank, b->path);
        });
    AddNote(job, messages::kOtherRecording, {{"count", others.size()}, {"path", first.path}});
  }
  LeftOut left_out;
  for (const RankDigest* trace : traces) {
    if (others.count(trace) > 0) continue;
    const RankDigest& rank = *trace;
    if (any && empty(rank)) {
      left_out.empty.push_back(&rank);
    } else if (of_other_job(rank)) {
      left_out.of_other_jobs[rank.world_size].push_back(&rank);
    } else if (rank.rank < 0 || impossible(rank)) {
      unnamed.push_back(&rank);
    } else {
      const auto [at, added] = chosen.try_emplace(rank.rank, &rank);
      if (added) continue;
      const RankDigest*& kept = at->second;
      const RankDigest* other = &rank;
      if (other->events > kept->events) std::swap(kept, other);
      left_out.twice[rank.rank].push_back(other);
    }
  }
  NoteLeftOut(left_out, chosen, job);
  for (const auto& [number, digest] : chosen) job->ranks.push_back({digest, number});
  std::sort(unnamed.begin(), unnamed.end(), [](const RankDigest* a, const RankDigest* b) {
    return std::tie(a->worker, a->path) < std::tie(b->worker, b->path);
  });
  int64_t next = 0;
  for (const RankDigest* digest : unnamed) {
    while (chosen.count(next) > 0) ++next;
    chosen[next] = digest;
    job->ranks.push_back({digest, next, false});
    if (impossible(*digest)) {
      AddNote(job, messages::kImpossibleRank,
              {{"path", digest->path},
               {"said", digest->rank},
               {"size", digest->world_size},
               {"rank", next}},
              {next});
    } else if (traces.size() > 1) {
      AddNote(job, messages::kUnknownRank, {{"path", digest->path}, {"rank", next}}, {next});
    }
  }
  std::sort(job->ranks.begin(), job->ranks.end(),
            [](const JobRank& a, const JobRank& b) { return a.rank < b.rank; });
  if (too_small) job->world_size = -1;
}

}  // namespace

void ChooseRanks(Job* job) {
  std::vector<const RankDigest*> traces;
  for (const RankDigest& rank : job->digest->ranks) traces.push_back(&rank);
  ChooseOf(traces, job);
  NameNodes(job);
  NoteOtherNames(job);
  if (job->ranks.empty()) return;
  PlaceInTime(job);
}

Job BuildJob(std::shared_ptr<const JobDigest> digest, const std::vector<BrokenFile>& broken,
             JobOrigin origin) {
  Job job;
  job.digest = std::move(digest);
  ChooseRanks(&job);
  MatchCalls(&job);
  AlignClocks(&job);
  MatchPairs(&job);
  MeasureCalls(&job);
  FindStragglers(&job);
  FindParallelism(&job);
  for (JobGroup& group : job.groups) {
    std::vector<int64_t> there;  // members are in the order of their ranks
    for (const uint32_t member : group.members) there.push_back(job.ranks[member].rank);
    group.absent = group.about.ranks.Without(there);
  }
  for (const JobRank& rank : job.ranks) {
    job.length = std::max(job.length, rank.At(rank.digest->end, job.base_ns));
  }
  AddNotes(&job, broken, origin);
  return job;
}

size_t Job::MemoryBytes() const {
  size_t bytes = ranks.capacity() * sizeof(JobRank) + calls.capacity() * sizeof(MatchedCall);
  for (const MatchedCall& call : calls) {
    bytes += call.members.capacity() * sizeof(MatchedCall::Member) + 2 * kBlockOverheadBytes;
  }
  bytes += traffic.size() * (sizeof(*traffic.begin()) + 4 * sizeof(void*));
  for (const RankLateness& late : lateness) bytes += late.reasons.capacity() * 256;
  return bytes;
}

}  // namespace emberline
