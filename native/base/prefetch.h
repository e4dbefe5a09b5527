// Rows that another thread used last lie in the caches of its core, and rows that nobody has used
// yet in memory, from where they take longer to come than the processor looks ahead. Here they are
// asked for some rows before they are needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cores.h"

namespace emberline {

// How many bytes behind a row rows are asked for: about as many as go by until they come.
inline constexpr size_t kPrefetchAhead = 640;

// Asks for what stands at an address, to read it. It need not exist.
inline void PrefetchToReadAt(const void* at) {
#if defined(__GNUC__)
  __builtin_prefetch(at);
#else
  (void)at;
#endif
}

// Asks for `rows` rows that stand so far behind `row`, to read them. They need not exist.
template <typename T>
void PrefetchToRead(const T* row, size_t rows) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(row) + kPrefetchAhead;
  for (size_t i = 0; i < rows * sizeof(T); i += kCacheLine) {
    PrefetchToReadAt(reinterpret_cast<const void*>(at + i));
  }
}

// The same to write them. Otherwise each write to a line waits until the line is there, which
// another core may have to give up, and soon all that the processor wants to write waits behind it.
template <typename T>
void PrefetchToWrite(const T* row, size_t rows) {
#if defined(__GNUC__)
  const uintptr_t at = reinterpret_cast<uintptr_t>(row) + kPrefetchAhead;
  for (size_t i = 0; i < rows * sizeof(T); i += kCacheLine) {
#if defined(__x86_64__)
    // A processor without this instruction does nothing. GCC uses it only where it is told that
    // there is none such.
    asm volatile("prefetchw (%0)" : : "r"(at + i));
#else
    __builtin_prefetch(reinterpret_cast<const void*>(at + i), 1);
#endif
  }
#else
  (void)row, (void)rows;
#endif
}

}  // namespace emberline
