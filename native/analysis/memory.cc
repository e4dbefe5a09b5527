#include "analysis/memory.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/listed_operators.h"
#include "analysis/stack_of.h"
#include "analysis/tensor_cores.h"
#include "base/hash.h"

namespace emberline {

std::string MemoryDeviceName(int32_t type, int32_t id) {
  const std::string number = id < 0 ? "" : " " + std::to_string(id);
  switch (type) {
    case 0:
      return "CPU";
    case 1:  // CUDA; ROCm builds record this too
    case 6:
      return "GPU" + number;  // HIP
    case 9:
      return "XLA" + number;
    case 12:
      return "XPU" + number;
    case 13:
      return "MPS" + number;
    case 15:
      return "HPU" + number;
    case 19:
      return "MTIA" + number;
    case 20:
      return "PrivateUse1" + number;
    default:
      return "Device type " + std::to_string(type) + number;
  }
}

namespace {

bool IsGpu(int32_t type) { return type == 1 || type == 6; }

}  // namespace

MemoryDeviceNames::MemoryDeviceNames(const Model& model) {
  // Of several, nothing says which is which.
  if (model.devices.size() != 1 || VendorOf(model) != Vendor::kAmd) return;
  int32_t id = -1;
  for (const MemoryRecord& record : model.store().memory()) {
    if (!IsGpu(record.device_type) || record.device_id == id) continue;
    if (id >= 0 || record.device_id < 0) return;
    id = record.device_id;
  }
  const int64_t ordinal = model.devices.front().ordinal;
  if (id < 0 || ordinal < 0 || ordinal > INT32_MAX) return;
  id_ = id;
  ordinal_ = static_cast<int32_t>(ordinal);
}

int32_t MemoryDeviceNames::OrdinalOf(int32_t type, int32_t id) const {
  return IsGpu(type) && id == id_ && id >= 0 ? ordinal_ : id;
}

namespace {

struct DeviceKey {
  int32_t type, id;
  bool operator==(const DeviceKey&) const = default;
};

struct AddressKey {
  uint32_t device;
  uint64_t address;
  bool operator==(const AddressKey&) const = default;
};
struct AddressHash {
  size_t operator()(const AddressKey& k) const { return HashPair(k.address, k.device); }
};

SliceIndex ListedOrAbove(const Model& model, ListedOperators& listed, SliceIndex op) {
  for (int i = 0; op != kNone && i < kMaxOperatorChain; ++i) {
    if (listed(op)) return op;
    op = model.op[op];
  }
  return kNone;
}

// Owner of each record: one sweep per thread over its slices and records, both by time.
std::optional<MemoryOwners> FindOwners(const Model& model, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  const auto& memory = store.memory();
  std::vector<MemoryOwner> owners(memory.size());
  std::vector<std::vector<uint32_t>> by_track(store.tracks().size());
  for (uint32_t i = 0; i < memory.size(); ++i) {
    const TrackIndex track = memory.At<&MemoryRecord::track>(i);
    if (track < by_track.size()) by_track[track].push_back(i);
  }
  ListedOperators listed(model);
  std::vector<SliceIndex> stack;
  for (uint32_t t = 0; t < by_track.size(); ++t) {
    if (by_track[t].empty()) continue;
    if (cancel.cancelled()) return std::nullopt;
    const Track& track = store.tracks()[t];
    SliceIndex next = track.first;
    stack.clear();
    for (uint32_t record : by_track[t]) {
      const Ns ts = memory.At<&MemoryRecord::ts>(record);
      while (next < track.last && store.start(next) <= ts) {
        while (!stack.empty() && store.end(stack.back()) <= store.start(next)) stack.pop_back();
        stack.push_back(next++);
      }
      while (!stack.empty() && store.end(stack.back()) <= ts) stack.pop_back();
      if (stack.empty()) continue;
      MemoryOwner& owner = owners[record];
      owner.within = stack.back();
      const SliceIndex innermost =
          store.kind(owner.within) == SliceKind::kCpuOp ? owner.within : model.op[owner.within];
      owner.op = ListedOrAbove(model, listed, innermost);
      if (owner.op != kNone) owner.parent = ListedOrAbove(model, listed, model.op[owner.op]);
    }
  }
  return MemoryOwners(owners);
}

}  // namespace

MemoryOwners::MemoryOwners(const std::vector<MemoryOwner>& owners) {
  std::vector<SliceIndex> column(owners.size());
  const auto pack = [&](SliceIndex MemoryOwner::*member, PackedColumn<SliceIndex>* packed) {
    for (size_t i = 0; i < owners.size(); ++i) column[i] = owners[i].*member;
    packed->Append(column);
  };
  pack(&MemoryOwner::op, &op_);
  pack(&MemoryOwner::parent, &parent_);
  pack(&MemoryOwner::within, &within_);
}

int MemoryData::Find(const std::string& name) const {
  if (name.empty()) return devices.empty() ? -1 : 0;
  for (const auto member : {&MemoryDevice::name, &MemoryDevice::allocator_name}) {
    for (size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].*member == name) return static_cast<int>(i);
    }
  }
  return -1;
}

