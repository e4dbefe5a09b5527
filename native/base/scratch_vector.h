// Vectors of what is only needed for a moment: where they are long they stand on large pages, which
// take a thirtieth of the time that as much in small ones takes to come (base/heap.h).
#pragma once

#include <vector>

#include "base/block_allocator.h"

namespace emberline {

template <typename T>
using ScratchVector = std::vector<T, BlockAllocator<T, &AllocateScratch>>;

}  // namespace emberline
