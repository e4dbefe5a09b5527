#include "ingest/trace_event/importer.h"

#include <utility>

#include "base/text.h"
#include "ingest/errors.h"
#include "ingest/no_trace.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/trace_reader.h"

namespace emberline {
namespace {

// A list's first event names its phase within so many bytes.
constexpr size_t kFirstEventBytes = 8192;

// Whether a text begins like a trace, or what it is instead.
Recognition Look(std::string_view head) {
  const auto not_one = [](const Sentence& why, MessageArgs args = {}) {
    return Recognition{Recognition::Claim::kFallback, &why, std::move(args)};
  };
  const Recognition sure{Recognition::Claim::kSure, nullptr, {}};
  if (const auto other = OtherEncoding(head)) {
    return not_one(errors::kIsOtherEncoding, other->args);
  }
  const char* const end = head.data() + head.size();
  const char* p = head.data();
  if (head.starts_with("\xEF\xBB\xBF")) p += 3;
  p = SkipSpace(p, end);
  if (p >= end) return not_one(errors::kIsEmpty);
  const std::string_view rest(p, static_cast<size_t>(end - p));
  if (*p == '{') {
    if (Contains(rest, "\"traceEvents\"")) return sure;
    const bool execution = Contains(rest, "\"nodes\"") && Contains(rest, "\"schema\"");
    return not_one(execution ? errors::kIsExecutionTrace : errors::kHasNoEvents);
  }
  if (*p != '[') return not_one(errors::kIsNoJson);
  const char* const first = SkipSpace(p + 1, end);
  const bool event =
      first < end && *first == '{' && Contains(rest.substr(0, kFirstEventBytes), "\"ph\"");
  return event ? sure : not_one(errors::kIsOtherList);
}

class TraceEvents : public Importer {
 public:
  const ImporterSpec& spec() const override {
    static const ImporterSpec spec = {
        "traceEvents", "Trace Event JSON", {".json"}, ".pt.trace.json"};
    return spec;
  }
  // Never refuses: the reader finds events behind damage, and says best why there are none.
  Recognition Recognize(std::string_view head) const override { return Look(head); }
  Result<ReadResult> Read(ByteSource& source, const TraceFile& file,
                          const ReadOptions& options) const override {
    return ReadTraceEvents(source, file, options);
  }
};

}  // namespace

const Importer& TraceEventImporter() {
  static const TraceEvents importer;
  return importer;
}

}  // namespace emberline
