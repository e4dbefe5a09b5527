// What a file is that is no trace, told by its first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace emberline {

// What to do where a file is none at all.
inline constexpr const char* kOpenTrace =
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote.";

struct NoTrace {
  std::string reason;  // "it is ..."
  std::string hint;    // what to do
};

// Text in another encoding than UTF-8, with or without a byte order mark.
std::optional<NoTrace> OtherEncoding(std::string_view head);
// Archives, compressed files and formats of other tools. `head`: the first 512 bytes or more.
std::optional<NoTrace> OtherFormat(std::string_view head);
}  // namespace emberline
