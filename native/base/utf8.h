// UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emberline {

// Bytes of the valid UTF-8 sequence at `p` (p < end), or 0; its code point goes to `decoded` unless
// that is null.
size_t Utf8Length(const unsigned char* p, const unsigned char* end, uint32_t* decoded = nullptr);

// Appends a code point, which must be none of a surrogate.
void AppendUtf8(uint32_t code, std::string* out);

}  // namespace emberline
