// The tables of allocations: each one, by operator, and what was alive at the peak.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/frame_finder.h"
#include "analysis/links.h"
#include "analysis/listed_operators.h"
#include "analysis/memory.h"
#include "analysis/row_table.h"

namespace emberline {
namespace {

// A bare aten::empty says nothing: who asked for it does.
bool AsksParent(const TraceStore& store, const MemoryOwner& owner) {
  return owner.parent != kNone && store.name(owner.op).starts_with("aten::empty");
}

std::string OperatorName(const MemoryData& data, const TraceStore& store, uint32_t record) {
  const MemoryOwner owner = data.owners[record];
  if (owner.op == kNone) {
    // What surrounds it says more than nothing: scalars made in Python, collectives, compiled code.
    if (owner.within == kNone) return "<unknown>";
    const Frame frame = ParseFrameName(store.name(owner.within));
    const bool python = store.kind(owner.within) == SliceKind::kPythonFunction;
    return "<in " + (python ? frame.function : std::string(store.name(owner.within))) + ">";
  }
  std::string name(store.name(owner.op));
  if (AsksParent(store, owner)) {
    return std::string(store.name(owner.parent)) + " (" + name + ")";
  }
  return name;
}

// What OperatorName() stands on.
Alike AlikeOperator(const MemoryData& data, const TraceStore& store, uint32_t record) {
  const MemoryOwner owner = data.owners[record];
  if (owner.op != kNone) {
    const bool asks = AsksParent(store, owner);
    return {store.name_id(owner.op),
            uint64_t{3} << 32 | (asks ? store.name_id(owner.parent) : kNone)};
  }
  if (owner.within == kNone) return {};
  const bool python = store.kind(owner.within) == SliceKind::kPythonFunction;
  return {store.name_id(owner.within), python ? uint64_t{2} << 32 : uint64_t{1} << 32};
}

// Where a record leads in the timeline.
SliceIndex SliceOf(const MemoryOwner& owner) { return owner.op != kNone ? owner.op : owner.within; }

std::string Hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

struct EventRow {
  const MemoryEvent* event = nullptr;
  uint32_t record = 0;  // the allocation; the release where that is not known
  int64_t bytes = 0;
  bool allocated() const { return event->allocation != kNone; }
  bool released() const { return event->release != kNone; }
};

class EventsTable : public RowTable<EventRow> {
 public:
  EventsTable(const MemoryData& data, const Model& model, int device,
              std::span<const uint32_t> events)
      : data_(data),
        model_(model),
        store_(model.store()),
        device_(device),
        events_(events),
        frames_(model) {
    AddEnds();
    AddPlaces();
  }

  size_t row_count() const override { return events_.size(); }
  std::unique_ptr<LazyTable> Another() const override {
    return std::make_unique<EventsTable>(data_, model_, device_, events_);
  }

 private:
  enum class State : uint8_t { kNotMatched, kReleaseOnly, kOpen, kReleased };

  using Row = EventRow;

  Row RowAt(size_t at) const override {
    const MemoryEvent& event = data_.devices[static_cast<size_t>(device_)].events[events_[at]];
    return {&event, event.allocation != kNone ? event.allocation : event.release, event.bytes};
  }
  Ns TimeOf(uint32_t record) const { return store_.memory().At<&MemoryRecord::ts>(record); }
  uint64_t AddressOf(const Row& row) const {
    return store_.memory().At<&MemoryRecord::address>(row.record);
  }
  State StateOf(const Row& row) const {
    if (AddressOf(row) == 0) return State::kNotMatched;
    if (!row.allocated()) return State::kReleaseOnly;
    return row.released() ? State::kReleased : State::kOpen;
  }
  // The slice that the place of a row is looked up from. Who released says nothing about who
  // allocated.
  SliceIndex Within(const Row& row) const {
    return row.allocated() ? data_.owners[row.record].within : kNone;
  }
  FrameFinder::Place PlaceOf(const Row& row) {
    const SliceIndex within = Within(row);
    return within == kNone ? FrameFinder::Place() : frames_.UserPlace(within);
  }
  std::string_view ModuleOf(const Row& row) {
    const SliceIndex within = Within(row);
    return within == kNone ? std::string_view() : frames_.ModuleText(within);
  }

