// A job: the ranks of a folder put together, on one clock, with their collectives matched.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "ranks/digest.h"

namespace emberline {

struct JobRank {
  const RankDigest* digest = nullptr;
  int64_t rank = -1;  // as recorded; else the smallest number that no other has
  bool rank_known = true;
  std::string node;  // the machine as far as names and devices tell
  // Absolute time of its trace's 0: as recorded, or that of the others where it has no time of day
  // or one that only damage or another run explains.
  int64_t base_ns = 0;
  bool base_known = true;
  Ns apart = 0;  // the recorded one from the median of those that are known
  bool is_far() const { return apart > kFarClock || apart < -kFarClock; }
  // No job lasts that long, and no clock is off by as much.
  static constexpr Ns kFarClock = Ns{7 * 24 * 3600} * 1'000'000'000;
  // Added to the recorded clock to give the job's: found from collectives that end together.
  Ns correction = 0;
  // By how much its clock runs fast, in billionths, which is taken off beside the correction; 0
  // where its collectives do not tell.
  int64_t drift_ppb = 0;
  Ns residual = 0;       // median distance of those ends from the group's, after correction
  uint32_t matched = 0;  // collectives that the correction comes from; 0: the recorded clock stands
  uint32_t clock = 0;    // ranks with the same number are on one clock
  std::vector<uint32_t> groups;  // in Job::groups, of each of its digest's groups
  // What the clock ran ahead from its trace's start to a time of it.
  Ns Drift(Ns time) const {
    return static_cast<Ns>(
        std::llround(static_cast<double>(time) * 1e-9 * static_cast<double>(drift_ppb)));
  }
  // The same of the common clock's time: by how many billionths its clock is faster than that.
  int64_t FasterPpb() const {
    const double own = static_cast<double>(drift_ppb) * 1e-9;
    return std::llround(own / (1 - own) * 1e9);
  }
  // Moment of a time of its trace on the job's clock, in ns since the job's start.
  Ns At(Ns time, int64_t job_base) const {
    return time + (base_ns - job_base) + correction - Drift(time);
  }
};

struct JobGroup {
  CollectiveGroup about;
  std::vector<uint32_t> members;  // indexes of Job::ranks, ascending
  std::string parallelism;        // as FindParallelism() finds it
  RankSet absent;                 // members of which there is no trace
  bool ambiguous = false;         // several groups that nothing tells apart: no call is matched
};

// One collective of a group, with the calls of its ranks.
struct MatchedCall {
  struct Member {
    uint32_t rank = 0;      // in Job::ranks
    uint32_t call = 0;      // in its digest's collectives
    Ns begin = 0, end = 0;  // on the job's clock
    Ns waiting = 0;         // what its call took beyond `transfer`
  };
  uint32_t group = 0;
  CollectiveOp op = CollectiveOp::kUnknown;
  int64_t sequence = -1;          // recorded, else the position in the group
  std::vector<Member> members;    // by rank
  std::vector<uint32_t> lacking;  // ranks of the group that were recording and have no such call
  Ns transfer = 0;                // the shortest call: who came last did not wait
  Ns spread = 0;                  // from the first arrival to the last
  Ns lateness = 0;                // of the last arrival, behind the median of the others
  uint32_t last = 0;              // in `members`
  Ns waiting = 0;                 // of all members together
  int64_t bytes = -1;             // of the largest member
  bool bytes_differ = false;
  // Sends or receives, or a call of ranks that sent or received since the call of its group before:
  // stages of a pipeline come to it one after the other without anybody's fault.
  bool follows_pairs = false;
  double algorithm_bandwidth = 0, bus_bandwidth = 0;  // GB/s; 0 where bytes or time are not known
};

// Stands for what a rank did before its recording began, as the name of an activity.
inline constexpr std::string_view kNotRecorded = "(its recording had not begun)";

// Something that a late rank did and the others did not, or did in less time.
struct LateReason {
  Activity activity;  // its time: what it took beyond the median of the others, summed
  uint32_t calls = 0;
  int64_t waited_for = -1;  // of a collective of another group: the rank that was late there
};

// What one rank sent to another in sends and receives, by their numbers.
struct PairTraffic {
  int64_t bytes = 0;
  int64_t calls = 0;
};

// How the work of a rank between its sends and receives was longer than it should have been.
enum class DelayKind : uint8_t {
  kOnce,    // than usual for this rank
  kAlways,  // in every step, than that of ranks that do the same in another pipeline or its ring
  kHeavy,   // in every step, than that of the other stages: the stage has more to do
};
const char* DelayKindName(DelayKind kind);  // "once", "always", "heavy"

struct LateWork {
  DelayKind kind = DelayKind::kOnce;
  struct Step {
    int64_t step = -1;   // in the steps of its digest; -1 outside of them
    uint32_t calls = 0;  // before which its work was late
    Ns usual = 0;        // what that work should have taken
    Ns excess = 0;       // and took beyond
    Ns caused = 0;       // waiting of others for it
    Ns lateness = 0;     // of the one that waited longest for it
  };
  std::vector<Step> steps;  // by step, those where others waited
  Step whole;               // their sum
};

struct RankLateness {
  uint32_t rank = 0;   // in Job::ranks
  uint32_t calls = 0;  // matched ones with others
  uint32_t times_last = 0;
  Ns waiting = 0;  // of its own
  // Of the calls that do not follow sends or receives: waiting of others where it came last.
  Ns caused = 0;
  Ns lateness = 0;  // summed over these, and what its late work between sends and receives cost
  // The same of the calls whose delay began with this rank: it came last, and not because it had
  // waited for another, or another came last because it had waited for this one.
  Ns traced = 0, traced_lateness = 0;
  std::vector<LateWork> work;  // what of it began between sends and receives, by kind
  bool straggler = false;
  std::vector<LateReason> reasons;  // the largest first
};

struct BrokenFile {
  std::string path;
  std::string message;
};

struct JobNote {
  std::string kind;  // "missingRank", "duplicateRank", "brokenFile", "otherJob", ...
  std::string text;
  std::vector<int64_t> ranks;
  MessageArgs arguments;  // what `text` names
};

struct Job {
  std::shared_ptr<const JobDigest> digest;
  std::vector<JobRank> ranks;                                  // by rank
  std::vector<JobGroup> groups;                                // by name, then members
  std::vector<MatchedCall> calls;                              // by time
  std::map<std::pair<int64_t, int64_t>, PairTraffic> traffic;  // by sender and receiver
  uint64_t unmatched = 0;                                      // calls that stand alone
  uint64_t unmatched_pairs = 0;        // of those, sends and receives that do not name their peer
  std::vector<RankLateness> lateness;  // the one that delays began with first
  std::vector<JobNote> notes;
  int64_t base_ns = 0;  // absolute time of the job's start, by the first rank's clock
  Ns length = 0;
  int64_t world_size = -1;
  size_t MemoryBytes() const;
};

// Adds a sentence of ranks/messages.h, whose code is the note's kind.
void AddNote(Job* job, const Sentence& sentence, MessageArgs arguments = {},
             std::vector<int64_t> ranks = {});

// "0-3, 7": ranks in ascending order, as sentences list them. Behind so many ranges, "and others".
inline constexpr size_t kRangesOfSentence = 16;
std::string RankList(const std::vector<int64_t>& ranks, size_t most_ranges = kRangesOfSentence);
std::string RankList(const RankSet& ranks, size_t most_ranges);

// What a job is made of. Of the first traces alone, missing ranks are not worth a note.
enum class JobOrigin : uint8_t { kDigests, kTraces, kFirstTraces };

// Puts the digests together. What does not belong is named in the notes and left out.
Job BuildJob(std::shared_ptr<const JobDigest> digest, const std::vector<BrokenFile>& broken,
             JobOrigin origin);

// The stages of BuildJob(), in order.
void ChooseRanks(Job* job);
void MatchCalls(Job* job);
void AlignClocks(Job* job);
void MatchPairs(Job* job);  // sends and receives, on the common clock, and Job::traffic
void MeasureCalls(Job* job);
void FindStragglers(Job* job);
void AddNotes(Job* job, const std::vector<BrokenFile>& broken, JobOrigin origin);

}  // namespace emberline
