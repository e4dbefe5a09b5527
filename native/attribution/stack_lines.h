// The stack of one slice with the lines that were found for its calls.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/stack_of.h"
#include "attribution/attribute.h"
#include "model/model.h"

namespace emberline {

// As StackOf(), at most `most` frames; those of the user's files name the lines that they called
// from, where these are known.
std::vector<Frame> StackWithLines(const Model& model, const AttributedLines& lines,
                                  SliceIndex slice, size_t most);

}  // namespace emberline
