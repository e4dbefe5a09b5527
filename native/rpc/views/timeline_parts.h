// What the timeline's methods share: results that are kept with the trace, params, slices as JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timeline.h"
#include "analysis/timeline_lanes.h"
#include "rpc/views/common.h"
#include "rpc/views/view.h"

namespace emberline {

// --- Kept with the trace. Errors of all: kCancelled.
Result<std::shared_ptr<const TimelineIndex>> IndexOf(const LoadedTrace& trace,
                                                     const CancelToken& cancel);
Result<std::shared_ptr<const TimelineIndex>> IndexOf(const ViewRequest& request);
Result<std::shared_ptr<const TimelineTrackLanes>> LanesOf(const LoadedTrace& trace,
                                                          TrackIndex track,
                                                          const CancelToken& cancel);
Result<std::shared_ptr<const ForwardBackward>> PairsOf(const LoadedTrace& trace,
                                                       const CancelToken& cancel);
Result<std::shared_ptr<const TimelineFlowSet>> FlowsOf(const LoadedTrace& trace,
                                                       const CancelToken& cancel);

// params.startNs and endNs. Errors: kInvalidArgument.
Result<Interval> WindowOf(const Json& params);
// The rows that params.tracks names, or all of them. Errors: kNotFound.
Result<std::vector<const TimelineRow*>> RowsOf(const TimelineIndex& index, const Json& params);

// --- JSON.
// A name, shortened.
std::string Cut(std::string_view text);
// Null for no slice.
Json SliceRef(const TraceStore& store, SliceIndex slice);
Json SliceRefs(const TraceStore& store, const std::vector<SliceIndex>& slices);
Json ArgsJson(const TraceStore& store, const std::vector<std::pair<StringId, ArgValue>>& args);

}  // namespace emberline
