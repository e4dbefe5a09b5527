// What a file is that is no trace, told by its first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace emberline {

struct NoTrace {
  std::string reason;  // "it is ..."
  std::string hint;    // what to do
};

// Text in another encoding than UTF-8, with or without a byte order mark.
std::optional<NoTrace> OtherEncoding(std::string_view head);
// Archives, compressed files and formats of other tools. `head`: the first 512 bytes or more.
std::optional<NoTrace> OtherFormat(std::string_view head);
// Why a text that begins with `head` is no trace in JSON.
NoTrace NoJsonTrace(std::string_view head);

// The beginning of a text for a message: on one line, as valid UTF-8.
std::string Printable(std::string_view text);

}  // namespace emberline
