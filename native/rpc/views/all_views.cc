#include "rpc/views/view.h"

namespace emberline {

// One declaration and one entry per method; each function stands in the file of its view.
Result<Json> MemoryView(const ViewRequest& request);
Result<Json> MemoryEventsView(const ViewRequest& request);
Result<Json> MemoryStatisticsView(const ViewRequest& request);
Result<Json> ModulesView(const ViewRequest& request);
Result<Json> LightningView(const ViewRequest& request);
Result<Json> StacksView(const ViewRequest& request);
Result<Json> StackFunctionsView(const ViewRequest& request);

const std::vector<ViewMethod>& AllViews() {
  static const std::vector<ViewMethod> views = {
      {"view/memory", &MemoryView},
      {"view/memoryEvents", &MemoryEventsView},
      {"view/memoryStatistics", &MemoryStatisticsView},
      {"view/modules", &ModulesView},
      {"view/lightning", &LightningView},
      {"view/stacks", &StacksView},
      {"view/stackFunctions", &StackFunctionsView},
  };
  return views;
}

}  // namespace emberline
