// The stages of an attribution, in their order, and what they share. Each stands in a file of its
// own; all of them return false when cancelled.
#pragma once

#include <string>
#include <vector>

#include "analysis/host_nesting.h"
#include "attribution/attribute.h"
#include "attribution/call_lines.h"
#include "attribution/frames.h"
#include "attribution/locations.h"

namespace emberline {

// Frames between a call of a module and the module.
inline constexpr int kMaxCallLevels = 3;
// Different calls of one recorded line that are looked at.
inline constexpr size_t kMaxCalled = 64;

// What is known so far. Not thread-safe.
struct Attributing {
  Attributing(const Model& of, const PathMapper& mapper, const DocumentTexts& given,
              const std::string& focus, const CancelToken& token)
      : model(of),
        store(of.store()),
        texts(given),
        cancel(token),
        frames(store, mapper, focus),
        calls(store, frames, parent),
        locations(frames, &at) {}

  bool Stop(uint32_t i) const { return i % kCancelStride == 0 && cancel.cancelled(); }
  bool Counted(SliceIndex i) const { return IsHostWork(store.kind(i)); }
  bool IsFrame(SliceIndex i) const { return store.kind(i) == SliceKind::kPythonFunction; }
  // A method that Python calls where the text shows no call.
  bool RunsUnseen(SliceIndex i) const { return IsFrame(i) && NameOf(i).unseen; }
  // What the name of a frame says.
  FrameName& NameOf(SliceIndex i) { return frames.Name(store.name_id(i)); }
  const FrameName& NameOf(SliceIndex i) const { return frames.Name(store.name_id(i)); }
  // The text of a recorded file: a document's, else what lies on disk; null where neither is there.
  std::shared_ptr<const PythonModule> ReadText(const SourceFile& file) const;

  const Model& model;
  const TraceStore& store;
  const DocumentTexts& texts;
  const CancelToken& cancel;
  LineAttribution at;              // the result
  std::vector<SliceIndex> parent;  // per slice: the host work that it lies in
  Frames frames;                   // and their files
  std::vector<bool> cut;           // per slice: open when the recording began, perhaps
  std::vector<Ns> track_end;       // of the host work on each track
  CallLines calls;                 // where the calls of the user's frames are
  Locations locations;             // and contexts, each once
};

// Frames, ops and runtime calls that enclose each other, and where memory was allocated.
bool NestSlices(Attributing& a);
// The texts of the user's files.
bool ReadTexts(Attributing& a);
// The functions in them that the trace names.
bool FindFunctions(Attributing& a);
// The classes of constructors that the user's functions call, and the bases of modules.
bool ReadClasses(Attributing& a);
// Aligns what ran in each of the user's frames with the text of its function.
bool PlaceCalls(Attributing& a);

class RecordedStacks;
// The context of each slice: the user's lines on the stack around it.
bool MakeContexts(Attributing& a, RecordedStacks& stacks);
// Backward work counts at its forward op's line, and what runs again at the line that ran before.
bool BlameCalls(Attributing& a);
// For backward work on a thread without a stack around it: the call that waits for it.
bool FindBackwardCalls(Attributing& a);
// Work of a graph counts where the graph was recorded.
bool PlaceGraphs(Attributing& a, RecordedStacks& stacks);

}  // namespace emberline
