// Why a text is no trace in JSON, in words.
#pragma once

#include <string>
#include <string_view>

#include "ingest/no_trace.h"

namespace emberline {

// Why a text that begins with `head` is no trace in JSON.
NoTrace NoJsonTrace(std::string_view head);

// The beginning of a text for a message: on one line, as valid UTF-8.
std::string Printable(std::string_view text);

}  // namespace emberline
