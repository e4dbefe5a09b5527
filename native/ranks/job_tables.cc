#include "ranks/job_tables.h"

#include <algorithm>
#include <map>

#include "analysis/columns.h"
#include "base/natural_order.h"
#include "ranks/errors.h"
#include "ranks/job_sums.h"
#include "ranks/rank_rows.h"
#include "ranks/table_columns.h"

namespace emberline {

const std::vector<JobTable>& JobTables() {
  static const std::vector<JobTable> tables = {
      {"ranks", "Ranks", RanksTable},
      {"steps", "Ranks by step", RankStepsTable},
      {"stragglers", "Stragglers", StragglersTable},
      {"reasons", "What late ranks did instead", ReasonsTable},
      {"lateWork", "Late work between sends and receives", LateWorkTable},
      {"lateness", "Waiting and lateness by rank and step", LatenessTable},
      {"operations", "Operations", OperationsTable},
      {"calls", "Calls", CallsTable},
      {"sizes", "Bandwidth by size", SizesTable},
      {"groups", "Process groups", GroupsTable},
      {"matrix", "Who talks to whom", MatrixTable},
      {"nodeMatrix", "Which machine talks to which", NodeMatrixTable},
      {"temporal", "Temporal breakdown", TemporalTable},
      {"overlap", "Overlap", OverlapTable},
      {"idle", "Stream idle time", IdleTable},
      {"gaps", "Device idle time by cause", GapsTable},
      {"kernelTypes", "Kernel types", KernelTypesTable},
      {"kernels", "Kernels of all ranks", JobKernelsTable},
      {"kernelRanks", "Largest kernels by device", KernelRanksTable},
      {"launches", "Launches", LaunchesTable},
      {"launchRows", "Launches of one rank", nullptr},
      {"queues", "Queue length", QueuesTable},
      {"copies", "Copies", JobCopiesTable},
      {"sequences", "Kernel sequences", JobSequencesTable},
      {"operatorKernels", "Kernels by operator", OperatorKernelsTable},
      {"annotations", "Named ranges", AnnotationsTable},
      {"counters", "Hardware counters", CountersTable},
      {"criticalPath", "Critical path", CriticalPathTable},
      {"criticalOperators", "Critical path by operator", CriticalOperatorsTable},
      {"criticalLines", "Critical path by line", CriticalLinesTable},
      {"criticalKernels", "Critical path by kernel", CriticalKernelsTable},
  };
  return tables;
}

Result<Table> MakeJobTable(const Job& job, const std::string& name) {
  std::string known;
  for (const JobTable& table : JobTables()) {
    if (name == table.name && table.make != nullptr) return table.make(job);
    known += (known.empty() ? "" : ", ") + std::string(table.name);
  }
  return MakeError(errors::kNoSuchTable, {{"table", name}, {"known", known}});
}

namespace {

struct RankRow {
  const Job* job;
  const JobRank* rank;
  int64_t corrected = 0, residual = 0, begin = 0, waiting = 0, caused = 0;
};

std::string DevicesText(const RankDigest& digest) {
  std::string text;
  size_t named = 0;
  for (const DeviceInfo& device : digest.devices) {
    if (named++ == 8) return text + ", ...";
    text += (text.empty() ? "" : ", ") + device.kind + " " + std::to_string(device.ordinal) +
            (device.name.empty() ? "" : " (" + device.name + ")");
  }
  return text;
}

}  // namespace

Table RanksTable(const Job& job) {
  std::vector<RankRow> rows;
  std::map<uint32_t, const RankLateness*> lateness;
  for (const RankLateness& late : job.lateness) lateness[late.rank] = &late;
  for (uint32_t r = 0; r < job.ranks.size(); ++r) {
    const JobRank& rank = job.ranks[r];
    RankRow row{&job, &rank, rank.correction, rank.residual, rank.At(0, job.base_ns)};
    row.waiting = lateness[r]->waiting;
    row.caused = lateness[r]->caused;
    rows.push_back(row);
  }
  TableBuilder<RankRow> table;
  table.Add(RankKey(), [](const RankRow& r) { return Cell(r.rank->rank); })
      .Add(TextFact("node", "Node", "Machine, as far as the worker's name tells it."),
           [](const RankRow& r) { return TextOrEmpty(r.rank->node); })
      .Add(IntegerFact("process", "Process", "Process ID on its machine."),
           [](const RankRow& r) {
             const int64_t process = r.rank->digest->process;
             return process < 0 ? Cell() : Cell(process);  // of a trace without events
           })
      .Add(TextFact("devices", "Devices", "Devices that did work in the rank's trace."),
           [](const RankRow& r) { return TextOrEmpty(DevicesText(*r.rank->digest)); })
      .Add(MomentFact("startUs", "Start", "Start of the rank's recording on the job's clock."),
           &RankRow::begin)
      .Add(Duration("lengthUs", "Length", "Length of the rank's recording.", Merge::kMax),
           [](const RankRow& r) { return TimeCell(r.rank->digest->end); })
      .Add(Duration("correctionUs", "Clock correction",
                    "Time added to the rank's recorded clock so that collectives end at the same "
                    "time on all ranks.",
                    Merge::kNone),
           &RankRow::corrected)
      .Add(Quotient("driftPpm", "Clock drift (ppm)",
                    "By how many parts per million the rank's clock runs faster than that of the "
                    "lowest rank. It is corrected, too; 0 if the collectives do not show it."),
           [](const RankRow& r) { return Cell(static_cast<double>(r.rank->FasterPpb()) / 1000.0); })
      .Add(
          Duration(
              "residualUs", "Residual",
              "Median difference, after the correction, between when collectives end on this rank "
              "and on the others of the group: the uncertainty of its position on the job's clock.",
              Merge::kMax),
          &RankRow::residual)
      .Add(Count("matchedCalls", "Matched",
                 "Number of collectives on which the correction is based."),
           [](const RankRow& r) { return Cell(static_cast<int64_t>(r.rank->matched)); })
      .Add(
          Count("collectives", "Collectives", "Number of calls that communicate with other ranks."),
          [](const RankRow& r) {
            return Cell(static_cast<int64_t>(r.rank->digest->collectives.size()));
          })
      .Add(Duration("waitingUs", "Waiting",
                    "Time in collectives beyond the transfer, spent waiting for other ranks."),
           &RankRow::waiting)
      .Add(Duration("causedUs", "Caused waiting",
                    "Time that other ranks waited in collectives at which this rank arrived last."),
           &RankRow::caused)
      .Add(Count("events", "Events", "Number of events in the rank's trace."),
           [](const RankRow& r) { return Cell(static_cast<int64_t>(r.rank->digest->events)); })
      .Add(TextFact("worker", "Worker", "Name of the worker in the run."),
           [](const RankRow& r) { return TextOrEmpty(r.rank->digest->worker); })
      .Add(TextFact("path", "File", "Path of the rank's trace."),
           [](const RankRow& r) { return TextOrEmpty(r.rank->digest->path); });
  return table.Make(rows);
}

Table GroupsTable(const Job& job) {
  struct Row {
    const Job* job;
    const JobGroup* group;
    int64_t calls = 0, transfer = 0, waiting = 0;
  };
  std::vector<Row> rows;
  for (const JobGroup& group : job.groups) rows.push_back({&job, &group});
  for (const MatchedCall& call : job.calls) {
    Row& row = rows[call.group];
    ++row.calls;
    row.transfer += call.transfer;
    row.waiting += call.waiting;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return CompareNaturally(GroupName(*a.group), GroupName(*b.group)) < 0;
  });
  constexpr size_t kMostRanges = 64;
  TableBuilder<Row> table;
  table
      .Add(TextKey("group", "Group",
                   "Name of the process group, as recorded; for calls without a group, the number "
                   "of their stream."),
           [](const Row& r) { return TextCell(GroupName(*r.group)); })
      .Add(TextKey("members", "Members", "Ranks of the group that have traces."),
           [](const Row& r) {
             std::vector<int64_t> ranks;
             for (const uint32_t m : r.group->members) ranks.push_back(r.job->ranks[m].rank);
             return TextOrEmpty(RankList(ranks, kMostRanges));
           })
      .Add(TextFact("description", "Description", "Description of the group, as recorded."),
           [](const Row& r) { return TextOrEmpty(r.group->about.description); })
      .Add(
          TextFact("parallelism", "Parallelism",
                   "What the group is for, inferred from its name, members, and exchanges: tensor, "
                   "pipeline, data, expert, context, or sequence parallelism, several of them, or "
                   "world for all ranks. Names such as sp do not tell how sequences are split."),
          [](const Row& r) { return TextOrEmpty(r.group->parallelism); })
      .Add(
          IntegerFact("size", "Size", "Number of ranks in the group, as recorded."),
          [](const Row& r) { return r.group->about.size > 0 ? Cell(r.group->about.size) : Cell(); })
      .Add(TextFact("absent", "Absent", "Ranks of the group without a trace."),
           [](const Row& r) { return TextOrEmpty(RankList(r.group->absent, kMostRanges)); })
      .Add(Count("calls", "Calls", "Number of collectives in the group."), &Row::calls)
      .Add(Duration("transferUs", "Transfer",
                    "Time of each collective's shortest call, summed: the rank that arrives last "
                    "does not wait."),
           &Row::transfer)
      .Add(Duration("waitingUs", "Waiting",
                    "Time that all ranks together waited in the group's collectives."),
           &Row::waiting);
  return table.Make(rows);
}