Result<MemoryData> AnalyzeMemory(const Model& model, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  const auto& memory = store.memory();
  const Error cancelled = Cancelled();
  MemoryData data;
  auto owners = FindOwners(model, cancel);
  if (!owners) return cancelled;
  data.owners = std::move(*owners);

  const MemoryDeviceNames names(model);
  std::unordered_map<uint64_t, uint32_t, NumberHash> device_of;
  std::unordered_map<int64_t, int64_t, NumberHash> capacity_of;
  for (const DeviceProperties& p : store.metadata().devices) {
    if (p.total_global_mem > 0) capacity_of[p.id] = p.total_global_mem;
  }
  std::unordered_map<AddressKey, uint32_t, AddressHash> open;  // event index within its device
  for (uint32_t i = 0; i < memory.size(); ++i) {
    if ((i & 0xFFFF) == 0 && cancel.cancelled()) return cancelled;
    const MemoryRecord& record = memory[i];
    const int32_t id = record.device_type == 0 ? -1 : record.device_id;
    const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(record.device_type)) << 32 |
                         static_cast<uint32_t>(id);
    auto [slot, fresh] = device_of.try_emplace(key, static_cast<uint32_t>(data.devices.size()));
    if (fresh) {
      MemoryDevice device;
      device.type = record.device_type;
      device.id = id;
      device.name = names.Of(record.device_type, id);
      device.allocator_name = MemoryDeviceName(record.device_type, id);
      if (record.device_type != 0) {
        const auto known = capacity_of.find(id);
        if (known != capacity_of.end()) device.capacity = known->second;
      }
      data.devices.push_back(std::move(device));
    }
    MemoryDevice& device = data.devices[slot->second];
    device.records.push_back(i);
    if (record.total_allocated < 0) device.relative = true;
    device.has_addresses = device.has_addresses || record.address != 0;
    const AddressKey address{slot->second, record.address};
    if (record.bytes > 0) {
      // A second allocation at an address leaves the first open: its release was not recorded
      // (B36).
      if (record.address != 0) open[address] = static_cast<uint32_t>(device.events.size());
      device.events.push_back({i, kNone, record.bytes});
    } else {
      auto it = record.address != 0 ? open.find(address) : open.end();
      if (it != open.end()) {
        device.events[it->second].release = i;
        open.erase(it);
      } else {
        device.events.push_back({kNone, i, -record.bytes});
      }
    }
  }

  for (MemoryDevice& device : data.devices) {
    bool any_reserved = false;
    int64_t running = 0;
    if (device.relative) device.running.reserve(device.records.size());
    for (uint32_t i : device.records) {
      running += memory.At<&MemoryRecord::bytes>(i);
      if (device.relative) device.running.push_back(running);
      any_reserved |= memory.At<&MemoryRecord::total_reserved>(i) > 0;
    }
    device.has_reserved = any_reserved && !device.relative;
    for (uint32_t at = 0; at < device.records.size(); ++at) {
      const int64_t allocated = device.AllocatedAt(memory, at);
      // A curve that counts from zero is never below it at its peak: that was at its beginning.
      const bool first = device.peak == kNone && !device.relative;
      if (first || allocated > device.peak_allocated) {
        device.peak = at;
        device.peak_allocated = allocated;
      }
      if (device.has_reserved) {
        device.peak_reserved = std::max(device.peak_reserved, device.ReservedAt(memory, at));
      }
    }
    // They stay as long as the trace does.
    device.records.shrink_to_fit();
    device.events.shrink_to_fit();
  }
  std::stable_sort(data.devices.begin(), data.devices.end(),
                   [](const MemoryDevice& a, const MemoryDevice& b) {
                     if ((a.type == 0) != (b.type == 0)) return b.type == 0;
                     return std::pair(a.type, a.id) < std::pair(b.type, b.id);
                   });
  return data;
}