  void AddEnds() {
    table_.Add(
        TextFact("operator", "Operator",
                 "Innermost operator that was running when the memory was allocated; an "
                 "aten::empty counts for the operator that called it. In angle brackets: what was "
                 "running instead, if no operator was."),
        [this](const Row& row) {
          return row.allocated() ? TextCell(OperatorName(data_, store_, row.record))
                                 : TextCell("<unknown>");
        },
        [this](const Row& row) {
          return row.allocated() ? AlikeOperator(data_, store_, row.record) : Alike();
        });
    table_.Add(ByteCount("sizeBytes", "Size", "Size of the allocation."), &Row::bytes);
    table_.Add(MomentFact("allocationUs", "Allocated at",
                          "When the memory was allocated, from the start of the profile; empty if "
                          "that was before the recording began."),
               [this](const Row& row) {
                 return row.allocated() ? TimeCell(TimeOf(row.event->allocation)) : Cell();
               });
    table_.Add(MomentFact("releaseUs", "Released at",
                          "When the memory was freed, from the start of the profile; empty if it "
                          "was still held at the end."),
               [this](const Row& row) {
                 return row.released() ? TimeCell(TimeOf(row.event->release)) : Cell();
               });
    table_.Add(Duration("durationUs", "Held for",
                        "Time from allocation to release; empty if either was not recorded."),
               [this](const Row& row) {
                 if (!row.allocated() || !row.released()) return Cell();
                 return TimeCell(TimeOf(row.event->release) - TimeOf(row.event->allocation));
               });
    table_.Add(
        TextFact("state", "State",
                 "released: allocated and freed during the recording; open: still held at the end; "
                 "release only: allocated before the recording began; not matched: the record has "
                 "no address."),
        [this](const Row& row) {
          constexpr const char* kWords[] = {"not matched", "release only", "open", "released"};
          return Cell(std::string(kWords[static_cast<size_t>(StateOf(row))]));
        },
        [this](const Row& row) { return Alike(static_cast<uint64_t>(StateOf(row)), 0); });
  }

  void AddPlaces() {
    const auto by_frame = [this](const Row& row) {
      return Alike(reinterpret_cast<uintptr_t>(PlaceOf(row).frame), 0);
    };
    const auto text = [this](std::string Frame::*member) {
      return [this, member](const Row& row) {
        const FrameFinder::Place place = PlaceOf(row);
        return place ? TextOrEmpty(place.frame->*member) : Cell();
      };
    };
    table_.Add(TextFact("file", "File", "File of the innermost frame of your own code."),
               text(&Frame::file), by_frame);
    table_.Add(IntegerFact("line", "Line", "Line of that frame, as recorded."),
               [this](const Row& row) {
                 const int64_t line = PlaceOf(row).line;
                 return line > 0 ? Cell(line) : Cell();
               });
    table_.Add(TextFact("function", "Function", "Function of that frame."), text(&Frame::function),
               by_frame);
    table_.Add(
        TextFact("module", "Module",
                 "Innermost nn.Module whose call was running at the allocation."),
        [this](const Row& row) { return TextOrEmpty(ModuleOf(row)); },
        [this](const Row& row) {
          const std::string_view module = ModuleOf(row);
          return Alike(module.empty() ? 0 : reinterpret_cast<uintptr_t>(module.data()), 0);
        });
    table_.Add(
        TextFact("address", "Address", "Address of the memory."),
        [this](const Row& row) {
          const uint64_t address = AddressOf(row);
          return address != 0 ? Cell(Hex(address)) : Cell();
        },
        [this](const Row& row) { return Alike(AddressOf(row), 0); });
    table_.Add(
        Link("slice", "Slice", "The operator in the timeline, or what was running instead of one.",
             CellType::kInteger),
        [this](const Row& row) {
          const SliceIndex slice = row.allocated() ? SliceOf(data_.owners[row.record]) : kNone;
          return slice != kNone ? Cell(static_cast<int64_t>(slice)) : Cell();
        });
  }

