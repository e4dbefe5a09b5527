// The operator table: calls and times by operator, or by operator and input shapes
// (SEMANTICS.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/operator_calls.h"
#include "analysis/stack_of.h"
#include "analysis/table.h"
#include "analysis/tensor_cores.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

enum class OperatorGrouping { kName, kNameAndShapes };

struct OperatorRow {
  StringId name = 0;
  StringId shapes = 0;  // the recorded text; 0 when grouped by name or not recorded
  int64_t calls = 0;
  // Plain sums over the calls, so concurrent device work counts once each. Totals leave out calls
  // inside another call of the row, whose total holds them (L2: the plugin counts them again).
  Ns device_self = 0, device_total = 0;
  Ns host_self = 0, host_total = 0;
  // Kernels alone (no copies, no sets), those on matrix units, and those whose names do not tell.
  Ns kernel_self = 0, kernel_total = 0;
  Ns matrix_self = 0, matrix_total = 0;
  Ns unknown_self = 0, unknown_total = 0;
  bool eligible = false;       // some call is (B43)
  int64_t stacks = 0;          // distinct stacks recorded for its calls
  SliceIndex example = kNone;  // its call with the most device time, else the longest
};

struct OperatorData {
  std::vector<OperatorRow> rows;  // by device self time, else host self time, descending
  Ns host_time = 0;  // in operators and the runtime calls they made; what nests counts once
  bool has_device_work = false;
  bool has_shapes = false;
};

// What every grouping of the operators of some steps is made from. Making it takes two threads
// where the trace is large; any thread may then ask. The model has to stay.
class OperatorAnalysis {
 public:
  // `within`, one flag per slice, leaves out operators that lie elsewhere; empty takes all. Errors:
  // kCancelled.
  static Result<OperatorAnalysis> Make(const Model& model, const StepSelection& selection,
                                       const TensorCoreRules& rules, const CancelToken& cancel,
                                       const std::vector<bool>& within = {});
  // Errors: kCancelled.
  Result<OperatorData> By(OperatorGrouping grouping, const CancelToken& cancel) const;

 private:
  struct Op {
    SliceIndex slice;
    bool ran;        // in the selected steps; else graphs ran what it recorded
    uint64_t stack;  // the number of a stack of its own; 0 for none
  };
  struct KernelOf {
    SliceIndex op;
    MatrixUse use;
    Ns duration;
  };
  // Time of kernels alone (no copies, no sets).
  struct KernelTimes {
    Ns all = 0, matrix = 0, unknown = 0;
    void Add(const KernelOf& kernel) {
      all += kernel.duration;
      if (kernel.use == MatrixUse::kYes) matrix += kernel.duration;
      if (kernel.use == MatrixUse::kUnknown) unknown += kernel.duration;
    }
    void Add(const KernelTimes& other) {
      all += other.all;
      matrix += other.matrix;
      unknown += other.unknown;
    }
  };

  OperatorAnalysis(const Model& model, const StepSelection& selection);
  // Neither touches what the other does. Stops early when it is cancelled.
  void ListOperators(const std::vector<bool>& within, const CancelToken& cancel);
  void AddUpKernels(const TensorCoreRules& rules);

  const Model* model_;
  StepSelection selection_;
  ReplayedTimes replayed_;
  // Of ListOperators(): the operators that count, in the order of the slices.
  std::vector<Op> ops_;
  std::vector<bool> counted_;  // by slice
  // Of AddUpKernels().
  OperatorCalls calls_;
  std::vector<bool> eligible_;              // by slice
  std::vector<KernelOf> kernels_;           // those that an op launched
  std::vector<KernelTimes> kernel_totals_;  // by slice: of an op, with descendants
};

// One grouping alone. Errors: kCancelled.
Result<OperatorData> AnalyzeOperators(const Model& model, const StepSelection& selection,
                                      OperatorGrouping grouping, const TensorCoreRules& rules,
                                      const CancelToken& cancel,
                                      const std::vector<bool>& within = {});

Table OperatorTable(const Model& model, const OperatorData& data, OperatorGrouping grouping);

// Shapes of operators' inputs as recorded, "[[32, 3], [], [64]]".
class RecordedShapesOf {
 public:
  explicit RecordedShapesOf(const TraceStore& store);
  // The text; 0 where shapes were not recorded.
  StringId Of(SliceIndex op) const;
  // Some operator of the trace may have them.
  bool Any() const { return store_->HasArg(ArgRole::kInputShapes); }

 private:
  const TraceStore* store_;
};

// Recorded shapes as shown: a blank after each comma.
std::string ShapesText(std::string_view recorded);

struct OperatorStack {
  std::vector<Frame> frames;  // innermost first
  bool from_forward = false;  // lent by the forward op of backward calls
  int64_t calls = 0;
  Ns device_self = 0, device_total = 0, host_self = 0, host_total = 0;
  SliceIndex example = kNone;
};

// The distinct stacks of one row, heaviest first; `shapes` as in the table ("" for all shapes).
// Errors: kCancelled, kNotFound when no such operator ran.
Result<std::vector<OperatorStack>> StacksOfOperator(
    const Model& model, const StepSelection& selection, const std::string& name,
    const std::string& shapes, const StackIds& stacks, const CancelToken& cancel);

// The innermost modules in which one row's calls ran, with the calls' times, heaviest first; empty
// where modules were not recorded. Errors as above.
Result<Table> ModulesOfOperator(const Model& model, const StepSelection& selection,
                                const std::string& name, const std::string& shapes,
                                const CancelToken& cancel);

}  // namespace emberline
