// Tables of idle time, launches, queues, copies, sequences and counters.
#include <algorithm>
#include <bit>
#include <map>

#include "ranks/job_tables.h"
#include "ranks/rank_rows.h"
#include "ranks/table_columns.h"

namespace emberline {
namespace {

// Idle time of a rank's devices or streams, with its share of the same device or stream.
Table IdleBy(const Job& job, bool streams) {
  using Row = Of<IdleDigest>;
  std::vector<Row> rows = All(job, &RankDigest::idle);
  std::erase_if(rows, [&](const Row& r) { return (r.item->stream >= 0) != streams; });
  std::map<std::tuple<int64_t, int64_t, int64_t>, Ns> sums;
  for (const Row& r : rows) sums[{r.rank, r.item->device, r.item->stream}] += r.item->time;
  TableBuilder<Row> table;
  AddKeys(table)
      .AddIf(streams, IntegerKey("stream", "Stream", "Number of the stream on the device."),
             Item(&IdleDigest::stream))
      .Add(
          TextKey("idleCategory", "Category",
                  streams
                      ? "Why the stream was idle. hostWait: the next work was launched only "
                        "after the previous work had ended; kernelWait: launched in time, "
                        "with a gap below 30 us; other: launched in time, with a longer gap."
                      : "What the device waited for: launchLate, synchronization, copy, "
                        "dataLoader, collective, hostBusy, startOfTrace (before its first work) or "
                        "unknown. Gaps below 1 us are left out."),
          [](const Row& r) { return TextCell(r.item->cause); })
      .Add(Duration("idleTimeUs", "Idle time", "Sum of the gaps in the category."),
           TimeItem(&IdleDigest::time))
      .Add(Share("idleTimeRatio", "Ratio", "Share of all idle time of the stream or device."),
           [sums](const Row& r) {
             const Ns all = sums.at({r.rank, r.item->device, r.item->stream});
             return ShareCell(static_cast<double>(r.item->time), static_cast<double>(all));
           })
      .Add(Count("count", "Gaps", "Number of gaps."), Item(&IdleDigest::count))
      .Add(Duration("meanUs", "Mean", "Mean of the gaps.", Merge::kNone),
           MeanItem(&IdleDigest::time))
      .Add(DeviationColumn("stdUs", "the gaps"), DeviationItem(&IdleDigest::time))
      .Add(Duration("shortestUs", "Shortest", "Shortest gap.", Merge::kMin),
           TimeItem(&IdleDigest::shortest))
      .Add(Duration("p25Us", "25 %", "First quartile of the gaps.", Merge::kNone),
           TimeItem(&IdleDigest::lower))
      .Add(Duration("medianUs", "Median", "Median of the gaps.", Merge::kNone),
           TimeItem(&IdleDigest::median))
      .Add(Duration("p75Us", "75 %", "Third quartile of the gaps.", Merge::kNone),
           TimeItem(&IdleDigest::upper))
      .Add(Duration("longestUs", "Longest", "Longest gap.", Merge::kMax),
           TimeItem(&IdleDigest::longest))
      .AddIf(!streams, TextFact("host", "Host", "What the host was doing during the longest gap."),
             [](const Row& r) { return TextOrEmpty(r.item->host); })
      .AddIf(!streams, TextFact("place", "Line", "Line of the program that did it."),
             [](const Row& r) { return TextOrEmpty(r.item->place); });
  return table.Make(rows);
}

}  // namespace

Table IdleTable(const Job& job) { return IdleBy(job, true); }
Table GapsTable(const Job& job) { return IdleBy(job, false); }

Table LaunchesTable(const Job& job) {
  using Row = Of<LaunchDigest>;
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(Count(
               "launches", "Launches",
               "Number of calls that launched exactly one piece of device work; launches of graphs "
               "are left out."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.item->call.count)); })
      .Add(Count("shortKernels", "Short kernels",
                 "Number of pieces of device work that were shorter than the call that launched "
                 "them; calls longer than 50 us are left out."),
           Item(&LaunchDigest::short_work))
      .Add(Count("runtimeOutliers", "Runtime outliers",
                 "Number of launching calls that took more than 50 us."),
           Item(&LaunchDigest::slow_calls))
      .Add(Count("launchDelayOutliers", "Delay outliers",
                 "Number of pieces of device work that started more than 100 us after the "
                 "launching call returned."),
           Item(&LaunchDigest::long_delays))
      .Add(Count("graphLaunches", "Graph launches",
                 "Number of graph launches, and of other calls that launched several pieces of "
                 "device work; one that launched work on several devices counts on each."),
           Item(&LaunchDigest::graph_launches))
      .Add(Count("graphWork", "Graph work",
                 "Number of pieces of device work that these calls launched."),
           Item(&LaunchDigest::graph_work));
  AddStat<Row>(table, "cpuDuration", "Call", "the durations of the launching calls",
               [](const Row& r) -> const Stat& { return r.item->call; });
  AddStat<Row>(table, "gpuDuration", "Work", "the durations of the launched work",
               [](const Row& r) -> const Stat& { return r.item->work; });
  AddStat<Row>(table, "launchDelay", "Delay",
               "the delays from the end of a launching call to the start of its work",
               [](const Row& r) -> const Stat& { return r.item->delay; });
  AddStat<Row>(table, "avoidableDelay", "Avoidable",
               "the parts of these delays during which the stream had nothing else to do",
               [](const Row& r) -> const Stat& { return r.item->avoidable; });
  return table.Make(All(job, &RankDigest::launches));
}

