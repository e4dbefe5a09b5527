// Which operators launched which device work, and how long it took to get there: HTA's "ATen op and
// kernel delays".
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"
#include "ranks/digest_parts.h"

namespace emberline {
namespace {

constexpr size_t kMaxKernelName = 1600;  // as of kernels in other tables
constexpr size_t kKeptOperators = 100;   // of one device
constexpr size_t kMaxWork = 64;          // whose names are kept, of one call

using Works = std::vector<SliceIndex>;

// Work by the innermost operator that launched it, in the order of the launches.
std::unordered_map<SliceIndex, Works, NumberHash> WorkByOperator(const Model& model,
                                                                 const CancelToken& cancel) {
  const TraceStore& s = model.store();
  std::unordered_map<SliceIndex, Works, NumberHash> found;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return {};
    if (!IsDeviceWork(s.kind(i)) || model.launch[i] == kNone || model.op[i] == kNone) continue;
    found[model.op[i]].push_back(i);
  }
  for (auto& [op, works] : found) {
    std::sort(works.begin(), works.end(), [&](SliceIndex a, SliceIndex b) {
      return std::tuple(s.start(model.launch[a]), s.start(a), a) <
             std::tuple(s.start(model.launch[b]), s.start(b), b);
    });
  }
  return found;
}

void AddDelay(Ns delay, Ns* sum, Ns* max) {
  // A recorder's clocks of host and device may disagree.
  delay = std::max<Ns>(0, delay);
  *sum += delay;
  *max = std::max(*max, delay);
}

}  // namespace

void AddOperatorKernels(const DigestWork& work, RankDigest* digest) {
  const Model& model = work.model;
  const TraceStore& s = model.store();
  using Key = std::tuple<int64_t, StringId, std::vector<StringId>>;  // device, operator, its work
  std::map<Key, OperatorKernelsDigest> patterns;
  for (const auto& [op, works] : WorkByOperator(model, work.cancel)) {
    const SliceIndex first = works.front();
    const SliceIndex call = model.launch[first];
    std::vector<StringId> names;
    names.reserve(works.size());
    Ns time = 0;
    for (const SliceIndex i : works) {
      names.push_back(s.name_id(i));
      time += s.duration(i);
    }
    const int64_t device = s.tracks()[s.track(first)].device;
    OperatorKernelsDigest& one = patterns[{device, s.name_id(op), std::move(names)}];
    ++one.count;
    one.time += time;
    AddDelay(s.start(call) - s.start(op), &one.call_delay, &one.call_delay_max);
    AddDelay(s.start(first) - s.start(call), &one.start_delay, &one.start_delay_max);
  }
  std::map<int64_t, std::vector<std::pair<const Key*, OperatorKernelsDigest*>>> devices;
  for (auto& [key, one] : patterns) devices[std::get<0>(key)].emplace_back(&key, &one);
  size_t listed = 0;
  for (auto& [device, list] : devices) {
    if (++listed > kMaxDevices) return;
    for (auto& [key, one] : list) {
      const auto& [ordinal, op, names] = *key;
      one->device = ordinal;
      one->operation = Shortened(s.strings().Get(op), kMaxKernelName);
      one->launched = names.size();
    }
    // By names, not by their numbers, which depend on how the file was read.
    const auto names_before = [&](const Key& a, const Key& b) {
      return std::lexicographical_compare(
          std::get<2>(a).begin(), std::get<2>(a).end(), std::get<2>(b).begin(),
          std::get<2>(b).end(),
          [&](StringId x, StringId y) { return s.strings().Get(x) < s.strings().Get(y); });
    };
    const auto first = [&](const auto& a, const auto& b) {
      const auto before = std::tie(b.second->time, b.second->count, a.second->operation);
      const auto after = std::tie(a.second->time, a.second->count, b.second->operation);
      return before != after ? before < after : names_before(*a.first, *b.first);
    };
    std::sort(list.begin(), list.end(), first);
    if (list.size() > kKeptOperators) list.resize(kKeptOperators);
    for (auto& [key, one] : list) {
      const auto& names = std::get<2>(*key);
      for (size_t i = 0; i < std::min(names.size(), kMaxWork); ++i) {
        one->kernels.push_back(Shortened(s.strings().Get(names[i]), kMaxKernelName));
      }
      digest->operator_kernels.push_back(std::move(*one));
    }
  }
}

}  // namespace emberline
