// Kernels that operators launch again and again in the same order: candidates for fusion.
#include "ranks/sequences.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ranks/digest_parts.h"

namespace emberline {
namespace {

constexpr uint32_t kFewestKernels = 3;  // kernels; HTA's limit
constexpr uint32_t kMostKernels = 64;   // longer ones are whole models
constexpr size_t kKeptSequences = 20;

// Device work below each operator, its own and that of operators inside it.
std::vector<uint32_t> WorkBelow(const Model& model) {
  const TraceStore& s = model.store();
  std::vector<uint32_t> below(s.all_slice_count(), 0);
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (IsDeviceWork(s.kind(i)) && model.SourceOp(i) != kNone) ++below[model.SourceOp(i)];
  }
  // Outer slices stand before inner ones.
  for (SliceIndex i = s.all_slice_count(); i-- > 0;) {
    if (model.IsOp(i) && model.op[i] != kNone) below[model.op[i]] += below[i];
  }
  return below;
}

std::vector<SequenceDigest> Collect(const Model& model, const std::vector<bool>& chosen,
                                    const CancelToken& cancel) {
  const TraceStore& s = model.store();
  // The chosen operator that each operator lies in, itself included.
  std::vector<SliceIndex> root(s.all_slice_count(), kNone);
  for (SliceIndex i = 0; i < s.all_slice_count(); ++i) {
    if (!model.IsOp(i)) continue;
    const SliceIndex outer = model.op[i];
    root[i] = outer != kNone && root[outer] != kNone ? root[outer] : chosen[i] ? i : kNone;
  }
  std::map<SliceIndex, std::vector<SliceIndex>> found;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return {};
    if (!IsDeviceWork(s.kind(i)) || model.SourceOp(i) == kNone) continue;
    const SliceIndex at = root[model.SourceOp(i)];
    if (at != kNone) found[at].push_back(i);
  }
  std::map<std::tuple<StringId, int64_t, std::vector<StringId>>, SequenceDigest> patterns;
  for (auto& [op, works] : found) {
    std::sort(works.begin(), works.end(), [&](SliceIndex a, SliceIndex b) {
      return std::pair(s.start(a), a) < std::pair(s.start(b), b);
    });
    std::vector<StringId> names;
    Ns device = 0;
    for (const SliceIndex i : works) {
      names.push_back(s.name_id(i));
      device += s.duration(i);
    }
    const int64_t ordinal = s.tracks()[s.track(works[0])].device;
    SequenceDigest& pattern = patterns[{s.name_id(op), ordinal, std::move(names)}];
    ++pattern.count;
    pattern.device_time += device;
    pattern.host_time += s.duration(op);
  }
  std::vector<SequenceDigest> list;
  for (auto& [key, pattern] : patterns) {
    const auto& [op, ordinal, names] = key;
    pattern.device = ordinal;
    pattern.operation = s.strings().Get(op);
    for (const StringId name : names) {
      pattern.kernels.emplace_back(s.strings().Get(name));
    }
    list.push_back(std::move(pattern));
  }
  return list;
}

}  // namespace

std::vector<SequenceDigest> SequencesOf(const Model& model, const std::string& name,
                                        const CancelToken& cancel) {
  const TraceStore& s = model.store();
  const std::vector<uint32_t> below = WorkBelow(model);
  std::vector<bool> chosen(s.all_slice_count(), false);
  for (SliceIndex i = 0; i < s.all_slice_count(); ++i) {
    chosen[i] = model.IsOp(i) && below[i] >= kFewestKernels &&
                s.name(i).find(name) != std::string_view::npos;
  }
  std::vector<SequenceDigest> list = Collect(model, chosen, cancel);
  std::sort(list.begin(), list.end(), [](const SequenceDigest& a, const SequenceDigest& b) {
    return std::tie(b.count, a.operation, a.kernels, a.device) <
           std::tie(a.count, b.operation, b.kernels, b.device);
  });
  return list;
}

void AddSequences(const DigestWork& work, RankDigest* digest) {
  const Model& model = work.model;
  const TraceStore& s = model.store();
  const std::vector<uint32_t> below = WorkBelow(model);
  // The innermost operators with enough kernels.
  std::vector<bool> chosen(s.all_slice_count(), false);
  for (SliceIndex i = 0; i < s.all_slice_count(); ++i) {
    chosen[i] = model.IsOp(i) && below[i] >= kFewestKernels && below[i] <= kMostKernels;
    if (chosen[i] && model.op[i] != kNone) chosen[model.op[i]] = false;
  }
  // An operator around one that was chosen is none, however far out.
  for (SliceIndex i = s.all_slice_count(); i-- > 0;) {
    const SliceIndex outer = model.IsOp(i) ? model.op[i] : kNone;
    if (outer != kNone && below[i] >= kFewestKernels) chosen[outer] = false;
  }
  std::vector<SequenceDigest> list = Collect(model, chosen, work.cancel);
  std::sort(list.begin(), list.end(), [](const SequenceDigest& a, const SequenceDigest& b) {
    return std::tie(b.device_time, a.operation, a.kernels, a.device) <
           std::tie(a.device_time, b.operation, b.kernels, b.device);
  });
  std::erase_if(list, [](const SequenceDigest& one) { return one.count < 2; });
  if (list.size() > kKeptSequences) list.resize(kKeptSequences);
  digest->sequences = std::move(list);
}

}  // namespace emberline
