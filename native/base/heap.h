// How the allocator treats a program whose threads take and free much memory.
#pragma once

namespace emberline {

// To be called before threads start. Each pool of memory that threads allocate from keeps what was
// freed in it, and by default there may be eight for each core: what one request frees, another on
// another thread would not find. Does nothing where the C library has no such pools.
void BoundHeap();

// Gives memory that is free back to the system, where the C library does not by itself. Takes some
// milliseconds; any thread.
void TrimHeap();

}  // namespace emberline
