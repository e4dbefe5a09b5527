#include "analysis/line_slices.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/host_nesting.h"
#include "base/text.h"

namespace emberline {
namespace {

constexpr size_t kMaxOperators = 12, kMaxKernels = 8, kMaxCallers = 8, kMaxShapes = 3;
constexpr size_t kMaxShapeText = 200;
constexpr size_t kMaxShapeKinds = 64;  // that are told apart

struct Sum {
  uint64_t calls = 0;
  Ns device = 0, host = 0, backward = 0;
  std::map<std::string, uint64_t> shapes;

  void AddShape(std::string_view text) {
    const std::string shape(Beginning(text, kMaxShapeText));
    if (!shape.empty() && (shapes.size() < kMaxShapeKinds || shapes.contains(shape))) {
      ++shapes[shape];
    }
  }
};

std::vector<std::string> MostFrequent(const std::map<std::string, uint64_t>& shapes) {
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const auto& [text, count] : shapes) order.emplace_back(count, text);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (auto& [count, text] : order) {
    if (texts.size() == kMaxShapes) break;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<LinePart> Hottest(const TraceStore& store,
                              const std::unordered_map<StringId, Sum>& sums, bool device,
                              size_t most) {
  std::vector<std::pair<StringId, const Sum*>> order;
  for (const auto& [name, sum] : sums) order.emplace_back(name, &sum);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (device && a.second->device != b.second->device) return a.second->device > b.second->device;
    if (a.second->host != b.second->host) return a.second->host > b.second->host;
    return store.strings().Get(a.first) < store.strings().Get(b.first);
  });
  if (order.size() > most) order.resize(most);
  std::vector<LinePart> parts;
  for (const auto& [name, sum] : order) {
    parts.push_back(
        {name, sum->calls, sum->device, sum->host, sum->backward, MostFrequent(sum->shapes)});
  }
  return parts;
}

std::vector<LineCaller> Hottest(const std::map<uint32_t, LineCaller>& callers, bool device) {
  std::vector<LineCaller> order;
  for (const auto& [location, sum] : callers) order.push_back({location, sum.device, sum.host});
  std::stable_sort(order.begin(), order.end(), [&](const LineCaller& a, const LineCaller& b) {
    return device ? a.device > b.device : a.host > b.host;
  });
  if (order.size() > kMaxCallers) order.resize(kMaxCallers);
  return order;
}

// What a slice is charged to.
DevicePlace PlaceOf(const Model& model, const LineAttribution& at, SliceIndex i) {
  if (IsDeviceWork(model.store().kind(i))) return DevicePlaceOf(model, at, i);
  DevicePlace place;
  place.blamed = at.blamed[i];
  place.context = at.context[i];
  if (!at.origin.empty()) place.origin = at.origin[i];
  place.pass = at.pass[i];
  return place;
}

}  // namespace

std::vector<bool> LocationsAt(const LineAttribution& at, const std::string& file, int64_t line) {
  std::vector<bool> wanted(at.locations.size(), false);
  for (size_t l = 0; l < at.locations.size(); ++l) {
    wanted[l] = at.locations[l].line == line && at.locations[l].file == file;
  }
  return wanted;
}

std::vector<SliceIndex> SlicesOfLocations(const Model& model, const LineAttribution& at,
                                          const std::vector<bool>& wanted,
                                          const StepSelection& steps, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  const auto location = [&](uint32_t context) {
    return context == kNone ? kNone : at.contexts[context].location;
  };
  std::vector<SliceIndex> out;
  HostNesting nesting;
  if (!NestHostWork(store, cancel, &nesting)) return out;
  const auto around = [&](SliceIndex i) {
    return nesting.parent[i] == kNone ? kNone : at.blamed[nesting.parent[i]];
  };
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) break;
    if (!steps.Contains(model.step[i])) continue;
    uint32_t l = kNone;
    if (IsDeviceWork(store.kind(i))) {
      l = location(DevicePlaceOf(model, at, i).blamed);
    } else {
      l = location(at.CalledFrom(i));
      if (l == kNone || !wanted[l]) {
        if (at.user_frame[i])
          l = location(at.context[i]);
        else if (at.pass[i] != Pass::kForward && store.kind(i) == SliceKind::kCpuOp &&
                 at.blamed[i] != at.context[i] && around(i) != at.blamed[i]) {
          l = location(at.blamed[i]);  // outermost op of the line's backward, or that ran again
        }
      }
    }
    if (l != kNone && wanted[l]) out.push_back(i);
  }
  std::sort(out.begin(), out.end(), [&](SliceIndex a, SliceIndex b) {
    return store.start(a) != store.start(b) ? store.start(a) < store.start(b) : a < b;
  });
  return out;
}

