#include "base/named_file.h"

namespace emberline {

std::optional<std::string> WithWholePath(std::string_view reason, std::string_view path) {
  if (path.empty()) return std::nullopt;
  if (reason.find(path) != std::string_view::npos) return std::string(reason);
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.empty()) return std::nullopt;
  const auto ends_word = [&](size_t at) {
    return at >= reason.size() || reason[at] == ' ' || reason[at] == ':';
  };
  for (size_t at = reason.find(name); at != std::string_view::npos;
       at = reason.find(name, at + 1)) {
    if ((at > 0 && reason[at - 1] != ' ') || !ends_word(at + name.size())) continue;
    return std::string(reason.substr(0, at)).append(path).append(reason.substr(at + name.size()));
  }
  return std::nullopt;
}

}  // namespace emberline
