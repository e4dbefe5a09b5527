#include "rpc/views/view.h"

namespace emberline {

// One declaration and one entry per method; each function stands in the file of its view.
Result<Json> OverviewView(const ViewRequest& request);
Result<Json> OperatorsView(const ViewRequest& request);
Result<Json> OperatorStacksView(const ViewRequest& request);
Result<Json> KernelsView(const ViewRequest& request);
Result<Json> KernelLaunchesView(const ViewRequest& request);
Result<Json> KernelListView(const ViewRequest& request);
Result<Json> CostView(const ViewRequest& request);
Result<Json> RooflineView(const ViewRequest& request);
Result<Json> CopiesView(const ViewRequest& request);
Result<Json> CopyLaunchesView(const ViewRequest& request);
Result<Json> MemoryView(const ViewRequest& request);
Result<Json> MemoryEventsView(const ViewRequest& request);
Result<Json> MemoryStatisticsView(const ViewRequest& request);
Result<Json> ModulesView(const ViewRequest& request);
Result<Json> LightningView(const ViewRequest& request);
Result<Json> StacksView(const ViewRequest& request);
Result<Json> StackFunctionsView(const ViewRequest& request);
Result<Json> LinesView(const ViewRequest& request);
Result<Json> SourceResolve(const ViewRequest& request);
Result<Json> SourceAnnotations(const ViewRequest& request);
Result<Json> SourceSavings(const ViewRequest& request);
Result<Json> SourceHover(const ViewRequest& request);
Result<Json> SourceStack(const ViewRequest& request);
Result<Json> SourceLineSlices(const ViewRequest& request);
Result<Json> SourceListing(const ViewRequest& request);
Result<Json> SourceHotLines(const ViewRequest& request);
Result<Json> SourceEventLines(const ViewRequest& request);
Result<Json> TimelineTracks(const ViewRequest& request);
Result<Json> TimelineWindow(const ViewRequest& request);
Result<Json> TimelineDensity(const ViewRequest& request);
Result<Json> TimelineSlice(const ViewRequest& request);
Result<Json> TimelineInstant(const ViewRequest& request);
Result<Json> TimelineNeighbor(const ViewRequest& request);
Result<Json> TimelineRange(const ViewRequest& request);
Result<Json> TimelineGaps(const ViewRequest& request);
Result<Json> TimelineFlows(const ViewRequest& request);
Result<Json> TimelineCriticalPath(const ViewRequest& request);
Result<Json> TimelineCriticalSums(const ViewRequest& request);
Result<Json> TimelineExport(const ViewRequest& request);
Result<Json> TimelineMetadata(const ViewRequest& request);
Result<Json> TimelineSearchSlices(const ViewRequest& request);

const std::vector<ViewMethod>& AllViews() {
  static const std::vector<ViewMethod> views = {
      {"view/overview", &OverviewView},
      {"view/operators", &OperatorsView},
      {"view/operatorStacks", &OperatorStacksView},
      {"view/kernels", &KernelsView},
      {"view/kernelLaunches", &KernelLaunchesView},
      {"view/kernelList", &KernelListView},
      {"view/cost", &CostView},
      {"view/roofline", &RooflineView},
      {"view/copies", &CopiesView},
      {"view/copyLaunches", &CopyLaunchesView},
      {"view/memory", &MemoryView},
      {"view/memoryEvents", &MemoryEventsView},
      {"view/memoryStatistics", &MemoryStatisticsView},
      {"view/modules", &ModulesView},
      {"view/lightning", &LightningView},
      {"view/stacks", &StacksView},
      {"view/stackFunctions", &StackFunctionsView},
      {"view/lines", &LinesView},
      {"source/resolve", &SourceResolve},
      {"source/annotations", &SourceAnnotations},
      {"source/savings", &SourceSavings},
      {"source/hover", &SourceHover},
      {"source/stack", &SourceStack},
      {"source/lineSlices", &SourceLineSlices},
      {"source/listing", &SourceListing},
      {"source/hotLines", &SourceHotLines},
      {"source/eventLines", &SourceEventLines},
      {"timeline/tracks", &TimelineTracks},
      {"timeline/window", &TimelineWindow},
      {"timeline/density", &TimelineDensity},
      {"timeline/slice", &TimelineSlice},
      {"timeline/instant", &TimelineInstant},
      {"timeline/neighbor", &TimelineNeighbor},
      {"timeline/range", &TimelineRange},
      {"timeline/gaps", &TimelineGaps},
      {"timeline/flows", &TimelineFlows},
      {"timeline/criticalPath", &TimelineCriticalPath},
      {"timeline/criticalSums", &TimelineCriticalSums},
      {"timeline/export", &TimelineExport},
      {"timeline/metadata", &TimelineMetadata},
      {"timeline/search", &TimelineSearchSlices},
  };
  return views;
}

}  // namespace emberline
