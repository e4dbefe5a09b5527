// Tables of collectives: operations, calls, sizes, lateness.
#include <algorithm>
#include <map>

#include "ranks/job_tables.h"
#include "ranks/messages.h"
#include "ranks/table_columns.h"

namespace emberline {
namespace {

// The smallest and the largest sizes that a bucket of the bandwidth plot holds are powers of two.
int64_t SizeBucket(int64_t bytes) {
  int64_t bucket = 1;
  while (bucket < bytes && bucket < (int64_t{1} << 61)) bucket *= 2;
  return bucket;
}

std::string AgainstWhom(DelayKind kind) {
  switch (kind) {
    case DelayKind::kAlways:
      return Say(messages::kAgainstLike, {}).text;
    case DelayKind::kHeavy:
      return Say(messages::kAgainstStages, {}).text;
    default:
      return Say(messages::kAgainstItself, {}).text;
  }
}

std::string StepName(const Job& job, uint32_t rank, int64_t step) {
  return step >= 0 ? job.ranks[rank].digest->steps[static_cast<size_t>(step)].name : "";
}

const CollectiveDigest& MemberDigest(const Job& job, const MatchedCall::Member& member) {
  return job.ranks[member.rank].digest->collectives[member.call];
}

// What calls of one kind sum up to.
struct CallSums {
  int64_t calls = 0, matched = 0, rank_calls = 0, bytes = 0, unknown_bytes = 0;
  int64_t transfer = 0, waiting = 0, total = 0, longest_spread = 0;
  double algorithm_weight = 0, bus_weight = 0, weight = 0;  // bandwidths by transfer time

  void Add(const MatchedCall& call) {
    ++calls;
    matched += call.members.size() > 1;
    rank_calls += static_cast<int64_t>(call.members.size());
    if (call.bytes >= 0) {
      bytes += call.bytes;
    } else {
      ++unknown_bytes;
    }
    transfer += call.transfer;
    waiting += call.waiting;
    for (const auto& member : call.members) total += member.end - member.begin;
    longest_spread = std::max(longest_spread, call.spread);
    if (call.bus_bandwidth > 0) {
      const auto time = static_cast<double>(call.transfer);
      algorithm_weight += call.algorithm_bandwidth * time;
      bus_weight += call.bus_bandwidth * time;
      weight += time;
    }
  }
};

template <typename Row>
void AddSums(TableBuilder<Row>& table, std::function<const CallSums&(const Row&)> sums) {
  const auto number = [&](Column column, int64_t CallSums::*member) {
    const bool time = column.unit == Unit::kUs;
    table.Add(std::move(column), [sums, member, time](const Row& row) {
      return time ? TimeCell(sums(row).*member) : Cell(sums(row).*member);
    });
  };
  number(Count("calls", "Calls",
               "Number of collectives; one that all ranks of a group take part in counts once."),
         &CallSums::calls);
  number(Count("matchedCalls", "Matched", "Number of collectives found on more than one rank."),
         &CallSums::matched);
  table.Add(ByteCount("bytes", "Bytes",
                      "Bytes of one rank's input or output, whichever is larger, summed over the "
                      "calls whose size was recorded; empty if none was."),
            [sums](const Row& row) {
              const CallSums& s = sums(row);
              return s.unknown_bytes < s.calls ? Cell(s.bytes) : Cell();
            });
  number(Count("unknownBytes", "Unknown size", "Number of calls whose size was not recorded."),
         &CallSums::unknown_bytes);
  number(Duration("totalUs", "Rank time",
                  "Time that all ranks together spent in these calls, waiting included."),
         &CallSums::total);
  number(Duration("transferUs", "Transfer",
                  "Time of each collective's shortest call, summed: the rank that arrives last "
                  "does not wait."),
         &CallSums::transfer);
  number(Duration("waitingUs", "Waiting",
                  "Time that all ranks together spent in these calls beyond the transfer."),
         &CallSums::waiting);
  number(Duration("spreadUs", "Largest spread",
                  "Longest time between the first and the last rank's arrival at one collective.",
                  Merge::kMax),
         &CallSums::longest_spread);
  table
      .Add(Quotient("algorithmBandwidth", "Algorithm bandwidth",
                    "Bytes divided by transfer time, for calls that were found on several ranks "
                    "and whose size is known; 1 GB is 10^9 bytes.",
                    Unit::kGbPerS),
           [sums](const Row& row) {
             const CallSums& s = sums(row);
             return s.weight > 0 ? Cell(s.algorithm_weight / s.weight) : Cell();
           })
      .Add(Quotient("busBandwidth", "Bus bandwidth",
                    "What the links carry: algorithm bandwidth times 2(n-1)/n for all-reduce, and "
                    "times (n-1)/n for all-gather, reduce-scatter, and all-to-all, with n ranks.",
                    Unit::kGbPerS),
           [sums](const Row& row) {
             const CallSums& s = sums(row);
             return s.weight > 0 ? Cell(s.bus_weight / s.weight) : Cell();
           });
}

}  // namespace

Table OperationsTable(const Job& job) {
  struct Row {
    const JobGroup* group;
    std::string op, library, dtype;
    CallSums sums;
  };
  std::map<std::tuple<uint32_t, CollectiveOp, std::string, std::string>, Row> found;
  for (const MatchedCall& call : job.calls) {
    const CollectiveDigest& c = MemberDigest(job, call.members[0]);
    Row& row = found[{call.group, call.op, c.library, c.dtype}];
    row.group = &job.groups[call.group];
    row.op = CollectiveOpName(call.op);
    row.library = c.library;
    row.dtype = c.dtype;
    row.sums.Add(call);
  }
  std::vector<Row> rows;
  for (auto& [key, row] : found) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.sums.total > b.sums.total; });
  TableBuilder<Row> table;
  table
      .Add(TextKey("operation", "Operation", "Kind of collective operation."),
           [](const Row& r) { return TextCell(r.op); })
      .Add(TextKey("group", "Group", "Process group of the collective."),
           [](const Row& r) { return TextCell(GroupName(*r.group)); })
      .Add(TextKey("library", "Library", "Communication library that moves the data."),
           [](const Row& r) { return TextOrEmpty(r.library); })
      .Add(TextKey("dtype", "Type", "Data type of the elements, as recorded."),
           [](const Row& r) { return TextOrEmpty(r.dtype); });
  AddSums<Row>(table, [](const Row& r) -> const CallSums& { return r.sums; });
  return table.Make(rows);
}

