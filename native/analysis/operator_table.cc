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
  const auto sum_of = [&](Ns Row::*self) {
    Ns sum = 0;
    for (const Row& row : data.rows) sum += row.*self;
    return sum;
  };
  // Where no device work leads to an operator, the host's time is what sets them apart.
  const Ns all_on_device = sum_of(&Row::device_self);
  const bool host_counts = host_only || all_on_device == 0;
  const auto share_of_all = [self = host_counts ? &Row::host_self : &Row::device_self,
                             all = host_counts ? sum_of(&Row::host_self) : all_on_device](
                                const Row& row) { return RatioCell(row.*self, all); };
  FrameFinder frames(model);
  TableBuilder<Row> table;
  table.Add(TextKey("name", "Operator", "Name of the operator, as recorded."),
            [&](const Row& row) { return TextCell(strings.Get(row.name)); });
  table.AddIf(grouping == OperatorGrouping::kNameAndShapes,
              TextKey("inputShapes", "Input shapes",
                      "Shape of each input; [] stands for a scalar or for an input that is not a "
                      "tensor. Recorded with record_shapes=True."),
              [&](const Row& row) {
                return row.shapes == 0 ? Cell() : TextCell(ShapesText(strings.Get(row.shapes)));
              });
  table.Add(Count("calls", "Calls",
                  "Number of calls. A call whose only child has the same name counts as one with "
                  "it. Replays of a CUDA graph do not count."),
            &Row::calls);
  table.Add(
      on_device(Duration(
          "deviceSelfUs", "Device self",
          "Time of the kernels, copies, and memsets that the operator launched itself, excluding "
          "operators called inside it. Concurrent work counts in full. Work of a CUDA graph counts "
          "for the operator that captured it, if the capture was recorded.")),
      &Row::device_self);
  table.AddIf(!host_counts,
              Share("share", "Share", "Device self as a share of that of all operators."),
              share_of_all);
  table.Add(on_device(Duration("deviceTotalUs", "Device total",
                               "Device self of the operator and of all operators called inside it. "
                               "Recursive calls count once.")),
            &Row::device_total);
  table.Add(Duration("hostSelfUs", "Host self",
                     "Host time in the operator itself, excluding operators called inside it and "
                     "runtime calls."),
            &Row::host_self);
  table.AddIf(host_counts,
              Share("share", "Share", "Host self as a share of that of all operators."),
              share_of_all);
  table.Add(Duration("hostTotalUs", "Host total",
                     "Host time from entering the operator to leaving it, summed over its calls. "
                     "Recursive calls count once."),
            &Row::host_total);
  table.Add(on_device(FlagFact(
                "tensorCoreEligible", "Tensor cores eligible",
                "Whether the operator, or one that it calls, can run on matrix units (tensor "
                "cores, MFMA); empty if neither its name nor the names of its kernels tell.")),
            [&](const Row& row) {
              // Of PyTorch's own operators the table knows which can.
              const bool known = row.eligible || row.unknown_total == 0 ||
                                 strings.Get(row.name).starts_with("aten::");
              return known ? Cell(row.eligible) : Cell();
            });
  // No share where no kernel's name tells: 0 would be a figure.
  const auto share = [](Ns matrix, Ns unknown, Ns all) {
    return unknown < all || all == 0 ? RatioCell(matrix, all) : Cell();
  };
  table.Add(on_device(Share(
                "tensorCoreSelf", "Tensor cores self",
                "Share of the operator's own kernel time spent in kernels that use matrix units; "
                "empty if none of their names tells. Copies and memsets are left out.")),
            [share](const Row& row) {
              return share(row.matrix_self, row.unknown_self, row.kernel_self);
            });
  table.Add(
      on_device(Share("tensorCoreTotal", "Tensor cores total",
                      "Share of kernel time spent in kernels that use matrix units, including the "
                      "kernels of operators called inside; empty if none of their names tells.")),
      [share](const Row& row) {
        return share(row.matrix_total, row.unknown_total, row.kernel_total);
      });
  table.Add(
      HiddenIf(all_known,
               on_device(Share("tensorCoreUnknown", "Tensor cores unknown",
                               "Share of kernel time, including operators called inside, spent in "
                               "kernels whose names do not tell whether they use matrix units."))),
      [](const Row& row) { return RatioCell(row.unknown_total, row.kernel_total); });
  const bool no_stacks =
      std::ranges::all_of(data.rows, [](const Row& row) { return row.stacks == 0; });
  table.Add(HiddenIf(no_stacks, Count("stacks", "Stacks",
                                      "Number of distinct Python stacks recorded for the calls.",
                                      Merge::kMax)),
            &Row::stacks);
  AddLinks(table, frames, "The heaviest call, to show in the timeline.", &Row::example);
  return table.Make(data.rows);
}

}  // namespace emberline
