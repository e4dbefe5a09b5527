// Hardware counters of kernels: ranges of the counter profiler, by the operator that launched them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "ranks/digest_parts.h"
#include "ranks/messages.h"

namespace emberline {
namespace {

constexpr std::string_view kRangeCategory = "cuda_profiler_range";
constexpr size_t kMaxCounterName = 200;
constexpr size_t kKeptCounters = 4000;  // rows of a digest

// Floating point operations of one counted instruction of a thread.
struct Weight {
  std::string_view instruction;
  double flops;
};
constexpr Weight kWeights[] = {{"fadd", 1}, {"fmul", 1}, {"ffma", 2}, {"hadd", 1}, {"hmul", 1},
                               {"hfma", 2}, {"dadd", 1}, {"dmul", 1}, {"dfma", 2}};
constexpr std::string_view kInstructions = "smsp__sass_thread_inst_executed_op_";
constexpr std::string_view kExecuted = "_pred_on.sum";

double FlopsOf(std::string_view counter) {
  if (!counter.starts_with(kInstructions) || !counter.ends_with(kExecuted)) return 0;
  counter.remove_prefix(kInstructions.size());
  counter.remove_suffix(kExecuted.size());
  for (const Weight& weight : kWeights) {
    if (counter == weight.instruction) return weight.flops;
  }
  return 0;
}

bool IsRange(const TraceStore& s, SliceIndex i) {
  return s.kind(i) == SliceKind::kGpuUserAnnotation &&
         s.strings().Get(s.categories()[s.category(i)].raw) == kRangeCategory;
}

bool LaunchesKernel(const TraceStore& s, SliceIndex i) {
  const auto has = [&](std::string_view part) { return s.name(i).find(part) != std::string::npos; };
  return IsLaunchApi(s.kind(i)) && (has("LaunchKernel") || has("LaunchCooperativeKernel"));
}

std::vector<SliceIndex> ByStart(const TraceStore& s, std::vector<SliceIndex> slices) {
  std::stable_sort(slices.begin(), slices.end(),
                   [&](SliceIndex a, SliceIndex b) { return s.start(a) < s.start(b); });
  return slices;
}

// The launch of each range. Their times are made up, so only their order tells: that of the
// launches. Empty where the numbers differ.
std::vector<SliceIndex> LaunchesOf(const TraceStore& s, size_t ranges) {
  std::vector<SliceIndex> runtime, all;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!LaunchesKernel(s, i)) continue;
    all.push_back(i);
    if (s.kind(i) == SliceKind::kRuntime) runtime.push_back(i);
  }
  // Runtime calls may contain driver calls that do the same.
  if (runtime.size() == ranges) return ByStart(s, std::move(runtime));
  if (all.size() == ranges) return ByStart(s, std::move(all));
  return {};
}

std::optional<double> NumberOf(const ArgValue& value) {
  if (const int64_t* whole = std::get_if<int64_t>(&value.v)) return static_cast<double>(*whole);
  if (const double* number = std::get_if<double>(&value.v)) {
    if (std::isfinite(*number)) return *number;
  }
  return std::nullopt;
}

struct CounterSum {
  uint64_t count = 0;
  double sum = 0, min = 0, max = 0;
  void Add(double value) {
    min = count == 0 ? value : std::min(min, value);
    max = count == 0 ? value : std::max(max, value);
    sum += value;
    ++count;
  }
};

}  // namespace

bool IsAnnotationOfDevice(const TraceStore& store, SliceIndex slice) {
  return store.kind(slice) == SliceKind::kGpuUserAnnotation && !IsRange(store, slice);
}

void AddCounters(const DigestWork& work, RankDigest* digest) {
  const Model& m = work.model;
  const TraceStore& s = m.store();
  std::vector<SliceIndex> ranges;
  for (const Track& track : s.tracks()) {
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (IsRange(s, i)) ranges.push_back(i);
    }
  }
  if (ranges.empty()) return;
  ranges = ByStart(s, std::move(ranges));
  const std::vector<SliceIndex> launches = LaunchesOf(s, ranges.size());
  if (launches.empty()) {
    digest->notices.push_back(Say(messages::kUnevenCounters, {{"ranges", ranges.size()}}).text);
  }
  using Key = std::tuple<int64_t, std::string, std::string, std::string, std::string>;
  std::map<Key, CounterSum> sums;
  for (size_t r = 0; r < ranges.size(); ++r) {
    if (work.cancel.cancelled()) return;
    std::string inner, outer;
    int64_t device = s.tracks()[s.track(ranges[r])].device;
    if (!launches.empty()) {
      const auto works = m.launched[launches[r]];
      if (!works.empty()) device = s.tracks()[s.track(works[0])].device;
      for (SliceIndex op = m.op[launches[r]]; op != kNone; op = m.op[op]) {
        if (s.kind(op) != SliceKind::kCpuOp) continue;
        if (inner.empty()) inner = Shortened(s.name(op), kMaxCounterName);
        outer = Shortened(s.name(op), kMaxCounterName);
      }
    }
    const std::string kernel = Shortened(s.name(ranges[r]), kMaxCounterName);
    double flops = 0;
    bool counted = false;
    for (const auto& [key, value] : s.Args(ranges[r])) {
      const auto number = NumberOf(value);
      if (!number) continue;
      const std::string_view counter = s.strings().Get(key);
      sums[{device, inner, outer, kernel, Shortened(counter, kMaxCounterName)}].Add(*number);
      const double weight = FlopsOf(counter);
      flops += weight * *number;
      counted = counted || weight > 0;
    }
    if (counted) sums[{device, inner, outer, kernel, kCountedFlops}].Add(flops);
  }
  for (const auto& [key, sum] : sums) {
    if (digest->counters.size() == kKeptCounters) {
      digest->notices.push_back(
          Say(messages::kManyCounters, {{"sums", sums.size()}, {"kept", kKeptCounters}}).text);
      break;
    }
    CounterDigest row;
    std::tie(row.device, row.operation, row.outer, row.kernel, row.counter) = key;
    row.count = sum.count;
    row.sum = std::bit_cast<int64_t>(sum.sum);
    row.min = std::bit_cast<int64_t>(sum.min);
    row.max = std::bit_cast<int64_t>(sum.max);
    digest->counters.push_back(std::move(row));
  }
}

}  // namespace emberline