Table QueuesTable(const Job& job) {
  using Row = Of<QueueDigest>;
  const auto quantile = [](double share) {
    return [share](const Row& r) { return Cell(r.item->points.Quantile(share)); };
  };
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(IntegerKey("stream", "Stream", "Number of the stream on the device."),
           Item(&QueueDigest::stream))
      .Add(
          Count(
              "count", "Changes",
              "Number of launches and of starts of their work, each of which changes the length of "
              "the queue. A graph is one launch, which starts with its first work."),
          [](const Row& r) { return Cell(static_cast<int64_t>(r.item->points.count)); })
      .Add(Quotient("mean", "Mean", "Mean queue length, sampled after each change."),
           [](const Row& r) { return Cell(r.item->points.Mean()); })
      .Add(Quotient("std", "Std dev",
                    "Standard deviation of the queue length, sampled after each change."),
           [](const Row& r) { return OptionalCell(r.item->points.Deviation()); })
      .Add(Count("min", "Min", "Shortest queue length.", Merge::kMin),
           [](const Row& r) { return Cell(r.item->points.min); })
      .Add(Count("p25", "25 %",
                 "First quartile of the queue length, sampled after each change; accurate to 1 %.",
                 Merge::kNone),
           quantile(0.25))
      .Add(Count("p50", "50 %", "Median queue length, sampled after each change; accurate to 1 %.",
                 Merge::kNone),
           quantile(0.5))
      .Add(Count("p75", "75 %",
                 "Third quartile of the queue length, sampled after each change; accurate to 1 %.",
                 Merge::kNone),
           quantile(0.75))
      .Add(Count("max", "Max", "Longest queue length.", Merge::kMax),
           [](const Row& r) { return Cell(r.item->points.max); })
      .Add(Count("timeMedian", "Median over time",
                 "Median of the queue length over time; accurate to 1 %.", Merge::kNone),
           [](const Row& r) { return Cell(r.item->time.Quantile(0.5)); })
      .Add(Duration(
               "durationAtMaxQueueLengthUs", "Queue full",
               "Time with 1,022 or more launches waiting. When the queue is full, the next launch "
               "blocks the host."),
           [](const Row& r) { return TimeCell(r.item->full); })
      .Add(Share("relativeDurationAtMaxQueueLength", "Queue full share",
                 "Share of the stream's time during which its queue was full."),
           [](const Row& r) {
             return ShareCell(static_cast<double>(r.item->full),
                              static_cast<double>(r.item->time.count()));
           });
  return table.Make(All(job, &RankDigest::queues));
}

