#include "app/option_checks.h"

#include <algorithm>
#include <charconv>

namespace emberline {
namespace {

Complaint CheckWhole(const std::string& text) {
  return WholeNumber(text) ? "" : "requires a whole number, not \"" + text + "\"";
}

Complaint CheckStride(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return "wants I/N";
  const auto part = WholeNumber(text.substr(0, slash)), parts = WholeNumber(text.substr(slash + 1));
  return part && parts && *part >= 0 && *part < *parts ? "" : "wants I/N with I from 0 to N - 1";
}

}  // namespace

std::optional<int64_t> WholeNumber(const std::string& text) {
  int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

CLI::Validator OneOf(std::vector<std::string> words) {
  std::string list = words[0];
  for (size_t i = 1; i < words.size(); ++i) {
    list += (i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return CLI::Validator(
      [words = std::move(words), list](const std::string& text) -> Complaint {
        const bool known = std::find(words.begin(), words.end(), text) != words.end();
        return known ? "" : "wants " + list + ", not \"" + text + "\"";
      },
      "");
}

CLI::Validator Positive() {
  return CLI::Validator(
      [](const std::string& text) -> Complaint {
        const auto value = WholeNumber(text);
        return value && *value > 0 ? "" : "requires a whole number above 0, not \"" + text + "\"";
      },
      "");
}

CLI::Validator Whole() { return CLI::Validator(CheckWhole, ""); }

CLI::Validator Stride() { return CLI::Validator(CheckStride, ""); }

}  // namespace emberline
