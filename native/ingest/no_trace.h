// What a file is that is no trace, told by its first bytes.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace emberline {

// An error of the catalog (ingest/errors.h), without the name of the file.
struct NoTrace {
  const ErrorText* text;
  MessageArgs args;

  Error At(std::string_view file, uint64_t offset) const {
    MessageArgs all = args;
    all.emplace_back("file", file);
    return MakeError(*text, std::move(all), offset);
  }
};

// Text in another encoding than UTF-8, with or without a byte order mark.
std::optional<NoTrace> OtherEncoding(std::string_view head);
// Archives, compressed files and formats of other tools. `head`: the first 512 bytes or more.
std::optional<NoTrace> OtherFormat(std::string_view head);
}  // namespace emberline
