// Tables of the critical path.
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
                   " took no time, on the path or beside it: the trace is played again, each part "
                   "as soon as what it waited for is done, and collectives take as long as they "
                   "took. Unknown for what only passes between two parts.")
                      .c_str(),
                  Merge::kNone);
}

Column Saved() { return Share("saved", "Saved", "Of the steps, if it took no time."); }

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
                  (std::string("On the critical paths of the whole steps. ") + rows).c_str());
}

// Sums by what `key` names.
Table SumsBy(const Job& job, PathGrouping by, Column key, const char* what, const char* rows) {
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.rank); })
      .Add(std::move(key),
           [by](const Row& r) {
             const bool line = by == kPathLines && r.item->name.empty();
             return TextOrEmpty(line ? r.item->place : r.item->name);
           })
      .Add(TimeOnPath(rows), TimeItem(&PathDigest::time))
      .Add(Share("share", "Share", "Of the steps."), ShareOfSteps)
      .Add(Duration("hostUs", "Host", "Of the time, in which the host ran."),
           TimeItem(&PathDigest::host))
      .Add(Duration("deviceUs", "Device", "Of the time, in which a device ran."),
           TimeItem(&PathDigest::device))
      .Add(Duration("betweenUs", "Between",
                    "Of the time, that passed in launches, between works and until a call that "
                    "waited came back."),
           [](const Row& r) { return TimeCell(r.item->time - r.item->host - r.item->device); })
      .Add(Without(what), WithoutCell)
      .Add(Saved(), SavedCell)
      .Add(Count("count", "Parts", "Parts of the path."), Item(&PathDigest::count));
  return table.Make(RowsBy(job, by));
}

}  // namespace

Table CriticalPathTable(const Job& job) {
  TableBuilder<Row> table;
  table.Add(RankKey(), [](const Row& r) { return Cell(r.rank); })
      .Add(TextKey("boundBy", "Bound by",
                   "host: recorded calls and Python; hostUnknown: the host outside of these; "
                   "dataLoading; launch: from a call to the begin of its work; computation, "
                   "communication, copy: work of the device; kernelGap: between works that wait "
                   "for each other; synchronisation: from the end of work to that of the call that "
                   "waited for it."),
           [](const Row& r) { return TextCell(r.item->kind); })
      .Add(TextKey("name", "What",
                   "Operator, call, function or range; of the device's work the "
                   "operator that launched it."),
           [](const Row& r) { return TextOrEmpty(r.item->name); })
      .Add(TextKey("place", "Line", "Where the program did that."),
           [](const Row& r) { return TextOrEmpty(r.item->place); })
      .Add(TimeOnPath("All rows of a rank add up to the length of these."),
           TimeItem(&PathDigest::time))
      .Add(Share("share", "Share", "Of the steps."), ShareOfSteps)
      .Add(Without("it"), WithoutCell)
      .Add(Saved(), SavedCell)
      .Add(Count("count", "Parts", "Parts of the path."), Item(&PathDigest::count));
  return table.Make(RowsBy(job, kPathParts));
}

Table CriticalOperatorsTable(const Job& job) {
  return SumsBy(job, kPathOperators,
                TextKey("operator", "Operator",
                        "The innermost, of the host's work and of the device's that it launched; "
                        "empty for time outside of all operators."),
                "the operator, on the host and on devices,",
                "All rows of a rank add up to the length of these.");
}

Table CriticalLinesTable(const Job& job) {
  return SumsBy(job, kPathLines,
                TextKey("place", "Line",
                        "Of the program, of the host's work and of the device's that it launched; "
                        "empty where no line was recorded."),
                "what the line runs itself, on the host and on devices,",
                "All rows of a rank add up to the length of these.");
}

Table CriticalKernelsTable(const Job& job) {
  return SumsBy(
      job, kPathKernels,
      TextKey("kernel", "Kernel", "Kernel or copy, with its launches and gaps before it."),
      "the kernel", "The host's part of these is in no row.");
}

}  // namespace emberline
