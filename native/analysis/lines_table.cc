// The table of lines, and of the functions, classes and files that hold them.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/columns.h"
#include "analysis/lines.h"

namespace emberline {
namespace {

std::string Join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

// A row of the table. What is empty is not known at the level that is grouped by.
struct TableRow {
  const LineLocation* at = nullptr;
  const std::string* name = nullptr;  // function or class
  int64_t line = 0;
  Ns device_self = 0, host_self = 0;
  std::optional<Ns> device_total, backward_device, recompute_device;
  std::optional<Ns> host_total, backward_host, recompute_host;
  std::optional<int64_t> runs;
  int64_t calls = 0, allocated_bytes = 0, collectives = 0;
  Ns collective = 0, synchronization = 0, idle = 0;
  LineConfidence confidence = LineConfidence::kExact;
  const std::vector<std::string>* operators = nullptr;
};

// `device`: something ran on one. Else its columns are all zero.
TableBuilder<TableRow> Columns(LineGrouping grouping, bool device) {
  using Row = TableRow;
  const auto known = [](std::optional<Ns> Row::*member) {
    return [member](const Row& row) { return row.*member ? TimeCell(*(row.*member)) : Cell(); };
  };
  const auto on_device = [&](Column column) { return HiddenIf(!device, std::move(column)); };
  TableBuilder<Row> table;
  table.Add(TextKey("file", "File", "Path of the file, as recorded."),
            [](const Row& row) { return TextCell(row.at->file); });
  if (grouping != LineGrouping::kFile) {
    table.Add(
        IntegerKey("line", "Line", "Line number; if only the function is known, its first line."),
        &Row::line);
    table.Add(TextKey("function", "Function", "Function that contains the line."),
              [](const Row& row) { return TextCell(*row.name); });
  }
  table.Add(on_device(Duration(
                "deviceSelfUs", "Device self",
                "Device time of work launched from here directly: this is the innermost line "
                "of user code. Backward work counts at its forward line. Summed over all "
                "lines, it is all device time that has a line.")),
            &Row::device_self);
  table.Add(on_device(Duration("deviceTotalUs", "Device total",
                               "Device time of everything called from here: forward, backward, and "
                               "recomputation. Recursive calls count once.")),
            known(&Row::device_total));
  table.Add(on_device(Duration(
                "backwardDeviceUs", "Device backward",
                "Part of device total that ran in the backward pass, excluding recomputation.")),
            known(&Row::backward_device));
  table.Add(
      on_device(Duration(
          "recomputeDeviceUs", "Device recompute",
          "Part of device total that activation checkpointing recomputed in the backward pass.")),
      known(&Row::recompute_device));
  table.Add(Duration("hostSelfUs", "Host self",
                     "Host time of Python, operators, and runtime calls made from here directly: "
                     "this is the innermost line of user code. Summed over all lines, it is all "
                     "host time that has a line."),
            &Row::host_self);
  table.Add(Duration("hostTotalUs", "Host total",
                     "Host time of everything called from here: forward, backward, and "
                     "recomputation. Recursive calls count once."),
            known(&Row::host_total));
  table.Add(Duration("backwardHostUs", "Host backward",
                     "Part of host total that ran in the backward pass, excluding recomputation."),
            known(&Row::backward_host));
  table.Add(
      Duration("recomputeHostUs", "Host recompute",
               "Part of host total that activation checkpointing recomputed in the backward pass."),
      known(&Row::recompute_host));
  table.Add(HiddenIf(grouping != LineGrouping::kLine,
                     Count("runs", "Runs",
                           "Number of times the line ran and called something; if only the "
                           "function is known, calls of the function. Empty if stacks were "
                           "recorded as text only, which does not tell runs apart.")),
            &Row::runs);
  table.Add(Count("calls", "Calls",
                  "Number of calls made from this line; if only the function is known, calls of "
                  "the function."),
            &Row::calls);
  table.Add(ByteCount("allocatedBytes", "Allocated",
                      "Bytes allocated here; freed bytes are not subtracted."),
            &Row::allocated_bytes);
  table.Add(Count("collectives", "Collectives", "Number of collective operations started here."),
            &Row::collectives);
  table.Add(Duration("collectiveUs", "Collective", "Device time of collectives started here."),
            &Row::collective);
  table.Add(on_device(Duration("synchronizationUs", "Sync",
                               "Host time in runtime calls that wait for the device.")),
            &Row::synchronization);
  table.Add(on_device(Duration(
                "idleUs", "Device idle",
                "Time the device was idle while the thread that launched its next work was "
                "still busy here.")),
            &Row::idle);
  table.Add(
      TextFact("confidence", "Confidence",
               "How the line was found. exact: it was recorded; aligned: found in the source by "
               "the order of calls; statement: the line where the statement begins, in a notebook "
               "cell whose text is not known; function: only the function is known."),
      [](const Row& row) { return Cell(std::string(LineConfidenceName(row.confidence))); });
  table.Add(TextFact("operators", "Operators",
                     "The most expensive operators called here, most expensive first."),
            [](const Row& row) { return TextCell(Join(*row.operators)); });
  return table;
}

// The lines themselves.
std::vector<TableRow> RowsOfLines(const LineAttribution& at, const LinesResult& result) {
  std::vector<TableRow> rows;
  rows.reserve(result.rows.size());
  for (const LineCost& c : result.rows) {
    TableRow& row = rows.emplace_back();
    row.at = &at.locations[c.location];
    row.name = &row.at->function;
    row.line = row.at->line;
    row.device_self = c.device_self;
    row.host_self = c.host_self;
    row.device_total = c.device_total;
    row.backward_device = c.backward_device;
    row.recompute_device = c.recompute_device;
    row.host_total = c.host_total;
    row.backward_host = c.backward_host;
    row.recompute_host = c.recompute_host;
    if (c.runs > 0) row.runs = static_cast<int64_t>(c.runs);
    row.calls = static_cast<int64_t>(c.calls);
    row.allocated_bytes = c.allocated_bytes;
    row.collectives = static_cast<int64_t>(c.collectives);
    row.collective = c.collective;
    row.synchronization = c.synchronization;
    row.idle = c.idle;
    row.confidence = row.at->confidence;
    row.operators = &c.operators;
  }
  return rows;
}

// Functions, classes or files. Self times and counts add up; totals come from the analysis, but
// those of files are left out, because lines of one file call each other.
std::vector<TableRow> RowsOfGroups(const LineAttribution& at, const LinesResult& result,
                                   LineGrouping grouping) {
  std::vector<std::string> order;
  std::unordered_map<std::string, TableRow> sums;
  const bool by_class = grouping == LineGrouping::kClass;
  for (const LineCost& c : result.rows) {
    const LineLocation& l = at.locations[c.location];
    if (by_class && l.class_name.empty()) continue;
    const std::string key = grouping == LineGrouping::kFile ? l.file
                            : by_class                      ? l.file + '\n' + l.class_name
                                                            : LineFunctionKey(l);
    const auto [it, fresh] = sums.try_emplace(key);
    TableRow& sum = it->second;
    if (fresh) {
      order.push_back(key);
      sum.at = &l;
      sum.name = by_class ? &l.class_name : &l.function;
      sum.line = by_class ? 0 : l.function_line;
      sum.operators = &c.operators;
    }
    sum.device_self += c.device_self;
    sum.host_self += c.host_self;
    sum.allocated_bytes += c.allocated_bytes;
    sum.collectives += static_cast<int64_t>(c.collectives);
    sum.collective += c.collective;
    sum.synchronization += c.synchronization;
    sum.idle += c.idle;
    if (grouping == LineGrouping::kFile) sum.calls += static_cast<int64_t>(c.calls);
    sum.confidence = std::max(sum.confidence, l.confidence);
  }
  if (grouping != LineGrouping::kFile) {
    for (const LineGroup& g : by_class ? result.classes : result.functions) {
      const std::string key = g.file + '\n' + g.function;
      const auto it = sums.find(by_class ? key : key + '\n' + std::to_string(g.line));
      if (it == sums.end()) continue;
      TableRow& sum = it->second;
      sum.device_total = g.device;
      sum.backward_device = g.backward_device;
      sum.recompute_device = g.recompute_device;
      sum.host_total = g.host;
      sum.backward_host = g.backward_host;
      sum.recompute_host = g.recompute_host;
      sum.calls = static_cast<int64_t>(g.calls);
      sum.operators = &g.operators;
    }
  }
  std::vector<TableRow> rows;
  rows.reserve(order.size());
  for (const std::string& key : order) rows.push_back(sums[key]);
  return rows;
}

}  // namespace

std::string LineFunctionKey(const LineLocation& l) {
  return l.file + '\n' + l.function + '\n' + std::to_string(l.function_line);
}

const char* LineConfidenceName(LineConfidence confidence) {
  switch (confidence) {
    case LineConfidence::kExact:
      return "exact";
    case LineConfidence::kAligned:
      return "aligned";
    case LineConfidence::kStatement:
      return "statement";
    case LineConfidence::kFunction:
      return "function";
  }
  return "function";
}

Table LinesTable(const LineAttribution& at, const LinesResult& result, LineGrouping grouping) {
  return Columns(grouping, result.has_device_work)
      .Make(grouping == LineGrouping::kLine ? RowsOfLines(at, result)
                                            : RowsOfGroups(at, result, grouping));
}

}  // namespace emberline