Table SizesTable(const Job& job) {
  struct Row {
    std::string op;
    int64_t size, ranks;
    CallSums sums;
  };
  std::map<std::tuple<CollectiveOp, int64_t, int64_t>, Row> found;
  for (const MatchedCall& call : job.calls) {
    if (call.bytes <= 0 || call.members.size() < 2) continue;
    const auto ranks = static_cast<int64_t>(call.members.size());
    Row& row = found[{call.op, ranks, SizeBucket(call.bytes)}];
    row.op = CollectiveOpName(call.op);
    row.size = SizeBucket(call.bytes);
    row.ranks = ranks;
    row.sums.Add(call);
  }
  std::vector<Row> rows;
  for (auto& [key, row] : found) rows.push_back(std::move(row));
  TableBuilder<Row> table;
  table
      .Add(TextKey("operation", "Operation", "Kind of collective operation."),
           [](const Row& r) { return TextCell(r.op); })
      .Add(IntegerKey("ranks", "Ranks", "Number of ranks that took part."), &Row::ranks)
      .Add(IntegerKey("sizeBytes", "Size up to",
                      "Upper end of a range of message sizes; a power of two in bytes. The range "
                      "begins at half of it.",
                      Unit::kBytes),
           &Row::size);
  AddSums<Row>(table, [](const Row& r) -> const CallSums& { return r.sums; });
  return table.Make(rows);
}

