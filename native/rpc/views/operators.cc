// view/operators, view/operatorStacks.
#include "analysis/operators.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "analysis/modules.h"
#include "base/parallel.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/views/common.h"
#include "rpc/views/tables.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// What each ring chart may take of a reply.
constexpr size_t kRingBytes = 12 << 10;
constexpr size_t kMaxStacks = 500;
constexpr size_t kMaxFrames = 400;
// Beside the table of modules.
constexpr size_t kStackBytes = 140 << 10;

Result<OperatorGrouping> OperatorGroupingOf(const ViewRequest& request) {
  const std::string text = request.params.value("groupBy", std::string());
  if (text.empty() || text == "operator" || text == "name") return OperatorGrouping::kName;
  if (text == "operatorAndShapes" || text == "shape" || text == "shapes") {
    return OperatorGrouping::kNameAndShapes;
  }
  return MakeError(errors::kUnknownOperatorGrouping, {{"grouping", text}});
}

// What the tables of one request have in common, made by the first that is not kept yet.
class SharedAnalysis {
 public:
  explicit SharedAnalysis(const ViewRequest& request) : request_(&request) {}
  Result<OperatorData> By(OperatorGrouping grouping, const TensorCoreRules& rules) {
    const Result<OperatorAnalysis>& analysis = Made(rules);
    if (!analysis.ok()) return analysis.error();
    return analysis->By(grouping, request_->cancel);
  }

 private:
  // The next table waits for it.
  const Result<OperatorAnalysis>& Made(const TensorCoreRules& rules) {
    const std::lock_guard lock(mutex_);
    if (!analysis_) {
      const Model& model = *request_->trace.model;
      const std::string module = request_->params.value("module", std::string());
      const auto within = module.empty() ? std::vector<bool>() : InsideModule(model, module);
      analysis_ = OperatorAnalysis::Make(model, request_->steps, rules, request_->cancel, within);
    }
    return *analysis_;
  }

  const ViewRequest* request_;
  std::mutex mutex_;
  std::optional<Result<OperatorAnalysis>> analysis_;
};

Result<std::shared_ptr<const OperatorTabled>> OperatorsOf(const ViewRequest& request,
                                                          OperatorGrouping grouping,
                                                          SharedAnalysis& analysis) {
  const std::string module = request.params.value("module", std::string());
  std::string name = grouping == OperatorGrouping::kName ? "operators" : "operatorShapes";
  if (!module.empty()) name += "/" + module;
  const auto make = [&](const TensorCoreRules& rules) -> Result<OperatorTabled> {
    auto data = analysis.By(grouping, rules);
    if (!data.ok()) return data.error();
    Table table = OperatorTable(*request.trace.model, *data, grouping);
    return OperatorTabled{std::move(*data), std::move(table)};
  };
  return TabledOf<OperatorData>(request, name, make);
}

}  // namespace

Result<std::shared_ptr<const OperatorTabled>> OperatorsOf(const ViewRequest& request,
                                                          OperatorGrouping grouping) {
  SharedAnalysis analysis(request);
  return OperatorsOf(request, grouping, analysis);
}

namespace {

Json RingOf(const ViewRequest& request, const std::vector<OperatorRow>& rows,
            Ns OperatorRow::*value) {
  std::vector<std::pair<StringId, Ns>> parts;
  parts.reserve(rows.size());
  for (const OperatorRow& row : rows) parts.emplace_back(row.name, row.*value);
  return RingJson(request, std::move(parts), kRingBytes);
}

}  // namespace

