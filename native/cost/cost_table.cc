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
                        "Operator whose formula gives the cost; where none has one, the innermost "
                        "operator around the launch. Empty without an operator."),
                [](const CostRow& row) { return TextOrEmpty(row.name); });
      break;
    case CostGrouping::kKernel:
      table.Add(TextKey("name", "Kernel", "Name of the kernel as recorded."),
                [](const CostRow& row) { return TextCell(row.name); });
      break;
    case CostGrouping::kModule:
      table.Add(TextKey("name", "Module",
                        "Innermost nn.Module call around the launch; backward work counts for its "
                        "forward module. Empty outside of modules."),
                [](const CostRow& row) { return TextOrEmpty(row.name); });
      break;
    case CostGrouping::kLine:
      table.Add(TextKey("name", "Function", "Function of your own code that the time counts on."),
                [](const CostRow& row) { return TextOrEmpty(row.name); });
      table.Add(TextKey("path", "File", "Its file, as recorded."),
                [](const CostRow& row) { return TextOrEmpty(row.file); });
      table.Add(IntegerKey("at", "Line",
                           "Its line where that is known, as in Lines; else the first line of the "
                           "function."),
                [](const CostRow& row) { return row.line > 0 ? Cell(row.line) : Cell(); });
      break;
    case CostGrouping::kClass:
      table.Add(TextKey("name", "Kind", "Kind of the formula; unknown where there is none."),
                [](const CostRow& row) { return TextCell(row.name); });
      break;
  }
  if (grouping == CostGrouping::kShape) {
    table.Add(TextKey("params", "Params", "Sizes and type, in the letters of the formula."),
              [](const CostRow& row) { return TextOrEmpty(row.params); });
  }
}

void AddAmounts(TableBuilder<CostRow>& table, const CostSummary& summary) {
  table.Add(
      Count(
          "calls", "Calls",
          "Calls of operators with a cost; a call counts once, however many kernels it launched."),
      &CostRow::calls);
  table.Add(Count("kernels", "Kernels", "Kernel launches."),
            [](const CostRow& row) { return Cell(row.sums.kernels); });
  table.Add(Duration("totalUs", "Time", "Sum of the kernels' durations."),
            [](const CostRow& row) { return TimeCell(row.sums.time); });
  table.Add(Share("share", "Share", "Time as a part of the time of all kernels."),
            [total = summary.total.time](const CostRow& row) {
              return ShareCell(static_cast<double>(row.sums.time), static_cast<double>(total));
            });
  Column flops = Count("flops", "FLOPs", "Operations of the kernels whose operations are known.");
  flops.unit = Unit::kFlops;
  table.Add(std::move(flops), [](const CostRow& row) {
    return row.sums.flops_time > 0 || row.sums.flops > 0 ? Cell(row.sums.flops) : Cell();
  });
  const auto bytes = [](int64_t CostSums::*member) {
    return [member](const CostRow& row) {
      return row.sums.bytes_time > 0 ? Cell(row.sums.*member) : Cell();
    };
  };
  table.Add(ByteCount("readBytes", "Read", "Least bytes that must be read, where known."),
            bytes(&CostSums::read_bytes));
  table.Add(ByteCount("writtenBytes", "Written", "Least bytes that must be written, where known."),
            bytes(&CostSums::written_bytes));
  const auto without = [](Ns CostSums::*known) {
    return [known](const CostRow& row) {
      return ShareCell(static_cast<double>(row.sums.time - row.sums.*known),
                       static_cast<double>(row.sums.time));
    };
  };
  table.Add(Share("unknownFlopsShare", "FLOPs unknown",
                  "Share of the time in kernels whose operations are unknown."),
            without(&CostSums::flops_time));
  table.Add(Share("unknownBytesShare", "Bytes unknown",
                  "Share of the time in kernels whose bytes are unknown."),
            without(&CostSums::bytes_time));
  Column neither = Share("unknownShare", "Unknown",
                         "Share of the time in kernels whose operations and bytes are both "
                         "unknown.");
  neither.hidden = true;
  table.Add(std::move(neither), without(&CostSums::costed));
}