Table CallsTable(const Job& job) {
  struct Row {
    const Job* job;
    const MatchedCall* call;
    int64_t index;
    const CollectiveDigest& last() const { return MemberDigest(*job, call->members[call->last]); }
  };
  std::vector<Row> rows;
  for (size_t i = 0; i < job.calls.size(); ++i) {
    rows.push_back({&job, &job.calls[i], static_cast<int64_t>(i)});
  }
  const auto time = [](Ns MatchedCall::*member) {
    return [member](const Row& r) { return TimeCell(r.call->*member); };
  };
  TableBuilder<Row> table;
  table
      .Add(IntegerKey("call", "Call", "Number of the collective in the job, in order of time."),
           &Row::index)
      .Add(TextFact("operation", "Operation", "Kind of collective operation."),
           [](const Row& r) { return TextCell(CollectiveOpName(r.call->op)); })
      .Add(TextFact("group", "Group", "Process group of the collective."),
           [](const Row& r) { return TextCell(GroupName(r.job->groups[r.call->group])); })
      .Add(IntegerFact(
               "sequence", "Sequence",
               "Sequence number within the process group: recorded, or else counted; of sends "
               "and receives, counted between the two ranks."),
           [](const Row& r) { return r.call->sequence >= 0 ? Cell(r.call->sequence) : Cell(); })
      .Add(TextFact("step", "Step", "Profiler step that the rank that arrived last was in."),
           [](const Row& r) {
             const int64_t step = r.last().step;
             const JobRank& rank = r.job->ranks[r.call->members[r.call->last].rank];
             return step >= 0 ? TextCell(rank.digest->steps[step].name) : Cell();
           })
      .Add(MomentFact("startUs", "Start", "When the first rank arrived, on the job's clock."),
           [](const Row& r) {
             Ns first = r.call->members[0].begin;
             for (const auto& member : r.call->members) first = std::min(first, member.begin);
             return TimeCell(first);
           })
      .Add(IntegerFact("ranks", "Ranks", "Number of ranks on which it was found."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.call->members.size())); })
      .Add(IntegerFact("lacking", "Missing on",
                       "Number of ranks in the group that were recording but made no such call."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.call->lacking.size())); })
      .Add(ByteCount("bytes", "Bytes", "Bytes of one rank's input or output, whichever is larger."),
           [](const Row& r) { return BytesCell(r.call->bytes); })
      .Add(TextFact("dtype", "Type", "Data type of the elements."),
           [](const Row& r) { return TextOrEmpty(r.last().dtype); })
      .Add(Duration(
               "transferUs", "Transfer",
               "Time of the shortest call on any rank: the rank that arrives last does not wait."),
           time(&MatchedCall::transfer))
      .Add(Duration("waitingUs", "Waiting",
                    "Time that all ranks together spent in these calls beyond the transfer."),
           time(&MatchedCall::waiting))
      .Add(Duration("spreadUs", "Spread", "Time from the first rank's arrival to the last rank's.",
                    Merge::kMax),
           time(&MatchedCall::spread))
      .Add(Duration("latenessUs", "Lateness",
                    "Time from the median arrival of the other ranks to the arrival of the last."),
           time(&MatchedCall::lateness))
      .Add(IntegerFact("lastRank", "Arrived last", "Rank that arrived last."),
           [](const Row& r) {
             return r.call->members.size() > 1
                        ? Cell(r.job->ranks[r.call->members[r.call->last].rank].rank)
                        : Cell();
           })
      .Add(Quotient("algorithmBandwidth", "Algorithm bandwidth",
                    "Bytes divided by transfer time; 1 GB is 10^9 bytes.", Unit::kGbPerS),
           [](const Row& r) { return RateCell(r.call->algorithm_bandwidth); })
      .Add(Quotient("busBandwidth", "Bus bandwidth",
                    "What the links carry: algorithm bandwidth times a factor that depends on the "
                    "operation.",
                    Unit::kGbPerS),
           [](const Row& r) { return RateCell(r.call->bus_bandwidth); })
      .Add(TextFact("operator", "Operator",
                    "Operator that started it, on the rank that arrived last."),
           [](const Row& r) { return TextOrEmpty(r.last().operation); })
      .Add(TextFact("place", "Line", "Line that started it, on the rank that arrived last."),
           [](const Row& r) { return TextOrEmpty(r.last().place); });
  return table.Make(rows);
}

