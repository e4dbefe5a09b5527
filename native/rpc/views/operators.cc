// view/operators, view/operatorStacks.
#include "analysis/operators.h"

#include <algorithm>

#include "rpc/views/common.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr int64_t kDefaultTopN = 10;
constexpr int64_t kMaxTopN = 200;
// What each ring chart may take of a reply.
constexpr size_t kRingBytes = 12 << 10;
constexpr size_t kMaxStacks = 500;
constexpr size_t kMaxFrames = 400;
constexpr size_t kStackBytes = 190 << 10;

struct Grouped {
  OperatorData data;
  Table table;
};

Result<OperatorGrouping> GroupingOf(const ViewRequest& request) {
  const std::string text = request.params.value("groupBy", std::string());
  if (text.empty() || text == "operator" || text == "name") return OperatorGrouping::kName;
  if (text == "operatorAndShapes" || text == "shape" || text == "shapes") {
    return OperatorGrouping::kNameAndShapes;
  }
  return Error{ErrorKind::kInvalidArgument, "Operators cannot be grouped by \"" + text + "\".",
               "Groupings: operator, operatorAndShapes.", std::nullopt};
}

Result<std::shared_ptr<const Grouped>> TableOf(const ViewRequest& request,
                                               OperatorGrouping grouping) {
  Result<TensorCoreRules> rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  const std::string key =
      std::string(grouping == OperatorGrouping::kName ? "operators/" : "operatorShapes/") +
      SelectionKey(request);
  const auto stacks = StacksOf(request);
  // Not cancelled half-way: the result is kept for the next request.
  return request.trace.Cached<Grouped>(key, [&] {
    const Model& model = *request.trace.model;
    Grouped grouped;
    auto data = AnalyzeOperators(model, request.steps, grouping, *rules, *stacks, {});
    if (data.ok()) grouped.data = std::move(*data);
    grouped.table = OperatorTable(model, grouped.data, grouping);
    return grouped;
  });
}

// The `count` largest positive values of one time, as slices of a ring chart; `others` is the rest.
Json RingJson(const Model& model, const std::vector<OperatorRow>& rows, Ns OperatorRow::*value,
              int64_t count) {
  std::vector<const OperatorRow*> order;
  for (const OperatorRow& row : rows) {
    if (row.*value > 0) order.push_back(&row);
  }
  std::stable_sort(order.begin(), order.end(), [&](const OperatorRow* a, const OperatorRow* b) {
    return a->*value > b->*value;
  });
  const size_t shown =
      count < 0 ? order.size() : std::min(order.size(), static_cast<size_t>(count));
  Json json = Json::array();
  size_t bytes = 0;
  for (size_t i = 0; i < shown; ++i) {
    const std::string_view name = model.store().strings().Get(order[i]->name);
    bytes += name.size() + name.size() / 16 + 40;
    if (bytes > kRingBytes && i > 0) break;
    json.push_back({{"name", name}, {"us", Us(order[i]->*value)}});
  }
  return json;
}

}  // namespace

Result<Json> OperatorsView(const ViewRequest& request) {
  const Result<OperatorGrouping> grouping = GroupingOf(request);
  if (!grouping.ok()) return grouping.error();
  auto grouped = TableOf(request, *grouping);
  if (!grouped.ok()) return grouped.error();
  // Charts are always by name.
  auto by_name =
      *grouping == OperatorGrouping::kName ? grouped : TableOf(request, OperatorGrouping::kName);
  if (!by_name.ok()) return by_name.error();
  Result<Json> result = TableResult((*grouped)->table, request.params);
  if (!result.ok()) return result;
  const Model& model = *request.trace.model;
  int64_t top = request.params.value("topN", kDefaultTopN);
  top = std::clamp<int64_t>(top, 1, kMaxTopN);
  const std::vector<OperatorRow>& rows = (*by_name)->data.rows;
  (*result)["rings"] = {{"deviceSelf", RingJson(model, rows, &OperatorRow::device_self, top)},
                        {"deviceTotal", RingJson(model, rows, &OperatorRow::device_total, top)},
                        {"hostSelf", RingJson(model, rows, &OperatorRow::host_self, top)},
                        {"hostTotal", RingJson(model, rows, &OperatorRow::host_total, top)}};
  Ns device_self = 0, host_self = 0;
  bool stacks = false;
  for (const OperatorRow& row : rows) {
    device_self += row.device_self;
    host_self += row.host_self;
    stacks = stacks || row.stacks > 0;
  }
  (*result)["deviceSelfUs"] = Us(device_self);
  (*result)["hostSelfUs"] = Us(host_self);
  (*result)["hasDeviceWork"] = (*by_name)->data.has_device_work;
  (*result)["absences"] = Json::array();
  if (rows.empty()) {
    (*result)["absences"].push_back(
        {{"what", "The trace holds no operators in the selected steps."},
         {"argument", "activities"},
         {"snippet", "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"}});
  } else {
    if (!(*by_name)->data.has_shapes) {
      (*result)["absences"].push_back({{"what", "Input shapes were not recorded."},
                                       {"argument", "record_shapes"},
                                       {"snippet", "profile(record_shapes=True)"}});
    }
    if (!stacks) {
      (*result)["absences"].push_back({{"what", "Python stacks were not recorded."},
                                       {"argument", "with_stack"},
                                       {"snippet", "profile(with_stack=True)"}});
    }
  }
  return result;
}

Result<Json> OperatorStacksView(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  auto stacks = StacksOfOperator(model, request.steps, request.params.value("name", std::string()),
                                 request.params.value("inputShapes", std::string()),
                                 *StacksOf(request), request.cancel);
  if (!stacks.ok()) return stacks.error();
  Json result = {
      {"stacks", Json::array()}, {"totalStacks", stacks->size()}, {"absences", Json::array()}};
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
    result["absences"].push_back({{"what", "No Python stack was recorded for this operator."},
                                  {"argument", "with_stack"},
                                  {"snippet", "profile(with_stack=True)"}});
  }
  return result;
}

}  // namespace emberline
