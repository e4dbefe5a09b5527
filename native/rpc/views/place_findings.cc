#include "rpc/views/place_findings.h"

#include <algorithm>

#include "rpc/views/source_params.h"

namespace emberline {
namespace {

// Where a slice is in the source: the innermost line of the user's that led to it. Ranges such as
// the data loader's have the line of the frame around them.
uint32_t LocationOf(const Model& model, const LineAttribution& at, SliceIndex slice) {
  if (IsDeviceWork(model.store().kind(slice))) {
    const uint32_t blamed = DevicePlaceOf(model, at, slice).blamed;
    return blamed == kNone ? kNone : at.contexts[blamed].location;
  }
  uint32_t context = at.blamed[slice];
  if (context == kNone && model.frame[slice] != kNone) context = at.context[model.frame[slice]];
  return context == kNone ? kNone : at.contexts[context].location;
}

}  // namespace

Result<std::shared_ptr<const LineData>> LinesWhereAsked(const ViewRequest& request) {
  const Json& params = request.params;
  if (TextList(params, "sourceRoots").empty() && TextList(params, "sitePackages").empty() &&
      !params.contains("mappings")) {
    return std::shared_ptr<const LineData>();
  }
  return LinesOf(request.trace, SpaceParam(params), request.cancel);
}

void PlaceFinding(const Model& model, const LineData& data, Finding* finding) {
  std::vector<Frame> frames;
  for (const SliceIndex slice : finding->slices) {
    const uint32_t location = LocationOf(model, data.attribution, slice);
    if (location == kNone) continue;
    const LineLocation& l = data.attribution.locations[location];
    Frame frame;
    frame.file = l.file;
    frame.line = l.line;
    frame.function = l.function;
    frame.line_is_definition = l.confidence == LineConfidence::kFunction;
    if (std::find(frames.begin(), frames.end(), frame) == frames.end())
      frames.push_back(std::move(frame));
  }
  if (!frames.empty()) finding->frames = std::move(frames);
}

}  // namespace emberline