Table StragglersTable(const Job& job) {
  struct Row {
    const Job* job;
    const RankLateness* late;
  };
  std::vector<Row> rows;
  for (const RankLateness& late : job.lateness) rows.push_back({&job, &late});
  const auto reason = [](const Row& r) -> const LateReason* {
    return r.late->reasons.empty() ? nullptr : &r.late->reasons[0];
  };
  const auto time = [](Ns RankLateness::*member) {
    return [member](const Row& r) { return TimeCell(r.late->*member); };
  };
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.job->ranks[r.late->rank].rank); })
      .Add(FlagFact("straggler", "Straggler",
                    "Whether the waiting that began with this rank adds up to more than 1 % of the "
                    "recording."),
           [](const Row& r) { return Cell(r.late->straggler); })
      .Add(
          Count("calls", "Calls", "Number of collectives in which the rank took part with others."),
          [](const Row& r) { return Cell(static_cast<int64_t>(r.late->calls)); })
      .Add(Count("timesLast", "Arrived last",
                 "Number of collectives at which the rank arrived last."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.late->times_last)); })
      .Add(Duration("causedUs", "Caused waiting",
                    "Time that other ranks waited when this rank arrived last. Collectives that "
                    "follow sends or receives are left out, because pipeline stages arrive at them "
                    "one after the other."),
           time(&RankLateness::caused))
      .Add(Duration("tracedUs", "Traced waiting",
                    "Time that other ranks waited where the delay began with this rank. Either it "
                    "arrived last without having waited for another rank, or another rank arrived "
                    "last because it had waited for this one in another group, or its work between "
                    "sends and receives took longer than usual or than on comparable ranks."),
           time(&RankLateness::traced))
      .Add(Duration(
               "latenessUs", "Lateness",
               "Time behind the median arrival of the other ranks when this rank arrived last, "
               "plus the time that its late work between sends and receives cost the next rank."),
           time(&RankLateness::lateness))
      .Add(Duration("waitingUs", "Waiting", "Time that the rank waited for other ranks."),
           time(&RankLateness::waiting))
      .Add(TextFact("reason", "What it did instead",
                    "The largest item that took this rank longer than the others before these "
                    "collectives."),
           [reason](const Row& r) {
             return reason(r) == nullptr ? Cell() : TextCell(reason(r)->activity.name);
           })
      .Add(TextFact("place", "Line", "Line of the program that did it."),
           [reason](const Row& r) {
             return reason(r) == nullptr ? Cell() : TextOrEmpty(reason(r)->activity.place);
           })
      .Add(Duration("reasonUs", "Extra time",
                    "How much longer it took than on the other ranks, summed."),
           [reason](const Row& r) {
             return reason(r) == nullptr ? Cell() : TimeCell(reason(r)->activity.time);
           });
  return table.Make(rows);
}

Table ReasonsTable(const Job& job) {
  struct Row {
    int64_t rank;
    const LateReason* reason;
  };
  static constexpr const char* kWhere[] = {"device", "host", "communication"};
  std::vector<Row> rows;
  for (const RankLateness& late : job.lateness) {
    for (const LateReason& reason : late.reasons) {
      rows.push_back({job.ranks[late.rank].rank, &reason});
    }
  }
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.rank); })
      .Add(
          TextKey("where", "Where",
                  "Where the time was spent: on the device, on the host, or in a collective of "
                  "another group."),
          [](const Row& r) { return TextCell(kWhere[std::min<int>(r.reason->activity.where, 2)]); })
      .Add(TextKey("name", "Activity", "Name of the operator, kernel, function, or range."),
           [](const Row& r) { return TextCell(r.reason->activity.name); })
      .Add(TextKey("place", "Line", "Line of the program that did it."),
           [](const Row& r) { return TextOrEmpty(r.reason->activity.place); })
      .Add(Duration("extraUs", "Extra time",
                    "Time beyond the median of the other ranks, summed over the collectives at "
                    "which this rank arrived last."),
           [](const Row& r) { return TimeCell(r.reason->activity.time); })
      .Add(Count("calls", "Calls", "Number of collectives that it delayed."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.reason->calls)); });
  return table.Make(rows);
}

