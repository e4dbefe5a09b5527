#include "ingest/no_trace.h"

#include <algorithm>

#include "ingest/scan.h"

namespace emberline {
namespace {

constexpr const char* kOpenTrace =
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote.";
constexpr const char* kOpenExport =
    "Open the file that export_chrome_trace or tensorboard_trace_handler wrote.";

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

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += IsSpace(c) || c == 0x7f ? ' ' : c;
  std::string scratch;
  CleanProblems problems;
  return std::string(CleanNested(out, &scratch, &problems));
}

std::optional<NoTrace> OtherEncoding(std::string_view head) {
  const auto starts = [&](std::string_view mark) { return head.substr(0, mark.size()) == mark; };
  const auto named = [](const std::string& shown, const std::string& from) {
    return NoTrace{"its text is " + shown + ", and traces are UTF-8.",
                   "Convert it first: iconv -f " + from + " -t UTF-8 FILE > NEW.json"};
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
  if (starts("\x28\xB5\x2F\xFD")) {
    return NoTrace{"it is compressed with zstd.", "Unpack it first: zstd -d FILE."};
  }
  if (starts("PK\x03\x04")) return NoTrace{"it is a zip archive.", "Unpack it first."};
  if (starts("BZh")) {
    return NoTrace{"it is compressed with bzip2.", "Unpack it first: bunzip2 FILE."};
  }
  if (starts("\xFD"
             "7zXZ")) {
    return NoTrace{"it is compressed with xz.", "Unpack it first: unxz FILE."};
  }
  if (starts("SQLite format 3")) {
    return NoTrace{"it is a SQLite database, such as Nsight Systems exports.", kOpenTrace};
  }
  if (starts("\x80")) {
    return NoTrace{"it is a Python pickle, such as torch.cuda.memory snapshots are.", kOpenTrace};
  }
  if (head.size() > 262 && head.substr(257, 5) == "ustar") {
    return NoTrace{"it is a tar archive.", "Unpack it first."};
  }
  if (starts("<")) return NoTrace{"it is an HTML or XML page.", kOpenTrace};
  return std::nullopt;
}

NoTrace NoJsonTrace(std::string_view head) {
  head = head.substr(0, 512);
  if (!head.empty() && head[0] == '[') {
    const char* const end = head.data() + head.size();
    const char* const element = SkipSpace(head.data() + 1, end);
    return {element < end && *element == '['
                ? "it is a list of lists, such as torch.profiler's memory timeline."
                : "it is a list of something else than events.",
            kOpenExport};
  }
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::any_of(head.begin(), head.end(), is_control)) {
    return {"it holds binary data, where a JSON object or list must begin.", kOpenTrace};
  }
  return {"a JSON object or list must begin here, but there is \"" + Printable(head.substr(0, 24)) +
              "\".",
          kOpenTrace};
}

}  // namespace emberline