namespace {

struct TimeRow {
  int64_t rank;
  const RankDigest* digest;
  const DeviceTime* time;
};

std::vector<TimeRow> TimeRows(const Job& job, bool steps) {
  std::vector<TimeRow> rows;
  for (const JobRank& rank : job.ranks) {
    for (const DeviceTime& time : rank.digest->times) {
      if ((time.step >= 0) == steps) rows.push_back({rank.rank, rank.digest, &time});
    }
  }
  return rows;
}

TableBuilder<TimeRow>& AddTimeKeys(TableBuilder<TimeRow>& table) {
  return table.Add(RankKey(), [](const TimeRow& r) { return Cell(r.rank); })
      .Add(DeviceKey(), [](const TimeRow& r) { return Cell(r.time->device); });
}

TableBuilder<TimeRow>::CellOf Part(Ns DeviceTime::*member) {
  return [member](const TimeRow& r) { return TimeCell(r.time->*member); };
}

}  // namespace

Table RankStepsTable(const Job& job) {
  const std::vector<TimeRow> rows = TimeRows(job, true);
  const bool none_partial = std::none_of(rows.begin(), rows.end(), [](const TimeRow& r) {
    return r.digest->steps[r.time->step].partial;
  });
  TableBuilder<TimeRow> table;
  AddTimeKeys(table)
      .Add(TextKey("step", "Step", "Name of the profiler step."),
           [](const TimeRow& r) { return TextCell(r.digest->steps[r.time->step].name); })
      .Add(HiddenIf(none_partial,
                    FlagFact("partial", "Partial",
                             "Whether the recording ended before the step's work did.")),
           [](const TimeRow& r) { return Cell(r.digest->steps[r.time->step].partial); })
      .Add(Duration("stepUs", "Step time",
                    "Duration of the step, including the device work that it launched."),
           Part(&DeviceTime::length))
      .Add(Duration("computationUs", "Computation",
                    "Time during which kernels computed and none communicated. Without a device, "
                    "the time in operators."),
           Part(&DeviceTime::computation))
      .Add(Duration("overlapUs", "Overlap",
                    "Time during which some kernels computed while others communicated."),
           Part(&DeviceTime::overlap))
      .Add(Duration("communicationUs", "Exposed communication",
                    "Time during which kernels communicated and none computed."),
           Part(&DeviceTime::communication))
      .Add(Duration("otherUs", "Other",
                    "The rest of the step: idle time, and copies with no kernel running."),
           [](const TimeRow& r) { return TimeCell(r.time->other()); })
      .Add(Duration("busyUs", "Busy",
                    "Time during which anything ran on the device, including copies."),
           Part(&DeviceTime::busy))
      .Add(Share("exposedShare", "Exposed share", "Exposed communication as a share of the step."),
           [](const TimeRow& r) {
             return ShareCell(static_cast<double>(r.time->communication),
                              static_cast<double>(r.time->length));
           });
  return table.Make(rows);
}

