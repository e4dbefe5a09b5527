#include "ingest/trace_event/no_json.h"

#include <algorithm>

#include "ingest/trace_event/scan.h"

namespace emberline {
namespace {

constexpr const char* kOpenExport =
    "Open the file that export_chrome_trace or tensorboard_trace_handler wrote.";

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += IsSpace(c) || c == 0x7f ? ' ' : c;
  std::string scratch;
  CleanProblems problems;
  return std::string(CleanNested(out, &scratch, &problems));
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
