// Devices and their streams.
#include <algorithm>
#include <unordered_map>

#include "base/case.h"
#include "base/hash.h"
#include "model/model_builder.h"

namespace emberline {

std::string ModelBuilder::DeviceKind(const Device& device, const std::string& otherwise) const {
  constexpr size_t kLongest = 16;
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  for (TrackIndex t : device.streams) {
    const std::string_view label = s_.strings().Get(s_.tracks()[t].process_labels);
    const size_t blank = label.find(' ');
    const std::string_view word = label.substr(0, blank);
    if (word.empty() || word.size() > kLongest) continue;
    // Some recorders leave the number out.
    const bool this_one = blank == std::string_view::npos ||
                          label.substr(blank + 1) == std::to_string(device.ordinal);
    if (this_one && word != "CPU" && std::all_of(word.begin(), word.end(), letter)) {
      return std::string(word);
    }
  }
  return otherwise;
}

std::string ModelBuilder::KindByCategories() const {
  for (const CategoryInfo& category : s_.categories()) {
    const std::string_view raw = s_.strings().Get(category.raw);
    for (const auto& [prefix, kind] :
         {std::pair{"mtia", "MTIA"}, std::pair{"xpu", "XPU"}, std::pair{"hpu", "HPU"}}) {
      const std::string_view lower = prefix;
      if (raw.size() > lower.size() && EqualsLower(raw.substr(0, lower.size()), lower)) {
        return kind;
      }
    }
  }
  return "GPU";
}

bool ModelBuilder::ListDevices() {
  Model& m = *model_;
  const auto& tracks = s_.tracks();
  std::vector<Ns> load(tracks.size(), 0);
  std::vector<bool> used(tracks.size(), false);
  for (TrackIndex t = 0; t < tracks.size(); ++t) {
    if (tracks[t].kind != TrackKind::kDeviceStream) continue;
    for (SliceIndex i = tracks[t].first; i < tracks[t].last; ++i) {
      if (!IsDeviceWork(Kind(i))) continue;
      load[t] += s_.duration(i);
      used[t] = true;
    }
  }
  std::unordered_map<int64_t, size_t, NumberHash> by_ordinal;
  for (TrackIndex t = 0; t < tracks.size(); ++t) {
    if (!used[t]) continue;
    const auto [it, added] = by_ordinal.try_emplace(tracks[t].device, m.devices.size());
    if (added) {
      Device device;
      device.ordinal = tracks[t].device;
      m.devices.push_back(std::move(device));
    }
    m.devices[it->second].streams.push_back(t);
  }
  std::sort(m.devices.begin(), m.devices.end(),
            [](const Device& a, const Device& b) { return a.ordinal < b.ordinal; });
  const std::string otherwise = KindByCategories();
  for (Device& device : m.devices) device.kind = DeviceKind(device, otherwise);
  const auto& properties = s_.metadata().devices;
  std::unordered_map<int64_t, const DeviceProperties*, NumberHash> by_id;
  for (const DeviceProperties& p : properties) by_id[p.id] = &p;
  for (Device& device : m.devices) {
    std::stable_sort(device.streams.begin(), device.streams.end(),
                     [&](TrackIndex a, TrackIndex b) { return load[a] > load[b]; });
    const auto found = by_id.find(device.ordinal);
    if (found != by_id.end()) device.properties = found->second;
  }
  // ROCm numbers kernels by agent (the first GPU is often 2), properties by GPU: when the numbers
  // do not meet, one used device and one entry, or entries all alike, leave no doubt (B60).
  bool alike = !properties.empty();
  for (const DeviceProperties& p : properties) {
    alike = alike && p.name == properties[0].name &&
            p.total_global_mem == properties[0].total_global_mem &&
            p.num_sms == properties[0].num_sms;
  }
  for (Device& device : m.devices) {
    if (device.properties == nullptr && alike) device.properties = &properties[0];
    if (device.properties != nullptr) device.name = device.properties->name;
  }
  return !cancel_.cancelled();
}

}  // namespace emberline