Table TemporalTable(const Job& job) {
  TableBuilder<TimeRow> table;
  AddTimeKeys(table)
      .Add(Duration(
               "idleTimeUs", "Idle",
               "Time during which nothing ran on the device, between its first work and its last."),
           [](const TimeRow& r) { return TimeCell(r.time->combinations[0]); })
      .Add(Duration("computeTimeUs", "Compute", "Time during which at least one kernel computed."),
           [](const TimeRow& r) { return TimeCell(r.time->computation + r.time->overlap); })
      .Add(Duration("nonComputeTimeUs", "Non-compute",
                    "Time during which the device was busy but no kernel computed: communication "
                    "and copies."),
           [](const TimeRow& r) {
             return TimeCell(r.time->busy - r.time->computation - r.time->overlap);
           })
      .Add(Duration("kernelTimeUs", "Span",
                    "Time from the start of the device's first work to the end of its last."),
           Part(&DeviceTime::length))
      .Add(Share("idleShare", "Idle share", "Idle time as a share of the span."),
           [](const TimeRow& r) {
             return ShareCell(static_cast<double>(r.time->combinations[0]),
                              static_cast<double>(r.time->length));
           });
  return table.Make(TimeRows(job, false));
}

Table OverlapTable(const Job& job) {
  TableBuilder<TimeRow> table;
  AddTimeKeys(table)
      .Add(Duration("communicationTimeUs", "Communication",
                    "Time during which at least one kernel communicated."),
           [](const TimeRow& r) { return TimeCell(r.time->communication + r.time->overlap); })
      .Add(Duration("overlapUs", "Overlapped",
                    "Part of the communication time during which a kernel computed as well."),
           Part(&DeviceTime::overlap))
      .Add(Duration("exposedUs", "Exposed",
                    "Part of the communication time during which no kernel computed."),
           Part(&DeviceTime::communication))
      .Add(Share("compCommOverlap", "Overlap",
                 "Overlapped communication as a share of all communication."),
           [](const TimeRow& r) {
             const Ns all = r.time->communication + r.time->overlap;
             return all > 0
                        ? ShareCell(static_cast<double>(r.time->overlap), static_cast<double>(all))
                        : Cell();
           });
  return table.Make(TimeRows(job, false));
}

