// Parts of stack_of.h that frame_finder.cc needs too.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/stack_of.h"
#include "model/model.h"

namespace emberline {

// The recorded "Call stack" of an op or of the nearest op around it that has one.
std::string_view RecordedStack(const Model& model, SliceIndex op);

// The frames of what CaptureStack() gives; none where no frame names a file, which is no stack.
std::vector<Frame> FramesOfCapture(std::string_view text);

// Where a slice's stack is looked up: for a graph's work the call that recorded it, for other
// device work its launch (else its op), everything else itself.
SliceIndex StackHost(const Model& model, SliceIndex slice);

// The op whose forward partner lends its stack: the slice itself or the op around it.
SliceIndex StackForward(const Model& model, SliceIndex slice);

}  // namespace emberline