Table JobCopiesTable(const Job& job) {
  using Row = Of<CopyDigest>;
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("name", "Kind", "Direction of the copy, or Memset."),
           [](const Row& r) { return TextCell(r.item->kind); })
      .Add(Count("count", "Count", "Number of copies or memsets."), Item(&CopyDigest::count))
      .Add(ByteCount("bytes", "Bytes", "Bytes copied or set, as recorded."),
           [](const Row& r) { return BytesCell(r.item->bytes); })
      .Add(Duration("sumUs", "Sum", "Sum of the durations."), TimeItem(&CopyDigest::time))
      .Add(Duration("busyUs", "Busy", "Time during which at least one of them was running."),
           TimeItem(&CopyDigest::busy))
      .Add(Quotient("bandwidth", "Bandwidth",
                    "Bytes divided by the busy time of the copies that recorded them; 1 GB is 10^9 "
                    "bytes.",
                    Unit::kGbPerS),
           [](const Row& r) {
             return r.item->bytes >= 0 && r.item->sized_busy > 0
                        ? Cell(static_cast<double>(r.item->bytes) /
                               static_cast<double>(r.item->sized_busy))
                        : Cell();
           })
      .Add(Count("points", "Changes",
                 "Number of times that the total bandwidth changed to a value above 0."),
           Item(&CopyDigest::points))
      .Add(Quotient("meanBandwidth", "Mean bandwidth",
                    "Mean total bandwidth, sampled after each change; 1 GB is 10^9 bytes.",
                    Unit::kGbPerS),
           [](const Row& r) {
             return r.item->points > 0 ? Cell(static_cast<double>(r.item->rate_sum) / 1e6 /
                                              static_cast<double>(r.item->points))
                                       : Cell();
           })
      .Add(Quotient("maxBandwidth", "Max",
                    "Highest total bandwidth of copies running concurrently; 1 GB is 10^9 bytes.",
                    Unit::kGbPerS),
           [](const Row& r) { return RateCell(static_cast<double>(r.item->rate_max) / 1e6); });
  return table.Make(All(job, &RankDigest::copies));
}

Table CountersTable(const Job& job) {
  using Row = Of<CounterDigest>;
  const auto number = [](int64_t CounterDigest::*bits) {
    return [bits](const Row& r) { return Cell(std::bit_cast<double>(r.item->*bits)); };
  };
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("operator", "Operator", "Innermost operator that was running at the launch."),
           [](const Row& r) { return TextOrEmpty(r.item->operation); })
      .Add(TextKey("topOperator", "Top operator",
                   "Outermost operator that was running at the launch."),
           [](const Row& r) { return TextOrEmpty(r.item->outer); })
      .Add(TextKey("kernel", "Kernel", "Name of the kernel, taken from the range of its counters."),
           [](const Row& r) { return TextOrEmpty(r.item->kernel); })
      .Add(
          TextKey(
              "counter", "Counter",
              "Name of the hardware counter. flops stands for the floating-point operations of the "
              "counted instructions, with a fused multiply-add as two and without tensor cores."),
          [](const Row& r) { return TextCell(r.item->counter); })
      .Add(Count("count", "Kernels", "Number of kernels with the counter."),
           Item(&CounterDigest::count))
      .Add(Quotient("sum", "Sum",
                    "Sum over these kernels; meaningless for counters that are ratios or means."),
           number(&CounterDigest::sum))
      .Add(Quotient("mean", "Mean", "Mean over these kernels."),
           [](const Row& r) {
             return Cell(std::bit_cast<double>(r.item->sum) /
                         static_cast<double>(std::max<uint64_t>(1, r.item->count)));
           })
      .Add(Quotient("min", "Min", "Smallest value of a single kernel."),
           number(&CounterDigest::min))
      .Add(Quotient("max", "Max", "Largest value of a single kernel."),
           number(&CounterDigest::max));
  return table.Make(All(job, &RankDigest::counters));
}

Table JobSequencesTable(const Job& job) {
  using Row = Of<SequenceDigest>;
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("operator", "Operator",
                   "Innermost operator that launched 3 to 64 kernels, copies and memsets; of those "
                   "that did "
                   "so at least twice in the same order, the 20 with the most device time. With an "
                   "operator asked for, all sequences of operators of that name."),
           [](const Row& r) { return TextCell(r.item->operation); })
      .Add(TextKey("pattern", "Kernels",
                   "Names of the kernels, copies and memsets, in the order in which they ran."),
           [](const Row& r) {
             std::string text;
             for (const std::string& name : r.item->kernels)
               text += (text.empty() ? "" : "|") + name;
             return TextCell(text);
           })
      .Add(Count("kernels", "Length", "Number of kernels, copies and memsets in the sequence.",
                 Merge::kNone),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.item->kernels.size())); })
      .Add(Count("count", "Count", "Number of calls that launched exactly this sequence."),
           Item(&SequenceDigest::count))
      .Add(Duration("gpuKernelDurationUs", "Device time", "Sum of their durations."),
           TimeItem(&SequenceDigest::device_time))
      .Add(Duration("cpuOpDurationUs", "Host time", "Sum of the durations of the calls."),
           TimeItem(&SequenceDigest::host_time));
  return table.Make(All(job, &RankDigest::sequences));
}

}  // namespace emberline
