// Large blocks stand on large pages where the system has them: reading a trace fills hundreds of
// megabytes of columns once, and taking those from the system in pages of 4 KiB costs a third of
// the time. Replaces the global operator new of the program; sanitizers bring their own.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__) && defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define EMBERLINE_OWN_NEW 0
#endif
#endif
#ifndef EMBERLINE_OWN_NEW
#define EMBERLINE_OWN_NEW 1
#endif
#else
#define EMBERLINE_OWN_NEW 0
#endif

#if EMBERLINE_OWN_NEW

namespace {

constexpr size_t kLargePage = size_t{2} << 20;

// Null when there is no memory.
void* Allocate(size_t size) {
  if (size < 2 * kLargePage) return std::malloc(size == 0 ? 1 : size);
  if (size > SIZE_MAX - kLargePage) return nullptr;
  void* const block = std::aligned_alloc(kLargePage, size);
  // Whole large pages only: the rest of the last one would be taken although nobody uses it.
  if (block != nullptr) madvise(block, size / kLargePage * kLargePage, MADV_HUGEPAGE);
  return block;
}

}  // namespace

void* operator new(size_t size) {
  for (;;) {
    if (void* const block = Allocate(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }

#endif