std::vector<SliceIndex> LongestSlices(const TraceStore& store, std::vector<SliceIndex> slices,
                                      size_t most) {
  std::stable_sort(slices.begin(), slices.end(), [&](SliceIndex a, SliceIndex b) {
    return store.duration(a) > store.duration(b);
  });
  if (slices.size() > most) slices.resize(most);
  return slices;
}

Result<LineBreakdown> BreakDownLine(const Model& model, const LineAttribution& at,
                                    const std::vector<bool>& wanted, const StepSelection& steps,
                                    bool has_device_work, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  // Contexts at or below the line, and the caller by which each was reached.
  std::vector<bool> inside(at.contexts.size(), false);
  std::vector<uint32_t> caller(at.contexts.size(), kNone);
  for (uint32_t c = 0; c < at.contexts.size(); ++c) {  // parents come first
    const uint32_t p = at.contexts[c].parent;
    if (p != kNone && inside[p]) {
      inside[c] = true;
      caller[c] = caller[p];
    } else if (wanted[at.contexts[c].location]) {
      inside[c] = true;
      caller[c] = p == kNone ? kNone : at.contexts[p].location;
    }
  }
  HostNesting nesting;
  if (!NestHostWork(store, cancel, &nesting)) return Cancelled();
  std::unordered_map<StringId, Sum> operators, kernels;
  std::map<uint32_t, LineCaller> callers;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) {
      return Cancelled();
    }
    if (!steps.Contains(model.step[i])) continue;
    const bool device = IsDeviceWork(store.kind(i));
    const DevicePlace place = PlaceOf(model, at, i);
    uint32_t context = kNone;
    for (const uint32_t c : {place.blamed, place.context, place.caller, place.origin}) {
      if (context == kNone && c != kNone && inside[c]) context = c;
    }
    if (context == kNone) continue;
    const bool backward = place.pass == Pass::kBackward;
    if (device) {
      Sum& kernel = kernels[store.name_id(i)];
      ++kernel.calls;
      kernel.device += store.duration(i);
      if (backward) kernel.backward += store.duration(i);
      if (place.op != kNone) {
        Sum& op = operators[store.name_id(place.op)];
        op.device += store.duration(i);
        if (backward) op.backward += store.duration(i);
      }
      if (caller[context] != kNone) callers[caller[context]].device += store.duration(i);
      continue;
    }
    if (caller[context] != kNone) callers[caller[context]].host += nesting.exclusive[i];
    if (store.kind(i) != SliceKind::kCpuOp) continue;
    Sum& op = operators[store.name_id(i)];
    ++op.calls;
    op.host += nesting.exclusive[i];
    if (backward && !has_device_work) op.backward += nesting.exclusive[i];
    if (store.HasArg(ArgRole::kInputShapes)) {
      op.AddShape(store.ArgText(i, ArgRole::kInputShapes));
    }
  }
  return LineBreakdown{Hottest(store, operators, has_device_work, kMaxOperators),
                       Hottest(store, kernels, true, kMaxKernels),
                       Hottest(callers, has_device_work)};
}

Result<std::vector<LineCall>> CallsFrom(const TraceStore& store, const LineAttribution& at,
                                        const std::vector<bool>& wanted,
                                        const CancelToken& cancel) {
  const uint32_t n = store.slice_count();
  HostNesting nesting;
  if (!NestHostWork(store, cancel, &nesting)) return Cancelled();
  // Nearest listed call around each slice; parents come first.
  std::vector<SliceIndex> around(n, kNone);
  std::vector<Ns> exclusive(n, 0);
  std::vector<bool> is_listed(n, false);
  for (SliceIndex i = 0; i < n; ++i) {
    const SliceIndex p = nesting.parent[i];
    if (p != kNone) around[i] = is_listed[p] ? p : around[p];
    is_listed[i] = at.is_call[i] && wanted[at.contexts[at.CalledFrom(i)].location];
    if (!is_listed[i]) continue;
    exclusive[i] += store.duration(i);
    if (around[i] != kNone) exclusive[around[i]] -= store.duration(i);
  }
  std::vector<LineCall> calls;
  for (SliceIndex i = 0; i < n; ++i) {
    if (is_listed[i]) calls.push_back({i, std::max<Ns>(0, exclusive[i])});
  }
  return calls;
}

}  // namespace emberline
