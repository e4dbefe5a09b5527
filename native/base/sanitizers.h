// Whether a sanitizer watches this program: then memory comes from its own allocator alone, which
// knows where each block ends.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EMBERLINE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define EMBERLINE_SANITIZED 1
#endif
#endif
#ifndef EMBERLINE_SANITIZED
#define EMBERLINE_SANITIZED 0
#endif