void AddRates(TableBuilder<CostRow>& table) {
  table.Add(
      Quotient(
          "tflopsPerS", "TFLOP/s",
          "Operations divided by the time of the kernels whose operations are known, in 10^12."),
      [](const CostRow& row) {
        return Rate(static_cast<double>(row.sums.flops), row.sums.flops_time, 1e12);
      });
  table.Add(
      Quotient("gbPerS", "Bandwidth",
               "Bytes divided by the time of the kernels whose bytes are known.", Unit::kGbPerS),
      [](const CostRow& row) {
        return Rate(
            static_cast<double>(row.sums.read_bytes) + static_cast<double>(row.sums.written_bytes),
            row.sums.bytes_time, 1e9);
      });
  table.Add(Quotient("intensity", "FLOP/B", "Operations per byte: arithmetic intensity."),
            [](const CostRow& row) {
              const double bytes = static_cast<double>(row.sums.read_bytes) +
                                   static_cast<double>(row.sums.written_bytes);
              if (bytes <= 0 || row.sums.flops_time == 0) return Cell();
              return Cell(static_cast<double>(row.sums.flops) / bytes);
            });
  table.Add(
      Share("roofShare", "Share of roof",
            "Least time that the device needs for operations or bytes, whichever is longer per "
            "kernel, as a share of the kernels' time. With data in caches it can exceed 100 %; "
            "kernels faster than the device can be are left out: they did less than their "
            "arguments say."),
      [](const CostRow& row) {
        return row.sums.measured > 0 ? Cell(row.sums.bound / static_cast<double>(row.sums.measured))
                                     : Cell();
      });
  table.Add(Share("memoryBoundShare", "Memory bound",
                  "Share of that time in kernels limited by memory, not by operations."),
            [](const CostRow& row) {
              return row.sums.measured > 0
                         ? Cell(row.sums.memory_bound / static_cast<double>(row.sums.measured))
                         : Cell();
            });
  table.Add(Duration("savedUs", "Potential gain",
                     "Time that would be saved if each kernel reached the chosen share of its "
                     "roof; those above it and those without a roof save nothing."),
            [](const CostRow& row) {
              return row.sums.measured > 0 ? Cell(row.sums.saved / 1000) : Cell();
            });
}

// Rows of lines lead to their line, others to the frame around their longest kernel.
void AddLinksOf(TableBuilder<CostRow>& table, FrameFinder& frames, CostGrouping grouping) {
  constexpr const char* kWhich = "The longest kernel, for the timeline.";
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
  table.Add(TextFact("unit", "Unit", "Compute unit whose peak is the roof for most of the time."),
            [](const CostRow& row) { return TextOrEmpty(row.unit); });
  table.Add(TextFact("class", "Class", "Kind of the formula; unknown where several meet."),
            [](const CostRow& row) { return Cell(std::string(OpClassName(row.op_class))); });
  const auto formula = [](std::string OpCost::*member) {
    return [member](const CostRow& row) {
      return row.cost == nullptr ? Cell() : TextOrEmpty(row.cost->*member);
    };
  };
  Column flops = TextFact("flopsFormula", "Formula of the FLOPs",
                          "Formula and inputs of the call with the longest kernel.");
  Column bytes = TextFact("bytesFormula", "Formula of the bytes",
                          "What the call with the longest kernel reads and writes.");
  flops.hidden = bytes.hidden = true;
  table.Add(std::move(flops), formula(&OpCost::flops_formula));
  table.Add(std::move(bytes), formula(&OpCost::bytes_formula));
  Column why = TextFact("unknown", "Why unknown", "Why a figure of that call is unknown.");
  why.hidden = true;
  table.Add(std::move(why), [](const CostRow& row) {
    const Sentence* reason = WhyUnknown(row);
    return reason == nullptr ? Cell() : TextCell(reason->text.text());
  });
  Column code = TextFact("unknownCode", "Code of the reason", "Code of why it is not known.");
  code.hidden = true;
  table.Add(std::move(code), [](const CostRow& row) {
    const Sentence* reason = WhyUnknown(row);
    return reason == nullptr ? Cell() : Cell(std::string(reason->code));
  });
  AddLinksOf(table, frames, grouping);
  return table.Make(summary.rows);
}

}  // namespace emberline
