// Vectors of what is only needed for a moment (base/heap.h).
#pragma once

#include <vector>

#include "base/block_allocator.h"

namespace emberline {

template <typename T>
using ScratchVector = std::vector<T, BlockAllocator<T, &AllocateScratch>>;

}  // namespace emberline
