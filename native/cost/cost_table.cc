// The table of costs: sums of kernels by operator, kernel, module, line or kind.
#include "analysis/columns.h"
#include "analysis/links.h"
#include "cost/summary.h"

namespace emberline {
namespace {

Cell Rate(double amount, Ns time, double scale) {
  return time > 0 ? Cell(amount / static_cast<double>(time) * 1e9 / scale) : Cell();
}

void AddKeys(TableBuilder<CostRow>& table, CostGrouping grouping) {
  switch (grouping) {
    case CostGrouping::kOperator:
    case CostGrouping::kShape:
      table.Add(TextKey("name", "Operator",
                        "Operator whose formula gives the cost; if none has a formula, the "
                        "innermost operator around the launch. Empty if there was none."),
                [](const CostRow& row) { return TextOrEmpty(row.name); });
      break;
    case CostGrouping::kKernel:
      table.Add(TextKey("name", "Kernel", "Kernel name, as recorded."),
                [](const CostRow& row) { return TextCell(row.name); });
      break;
    case CostGrouping::kModule:
      table.Add(TextKey("name", "Module",
                        "Innermost nn.Module whose call made the launch; backward work counts for "
                        "the module of its forward call. Empty outside of modules."),
                [](const CostRow& row) { return TextOrEmpty(row.name); });
      break;
    case CostGrouping::kLine:
      table.Add(
          TextKey("name", "Function", "Function of your own code to which the time is attributed."),
          [](const CostRow& row) { return TextOrEmpty(row.name); });
      table.Add(TextKey("path", "File", "Path of the function's file, as recorded."),
                [](const CostRow& row) { return TextOrEmpty(row.file); });
      table.Add(IntegerKey("at", "Line",
                           "Line to which the time is attributed, as in Lines; if only the "
                           "function is known, its first line."),
                [](const CostRow& row) { return row.line > 0 ? Cell(row.line) : Cell(); });
      break;
    case CostGrouping::kClass:
      table.Add(TextKey("name", "Kind", "Kind of the cost formula; unknown if there is none."),
                [](const CostRow& row) { return TextCell(row.name); });
      break;
  }
  if (grouping == CostGrouping::kShape) {
    table.Add(
        TextKey("params", "Params", "Sizes and data type, by the letters that the formula uses."),
        [](const CostRow& row) { return TextOrEmpty(row.params); });
  }
}

void AddAmounts(TableBuilder<CostRow>& table, const CostSummary& summary) {
  table.Add(Count("calls", "Calls",
                  "Number of operator calls with a cost; a call counts once, however many kernels "
                  "it launched."),
            &CostRow::calls);
  table.Add(Count("kernels", "Kernels", "Number of kernel launches."),
            [](const CostRow& row) { return Cell(row.sums.kernels); });
  table.Add(Duration("totalUs", "Time", "Sum of the kernels' durations."),
            [](const CostRow& row) { return TimeCell(row.sums.time); });
  table.Add(Share("share", "Share", "Time as a share of the time of all kernels."),
            [total = summary.total.time](const CostRow& row) {
              return ShareCell(static_cast<double>(row.sums.time), static_cast<double>(total));
            });
  Column flops = Count("flops", "FLOPs",
                       "Floating-point operations of the kernels for which they are known; a fused "
                       "multiply-add counts as two.");
  flops.unit = Unit::kFlops;
  table.Add(std::move(flops), [](const CostRow& row) {
    return row.sums.flops_time > 0 || row.sums.flops > 0 ? Cell(row.sums.flops) : Cell();
  });
  const auto bytes = [](int64_t CostSums::*member) {
    return [member](const CostRow& row) {
      return row.sums.bytes_time > 0 ? Cell(row.sums.*member) : Cell();
    };
  };
  table.Add(
      ByteCount("readBytes", "Read", "Minimum bytes that the kernels must read, where known."),
      bytes(&CostSums::read_bytes));
  table.Add(ByteCount("writtenBytes", "Written",
                      "Minimum bytes that the kernels must write, where known."),
            bytes(&CostSums::written_bytes));
  const auto without = [](Ns CostSums::*known) {
    return [known](const CostRow& row) {
      return ShareCell(static_cast<double>(row.sums.time - row.sums.*known),
                       static_cast<double>(row.sums.time));
    };
  };
  table.Add(Share("unknownFlopsShare", "FLOPs unknown",
                  "Share of the time spent in kernels whose FLOPs are unknown."),
            without(&CostSums::flops_time));
  table.Add(Share("unknownBytesShare", "Bytes unknown",
                  "Share of the time spent in kernels whose bytes are unknown."),
            without(&CostSums::bytes_time));
  Column neither =
      Share("unknownShare", "Unknown",
            "Share of the time spent in kernels whose FLOPs and bytes are both unknown.");
  neither.hidden = true;
  table.Add(std::move(neither), without(&CostSums::costed));
}

void AddRates(TableBuilder<CostRow>& table) {
  table.Add(Quotient("tflopsPerS", "TFLOP/s",
                     "Achieved rate in 10^12 FLOPs per second: FLOPs divided by the time of the "
                     "kernels for which they are known."),
            [](const CostRow& row) {
              return Rate(static_cast<double>(row.sums.flops), row.sums.flops_time, 1e12);
            });
  table.Add(Quotient("gbPerS", "Bandwidth",
                     "Achieved bandwidth: bytes read and written divided by the time of the "
                     "kernels for which they are known; 1 GB is 10^9 bytes.",
                     Unit::kGbPerS),
            [](const CostRow& row) {
              return Rate(static_cast<double>(row.sums.read_bytes) +
                              static_cast<double>(row.sums.written_bytes),
                          row.sums.bytes_time, 1e9);
            });
  table.Add(
      Quotient("intensity", "FLOP/B", "Arithmetic intensity: FLOPs per byte read or written."),
      [](const CostRow& row) {
        const double bytes =
            static_cast<double>(row.sums.read_bytes) + static_cast<double>(row.sums.written_bytes);
        if (bytes <= 0 || row.sums.flops_time == 0) return Cell();
        return Cell(static_cast<double>(row.sums.flops) / bytes);
      });
  table.Add(Share("roofShare", "Share of roof",
                  "Shortest time in which the device could do each kernel's FLOPs or move its "
                  "bytes, whichever takes longer, as a share of the kernels' time. Can exceed 100 "
                  "% if data was in caches. Kernels faster than the device can be are left out: "
                  "they did less work than their arguments suggest."),
            [](const CostRow& row) {
              return row.sums.measured > 0
                         ? Cell(row.sums.bound / static_cast<double>(row.sums.measured))
                         : Cell();
            });
  table.Add(Share("memoryBoundShare", "Memory bound",
                  "Share of the kernels' time limited by memory bandwidth rather than by compute."),
            [](const CostRow& row) {
              return row.sums.measured > 0
                         ? Cell(row.sums.memory_bound / static_cast<double>(row.sums.measured))
                         : Cell();
            });
  table.Add(Duration("savedUs", "Potential gain",
                     "Time saved if every kernel reached the chosen share of its roof. Kernels "
                     "above it, and kernels without a known roof, save nothing."),
            [](const CostRow& row) {
              return row.sums.measured > 0 ? Cell(row.sums.saved / 1000) : Cell();
            });
}

// Rows of lines lead to their line, others to the frame around their longest kernel.
void AddLinksOf(TableBuilder<CostRow>& table, FrameFinder& frames, CostGrouping grouping) {
  constexpr const char* kWhich = "The longest kernel, to show in the timeline.";
  if (grouping != CostGrouping::kLine) {
    AddLinks(table, frames, kWhich, &CostRow::example);
    return;
  }
  table.AddAll(LinkColumns(kWhich), [](const CostRow& row, std::vector<Cell>& cells) {
    cells.push_back(row.example == kNone ? Cell() : Cell(static_cast<int64_t>(row.example)));
    if (row.file.empty()) {
      cells.resize(cells.size() + 4);
      return;
    }
    cells.push_back(TextCell(row.file));
    cells.push_back(row.line > 0 ? Cell(row.line) : Cell());
    cells.push_back(TextCell(row.name));
    cells.emplace_back(row.line_is_definition);
  });
}

// Why a figure of the call with the row's longest kernel is not known; null where all are.
const Sentence* WhyUnknown(const CostRow& row) {
  if (row.cost == nullptr) return &reasons::kNoCostedLaunch;
  if (!row.cost->flops.known()) return row.cost->flops.why();
  return row.cost->bytes().why();
}

}  // namespace

Table CostTable(const CostContext& context, const CostSummary& summary, CostGrouping grouping) {
  FrameFinder frames(context.model);
  TableBuilder<CostRow> table;
  AddKeys(table, grouping);
  AddAmounts(table, summary);
  AddRates(table);
  table.Add(
      TextFact("unit", "Unit", "Compute unit whose peak is the roof for most of the row's time."),
      [](const CostRow& row) { return TextOrEmpty(row.unit); });
  table.Add(
      TextFact("class", "Class", "Kind of the cost formula; unknown if the row mixes several."),
      [](const CostRow& row) { return Cell(std::string(OpClassName(row.op_class))); });
  const auto formula = [](std::string OpCost::*member) {
    return [member](const CostRow& row) {
      return row.cost == nullptr ? Cell() : TextOrEmpty(row.cost->*member);
    };
  };
  Column flops = TextFact("flopsFormula", "Formula of the FLOPs",
                          "FLOPs formula and its inputs, for the call with the longest kernel.");
  Column bytes =
      TextFact("bytesFormula", "Formula of the bytes",
               "Formula of the bytes read and written, for the call with the longest kernel.");
  flops.hidden = bytes.hidden = true;
  table.Add(std::move(flops), formula(&OpCost::flops_formula));
  table.Add(std::move(bytes), formula(&OpCost::bytes_formula));
  Column why = TextFact("unknown", "Why unknown",
                        "Why a figure of the call with the longest kernel is unknown.");
  why.hidden = true;
  table.Add(std::move(why), [](const CostRow& row) {
    const Sentence* reason = WhyUnknown(row);
    return reason == nullptr ? Cell() : TextCell(reason->text.text());
  });
  Column code =
      TextFact("unknownCode", "Code of the reason", "Code of the reason why it is unknown.");
  code.hidden = true;
  table.Add(std::move(code), [](const CostRow& row) {
    const Sentence* reason = WhyUnknown(row);
    return reason == nullptr ? Cell() : Cell(std::string(reason->code));
  });
  AddLinksOf(table, frames, grouping);
  return table.Make(summary.rows);
}

}  // namespace emberline