  const MemoryData& data_;
  const Model& model_;
  const TraceStore& store_;
  const int device_;
  const std::span<const uint32_t> events_;
  FrameFinder frames_;
};

}  // namespace

std::vector<uint32_t> ListMemoryEvents(const MemoryData& data, const Model& model, int device,
                                       Interval range) {
  std::vector<uint32_t> listed;
  if (device < 0 || static_cast<size_t>(device) >= data.devices.size()) return listed;
  const auto& memory = model.store().memory();
  const auto inside = [&](uint32_t record) {
    return record != kNone && memory.At<&MemoryRecord::ts>(record) >= range.begin &&
           memory.At<&MemoryRecord::ts>(record) <= range.end;
  };
  const std::vector<MemoryEvent>& events = data.devices[static_cast<size_t>(device)].events;
  for (uint32_t i = 0; i < events.size(); ++i) {
    if (inside(events[i].allocation) || inside(events[i].release)) listed.push_back(i);
  }
  listed.shrink_to_fit();
  return listed;
}

std::unique_ptr<LazyTable> MemoryEvents(const MemoryData& data, const Model& model, int device,
                                        std::span<const uint32_t> events) {
  return std::make_unique<EventsTable>(data, model, device, events);
}

Table MemoryEventsTable(const MemoryData& data, const Model& model, int device, Interval range) {
  const std::vector<uint32_t> events = ListMemoryEvents(data, model, device, range);
  std::vector<uint32_t> rows(events.size());
  std::iota(rows.begin(), rows.end(), 0);
  return MemoryEvents(data, model, device, events)->Make(rows);
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
  table.Add(TextKey("operator", "Operator", "Name of the operator, as recorded."),
            [](const Row& row) { return TextCell(row.name); });
  table.Add(Count("calls", "Calls",
                  "Number of calls of the operator in the selected range, including those that "
                  "allocated nothing."),
            &Row::calls);
  table.Add(
      ByteCount("sizeIncreaseBytes", "Net change",
                "Bytes allocated minus bytes freed by the operator and the operators it called."),
      &Row::increase);
  table.Add(ByteCount("selfSizeIncreaseBytes", "Self net change",
                      "Bytes allocated minus bytes freed by the operator itself."),
            &Row::self_increase);
  table.Add(Count("allocationCount", "Allocations",
                  "Number of allocations by the operator and the operators it called."),
            &Row::count);
  table.Add(Count("selfAllocationCount", "Self allocations",
                  "Number of allocations by the operator itself."),
            &Row::self_count);
  table.Add(ByteCount("allocationSizeBytes", "Allocated",
                      "Bytes allocated by the operator and the operators it called; freed bytes "
                      "are not subtracted."),
            &Row::size);
  table.Add(ByteCount("selfAllocationSizeBytes", "Self allocated",
                      "Bytes allocated by the operator itself; freed bytes are not subtracted."),
            &Row::self_size);
  AddLinks(table, frames, "Its largest allocation, to show in the timeline.", &Row::example);
  std::vector<Row> rows;
  if (device_index < 0 || static_cast<size_t>(device_index) >= data.devices.size()) {
    return table.Make(rows);
  }
  const TraceStore& store = model.store();
  const auto& memory = store.memory();
  std::unordered_map<StringId, Row> sums;
  std::vector<StringId> order;
  std::vector<StringId> chain;
  ListedOperators listed(model);
  for (uint32_t i : data.devices[device_index].records) {
    const MemoryRecord& record = memory[i];
    if (record.ts < range.begin || record.ts > range.end) continue;
    const SliceIndex owner = data.owners[i].op;
    if (owner == kNone) continue;
    chain.clear();
    SliceIndex op = owner;
    for (int depth = 0; op != kNone && depth < kMaxOperatorChain; ++depth) {
      if (listed(op)) chain.push_back(store.name_id(op));
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
                      "Bytes allocated before the peak and not yet freed at it."),
            &Row::bytes);
  table.Add(Count("allocations", "Allocations", "Number of these allocations."), &Row::count);
  table.Add(Share("share", "Share", "Share of all bytes held at the peak."),
            [](const Row& row) { return Cell(row.share); });
  AddLinks(table, frames, "Its largest allocation, to show in the timeline.", &Row::example);
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
  // What is alike is in one group, whose name need not be made again.
  std::unordered_map<Alike, Group*, AlikeHash> known;
  int64_t explained = 0;
  for (const MemoryEvent& event : device.events) {
    if (event.allocation == kNone || event.allocation > peak_record) continue;
    if (event.release != kNone && event.release <= peak_record) continue;
    const MemoryOwner owner = data.owners[event.allocation];
    const SliceIndex within = owner.within;
    FrameFinder::Place place;
    std::string_view module;
    Alike alike;
    if (by == PeakGrouping::kOperator) {
      alike = AlikeOperator(data, store, event.allocation);
    } else if (by == PeakGrouping::kModule) {
      if (within != kNone) module = frames.ModuleText(within);
      alike.first = module.empty() ? 0 : reinterpret_cast<uintptr_t>(module.data());
    } else {
      if (within != kNone) place = frames.UserPlace(within);
      alike = {reinterpret_cast<uintptr_t>(place.frame), static_cast<uint64_t>(place.line)};
    }
    Group*& slot = known[alike];
    if (slot == nullptr) {
      std::string name;
      if (by == PeakGrouping::kOperator) {
        name = OperatorName(data, store, event.allocation);
      } else if (by == PeakGrouping::kModule) {
        name = module.empty() ? "<outside modules>" : std::string(module);
      } else {
        name = place && !place.frame->file.empty()
                   ? place.frame->file + ":" + std::to_string(place.line)
                   : "<no Python line>";
      }
      slot = &groups[name];
    }
    Group& group = *slot;
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