Table LateWorkTable(const Job& job) {
  struct Row {
    const Job* job;
    uint32_t rank;
    DelayKind kind;
    const LateWork::Step* step;
  };
  std::vector<Row> rows;
  for (const RankLateness& late : job.lateness) {
    for (const LateWork& work : late.work) {
      for (const LateWork::Step& step : work.steps) {
        rows.push_back({&job, late.rank, work.kind, &step});
      }
    }
  }
  const auto time = [](Ns LateWork::Step::*member) {
    return [member](const Row& r) { return TimeCell(r.step->*member); };
  };
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.job->ranks[r.rank].rank); })
      .Add(TextKey("step", "Step", "Profiler step; empty outside of any step."),
           [](const Row& r) { return TextOrEmpty(StepName(*r.job, r.rank, r.step->step)); })
      .Add(TextKey("kind", "Compared with",
                   "What its work is compared with: itself at other times, if it was late once; if "
                   "it was late in every step, the ranks that do the same work in other pipelines "
                   "or in the same ring, or the other stages if its own is the heaviest."),
           [](const Row& r) { return TextCell(AgainstWhom(r.kind)); })
      .Add(Count("calls", "Calls",
                 "Number of sends, receives, and collectives to which the rank came late."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.step->calls)); })
      .Add(Duration("usualUs", "Usual work",
                    "Time that its work before these calls should have taken."),
           time(&LateWork::Step::usual))
      .Add(Duration("excessUs", "Excess work",
                    "Time that its work before these calls took beyond the usual."),
           time(&LateWork::Step::excess))
      .Add(Duration(
               "tracedUs", "Traced waiting",
               "Time that other ranks waited because of it, directly or through ranks in between."),
           time(&LateWork::Step::caused));
  return table.Make(rows);
}

Table LatenessTable(const Job& job) {
  struct Row {
    int64_t rank = 0;
    std::string step;
    int64_t calls = 0, last = 0, waiting = 0, lateness = 0, transfer = 0;
  };
  std::map<std::pair<uint32_t, int64_t>, Row> found;
  for (const MatchedCall& call : job.calls) {
    if (call.members.size() < 2) continue;
    for (size_t i = 0; i < call.members.size(); ++i) {
      const MatchedCall::Member& member = call.members[i];
      const int64_t step = MemberDigest(job, member).step;
      const JobRank& rank = job.ranks[member.rank];
      Row& row = found[{member.rank, step}];
      row.rank = rank.rank;
      row.step = step >= 0 ? rank.digest->steps[step].name : "";
      ++row.calls;
      row.waiting += member.waiting;
      row.transfer += call.transfer;
      if (i != call.last || !IsSymmetric(call.op)) continue;
      ++row.last;
      if (!call.follows_pairs) row.lateness += std::max<Ns>(0, call.lateness);
    }
  }
  for (const RankLateness& late : job.lateness) {
    for (const LateWork& work : late.work) {
      for (const LateWork::Step& step : work.steps) {
        const auto row = found.find({late.rank, step.step});
        if (row != found.end()) row->second.lateness += step.lateness;
      }
    }
  }
  std::vector<Row> rows;
  for (auto& [key, row] : found) rows.push_back(std::move(row));
  TableBuilder<Row> table;
  table.Add(RankKey(), &Row::rank)
      .Add(TextKey("step", "Step", "Profiler step; empty outside of any step."),
           [](const Row& r) { return TextOrEmpty(r.step); })
      .Add(Count("calls", "Calls", "Number of collectives made with other ranks."), &Row::calls)
      .Add(Count("timesLast", "Arrived last",
                 "Number of collectives at which the rank arrived last."),
           &Row::last)
      .Add(Duration("transferUs", "Transfer", "Time during which data was moving."), &Row::transfer)
      .Add(Duration("waitingUs", "Waiting",
                    "Time in collectives beyond the transfer, spent waiting for other ranks."),
           &Row::waiting)
      .Add(Duration(
               "latenessUs", "Lateness",
               "Time behind the median arrival of the other ranks when this rank arrived last, "
               "plus the time that its late work between sends and receives cost the next rank."),
           &Row::lateness);
  return table.Make(rows);
}

}  // namespace emberline
