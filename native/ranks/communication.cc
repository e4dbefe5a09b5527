#include "ranks/communication.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/columns.h"
#include "compare/spread.h"
#include "session/byte_size.h"

namespace emberline {
namespace {

struct CommunicationRow {
  const Collective* first = nullptr;
  const CollectiveGroup* group = nullptr;
  int64_t calls = 0, bytes = 0;
  Ns device = 0, host = 0, longest = -1;
  SliceIndex example = kNone;  // the longest
  uint32_t number = 0;         // in the order of their first calls

  void Add(const TraceStore& s, const Collective& call) {
    const Ns duration = call.end - s.start(call.slice);
    if (duration > longest) {
      longest = duration;
      example = call.slice;
    }
    ++calls;
    bytes += std::max<int64_t>(0, call.bytes);
    device += DeviceTime(s, call);
    host += HostTime(s, call);
  }
  static Ns DeviceTime(const TraceStore& s, const Collective& call) {
    if (call.host_only) return 0;
    Ns time = s.duration(call.slice);
    for (const SliceIndex more : call.more) time += s.duration(more);
    return time;
  }
  static Ns HostTime(const TraceStore& s, const Collective& call) {
    const SliceIndex asked = call.host_only       ? call.slice
                             : call.call != kNone ? call.call
                                                  : call.launch;
    return asked == kNone ? 0 : s.duration(asked);
  }
};

std::string GroupText(const CollectiveGroup& group) {
  if (!group.description.empty() && group.description != "undefined") return group.description;
  return group.name;
}

// What its ranks call it: the operation, or the recorded name of one that is not known.
std::string NameOf(const Collective& call) {
  if (call.op != CollectiveOp::kUnknown) return CollectiveOpName(call.op);
  return call.recorded.empty() ? "unknown" : call.recorded;
}

// The table of rows that are in order.
Table TableOf(const std::vector<CommunicationRow>& rows) {
  TableBuilder<CommunicationRow> table;
  table
      .Add(TextKey("operation", "Operation", "Kind of collective operation."),
           [](const CommunicationRow& r) { return TextCell(NameOf(*r.first)); })
      .Add(IntegerKey("sizeBytes", "Message size",
                      "Bytes of one call: one rank's input or output, whichever is larger; empty "
                      "if not recorded.",
                      Unit::kBytes),
           [](const CommunicationRow& r) {
             return r.first->bytes < 0 ? Cell() : Cell(r.first->bytes);
           })
      .Add(TextKey("dtype", "Type", "Data type of the elements, as recorded."),
           [](const CommunicationRow& r) { return TextOrEmpty(r.first->dtype); })
      .Add(TextKey("group", "Group", "Process group, as recorded."),
           [](const CommunicationRow& r) { return TextOrEmpty(GroupText(*r.group)); })
      .Add(TextKey("library", "Library", "Communication library that moves the data."),
           [](const CommunicationRow& r) { return TextOrEmpty(r.first->library); })
      .Add(Duration("deviceUs", "Device time",
                    "Sum of the durations on the device, including the time spent waiting for "
                    "other ranks."),
           &CommunicationRow::device)
      .Add(Duration("hostUs", "Host time",
                    "Sum of the durations of the calls on the host. If nothing was recorded on a "
                    "device, this is all there is of the collective."),
           &CommunicationRow::host)
      .Add(Count("calls", "Calls", "Number of calls on this rank."), &CommunicationRow::calls)
      .Add(ByteCount("bytes", "Bytes", "Bytes of all calls whose size was recorded."),
           &CommunicationRow::bytes)
      .Add(Quotient("bandwidth", "Bandwidth",
                    "Bytes divided by device time, or by host time if nothing was recorded on a "
                    "device; 1 GB is 10^9 bytes. The time includes waiting for other ranks.",
                    Unit::kGbPerS),
           [](const CommunicationRow& r) {
             // A byte per nanosecond is a gigabyte per second.
             const Ns time = r.device > 0 ? r.device : r.host;
             if (r.bytes <= 0 || time <= 0) return Cell();
             return Cell(static_cast<double>(r.bytes) / static_cast<double>(time));
           })
      .Add(Link("slice", "Slice", "The longest call, to show in the timeline.", CellType::kInteger),
           [](const CommunicationRow& r) {
             return r.example == kNone ? Cell() : Cell(int64_t{r.example});
           });
  return table.Make(rows);
}

}  // namespace

size_t Communication::MemoryBytes() const { return HeapBytesOf(table, device, host); }

Communication SumCommunication(const Model& model, const CollectiveList& list,
                               const StepSelection& steps) {
  const TraceStore& s = model.store();
  using Key = std::tuple<std::string, int64_t, std::string, std::string, std::string>;
  std::map<Key, CommunicationRow> found;
  StepSums device(model, steps), host(model, steps);
  for (const Collective& call : list.calls) {
    if (call.slice == kNone || !steps.Contains(call.step)) continue;
    const CollectiveGroup& group = list.groups[call.group];
    const auto number = static_cast<uint32_t>(found.size());
    CommunicationRow& row =
        found[{NameOf(call), call.bytes, call.dtype, GroupText(group), call.library}];
    if (row.first == nullptr) {
      row.first = &call;
      row.group = &group;
      row.number = number;
    }
    row.Add(s, call);
    device.Add(row.number, call.step, CommunicationRow::DeviceTime(s, call));
    host.Add(row.number, call.step, CommunicationRow::HostTime(s, call));
  }
  std::vector<CommunicationRow> rows;
  for (auto& [key, row] : found) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CommunicationRow& a, const CommunicationRow& b) {
                     return std::tie(a.device, a.host) > std::tie(b.device, b.host);
                   });
  Communication made{TableOf(rows), {}, {}};
  const std::vector<Sample> devices = device.Samples(rows.size(), kNsOfUs);
  const std::vector<Sample> hosts = host.Samples(rows.size(), kNsOfUs);
  for (const CommunicationRow& row : rows) {
    made.device.push_back(devices[row.number]);
    made.host.push_back(hosts[row.number]);
  }
  return made;
}

}  // namespace emberline
