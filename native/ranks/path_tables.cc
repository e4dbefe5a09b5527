// Tables of the critical path.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ranks/job_tables.h"
#include "ranks/rank_rows.h"

namespace emberline {
namespace {

using PathRow = Of<PathDigest>;

std::vector<PathRow> RowsBy(const Job& job, PathGrouping by) {
  std::vector<PathRow> rows = All(job, &RankDigest::critical_path);
  std::erase_if(rows, [by](const PathRow& r) { return r.item->by != by; });
  return rows;
}

Column WithoutColumn(const char* what) {
  return Duration("withoutUs", "Without it",
                  (std::string("How long the steps would take if ") + what +
                   " took no time, on the critical path or off it. The trace is replayed: each "
                   "part starts as soon as everything it waited for is done, and collectives take "
                   "as long as recorded. Empty for time that only passes between two parts.")
                      .c_str(),
                  Merge::kNone);
}

Column Saved() {
  return Share("saved", "Saved",
               "Share of the steps' time that would be saved if it took no time.");
}

Cell WithoutCell(const PathRow& r) {
  return r.item->without >= 0 ? TimeCell(r.item->without) : Cell();
}

Cell SavedCell(const PathRow& r) {
  if (r.item->without < 0) return Cell();
  return ShareCell(static_cast<double>(r.item->whole - r.item->without),
                   static_cast<double>(r.item->whole));
}

Cell ShareOfSteps(const PathRow& r) {
  return ShareCell(static_cast<double>(r.item->time), static_cast<double>(r.item->whole));
}

Column TimeOnPath(const char* rows) {
  return Duration(
      "timeUs", "Time",
      (std::string("Time on the critical paths of all complete steps. ") + rows).c_str());
}

// Of operators and lines. Where the path of each rank needs one device, nobody asks which.
Column Devices(const std::vector<PathRow>& rows) {
  Column column = TextFact("devices", "Devices",
                           "Devices, numbered within the process, on which its part of the path "
                           "ran; empty for work on the host.");
  std::map<int64_t, std::set<std::string>> used;  // by rank
  bool several = false;
  for (const PathRow& row : rows) {
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
  TableBuilder<PathRow> table;
  table.Add(RankKey(), [](const PathRow& r) { return Cell(r.rank); });
  if (by == kPathKernels) table.Add(DeviceKey(), Item(&PathDigest::ordinal));
  table.Add(std::move(key), [by](const PathRow& r) {
    const bool line = by == kPathLines && r.item->name.empty();
    return TextOrEmpty(line ? r.item->place : r.item->name);
  });
  const std::vector<PathRow> sums = RowsBy(job, by);
  if (by != kPathKernels) {
    table.Add(Devices(sums), [](const PathRow& r) { return TextOrEmpty(r.item->devices); });
  }
  table.Add(TimeOnPath(rows), TimeItem(&PathDigest::time))
      .Add(Share("share", "Share", "Share of the steps' time."), ShareOfSteps)
      .Add(Duration("hostUs", "Host time",
                    "Part of the time during which the path was on the host."),
           TimeItem(&PathDigest::host))
      .Add(Duration("deviceUs", "Device time",
                    "Part of the time during which the path was on a device."),
           TimeItem(&PathDigest::device))
      .Add(Duration(
               "betweenUs", "Between",
               "Part of the time that passed between host and device: from a launch to the start "
               "of its work, between pieces of device work, and until a waiting call returned."),
           [](const PathRow& r) { return TimeCell(r.item->time - r.item->host - r.item->device); })
      .Add(WithoutColumn(what), WithoutCell)
      .Add(Saved(), SavedCell)
      .Add(Count("count", "Parts", "Number of separate parts of the path."),
           Item(&PathDigest::count));
  return table.Make(sums);
}

}  // namespace

Table CriticalPathTable(const Job& job) {
  TableBuilder<PathRow> table;
  table.Add(RankKey(), [](const PathRow& r) { return Cell(r.rank); })
      .Add(DeviceKey(), Item(&PathDigest::ordinal))
      .Add(TextKey("boundBy", "Bound by",
                   "What the path went through. host: recorded calls and Python; hostUnknown: time "
                   "on the host outside of these; dataLoading: waiting for the data loader; "
                   "launch: from a call to the start of its work; computation, communication, "
                   "copy: work on the device; kernelGap: between pieces of device work that wait "
                   "for each other; synchronization: from the end of device work to the end of the "
                   "call that waited for it."),
           [](const PathRow& r) { return TextCell(r.item->kind); })
      .Add(TextKey("name", "Activity",
                   "Name of the operator, call, function, or range; for device work, the operator "
                   "that launched it."),
           [](const PathRow& r) { return TextOrEmpty(r.item->name); })
      .Add(TextKey("place", "Line", "Line of the program that did it."),
           [](const PathRow& r) { return TextOrEmpty(r.item->place); })
      .Add(TimeOnPath("The rows of a rank add up to the duration of its steps."),
           TimeItem(&PathDigest::time))
      .Add(Share("share", "Share", "Share of the steps' time."), ShareOfSteps)
      .Add(WithoutColumn("it"), WithoutCell)
      .Add(Saved(), SavedCell)
      .Add(Count("count", "Parts", "Number of separate parts of the path."),
           Item(&PathDigest::count));
  return table.Make(RowsBy(job, kPathParts));
}

Table CriticalOperatorsTable(const Job& job) {
  return SumsBy(job, kPathOperators,
                TextKey("operator", "Operator",
                        "Innermost operator, for host work and the device work that it launched; "
                        "empty for time outside of any operator."),
                "the operator, on the host and on devices,",
                "The rows of a rank add up to the duration of its steps.");
}

Table CriticalLinesTable(const Job& job) {
  return SumsBy(job, kPathLines,
                TextKey("place", "Line",
                        "Line of the program, for host work and the device work that it launched; "
                        "empty if no line was recorded."),
                "what the line runs itself, on the host and on devices,",
                "The rows of a rank add up to the duration of its steps.");
}

Table CriticalKernelsTable(const Job& job) {
  return SumsBy(
      job, kPathKernels,
      TextKey("kernel", "Kernel", "Kernel or copy, including its launches and the gaps before it."),
      "the kernel", "Time on the host is not included.");
}

}  // namespace emberline
