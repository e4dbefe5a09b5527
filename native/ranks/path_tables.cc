// Tables of the critical path.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ranks/job_tables.h"
#include "ranks/rank_rows.h"

namespace emberline {
namespace {

using Row = Of<PathDigest>;

std::vector<Row> RowsBy(const Job& job, PathGrouping by) {
  std::vector<Row> rows = All(job, &RankDigest::critical_path);
  std::erase_if(rows, [by](const Row& r) { return r.item->by != by; });
  return rows;
}

Column Without(const char* what) {
  return Duration("withoutUs", "Without it",
                  (std::string("What the steps would take if ") + what +
                   " took no time, on the path or off it: the trace is replayed, each part as soon "
                   "as what it waited for is done; collectives take as long as recorded. Unknown "
                   "for time that only passes between two parts.")
                      .c_str(),
                  Merge::kNone);
}

Column Saved() {
  return Share("saved", "Saved", "Share of the step time that would be saved if it took no time.");
}

Cell WithoutCell(const Row& r) { return r.item->without >= 0 ? TimeCell(r.item->without) : Cell(); }

Cell SavedCell(const Row& r) {
  if (r.item->without < 0) return Cell();
  return ShareCell(static_cast<double>(r.item->whole - r.item->without),
                   static_cast<double>(r.item->whole));
}

Cell ShareOfSteps(const Row& r) {
  return ShareCell(static_cast<double>(r.item->time), static_cast<double>(r.item->whole));
}

Column TimeOnPath(const char* rows) {
  return Duration("timeUs", "Time",
                  (std::string("Time on the critical paths of the whole steps. ") + rows).c_str());
}

// Of operators and lines. Where the path of each rank needs one device, nobody asks which.
Column Devices(const std::vector<Row>& rows) {
  Column column = TextFact("devices", "Devices",
                           "Ordinals, in the process, of the devices on which its work on the path "
                           "ran; empty for the host's.");
  std::map<int64_t, std::set<std::string>> used;  // by rank
  bool several = false;
  for (const Row& row : rows) {
    if (row.item->devices.empty()) continue;
    std::set<std::string>& of_rank = used[row.rank];
    of_rank.insert(row.item->devices);
    several = several || of_rank.size() > 1 || row.item->devices.find(',') != std::string::npos;
  }
  column.hidden = !several;
  return column;
}

// Sums by what `key` names.
Table SumsBy(const Job& job, PathGrouping by, Column key, const char* what, const char* rows) {
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.rank); });
  if (by == kPathKernels) table.Add(DeviceKey(), Item(&PathDigest::ordinal));
  table.Add(std::move(key), [by](const Row& r) {
    const bool line = by == kPathLines && r.item->name.empty();
    return TextOrEmpty(line ? r.item->place : r.item->name);
  });
  const std::vector<Row> sums = RowsBy(job, by);
  if (by != kPathKernels) {
    table.Add(Devices(sums), [](const Row& r) { return TextOrEmpty(r.item->devices); });
  }
  table.Add(TimeOnPath(rows), TimeItem(&PathDigest::time))
      .Add(Share("share", "Share", "Share of the time of the steps."), ShareOfSteps)
      .Add(Duration("hostUs", "Host", "Part of the time in which the host ran."),
           TimeItem(&PathDigest::host))
      .Add(Duration("deviceUs", "Device", "Part of the time in which a device ran."),
           TimeItem(&PathDigest::device))
      .Add(Duration("betweenUs", "Between",
                    "Part of the time that passed in launches, between pieces of device work, and "
                    "until a waiting call returned."),
           [](const Row& r) { return TimeCell(r.item->time - r.item->host - r.item->device); })
      .Add(Without(what), WithoutCell)
      .Add(Saved(), SavedCell)
      .Add(Count("count", "Parts", "Number of parts of the path."), Item(&PathDigest::count));
  return table.Make(sums);
}

}  // namespace

Table CriticalPathTable(const Job& job) {
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.rank); })
      .Add(DeviceKey(), Item(&PathDigest::ordinal))
      .Add(TextKey("boundBy", "Bound by",
                   "host: recorded calls and Python; hostUnknown: the host outside of these; "
                   "dataLoading; launch: from a call to the start of its work; computation, "
                   "communication, copy: work of the device; kernelGap: between pieces of work "
                   "that wait for each other; synchronization: from the end of work to that of the "
                   "call that waited for it."),
           [](const Row& r) { return TextCell(r.item->kind); })
      .Add(
          TextKey(
              "name", "Activity",
              "Operator, call, function or range; for device work, the operator that launched it."),
          [](const Row& r) { return TextOrEmpty(r.item->name); })
      .Add(TextKey("place", "Line", "Line of the program that did this."),
           [](const Row& r) { return TextOrEmpty(r.item->place); })
      .Add(TimeOnPath("The rows of a rank add up to their duration."), TimeItem(&PathDigest::time))
      .Add(Share("share", "Share", "Share of the time of the steps."), ShareOfSteps)
      .Add(Without("it"), WithoutCell)
      .Add(Saved(), SavedCell)
      .Add(Count("count", "Parts", "Number of parts of the path."), Item(&PathDigest::count));
  return table.Make(RowsBy(job, kPathParts));
}

Table CriticalOperatorsTable(const Job& job) {
  return SumsBy(job, kPathOperators,
                TextKey("operator", "Operator",
                        "Innermost operator, of host work and of the device work it launched; "
                        "empty for time outside of all operators."),
                "the operator, on the host and on devices,",
                "The rows of a rank add up to their duration.");
}

Table CriticalLinesTable(const Job& job) {
  return SumsBy(job, kPathLines,
                TextKey("place", "Line",
                        "Line of the program, of host work and of the device work it launched; "
                        "empty where no line was recorded."),
                "what the line runs itself, on the host and on devices,",
                "The rows of a rank add up to their duration.");
}

Table CriticalKernelsTable(const Job& job) {
  return SumsBy(
      job, kPathKernels,
      TextKey("kernel", "Kernel", "Kernel or copy, with its launches and the gaps before it."),
      "the kernel", "The time of the host is in no row.");
}

}  // namespace emberline
