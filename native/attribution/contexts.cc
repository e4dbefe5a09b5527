// The context of each slice: the user's lines on the stack around it.
#include <string_view>
#include <vector>

#include "analysis/stack_of.h"
#include "attribution/recorded_stacks.h"
#include "attribution/stages.h"

namespace emberline {
namespace {

// The line in its caller from which a slice was called.
uint32_t CallLocation(Attributing& a, SliceIndex child) {
  const StringId name = a.store.name_id(a.parent[child]);
  const CalledAt recorded = a.calls.Recorded(child);
  if (recorded.line > 0) return a.locations.OfFrame(name, recorded.line, recorded.confidence);
  if (recorded.lost) return a.locations.OfFrame(name, 0, LineConfidence::kFunction, true);
  // A cell's text is seldom at hand, but each of its statements is compiled by itself: the name of
  // its frame has the line where the statement begins. Calls come from that line only where the
  // next statement begins on the next one: otherwise it may be a loop with lines of its own.
  const FrameName& info = a.frames.Name(name);
  if (info.function < 0 && info.line > 1 && info.name == "<module>" &&
      IsCellPath(a.frames.files()[info.file].file.recorded)) {
    return a.locations.OfFrame(name, info.line,
                               a.frames.StatementAt(info.file, info.line + 1)
                                   ? LineConfidence::kExact
                                   : LineConfidence::kStatement);
  }
  const int line = a.calls.placed.empty() ? 0 : a.calls.placed[child];
  return a.locations.OfFrame(name, line,
                             line > 0 ? LineConfidence::kAligned : LineConfidence::kFunction);
}

}  // namespace

bool MakeContexts(Attributing& a, RecordedStacks& recorded) {
  const TraceStore& s = a.store;
  const uint32_t n = s.all_slice_count();
  // Strings beside python_function events name functions' first lines; without them, true lines.
  const bool stacks = !a.at.has_stacks && s.HasArg(ArgRole::kCallStack);
  NumberColumn entry;  // per slice: context in which it was called
  entry.assign(n, kNone);
  for (SliceIndex i = 0; i < n; ++i) {
    if (a.Stop(i)) return false;
    if (!a.Counted(i)) continue;
    const SliceIndex p = a.parent[i];
    uint32_t context = p == kNone ? kNone : a.at.user_frame[p] ? entry[p] : a.at.context[p];
    if (p != kNone && a.at.user_frame[p]) {
      context = a.locations.Context(entry[p], CallLocation(a, i));
      a.at.is_call[i] = true;
    }
    if (stacks && s.kind(i) == SliceKind::kCpuOp) {
      const std::string_view text = s.ArgText(i, ArgRole::kCallStack);
      if (!text.empty()) {
        a.at.has_stacks = true;
        const uint32_t own = recorded.ContextOf(text);
        if (own != kNone) {
          context = own;
          if (p == kNone || a.at.context[p] != own) a.at.is_call[i] = true;
        }
      }
    }
    entry.Set(i, context);
    if (a.at.user_frame[i]) {
      const uint32_t own = a.locations.Context(
          context, a.locations.OfFrame(s.name_id(i), 0, LineConfidence::kFunction));
      a.at.context.Set(i, own);
      if (a.at.is_call[i] && a.at.contexts[own].parent != context) a.at.cut_calls[i] = context;
    } else {
      a.at.context.Set(i, context);
    }
  }
  return true;
}

}  // namespace emberline
