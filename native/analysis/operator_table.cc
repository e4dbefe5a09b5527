// The table of operators.
#include <algorithm>
#include <string>
#include <utility>

#include "analysis/links.h"
#include "analysis/operators.h"

namespace emberline {
namespace {

Cell RatioCell(Ns part, Ns whole) {
  return ShareCell(static_cast<double>(part), static_cast<double>(whole));
}

}  // namespace

std::string ShapesText(std::string_view recorded) {
  std::string out;
  out.reserve(recorded.size() + 16);
  for (size_t i = 0; i < recorded.size(); ++i) {
    const char c = recorded[i];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    // "32,3;64;" of torch_npu is "[[32,3],[64],[]]" of others.
    out += c == ';' ? "], [" : std::string(1, c);
    if (c == ',') out += ' ';
  }
  const bool bare = !out.empty() && out[0] != '[' && recorded.find(';') != std::string_view::npos;
  return bare ? "[[" + out + "]]" : out;
}

Table OperatorTable(const Model& model, const OperatorData& data, OperatorGrouping grouping) {
  using Row = OperatorRow;
  const StringPool& strings = model.store().strings();
  const bool host_only = !data.has_device_work;  // then the device's columns are all zero
  const auto on_device = [&](Column column) { return HiddenIf(host_only, std::move(column)); };
  // Where every kernel's name tells, a column of zeros says nothing.
  const bool all_known = std::all_of(data.rows.begin(), data.rows.end(),
                                     [](const Row& row) { return row.unknown_total == 0; });
  FrameFinder frames(model);
  TableBuilder<Row> table;
  table.Add(TextKey("name", "Operator", "Name of the operator as recorded."),
            [&](const Row& row) { return TextCell(strings.Get(row.name)); });
  table.AddIf(
      grouping == OperatorGrouping::kNameAndShapes,
      TextKey(
          "inputShapes", "Input shapes",
          "Shape of each input; [] is a scalar or no tensor. Recorded with record_shapes=True."),
      [&](const Row& row) {
        return row.shapes == 0 ? Cell() : TextCell(ShapesText(strings.Get(row.shapes)));
      });
  table.Add(Count("calls", "Calls",
                  "Number of calls. A call whose only child has the same name counts once with it. "
                  "Replays of a CUDA graph are not calls."),
            &Row::calls);
  table.Add(on_device(Duration(
                "deviceSelfUs", "Device self",
                "Sum of the kernels, copies and memsets that the operator itself launched; "
                "operators called inside do not count, concurrent work counts in full. Work of a "
                "CUDA graph counts at the operator that recorded it, where its capture is known.")),
            &Row::device_self);
  table.Add(on_device(Duration(
                "deviceTotalUs", "Device total",
                "Device self of the operator and of all operators called inside it. A call inside "
                "another call of the same row counts once.")),
            &Row::device_total);
  table.Add(Duration("hostSelfUs", "Host self",
                     "Host time in the operator, without operators called inside and without "
                     "runtime calls."),
            &Row::host_self);
  table.Add(Duration("hostTotalUs", "Host total",
                     "Host time from entering the operator to leaving it, summed over its calls. "
                     "A call inside another call of the same row counts once."),
            &Row::host_total);
  table.Add(on_device(FlagFact("tensorCoreEligible", "Tensor cores eligible",
                               "Whether matrix units can run the operator or one that it calls; "
                               "empty where neither its name nor those of its kernels say.")),
            [&](const Row& row) {
              // Of PyTorch's own operators the table knows which can.
              const bool known = row.eligible || row.unknown_total == 0 ||
                                 strings.Get(row.name).starts_with("aten::");
              return known ? Cell(row.eligible) : Cell();
            });
  // No share where no kernel's name says anything: 0 would be a figure.
  const auto known = [](const Row& row) {
    return row.unknown_total < row.kernel_total || row.kernel_total == 0;
  };
  table.Add(on_device(Share("tensorCoreSelf", "Tensor cores self",
                            "Share of the operator's own kernel time in kernels that use matrix "
                            "units; empty where none of their names says whether they do. Copies "
                            "and memsets are left out.")),
            [known](const Row& row) {
              return known(row) ? RatioCell(row.matrix_self, row.kernel_self) : Cell();
            });
  table.Add(on_device(Share("tensorCoreTotal", "Tensor cores total",
                            "The same share, including kernels of operators called inside.")),
            [known](const Row& row) {
              return known(row) ? RatioCell(row.matrix_total, row.kernel_total) : Cell();
            });
  table.Add(
      HiddenIf(all_known, on_device(Share(
                              "tensorCoreUnknown", "Tensor cores unknown",
                              "Share of that kernel time in kernels whose names do not say whether "
                              "they use matrix units."))),
      [](const Row& row) { return RatioCell(row.unknown_total, row.kernel_total); });
  table.Add(
      Count("stacks", "Stacks", "Distinct Python stacks recorded for the calls.", Merge::kMax),
      &Row::stacks);
  AddLinks(table, frames, "The heaviest call, for the timeline.", &Row::example);
  return table.Make(data.rows);
}

}  // namespace emberline