Result<Json> OperatorsView(const ViewRequest& request) {
  const Result<OperatorGrouping> grouping = OperatorGroupingOf(request);
  if (!grouping.ok()) return grouping.error();
  SharedAnalysis analysis(request);
  using Tabled = Result<std::shared_ptr<const OperatorTabled>>;
  std::optional<Tabled> grouped, by_name;
  // Charts are always by name.
  const bool both = *grouping != OperatorGrouping::kName;
  RunAll(
      both && request.trace.store->slice_count() >= kManyRows,
      [&] { by_name = OperatorsOf(request, OperatorGrouping::kName, analysis); },
      [&] {
        if (both) grouped = OperatorsOf(request, *grouping, analysis);
      });
  if (!both) grouped = by_name;
  for (const Tabled& made : {*by_name, *grouped}) {
    if (!made.ok()) return made.error();
  }
  Result<Json> result = TableResult(request, (**grouped)->key, (**grouped)->table);
  if (!result.ok()) return result;
  const std::vector<OperatorRow>& rows = (**by_name)->data.rows;
  (*result)["rings"] = {{"deviceSelf", RingOf(request, rows, &OperatorRow::device_self)},
                        {"deviceTotal", RingOf(request, rows, &OperatorRow::device_total)},
                        {"hostSelf", RingOf(request, rows, &OperatorRow::host_self)},
                        {"hostTotal", RingOf(request, rows, &OperatorRow::host_total)}};
  Ns device_self = 0, host_self = 0;
  bool stacks = false;
  for (const OperatorRow& row : rows) {
    device_self += row.device_self;
    host_self += row.host_self;
    stacks = stacks || row.stacks > 0;
  }
  (*result)["deviceSelfUs"] = Us(device_self);
  (*result)["hostSelfUs"] = Us(host_self);
  (*result)["hostTotalUs"] = Us((**by_name)->data.host_time);
  // Where no device work leads back to an operator, host time tells the rows apart.
  (*result)["defaultSort"] = device_self > 0 ? "-deviceSelfUs" : "-hostSelfUs";
  (*result)["hasDeviceWork"] = (**by_name)->data.has_device_work;
  (*result)["absences"] = Json::array();
  if (rows.empty() && request.params.contains("module")) return result;  // that module ran none
  if (rows.empty()) {
    (*result)["absences"].push_back(
        AbsenceJson(request.steps.all ? messages::kNoOperators : messages::kNoOperatorsInSteps));
  } else {
    if (!(**by_name)->data.has_shapes) {
      (*result)["absences"].push_back(AbsenceJson(messages::kNoOperatorShapes));
    }
    if (!stacks) {
      (*result)["absences"].push_back(AbsenceJson(messages::kNoOperatorStacks));
    }
  }
  return result;
}

Result<Json> OperatorStacksView(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  const std::string name = request.params.value("name", std::string());
  const std::string shapes = request.params.value("inputShapes", std::string());
  const auto ids = StacksOf(request);
  if (!ids.ok()) return ids.error();
  auto stacks = StacksOfOperator(model, request.steps, name, shapes, **ids, request.cancel);
  if (!stacks.ok()) return stacks.error();
  auto modules = ModulesOfOperator(model, request.steps, name, shapes, request.cancel);
  if (!modules.ok()) return modules.error();
  Json result = {{"stacks", Json::array()},
                 {"totalStacks", stacks->size()},
                 {"modules", TableJson(Shortened(std::move(*modules)))},
                 {"absences", Json::array()}};
  size_t bytes = 0;
  for (const OperatorStack& stack : *stacks) {
    Json frames = Json::array();
    size_t own = 0;
    for (const Frame& frame : stack.frames) {
      own += frame.file.size() + frame.function.size() + 100;
      if (frames.size() >= kMaxFrames || own > kStackBytes) break;
      frames.push_back(FrameJson(frame));
    }
    // A reply stays below 256 KiB; the heaviest stacks come first.
    bytes += own;
    if (result["stacks"].size() >= kMaxStacks || (bytes > kStackBytes && !result["stacks"].empty()))
      break;
    result["stacks"].push_back({{"frames", std::move(frames)},
                                {"backward", stack.from_forward},
                                {"calls", stack.calls},
                                {"deviceSelfUs", Us(stack.device_self)},
                                {"deviceTotalUs", Us(stack.device_total)},
                                {"hostSelfUs", Us(stack.host_self)},
                                {"hostTotalUs", Us(stack.host_total)},
                                {"slice", SliceRefJson(model.store(), stack.example)}});
  }
  if (stacks->empty()) {
    result["absences"].push_back(AbsenceJson(messages::kNoStackOfOperator));
  }
  return result;
}

}  // namespace emberline
