// Where a kernel was launched from, as the cells of the list of launches: geometry, layer, the
// user's frames, module.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "analysis/columns.h"
#include "analysis/frame_finder.h"
#include "analysis/lazy_table.h"
#include "analysis/stack_of.h"
#include "base/hash.h"
#include "cost/call_chain.h"
#include "model/model.h"

namespace emberline {

// Every function takes the slice of a kernel. An empty cell says that nothing is recorded.
// What it is made of must outlive it. Remembers texts that it made: not thread-safe.
class LaunchPlaces {
 public:
  // `stacks` may be null: then they are numbered here.
  LaunchPlaces(const Model& model, const StackIds* stacks, CallChain& chain, FrameFinder& frames);

  // "512,1,1" for kGrid or kBlock, in blocks and in threads of a block.
  Cell Geometry(SliceIndex kernel, ArgRole key) const;
  Alike GeometryAlike(SliceIndex kernel, ArgRole key) const;
  // Names of the annotations "layer:name" around the launch, outermost first and joined with
  // colons; in backward, where it has none, those of forward.
  Cell Layer(SliceIndex kernel);
  // The user's frames, outermost first, as "file:line". Of deep stacks the inner part.
  Cell Trace(SliceIndex kernel);
  Alike TraceAlike(SliceIndex kernel) const;
  // The innermost frame of the user's, without its slice: kernels of one stack share it.
  FrameFinder::Place UserPlace(SliceIndex kernel);
  // The class of the innermost module, else the namespace of the operator.
  Cell Mod(SliceIndex kernel);
  Alike ModAlike(SliceIndex kernel);

 private:
  SliceIndex Listed(SliceIndex kernel);
  std::string LayerText(SliceIndex slice) const;
  std::string TraceText(SliceIndex kernel);

  const Model& model_;
  const TraceStore& store_;
  CallChain& chain_;
  FrameFinder& frames_;
  const std::optional<StackIds> own_stacks_;
  const StackIds& stacks_;
  // By id of the stack.
  std::unordered_map<uint64_t, std::string, NumberHash> traces_;
  std::unordered_map<uint64_t, FrameFinder::Place, NumberHash> places_;
};

}  // namespace emberline
