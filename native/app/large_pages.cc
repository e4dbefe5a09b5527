// Replaces the global operator new of the program, so that its large blocks stand on large pages,
// too: views fill vectors of megabytes, and taking these from the system in pages of 4 KiB, one
// whenever it is touched, costs a third of their time. Sanitizers bring their own.
#include <new>

#include "base/heap.h"
#include "base/sanitizers.h"

#if defined(__linux__) && !EMBERLINE_SANITIZED

void* operator new(size_t size) {
  for (;;) {
    if (void* const block = emberline::AllocateAny(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return emberline::AllocateAny(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return emberline::AllocateAny(size);
}
void operator delete(void* block) noexcept { emberline::FreeBlock(block); }
void operator delete[](void* block) noexcept { emberline::FreeBlock(block); }
void operator delete(void* block, size_t) noexcept { emberline::FreeBlock(block); }
void operator delete[](void* block, size_t) noexcept { emberline::FreeBlock(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { emberline::FreeBlock(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { emberline::FreeBlock(block); }

#endif
