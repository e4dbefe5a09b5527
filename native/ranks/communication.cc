#include "ranks/communication.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/columns.h"

namespace emberline {
namespace {

struct Row {
  const Collective* first = nullptr;
  const CollectiveGroup* group = nullptr;
  int64_t calls = 0, bytes = 0;
  Ns device = 0, host = 0, longest = -1;
  SliceIndex example = kNone;  // the longest

  void Add(const TraceStore& s, const Collective& call) {
    const Ns duration = s.duration(call.slice);
    const SliceIndex asked = call.host_only       ? call.slice
                             : call.call != kNone ? call.call
                                                  : call.launch;
    if (duration > longest) {
      longest = duration;
      example = call.slice;
    }
    ++calls;
    bytes += std::max<int64_t>(0, call.bytes);
    if (!call.host_only) device += duration;
    if (asked != kNone) host += s.duration(asked);
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

}  // namespace

Table CommunicationTable(const Model& model, const CollectiveList& list,
                         const StepSelection& steps) {
  const TraceStore& s = model.store();
  using Key = std::tuple<std::string, int64_t, std::string, std::string, std::string>;
  std::map<Key, Row> found;
  for (const Collective& call : list.calls) {
    if (call.slice == kNone || !steps.Contains(call.step)) continue;
    const CollectiveGroup& group = list.groups[call.group];
    Row& row = found[{NameOf(call), call.bytes, call.dtype, GroupText(group), call.library}];
    if (row.first == nullptr) {
      row.first = &call;
      row.group = &group;
    }
    row.Add(s, call);
  }
  std::vector<Row> rows;
  for (auto& [key, row] : found) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.device, a.host) > std::tie(b.device, b.host);
  });
  TableBuilder<Row> table;
  table
      .Add(TextKey("operation", "Operation", "Collective operation."),
           [](const Row& r) { return TextCell(NameOf(*r.first)); })
      .Add(IntegerKey("sizeBytes", "Message size",
                      "Bytes of one call: input or output of one rank, whichever is larger; empty "
                      "where not recorded.",
                      Unit::kBytes),
           [](const Row& r) { return r.first->bytes < 0 ? Cell() : Cell(r.first->bytes); })
      .Add(TextKey("dtype", "Type", "Type of the elements, as recorded."),
           [](const Row& r) { return TextOrEmpty(r.first->dtype); })
      .Add(TextKey("group", "Group", "Process group, as recorded."),
           [](const Row& r) { return TextOrEmpty(GroupText(*r.group)); })
      .Add(TextKey("library", "Library", "Library that moves the data."),
           [](const Row& r) { return TextOrEmpty(r.first->library); })
      .Add(Duration("deviceUs", "Device time",
                    "Sum of the durations on the device, including waiting for other ranks."),
           &Row::device)
      .Add(Duration("hostUs", "Host time",
                    "Sum of the durations of the host's calls. Where nothing was recorded on a "
                    "device, this is all of the collective."),
           &Row::host)
      .Add(Count("calls", "Calls", "Calls of this rank."), &Row::calls)
      .Add(ByteCount("bytes", "Bytes", "Bytes of all calls whose size was recorded."), &Row::bytes)
      .Add(Quotient("bandwidth", "Bandwidth",
                    "Bytes divided by time on the device, or by host time where nothing was "
                    "recorded on a device. Waiting for other ranks is part of the time.",
                    Unit::kGbPerS),
           [](const Row& r) {
             // A byte per nanosecond is a gigabyte per second.
             const Ns time = r.device > 0 ? r.device : r.host;
             if (r.bytes <= 0 || time <= 0) return Cell();
             return Cell(static_cast<double>(r.bytes) / static_cast<double>(time));
           })
      .Add(Link("slice", "Slice", "Longest call, for the timeline.", CellType::kInteger),
           [](const Row& r) { return r.example == kNone ? Cell() : Cell(int64_t{r.example}); });
  return table.Make(rows);
}

}  // namespace emberline
