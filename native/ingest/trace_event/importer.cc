#include "ingest/trace_event/importer.h"

#include "base/text.h"
#include "ingest/no_trace.h"
#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/trace_reader.h"

namespace emberline {
namespace {

// A list's first event names its phase within so many bytes.
constexpr size_t kFirstEventBytes = 8192;

// Whether a text begins like a trace; else what it is instead.
bool BeginsLikeTrace(std::string_view head, std::string* why) {
  if (const auto other = OtherEncoding(head)) {
    *why = "is no trace: " + other->reason;
    return false;
  }
  const char* const end = head.data() + head.size();
  const char* p = head.data();
  if (head.starts_with("\xEF\xBB\xBF")) p += 3;
  p = SkipSpace(p, end);
  if (p >= end) {
    *why = "is empty";
    return false;
  }
  const std::string_view rest(p, static_cast<size_t>(end - p));
  if (*p == '{') {
    if (Contains(rest, "\"traceEvents\"")) return true;
    *why = Contains(rest, "\"nodes\"") && Contains(rest, "\"schema\"")
               ? "is an execution trace without times"
               : "has no \"traceEvents\"";
    return false;
  }
  if (*p == '[') {
    const char* const first = SkipSpace(p + 1, end);
    if (first < end && *first == '{' && Contains(rest.substr(0, kFirstEventBytes), "\"ph\"")) {
      return true;
    }
    *why = "is a list, but not of events";
    return false;
  }
  *why = "is no JSON";
  return false;
}

class TraceEvents : public Importer {
 public:
  const ImporterSpec& spec() const override {
    static const ImporterSpec spec = {
        "traceEvents", "Trace Event JSON", {".json"}, ".pt.trace.json"};
    return spec;
  }
  // Never refuses: the reader finds events behind damage, and says best why there are none.
  Recognition Recognize(std::string_view head) const override {
    Recognition said;
    said.claim = BeginsLikeTrace(head, &said.why) ? Recognition::Claim::kSure
                                                  : Recognition::Claim::kFallback;
    return said;
  }
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
