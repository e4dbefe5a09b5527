#include "attribution/attribute.h"

#include <utility>

#include "attribution/recorded_stacks.h"
#include "attribution/stages.h"
#include "base/parallel.h"

namespace emberline {
namespace {

// What is kept of every slice is not written any more.
void Pack(LineAttribution* at) {
  RunAll(
      at->context.size() >= kManyRows, [&] { at->context.Pack(); }, [&] { at->blamed.Pack(); },
      [&] { at->caller.Pack(); }, [&] { at->origin.Pack(); }, [&] { at->pass.Pack(); },
      [&] { at->memory_slice.Pack(); });
}

// All stages in their order; false when cancelled.
bool RunStages(Attributing& a) {
  const uint32_t n = a.store.all_slice_count();
  a.at.context.assign(n, kNone);
  a.at.blamed.assign(n, kNone);
  a.at.is_call.assign(n, false);
  a.at.user_frame.assign(n, false);
  a.at.begins_run.assign(n, false);
  a.at.pass.assign(n, Pass::kForward);
  a.at.memory_slice.assign(a.store.memory().size(), kNone);
  // Neither touches what the other finds out.
  bool nested = false, read = false;
  RunAll(
      n >= kManyRows, [&] { nested = NestSlices(a); },
      [&] { read = a.frames.Read(a.cancel, &a.at) && ReadTexts(a); });
  if (!nested || !read || !FindFunctions(a) || !ReadClasses(a) || !PlaceCalls(a)) return false;
  RecordedStacks stacks(a);
  return stacks.Follow() && MakeContexts(a, stacks) && BlameCalls(a) && PlaceGraphs(a, stacks);
}

}  // namespace

Result<AttributedLines> AttributeLines(const Model& model, const PathMapper& mapper,
                                       const DocumentTexts& texts, const std::string& focus,
                                       const CancelToken& cancel) {
  Attributing a(model, mapper, texts, focus, cancel);
  if (!RunStages(a)) return Cancelled();
  AttributedLines out;
  for (FrameFile& f : a.frames.files()) {
    a.at.has_sources = a.at.has_sources || f.file.module != nullptr;
    f.file.functions = std::move(f.functions);
    out.files.emplace(f.file.recorded, std::move(f.file));
  }
  Pack(&a.at);
  out.attribution = std::move(a.at);
  return out;
}

}  // namespace emberline
