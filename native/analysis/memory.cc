#include "analysis/memory.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "analysis/links.h"
#include "analysis/modules.h"
#include "base/hash.h"

namespace emberline {
namespace {

// Longest chain of operators that is followed; deeper nesting only occurs in made-up files.
constexpr int kMaxChain = 128;

}  // namespace

std::string MemoryDeviceName(int32_t type, int32_t id) {
  const std::string number = " " + std::to_string(id < 0 ? 0 : id);
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

SliceIndex ListedOrAbove(const Model& model, SliceIndex op) {
  for (int i = 0; op != kNone && i < kMaxChain; ++i) {
    if (IsListedOperator(model, op)) return op;
    op = model.op[op];
  }
  return kNone;
}

// Owner of each record: one sweep per thread over its slices and records, both by time.
bool FindOwners(const Model& model, const CancelToken& cancel, std::vector<MemoryOwner>& owners) {
  const TraceStore& store = model.store();
  const auto& memory = store.memory();
  owners.assign(memory.size(), {});
  std::vector<std::vector<uint32_t>> by_track(store.tracks().size());
  for (uint32_t i = 0; i < memory.size(); ++i) {
    if (memory[i].track < by_track.size()) by_track[memory[i].track].push_back(i);
  }
  std::vector<SliceIndex> stack;
  for (uint32_t t = 0; t < by_track.size(); ++t) {
    if (by_track[t].empty()) continue;
    if (cancel.cancelled()) return false;
    const Track& track = store.tracks()[t];
    SliceIndex next = track.first;
    stack.clear();
    for (uint32_t record : by_track[t]) {
      const Ns ts = memory[record].ts;
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
      owner.op = ListedOrAbove(model, innermost);
      if (owner.op != kNone) owner.parent = ListedOrAbove(model, model.op[owner.op]);
    }
  }
  return true;
}

std::string OperatorName(const MemoryData& data, const TraceStore& store, uint32_t record) {
  const MemoryOwner& owner = data.owners[record];
  if (owner.op == kNone) {
    // What surrounds it says more than nothing: scalars made in Python, collectives, compiled code.
    if (owner.within == kNone) return "<unknown>";
    const Frame frame = ParseFrameName(store.name(owner.within));
    const bool python = store.kind(owner.within) == SliceKind::kPythonFunction;
    return "<in " + (python ? frame.function : std::string(store.name(owner.within))) + ">";
  }
  std::string name(store.name(owner.op));
  // A bare aten::empty says nothing: who asked for it does.
  if (name.starts_with("aten::empty") && owner.parent != kNone) {
    return std::string(store.name(owner.parent)) + " (" + name + ")";
  }
  return name;
}

// Where a record leads in the timeline.
SliceIndex SliceOf(const MemoryOwner& owner) { return owner.op != kNone ? owner.op : owner.within; }

std::string Hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Line and module of a record are looked up once per enclosing slice.
struct Place {
  std::string file;
  int64_t line = 0;
  std::string function;
  std::string module;
};
class Places {
 public:
  explicit Places(const Model& model) : frames_(model) {}
  const Place& Of(SliceIndex slice) {
    auto [it, fresh] = known_.try_emplace(slice);
    if (fresh && slice != kNone) {
      if (auto frame = frames_.UserFrame(slice)) {
        it->second.file = frame->file;
        it->second.line = frame->line;
        it->second.function = frame->function;
      }
      it->second.module = frames_.ModuleName(slice);
    }
    return it->second;
  }

 private:
  FrameFinder frames_;
  std::unordered_map<SliceIndex, Place, NumberHash> known_;
};

}  // namespace

int MemoryData::Find(const std::string& name) const {
  if (name.empty()) return devices.empty() ? -1 : 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Result<MemoryData> AnalyzeMemory(const Model& model, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  const auto& memory = store.memory();
  const Error cancelled{ErrorKind::kCancelled, "Cancelled.", "", {}};
  MemoryData data;
  if (!FindOwners(model, cancel, data.owners)) return cancelled;

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
      device.name = MemoryDeviceName(record.device_type, id);
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
    for (uint32_t i : device.records) {
      running += memory[i].bytes;
      device.allocated.push_back(device.relative ? running : memory[i].total_allocated);
      any_reserved |= memory[i].total_reserved > 0;
    }
    if (any_reserved && !device.relative) {
      for (uint32_t i : device.records) {
        device.reserved.push_back(std::max<int64_t>(0, memory[i].total_reserved));
        device.peak_reserved = std::max(device.peak_reserved, device.reserved.back());
      }
    }
    for (uint32_t at = 0; at < device.records.size(); ++at) {
      if (device.peak == kNone || device.allocated[at] > device.allocated[device.peak])
        device.peak = at;
    }
    if (device.peak != kNone) device.peak_allocated = device.allocated[device.peak];
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
  const auto time = [&](uint32_t at) { return memory[device.records[at]].ts; };
  const auto push = [&](uint32_t at, Ns ts) {
    curve.times.push_back(ts);
    curve.allocated.push_back(device.allocated[at]);
    if (!device.reserved.empty()) curve.reserved.push_back(device.reserved[at]);
  };
  const auto begin = std::lower_bound(device.records.begin(), device.records.end(), range.begin,
                                      [&](uint32_t i, Ns ts) { return memory[i].ts < ts; });
  const auto end = std::upper_bound(begin, device.records.end(), range.end,
                                    [&](Ns ts, uint32_t i) { return ts < memory[i].ts; });
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
        if (device.allocated[at] < device.allocated[low]) low = at;
        if (device.allocated[at] > device.allocated[high]) high = at;
        if (!device.reserved.empty() && device.reserved[at] > device.reserved[reserved])
          reserved = at;
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

Table MemoryEventsTable(const MemoryData& data, const Model& model, int device_index,
                        Interval range) {
  struct Row {
    std::string op;
    int64_t bytes = 0;
    std::optional<Ns> allocated, released;
    const char* state = "";
    const Place* place = nullptr;
    uint64_t address = 0;
    SliceIndex slice = kNone;
  };
  std::vector<Row> rows;
  Places places(model);
  if (device_index >= 0 && static_cast<size_t>(device_index) < data.devices.size()) {
    const TraceStore& store = model.store();
    const auto& memory = store.memory();
    const auto inside = [&](uint32_t record) {
      return record != kNone && memory[record].ts >= range.begin && memory[record].ts <= range.end;
    };
    for (const MemoryEvent& event : data.devices[device_index].events) {
      if (!inside(event.allocation) && !inside(event.release)) continue;
      // Who released says nothing about who allocated.
      const bool known = event.allocation != kNone;
      const uint32_t owner = known ? event.allocation : event.release;
      Row& row = rows.emplace_back();
      row.op = known ? OperatorName(data, store, owner) : "<unknown>";
      row.bytes = event.bytes;
      if (known) row.allocated = memory[event.allocation].ts;
      if (event.release != kNone) row.released = memory[event.release].ts;
      row.address = memory[owner].address;
      row.state = row.address == 0         ? "not matched"
                  : !known                 ? "release only"
                  : event.release == kNone ? "open"
                                           : "released";
      if (known) row.place = &places.Of(data.owners[owner].within);
      if (known) row.slice = SliceOf(data.owners[owner]);
    }
  }
  // Text of the place; empty where there is none.
  const auto placed = [](std::string Place::*member) {
    return [member](const Row& row) {
      return row.place == nullptr ? Cell() : TextOrEmpty(row.place->*member);
    };
  };
  const auto moment = [](std::optional<Ns> Row::*member) {
    return [member](const Row& row) { return row.*member ? TimeCell(*(row.*member)) : Cell(); };
  };
  TableBuilder<Row> table;
  table.Add(TextFact("operator", "Operator",
                     "Innermost operator that ran when the memory was allocated; a bare "
                     "aten::empty stands behind the operator that called it. In angle brackets: "
                     "no operator ran, and what did."),
            [](const Row& row) { return TextCell(row.op); });
  table.Add(ByteCount("sizeBytes", "Size", "Bytes of the allocation."), &Row::bytes);
  table.Add(MomentFact("allocationUs", "Allocated at",
                       "Time of the allocation since the profile's start; empty when it happened "
                       "before the recording."),
            moment(&Row::allocated));
  table.Add(MomentFact("releaseUs", "Released at",
                       "Time of the release since the profile's start; empty while the memory is "
                       "still held at the end."),
            moment(&Row::released));
  table.Add(Duration("durationUs", "Held for",
                     "Time from allocation to release; empty when one of them was not recorded."),
            [](const Row& row) {
              return row.allocated && row.released ? TimeCell(*row.released - *row.allocated)
                                                   : Cell();
            });
  table.Add(TextFact("state", "State",
                     "released: both ends recorded; open: still held at the end; release only: "
                     "allocated before the recording; not matched: the record has no address."),
            [](const Row& row) { return Cell(std::string(row.state)); });
  table.Add(TextFact("file", "File", "File of the innermost frame of your own code."),
            placed(&Place::file));
  table.Add(IntegerFact("line", "Line", "Line of that frame as recorded."), [](const Row& row) {
    return row.place != nullptr && row.place->line > 0 ? Cell(row.place->line) : Cell();
  });
  table.Add(TextFact("function", "Function", "Function of that frame."), placed(&Place::function));
  table.Add(TextFact("module", "Module", "Innermost nn.Module whose call was running."),
            placed(&Place::module));
  table.Add(TextFact("address", "Address", "Address of the memory."),
            [](const Row& row) { return row.address != 0 ? Cell(Hex(row.address)) : Cell(); });
  table.Add(Link("slice", "Slice", "The operator in the timeline, or what ran instead of one.",
                 CellType::kInteger),
            [](const Row& row) {
              return row.slice != kNone ? Cell(static_cast<int64_t>(row.slice)) : Cell();
            });
  return table.Make(rows);
}

Table MemoryStatisticsTable(const MemoryData& data, const Model& model, int device_index,
                            Interval range) {
  struct Row {
    std::string name;
    int64_t calls = 0;
    int64_t increase = 0, self_increase = 0, count = 0, self_count = 0, size = 0, self_size = 0;
    int64_t largest = INT64_MIN;
    SliceIndex example = kNone;
  };
  FrameFinder frames(model);
  TableBuilder<Row> table;
  table.Add(TextKey("operator", "Operator", "Operator name."),
            [](const Row& row) { return TextCell(row.name); });
  table.Add(
      Count("calls", "Calls", "Calls of the operator in the range, whether they allocated or not."),
      &Row::calls);
  table.Add(ByteCount("sizeIncreaseBytes", "Net change",
                      "Bytes allocated less bytes released by the operator and the operators it "
                      "called."),
            &Row::increase);
  table.Add(ByteCount("selfSizeIncreaseBytes", "Self net change",
                      "Bytes allocated less bytes released by the operator itself."),
            &Row::self_increase);
  table.Add(Count("allocationCount", "Count",
                  "How often the operator and the operators it called allocated."),
            &Row::count);
  table.Add(Count("selfAllocationCount", "Self count", "How often the operator itself allocated."),
            &Row::self_count);
  table.Add(ByteCount("allocationSizeBytes", "Allocated",
                      "Bytes allocated by the operator and the operators it called; releases are "
                      "not subtracted."),
            &Row::size);
  table.Add(ByteCount("selfAllocationSizeBytes", "Self allocated",
                      "Bytes allocated by the operator itself; releases are not subtracted."),
            &Row::self_size);
  AddLinks(table, frames, "Its largest allocation, for the timeline.", &Row::example);
  std::vector<Row> rows;
  if (device_index < 0 || static_cast<size_t>(device_index) >= data.devices.size()) {
    return table.Make(rows);
  }
  const TraceStore& store = model.store();
  const auto& memory = store.memory();
  std::unordered_map<StringId, Row> sums;
  std::vector<StringId> order;
  std::vector<StringId> chain;
  for (uint32_t i : data.devices[device_index].records) {
    const MemoryRecord& record = memory[i];
    if (record.ts < range.begin || record.ts > range.end) continue;
    const SliceIndex owner = data.owners[i].op;
    if (owner == kNone) continue;
    chain.clear();
    SliceIndex op = owner;
    for (int depth = 0; op != kNone && depth < kMaxChain; ++depth) {
      if (IsListedOperator(model, op)) chain.push_back(store.name_id(op));
      op = model.op[op];
    }
    const StringId self_name = chain.front();
    std::sort(chain.begin(), chain.end());
    chain.erase(std::unique(chain.begin(), chain.end()), chain.end());
    for (StringId name : chain) {
      auto [it, fresh] = sums.try_emplace(name);
      if (fresh) order.push_back(name);
      Row& s = it->second;
      s.increase += record.bytes;
      if (record.bytes > 0) s.size += record.bytes, ++s.count;
      if (record.bytes > s.largest) s.largest = record.bytes, s.example = owner;
      if (name == self_name) {
        s.self_increase += record.bytes;
        if (record.bytes > 0) s.self_size += record.bytes, ++s.self_count;
      }
    }
  }
  std::unordered_map<StringId, int64_t> calls;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (store.kind(i) != SliceKind::kCpuOp || !sums.contains(store.name_id(i))) continue;
    if (store.end(i) < range.begin || store.start(i) > range.end) continue;
    ++calls[store.name_id(i)];
  }
  for (StringId name : order) {
    Row& row = sums[name];
    if (row.increase == 0 && row.size == 0 && row.self_increase == 0) continue;
    row.name = std::string(store.strings().Get(name));
    row.calls = calls[name];
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.self_increase != b.self_increase ? a.self_increase > b.self_increase : a.name < b.name;
  });
  return table.Make(rows);
}

Table MemoryPeakTable(const MemoryData& data, const Model& model, int device_index,
                      PeakGrouping by) {
  struct Row {
    std::string name;
    int64_t bytes = 0;
    std::optional<int64_t> count;
    double share = 0;
    SliceIndex example = kNone;
  };
  FrameFinder frames(model);
  TableBuilder<Row> table;
  table.Add(by == PeakGrouping::kOperator
                ? TextKey("name", "Operator", "Operator that allocated the memory.")
            : by == PeakGrouping::kLine
                ? TextKey("name", "Line", "Line of your own code that allocated the memory.")
                : TextKey("name", "Module", "nn.Module whose call allocated the memory."),
            [](const Row& row) { return TextCell(row.name); });
  table.Add(ByteCount("sizeBytes", "Held at the peak",
                      "Bytes that were allocated by then and not yet released."),
            &Row::bytes);
  table.Add(Count("allocations", "Allocations", "How many allocations that is."), &Row::count);
  table.Add(Share("share", "Share", "Part of all bytes allocated at the peak."),
            [](const Row& row) { return Cell(row.share); });
  AddLinks(table, frames, "Its largest allocation, for the timeline.", &Row::example);
  std::vector<Row> rows;
  if (device_index < 0 || static_cast<size_t>(device_index) >= data.devices.size()) {
    return table.Make(rows);
  }
  const MemoryDevice& device = data.devices[device_index];
  if (device.peak == kNone || device.peak_allocated <= 0 || !device.has_addresses) {
    return table.Make(rows);
  }
  const TraceStore& store = model.store();
  const uint32_t peak_record = device.records[device.peak];
  struct Group {
    int64_t bytes = 0, count = 0, largest = 0;
    SliceIndex example = kNone;
  };
  std::unordered_map<std::string, Group> groups;
  Places places(model);
  int64_t explained = 0;
  for (const MemoryEvent& event : device.events) {
    if (event.allocation == kNone || event.allocation > peak_record) continue;
    if (event.release != kNone && event.release <= peak_record) continue;
    const MemoryOwner& owner = data.owners[event.allocation];
    std::string name;
    if (by == PeakGrouping::kOperator) {
      name = OperatorName(data, store, event.allocation);
    } else {
      const Place& place = places.Of(owner.within);
      if (by == PeakGrouping::kModule) {
        name = place.module.empty() ? "<outside modules>" : place.module;
      } else {
        name =
            place.file.empty() ? "<no Python line>" : place.file + ":" + std::to_string(place.line);
      }
    }
    Group& group = groups[name];
    group.bytes += event.bytes;
    ++group.count;
    if (event.bytes > group.largest) {
      group.largest = event.bytes;
      // The stack is the innermost slice's: an operator may lie far around the line.
      group.example = by == PeakGrouping::kOperator ? SliceOf(owner) : owner.within;
    }
    explained += event.bytes;
  }
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.bytes != b.second.bytes ? a.second.bytes > b.second.bytes : a.first < b.first;
  });
  // Repeated allocations at one address can explain more than the allocator counted.
  const double whole = static_cast<double>(std::max(explained, device.peak_allocated));
  for (auto& [name, group] : sorted) {
    rows.push_back({std::move(name), group.bytes, group.count,
                    static_cast<double>(group.bytes) / whole, group.example});
  }
  if (device.peak_allocated > explained) {
    const int64_t before = device.peak_allocated - explained;
    rows.push_back({"<allocated before the recording>", before, std::nullopt,
                    static_cast<double>(before) / whole, kNone});
  }
  return table.Make(rows);
}

}  // namespace emberline
