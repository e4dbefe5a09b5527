// The least that reading a trace can cost: inflate it and tokenize its events with a strict parser,
// keeping nothing. The benchmark measures the reader against it in the same run. Compiled for the
// machine at hand, so that the parser uses what the processor has.
//
//   emberline_floor FILE     prints {"seconds", "inflater", "textBytes", "events"} as JSON

#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "ingest/byte_source.h"
#include "ingest/trace_event/nested.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/window.h"

#if defined(EMBERLINE_HAVE_ISAL)
#include "isal_source.h"
#endif

namespace emberline {
namespace {

using simdjson::ondemand::json_type;

static_assert(Window::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr size_t kLookBack = 1 << 16;

struct FloorResult {
  double seconds = 0;  // of the whole, inflating and tokenizing overlapped
  const char* inflater = "";
  uint64_t text_bytes = 0;
  uint64_t events = 0;  // tokenized with all their fields and args
};

// Reads one value, so that the parser does the work of decoding it; the sum keeps the compiler from
// leaving it out.
simdjson::error_code Touch(simdjson::ondemand::value value, uint64_t* sum) {
  json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case json_type::string: {
      std::string_view text;
      const auto error = value.get_string().get(text);
      *sum += text.size();
      return error;
    }
    case json_type::number: {
      simdjson::ondemand::number number;
      const auto error = value.get_number().get(number);
      *sum += number.is_int64() ? static_cast<uint64_t>(number.get_int64()) : 1;
      return error;
    }
    case json_type::object: {
      simdjson::ondemand::object object;
      if (const auto error = value.get_object().get(object)) return error;
      for (auto field : object) {
        std::string_view key;
        simdjson::ondemand::value inner;
        if (const auto error = field.escaped_key().get(key)) return error;
        if (const auto error = field.value().get(inner)) return error;
        *sum += key.size();
        json_type inner_type;
        if (const auto error = inner.type().get(inner_type)) return error;
        // Lists of args are kept as text by any reader: finding their end is all they cost.
        if (inner_type == json_type::array || inner_type == json_type::object) {
          std::string_view raw;
          if (const auto error = inner.raw_json().get(raw)) return error;
          *sum += raw.size();
        } else if (const auto error = Touch(inner, sum)) {
          return error;
        }
      }
      return simdjson::SUCCESS;
    }
    default: {
      std::string_view raw;
      const auto error = value.raw_json().get(raw);
      *sum += raw.size();
      return error;
    }
  }
}

Result<FloorResult> MeasureFloor(const std::filesystem::path& path) {
  std::unique_ptr<ByteSource> opened;
#if defined(EMBERLINE_HAVE_ISAL)
  opened = IsalSource::Open(path);
#endif
  const char* inflater = opened != nullptr ? "ISA-L" : "zlib";
  if (opened == nullptr) {
    auto plain = OpenFile(path);
    if (!plain) return plain.error();
    opened = std::move(*plain);
  }
  ByteSource& source = *opened;
  const auto start = std::chrono::steady_clock::now();
  Window window(&source);
  const Error no_events{ErrorKind::kUnreadable,
                        path.string() + " holds no list of events.",
                        "Measure a trace that opens without problems.",
                        {}};
  // Up to the list.
  constexpr std::string_view kKey = "\"traceEvents\"";
  for (;;) {
    if (!window.Refill(kKey.size())) return no_events;
    const std::string_view text(window.pos(), window.available());
    const char* first = SkipSpace(window.pos(), window.end());
    if (window.offset() == 0 && first < window.end() && *first == '[') {
      window.set_pos(first + 1);
      break;
    }
    const size_t at = text.find(kKey);
    if (at == std::string_view::npos) {
      if (text.size() > kLookBack) window.set_pos(window.end() - kKey.size());
      continue;
    }
    const char* list = window.pos() + at;
    while (list < window.end() && *list != '[') ++list;
    if (list >= window.end()) continue;
    window.set_pos(list + 1);
    break;
  }
  FloorResult result;
  uint64_t sum = 0;
  simdjson::ondemand::parser parser;
  bool last = false;
  while (!last) {
    const char* border =
        window.available() > 0 ? LastEventBorder(window.pos(), window.end()) : nullptr;
    if (border == nullptr) {
      last = !window.Refill();
      if (!last) continue;
    }
    const char* const begin = window.pos();
    const char* stop = border;
    if (last) {
      // What is left is the last event and what comes behind the list.
      const Nested event = ScanNested(SkipSpace(begin, window.end()), window.end(), false);
      if (event.state != NestedState::kSound) break;
      stop = event.end;
    }
    const size_t size = static_cast<size_t>(stop - begin);
    simdjson::ondemand::document_stream stream;
    if (parser.iterate_many(begin, size, size, true).get(stream)) return no_events;
    for (auto document : stream) {
      simdjson::ondemand::object event;
      if (document.get_object().get(event)) break;
      for (auto field : event) {
        std::string_view key;
        simdjson::ondemand::value value;
        if (field.escaped_key().get(key) || field.value().get(value) || Touch(value, &sum)) {
          return Error{ErrorKind::kUnreadable,
                       path.string() + " has events that are no strict JSON.",
                       "Measure a trace that opens without problems.", window.offset()};
        }
        sum += key.size();
      }
      ++result.events;
    }
    window.set_pos(last ? window.end() : border + 1);
  }
  while (window.Refill()) window.set_pos(window.end());
  result.text_bytes = window.end_offset();
  result.inflater = inflater;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // Never true; it makes the sum count.
  if (sum == 0 && result.events > 0) result.events = 0;
  return result;
}

}  // namespace
}  // namespace emberline

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: emberline_floor FILE\n");
    return 2;
  }
  const auto result = emberline::MeasureFloor(argv[1]);
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    return 3;
  }
  std::printf("{\"seconds\": %.6f, \"inflater\": \"%s\", \"textBytes\": %llu, \"events\": %llu}\n",
              result->seconds, result->inflater,
              static_cast<unsigned long long>(result->text_bytes),
              static_cast<unsigned long long>(result->events));
  return 0;
}
