// Large blocks stand on large pages where the system has them: reading a trace fills hundreds of
// megabytes of columns once, and taking those from the system in pages of 4 KiB, one whenever it
// is touched, costs a third of the time. Replaces the global operator new of the program;
// sanitizers bring their own.
#include <cstdlib>
#include <new>

#include "base/heap.h"
#include "base/sanitizers.h"

#if defined(__linux__) && !EMBERLINE_SANITIZED

void* operator new(size_t size) {
  for (;;) {
    if (void* const block = emberline::AllocateAtOnce(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return emberline::AllocateAtOnce(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return emberline::AllocateAtOnce(size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }

#endif