Table KernelTypesTable(const Job& job) {
  struct Row {
    std::string type;
    int64_t sum;
    double share;
  };
  std::array<Ns, 8> sums{};
  Ns all = 0;
  for (const TimeRow& row : TimeRows(job, false)) {
    for (size_t i = 1; i < sums.size(); ++i) {
      sums[i] += row.time->combinations[i];
      all += row.time->combinations[i];
    }
  }
  std::vector<Row> rows;
  for (size_t i = 1; i < sums.size(); ++i) {
    std::string type;
    for (const auto& [bit, name] :
         {std::pair{kComputation, "COMPUTATION"}, std::pair{kCommunicationBit, "COMMUNICATION"},
          std::pair{kMemory, "MEMORY"}}) {
      if ((i & bit) != 0) type += (type.empty() ? "" : " overlapping ") + std::string(name);
    }
    if (sums[i] == 0) continue;
    rows.push_back(
        {type, sums[i], all > 0 ? static_cast<double>(sums[i]) / static_cast<double>(all) : 0});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.sum > b.sum; });
  TableBuilder<Row> table;
  table
      .Add(TextKey("kernelType", "Type", "Kinds of work that ran at the same time."),
           [](const Row& r) { return TextCell(r.type); })
      .Add(Duration("sumUs", "Sum",
                    "Time during which exactly these kinds of work ran, summed over all ranks."),
           &Row::sum)
      .Add(Share("share", "Share", "Share of the time during which anything ran."),
           [](const Row& r) { return Cell(r.share); });
  return table.Make(rows);
}

Table JobKernelsTable(const Job& job) {
  std::vector<KernelSum> rows = SumKernels(job);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelSum& a, const KernelSum& b) { return a.stat.sum > b.stat.sum; });
  TableBuilder<KernelSum> table;
  table
      .Add(TextKey("name", "Kernel", "Name of the kernel or copy."),
           [](const KernelSum& r) { return TextCell(r.name); })
      .Add(TextKey("kernelType", "Type", "Kind of work: computation, communication, or memory."),
           [](const KernelSum& r) { return TextCell(r.kind); });
  AddStat<KernelSum>(table, "", "", "the durations of its runs on all ranks",
                     [](const KernelSum& r) -> const Stat& { return r.stat; });
  table.Add(
      IntegerFact("maxRank", "Rank of max",
                  "Rank with the longest run, where its trace says which it is."),
      [](const KernelSum& r) { return r.stat.max_rank < 0 ? Cell() : Cell(r.stat.max_rank); });
  return table.Make(rows);
}

Table KernelRanksTable(const Job& job) {
  using Row = Of<KernelPart>;
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("name", "Kernel",
                   "Name of the kernel or copy; only the largest of each device are listed."),
           [](const Row& r) { return TextCell(r.item->name); })
      .Add(TextFact("kernelType", "Type", "Kind of work: computation, communication, or memory."),
           [](const Row& r) { return TextCell(r.item->kind); })
      .Add(Count("count", "Count", "Number of launches."), Item(&KernelPart::count))
      .Add(Duration("sumUs", "Sum", "Sum of the durations."), TimeItem(&KernelPart::sum))
      .Add(Duration("meanUs", "Mean", "Mean of the durations.", Merge::kNone),
           MeanItem(&KernelPart::sum))
      .Add(DeviationColumn("stdUs", "the durations"), DeviationItem(&KernelPart::sum))
      .Add(Duration("minUs", "Min", "Shortest duration.", Merge::kMin), TimeItem(&KernelPart::min))
      .Add(Duration("maxUs", "Max", "Longest duration.", Merge::kMax), TimeItem(&KernelPart::max));
  return table.Make(All(job, &RankDigest::kernels));
}

}  // namespace emberline
