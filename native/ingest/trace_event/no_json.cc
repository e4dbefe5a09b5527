#include "ingest/trace_event/no_json.h"

#include <algorithm>

#include "ingest/errors.h"
#include "ingest/trace_event/scan.h"

namespace emberline {

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += IsSpace(c) || c == 0x7f ? ' ' : c;
  // Quoted in a sentence, a line's end is no part of what stands there.
  while (!out.empty() && out.back() == ' ') out.pop_back();
  std::string scratch;
  CleanProblems problems;
  return std::string(CleanNested(out, &scratch, &problems));
}

NoTrace NoJsonTrace(std::string_view head) {
  head = head.substr(0, 512);
  if (!head.empty() && head[0] == '[') {
    const char* const end = head.data() + head.size();
    const char* const element = SkipSpace(head.data() + 1, end);
    const bool lists = element < end && *element == '[';
    return {lists ? &errors::kMemoryTimeline : &errors::kOtherList, {}};
  }
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::any_of(head.begin(), head.end(), is_control)) {
    return {&errors::kBinary, {}};
  }
  return {&errors::kNotJson, {{"found", Printable(head.substr(0, 24))}}};
}

}  // namespace emberline
