// Tables of idle time, launches, queues, copies, sequences and counters.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "ranks/job_tables.h"
#include "ranks/rank_rows.h"
#include "ranks/table_columns.h"

namespace emberline {
namespace {

// HTA's plateau: CUDA takes 1,024 launches less two per stream before a launch waits.
constexpr int64_t kFullQueue = 1022;

// Idle time of a rank's devices or streams, with its share of the same device or stream.
Table IdleBy(const Job& job, bool streams) {
  using Row = Of<IdleDigest>;
  std::vector<Row> rows = All(job, &RankDigest::idle);
  std::erase_if(rows, [&](const Row& r) { return (r.item->stream >= 0) != streams; });
  std::map<std::tuple<int64_t, int64_t, int64_t>, Ns> sums;
  for (const Row& r : rows) sums[{r.rank, r.item->device, r.item->stream}] += r.item->time;
  TableBuilder<Row> table;
  AddKeys(table)
      .AddIf(streams, IntegerKey("stream", "Stream", "Stream of the device."),
             Item(&IdleDigest::stream))
      .Add(TextKey("idleCategory", "Category",
                   streams ? "hostWait: the work that ended the gap was launched after the work "
                             "before it had ended. kernelWait: launched in time, gap below 30 us. "
                             "other: launched in time, gap longer."
                           : "What the device waited for: launchLate, synchronization, copy, "
                             "dataLoader, collective, hostBusy, startOfTrace or unknown."),
           [](const Row& r) { return TextCell(r.item->cause); })
      .Add(Duration("idleTimeUs", "Idle time", "Sum of the gaps of the category."),
           TimeItem(&IdleDigest::time))
      .Add(Share("idleTimeRatio", "Ratio", "Share of the idle time of the same stream or device."),
           [sums](const Row& r) {
             const Ns all = sums.at({r.rank, r.item->device, r.item->stream});
             return ShareCell(static_cast<double>(r.item->time), static_cast<double>(all));
           })
      .Add(Count("count", "Gaps", "Number of gaps."), Item(&IdleDigest::count))
      .Add(Duration("longestUs", "Longest", "Longest gap.", Merge::kMax),
           TimeItem(&IdleDigest::longest))
      .AddIf(!streams, TextFact("host", "Host", "What the host did during the longest gap."),
             [](const Row& r) { return TextOrEmpty(r.item->host); })
      .AddIf(!streams, TextFact("place", "Line", "Line of the program that did this."),
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
      .Add(Count("launches", "Launches", "Calls that launched one piece of device work each."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.item->call.count)); })
      .Add(Count("shortKernels", "Short kernels",
                 "Device work shorter than the call that launched it, where the call took at most "
                 "50 us."),
           Item(&LaunchDigest::short_work))
      .Add(Count("runtimeOutliers", "Runtime outliers", "Calls that took more than 50 us."),
           Item(&LaunchDigest::slow_calls))
      .Add(Count("launchDelayOutliers", "Delay outliers",
                 "Device work that started more than 100 us after its launch call returned."),
           Item(&LaunchDigest::long_delays))
      .Add(Count("graphLaunches", "Graph launches",
                 "Calls that launched several pieces of device work."),
           Item(&LaunchDigest::graph_launches))
      .Add(Count("graphWork", "Graph work", "Device work launched by graphs."),
           Item(&LaunchDigest::graph_work));
  AddStat<Row>(table, "cpuDuration", "Call", "of the launching calls",
               [](const Row& r) -> const Stat& { return r.item->call; });
  AddStat<Row>(table, "gpuDuration", "Work", "of the work that was launched",
               [](const Row& r) -> const Stat& { return r.item->work; });
  AddStat<Row>(table, "launchDelay", "Delay", "from the end of a call to the start of its work",
               [](const Row& r) -> const Stat& { return r.item->delay; });
  AddStat<Row>(table, "avoidableDelay", "Avoidable",
               "of the delay while the stream had nothing else to do",
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
      .Add(IntegerKey("stream", "Stream", "Stream of the device."), Item(&QueueDigest::stream))
      .Add(Count("count", "Changes",
                 "Number of launches and starts of work, each of which changes the queue."),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.item->points.count)); })
      .Add(Quotient("mean", "Mean", "Mean queue length after each change."),
           [](const Row& r) { return Cell(r.item->points.Mean()); })
      .Add(Quotient("std", "Std dev", "Standard deviation of the queue length after each change."),
           [](const Row& r) {
             const auto n = static_cast<double>(r.item->points.count);
             const double mean = r.item->points.Mean();
             if (n < 2) return Cell(0.0);
             const double squares = static_cast<double>(r.item->squares) - n * mean * mean;
             return Cell(std::sqrt(std::max(0.0, squares) / (n - 1)));
           })
      .Add(Count("min", "Min", "Shortest queue.", Merge::kMin),
           [](const Row& r) { return Cell(r.item->points.min); })
      .Add(Count("p25", "25 %", "First quartile of the queue length after each change, within 1 %.",
                 Merge::kNone),
           quantile(0.25))
      .Add(Count("p50", "50 %", "Median queue length after each change, within 1 %.", Merge::kNone),
           quantile(0.5))
      .Add(Count("p75", "75 %", "Third quartile of the queue length after each change, within 1 %.",
                 Merge::kNone),
           quantile(0.75))
      .Add(Count("max", "Max", "Longest queue.", Merge::kMax),
           [](const Row& r) { return Cell(r.item->points.max); })
      .Add(Count("timeMedian", "Median over time",
                 "Median of the queue length over time, within 1 %.", Merge::kNone),
           [](const Row& r) { return Cell(r.item->time.Quantile(0.5)); })
      .Add(Duration(
               "durationAtMaxQueueLengthUs", "Queue full",
               "Time with 1,022 or more waiting launches, within 1 %: with more, a launch blocks."),
           [](const Row& r) { return TimeCell(static_cast<Ns>(r.item->time.AtLeast(kFullQueue))); })
      .Add(Share("relativeDurationAtMaxQueueLength", "Queue full share",
                 "Share of the stream's time in which its queue is full."),
           [](const Row& r) {
             return ShareCell(static_cast<double>(r.item->time.AtLeast(kFullQueue)),
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
      .Add(Count("count", "Count", "Number of copies."), Item(&CopyDigest::count))
      .Add(ByteCount("bytes", "Bytes", "Bytes copied, as recorded."),
           [](const Row& r) { return BytesCell(r.item->bytes); })
      .Add(Duration("sumUs", "Sum", "Sum of the durations."), TimeItem(&CopyDigest::time))
      .Add(Duration("busyUs", "Busy", "Time in which at least one of them runs."),
           TimeItem(&CopyDigest::busy))
      .Add(Quotient("bandwidth", "Bandwidth", "Bytes divided by busy time.", Unit::kGbPerS),
           [](const Row& r) {
             return r.item->bytes >= 0 && r.item->busy > 0
                        ? Cell(static_cast<double>(r.item->bytes) /
                               static_cast<double>(r.item->busy))
                        : Cell();
           })
      .Add(Count("points", "Changes", "Number of changes to a bandwidth above 0."),
           Item(&CopyDigest::points))
      .Add(Quotient("meanBandwidth", "Mean bandwidth", "Mean of the bandwidth after each change.",
                    Unit::kGbPerS),
           [](const Row& r) {
             return r.item->points > 0 ? Cell(static_cast<double>(r.item->rate_sum) / 1e6 /
                                              static_cast<double>(r.item->points))
                                       : Cell();
           })
      .Add(Quotient("maxBandwidth", "Max", "Largest bandwidth of copies that run concurrently.",
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
      .Add(TextKey("operator", "Operator", "Innermost operator around the launch."),
           [](const Row& r) { return TextOrEmpty(r.item->operation); })
      .Add(TextKey("topOperator", "Top operator", "Outermost operator around the launch."),
           [](const Row& r) { return TextOrEmpty(r.item->outer); })
      .Add(TextKey("kernel", "Kernel", "Name of the kernel, which is that of its range."),
           [](const Row& r) { return TextOrEmpty(r.item->kernel); })
      .Add(TextKey("counter", "Counter",
                   "Name of the counter in the profiler. flops: floating point operations of the "
                   "counted instructions, where a fused multiply-add is two; without those of "
                   "tensor cores."),
           [](const Row& r) { return TextCell(r.item->counter); })
      .Add(Count("count", "Kernels", "Kernels with the counter."), Item(&CounterDigest::count))
      .Add(Quotient("sum", "Sum",
                    "Sum over these kernels; meaningless for counters that are shares or means."),
           number(&CounterDigest::sum))
      .Add(Quotient("mean", "Mean", "Mean over these kernels."),
           [](const Row& r) {
             return Cell(std::bit_cast<double>(r.item->sum) /
                         static_cast<double>(std::max<uint64_t>(1, r.item->count)));
           })
      .Add(Quotient("min", "Min", "Of one kernel."), number(&CounterDigest::min))
      .Add(Quotient("max", "Max", "Of one kernel."), number(&CounterDigest::max));
  return table.Make(All(job, &RankDigest::counters));
}

Table JobSequencesTable(const Job& job) {
  using Row = Of<SequenceDigest>;
  TableBuilder<Row> table;
  AddKeys(table)
      .Add(TextKey("operator", "Operator",
                   "Innermost operator that launches at least three kernels."),
           [](const Row& r) { return TextCell(r.item->operation); })
      .Add(TextKey("pattern", "Kernels", "Names of the kernels, in the order in which they run."),
           [](const Row& r) {
             std::string text;
             for (const std::string& name : r.item->kernels)
               text += (text.empty() ? "" : "|") + name;
             return TextCell(text);
           })
      .Add(Count("kernels", "Length", "Number of kernels in the sequence.", Merge::kNone),
           [](const Row& r) { return Cell(static_cast<int64_t>(r.item->kernels.size())); })
      .Add(Count("count", "Count", "Calls that launched exactly this sequence."),
           Item(&SequenceDigest::count))
      .Add(Duration("gpuKernelDurationUs", "Device", "Sum of the durations of the kernels."),
           TimeItem(&SequenceDigest::device_time))
      .Add(Duration("cpuOpDurationUs", "Host", "Sum of the durations of the calls."),
           TimeItem(&SequenceDigest::host_time));
  return table.Make(All(job, &RankDigest::sequences));
}

}  // namespace emberline
