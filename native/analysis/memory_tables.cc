// The tables of allocations: each one, by operator, and what was alive at the peak.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/frame_finder.h"
#include "analysis/links.h"
#include "analysis/memory.h"
#include "base/hash.h"

namespace emberline {
namespace {

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
  table.Add(
      TextFact(
          "operator", "Operator",
          "Innermost operator that ran when the memory was allocated; a bare aten::empty counts "
          "for the operator that called it. In angle brackets: what ran where no operator did."),
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
  table.Add(Link("slice", "Slice", "Operator in the timeline, or what ran instead of one.",
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
    for (int depth = 0; op != kNone && depth < kMaxOperatorChain; ++depth) {
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
  table.Add(Count("allocations", "Allocations", "Number of these allocations."), &Row::count);
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