MemoryCurve SampleMemory(const MemoryData& data, const Model& model, int device_index,
                         Interval range, uint32_t points) {
  MemoryCurve curve;
  if (device_index < 0 || static_cast<size_t>(device_index) >= data.devices.size()) return curve;
  const MemoryDevice& device = data.devices[device_index];
  const auto& memory = model.store().memory();
  const auto time = [&](uint32_t at) { return memory.At<&MemoryRecord::ts>(device.records[at]); };
  const auto push = [&](uint32_t at, Ns ts) {
    curve.times.push_back(ts);
    curve.allocated.push_back(device.AllocatedAt(memory, at));
    if (device.has_reserved) curve.reserved.push_back(device.ReservedAt(memory, at));
  };
  const auto begin =
      std::lower_bound(device.records.begin(), device.records.end(), range.begin,
                       [&](uint32_t i, Ns ts) { return memory.At<&MemoryRecord::ts>(i) < ts; });
  const auto end = std::upper_bound(begin, device.records.end(), range.end, [&](Ns ts, uint32_t i) {
    return ts < memory.At<&MemoryRecord::ts>(i);
  });
  const uint32_t first = static_cast<uint32_t>(begin - device.records.begin());
  const uint32_t last = static_cast<uint32_t>(end - device.records.begin());
  curve.records = last - first;
  // The value that holds at the left edge.
  if (first > 0) push(first - 1, range.begin);
  if (last - first <= points) {
    for (uint32_t at = first; at < last; ++at) push(at, time(at));
  } else {
    const uint32_t buckets = std::max<uint32_t>(1, points / 4);
    std::vector<uint32_t> keep;
    for (uint32_t b = 0; b < buckets; ++b) {
      const uint32_t from = first + static_cast<uint32_t>(uint64_t{last - first} * b / buckets);
      const uint32_t to = first + static_cast<uint32_t>(uint64_t{last - first} * (b + 1) / buckets);
      if (from == to) continue;
      uint32_t low = from, high = from, reserved = from;
      for (uint32_t at = from; at < to; ++at) {
        const int64_t allocated = device.AllocatedAt(memory, at);
        if (allocated < device.AllocatedAt(memory, low)) low = at;
        if (allocated > device.AllocatedAt(memory, high)) high = at;
        if (device.has_reserved &&
            device.ReservedAt(memory, at) > device.ReservedAt(memory, reserved)) {
          reserved = at;
        }
      }
      keep = {from, low, high, reserved, to - 1};
      std::sort(keep.begin(), keep.end());
      keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
      for (uint32_t at : keep) push(at, time(at));
    }
  }
  if (!curve.times.empty() && curve.times.back() < range.end && last > 0) push(last - 1, range.end);
  return curve;
}

}  // namespace emberline
