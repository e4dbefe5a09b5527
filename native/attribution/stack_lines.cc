#include "attribution/stack_lines.h"

#include <string_view>

namespace emberline {
namespace {

bool Names(const LineLocation& location, const Frame& frame) {
  if (location.file != frame.file) return false;
  const std::string_view function = location.function;
  return function.substr(function.rfind('.') + 1) == frame.function;
}

// The calling lines that were found for a stack whose innermost user's frame is on `context`; a
// chain that begins elsewhere is that of another stack, and changes nothing.
bool PlaceFrames(const AttributedLines& data, uint32_t context, SliceIndex slice,
                 std::vector<Frame>* frames) {
  const LineAttribution& at = data.attribution;
  bool any = false;
  for (Frame& frame : *frames) {
    // A frame that is the slice itself calls nothing that is asked for.
    if (!frame.line_is_definition || frame.slice == slice) continue;
    const auto file = data.files.find(frame.file);
    if (file == data.files.end() || !file->second.user) continue;
    if (context == kNone) break;
    const LineLocation& l = at.locations[at.contexts[context].location];
    if (!Names(l, frame)) return any;
    any = true;
    if (l.confidence != LineConfidence::kFunction && !l.stale) {
      frame.line = l.line;
      frame.line_is_definition = false;
    }
    context = at.contexts[context].parent;
  }
  return any;
}

}  // namespace

std::vector<Frame> StackWithLines(const Model& model, const AttributedLines& lines,
                                  SliceIndex slice, size_t most) {
  const LineAttribution& at = lines.attribution;
  std::vector<Frame> frames = StackOf(model, slice);
  if (frames.size() > most) frames.resize(most);
  uint32_t around = at.context[slice], blamed = at.blamed[slice];
  if (IsDeviceWork(model.store().kind(slice))) {
    const DevicePlace place = DevicePlaceOf(model, at, slice);
    around = place.context;
    blamed = place.blamed;
  }
  // Backward work has its forward operator's stack where it has none of its own.
  if (!PlaceFrames(lines, around, slice, &frames)) PlaceFrames(lines, blamed, slice, &frames);
  return frames;
}

}  // namespace emberline
