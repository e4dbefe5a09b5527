// Sentences about a file, beside its path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace emberline {

// `reason`, which names the file at `path` by its last part, with the whole path in that place.
// Nothing when it does not name the file.
std::optional<std::string> WithWholePath(std::string_view reason, std::string_view path);

}  // namespace emberline
