#include "ingest/no_trace.h"

#include <cstddef>

#include "ingest/errors.h"

namespace emberline {
namespace {

// Whether the first two units of `unit` bytes are ASCII, with the low byte at `low`.
bool IsWideAscii(std::string_view head, size_t unit, size_t low) {
  if (head.size() < 2 * unit) return false;
  for (size_t i = 0; i < 2 * unit; ++i) {
    const unsigned char c = static_cast<unsigned char>(head[i]);
    const bool fits = i % unit == low ? c != 0 && c < 0x80 : c == 0;
    if (!fits) return false;
  }
  return true;
}

}  // namespace

std::optional<NoTrace> OtherEncoding(std::string_view head) {
  const auto starts = [&](std::string_view mark) { return head.substr(0, mark.size()) == mark; };
  const auto named = [](const char* shown, const char* from) {
    return NoTrace{&errors::kOtherEncoding, {{"encoding", shown}, {"from", from}}};
  };
  using namespace std::string_view_literals;
  // The mark of UTF-32 in little endian begins like the one of UTF-16.
  if (starts("\xFF\xFE\0\0"sv) || starts("\0\0\xFE\xFF"sv)) return named("UTF-32", "UTF-32");
  if (starts("\xFF\xFE"sv) || starts("\xFE\xFF"sv)) return named("UTF-16", "UTF-16");
  if (IsWideAscii(head, 4, 0)) return named("UTF-32 (little endian)", "UTF-32LE");
  if (IsWideAscii(head, 4, 3)) return named("UTF-32 (big endian)", "UTF-32BE");
  if (IsWideAscii(head, 2, 0)) return named("UTF-16 (little endian)", "UTF-16LE");
  if (IsWideAscii(head, 2, 1)) return named("UTF-16 (big endian)", "UTF-16BE");
  return std::nullopt;
}

std::optional<NoTrace> OtherFormat(std::string_view head) {
  const auto starts = [&](std::string_view magic) { return head.substr(0, magic.size()) == magic; };
  const auto is = [](const ErrorText& text) { return NoTrace{&text, {}}; };
  if (starts("\x28\xB5\x2F\xFD")) return is(errors::kZstd);
  if (starts("PK\x03\x04")) return is(errors::kZip);
  if (starts("BZh")) return is(errors::kBzip2);
  if (starts("\xFD"
             "7zXZ")) {
    return is(errors::kXz);
  }
  if (starts("SQLite format 3")) return is(errors::kSqlite);
  if (starts("\x80")) return is(errors::kPickle);
  if (head.size() > 262 && head.substr(257, 5) == "ustar") return is(errors::kTar);
  if (starts("<")) return is(errors::kMarkup);
  return std::nullopt;
}

}  // namespace emberline
