// Tables of what operators and named ranges run.
#include <algorithm>

#include "ranks/job_tables.h"
#include "ranks/rank_rows.h"
#include "ranks/table_columns.h"

namespace emberline {

Table OperatorKernelsTable(const Job& job) {
  using Row = Of<OperatorKernelsDigest>;
  const auto mean = [](Ns OperatorKernelsDigest::*sum) {
    return [sum](const Row& r) {
      const auto count = static_cast<double>(std::max<uint64_t>(1, r.item->count));
      return Cell(Micros(r.item->*sum) / count);
    };
  };
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("operator", "Operator",
                   "Innermost operator that launched the work. Of each device, the 100 rows with "
                   "the most device time are listed."),
           [](const Row& r) { return TextCell(r.item->operation); })
      .Add(TextKey("pattern", "Kernels",
                   "Kernels, copies and memsets that one call of the operator launched, in the "
                   "order of the launches; \"|\" stands between them."),
           [](const Row& r) {
             std::string text;
             for (const std::string& name : r.item->kernels) {
               text += (text.empty() ? "" : "|") + name;
             }
             if (r.item->launched > r.item->kernels.size()) text += "|...";
             return TextCell(text);
           })
      .Add(Count("kernels", "Length", "Number of kernels, copies and memsets of one call.",
                 Merge::kNone),
           Item(&OperatorKernelsDigest::launched))
      .Add(Count("count", "Calls", "Number of calls that launched exactly this."),
           Item(&OperatorKernelsDigest::count))
      .Add(Duration("gpuKernelDurationUs", "Device time", "Sum of the durations of the work."),
           TimeItem(&OperatorKernelsDigest::time))
      .Add(Duration("meanOpLaunchDelayUs", "Mean time to launch",
                    "Mean time from the start of the operator to the start of its first launching "
                    "call.",
                    Merge::kNone),
           mean(&OperatorKernelsDigest::call_delay))
      .Add(Duration("maxOpLaunchDelayUs", "Longest to launch", "Longest time to launch.",
                    Merge::kMax),
           TimeItem(&OperatorKernelsDigest::call_delay_max))
      .Add(Duration("meanRuntimeDelayUs", "Mean time to start",
                    "Mean time from the start of that call to the start of the work that it "
                    "launched.",
                    Merge::kNone),
           mean(&OperatorKernelsDigest::start_delay))
      .Add(Duration("maxRuntimeDelayUs", "Longest to start", "Longest time to start.", Merge::kMax),
           TimeItem(&OperatorKernelsDigest::start_delay_max));
  return table.Make(All(job, &RankDigest::operator_kernels));
}

Table AnnotationsTable(const Job& job) {
  using Row = Of<AnnotationDigest>;
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("where", "Where",
                   "host: the range as the program ran it. device: from the start of its first "
                   "work on a stream to the end of its last, as the recorder projects it."),
           [](const Row& r) { return TextCell(r.item->device < 0 ? "host" : "device"); })
      .Add(TextKey("name", "Range",
                   "Name of the range. Of the host and of each device, the 200 with the most time "
                   "are listed."),
           [](const Row& r) { return TextCell(r.item->name); })
      .Add(Count("count", "Count", "Number of ranges."), Item(&AnnotationDigest::count))
      .Add(Duration("sumUs", "Sum",
                    "Sum of the durations; a range inside another of its name counts in both."),
           TimeItem(&AnnotationDigest::sum))
      .Add(Duration("meanUs", "Mean", "Mean of the durations.", Merge::kNone),
           MeanItem(&AnnotationDigest::sum))
      .Add(DeviationColumn("stdUs", "the durations"), DeviationItem(&AnnotationDigest::sum))
      .Add(Duration("minUs", "Min", "Shortest duration.", Merge::kMin),
           TimeItem(&AnnotationDigest::min))
      .Add(Duration("maxUs", "Max", "Longest duration.", Merge::kMax),
           TimeItem(&AnnotationDigest::max))
      .Add(Count("workCount", "Pieces of work",
                 "Number of pieces of device work that were launched in these ranges on the host, "
                 "or started in them on their stream; in ranges inside one another, the shortest "
                 "one counts."),
           Item(&AnnotationDigest::work))
      .Add(Duration("workUs", "Work time", "Sum of the durations of this work."),
           TimeItem(&AnnotationDigest::work_time));
  return table.Make(All(job, &RankDigest::annotations));
}

}  // namespace emberline
