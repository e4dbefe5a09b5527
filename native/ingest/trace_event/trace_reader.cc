#include "ingest/trace_event/trace_reader.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "base/cores.h"
#include "base/escape.h"
#include "ingest/ascend_folder.h"
#include "ingest/errors.h"
#include "ingest/no_trace.h"
#include "ingest/trace_event/cursor.h"
#include "ingest/trace_event/event_list.h"
#include "ingest/trace_event/event_sink.h"
#include "ingest/trace_event/header.h"
#include "ingest/trace_event/header_value.h"
#include "ingest/trace_event/no_json.h"
#include "ingest/trace_event/scan.h"
#include "store/problems.h"

namespace emberline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxKeyBytes = 4096;
// Between a damaged "traceEvents" and the first event.
constexpr size_t kMaxDamagedBegin = 64;

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

class Reader {
 public:
  Reader(ByteSource& source, const std::string& what, const ReadOptions& options)
      : source_(source),
        what_(what),
        options_(options),
        problems_(builder_.problems()),
        cursor_(&source, options.cancel),
        sink_(&builder_, &filing_problems_),
        queue_(&sink_, &builder_.strings(), options.alone_events),
        list_(&cursor_, &builder_.strings(), &problems_, &queue_, options,
              [this] { Progress(0.9 * source_.Fraction()); }),
        header_(&builder_.metadata(), &problems_) {}

  // The rank, where the file does not say it but something beside it does.
  void AssumeRank(int64_t rank) { rank_ = rank; }
  Result<ReadResult> Run();

 private:
  // What is read next.
  enum class Part { kHeader, kList, kNothing };
  Error NotATrace(const ErrorText& why, uint64_t offset, MessageArgs args = {}) const {
    return NoTrace{&why, std::move(args)}.At(what_, offset);
  }
  Error Empty() const { return NotATrace(errors::kEmptyFile, 0); }
  std::optional<Error> ReadText();
  std::optional<Error> FindBegin(Part* part);
  bool HasTraceNear();
  Error WithoutEvents();
  Part ReadList();
  Part ReadMember();
  Part ReadValue(const std::string& key, uint64_t offset);
  Part BehindEnd();
  Part AfterDamage();
  // The key at the cursor; *length reaches behind its colon. False when there is none.
  bool ReadKey(std::string* key, size_t* length);
  void Progress(double fraction) {
    if (options_.progress) options_.progress("read", fraction);
  }

  ByteSource& source_;
  const std::string& what_;
  const ReadOptions& options_;
  TraceBuilder builder_;
  Problems& problems_;
  // Moves with each event, while another thread files into the builder.
  alignas(kApart) Cursor cursor_;
  alignas(kApart) Problems filing_problems_;  // the sink's, which may run on another thread
  EventSink sink_;
  EventQueue queue_;
  EventList list_;
  HeaderReader header_;
  std::optional<int64_t> rank_;
  // What the header's last piece was, to tell commas too many and missing ones.
  enum class Last { kBrace, kComma, kMember, kDamage };
  Last last_ = Last::kBrace;
  bool truncated_ = false;
  bool events_read_ = false;
  bool no_list_ = false;      // the key of the events was read, with another value than a list
  uint64_t quiet_until_ = 0;  // no event and no key of the header begins before
  std::string keys_seen_;
};

std::optional<Error> Reader::ReadText() {
  if (!cursor_.Fill()) {
    Problems found;
    source_.ReportProblems(&found, 0);
    const bool lost = found.count(ProblemKind::kTruncatedGzip) != 0 ||
                      found.count(ProblemKind::kDamagedGzip) != 0;
    return lost ? NotATrace(errors::kEndsBeforeEvents, 0) : Empty();
  }
  Part part = Part::kHeader;
  if (auto error = FindBegin(&part)) return error;
  while (part != Part::kNothing && !cursor_.cancelled()) {
    part = part == Part::kList ? ReadList() : ReadMember();
  }
  if (cursor_.cancelled()) return std::nullopt;
  queue_.Finish();
  problems_.Merge(&filing_problems_);
  if (!events_read_) return WithoutEvents();
  if (builder_.metadata().bare_array && builder_.counts().events > 0 && !sink_.saw_phase()) {
    return NotATrace(errors::kNoPhases, 0);
  }
  return std::nullopt;
}

// Goes to the first key of the trace, or to its first event.
std::optional<Error> Reader::FindBegin(Part* part) {
  const char* end = cursor_.LookAhead();
  if (const auto why = OtherEncoding({cursor_.pos(), static_cast<size_t>(end - cursor_.pos())})) {
    return why->At(what_, 0);
  }
  if (end - cursor_.pos() >= 3 && std::memcmp(cursor_.pos(), "\xEF\xBB\xBF", 3) == 0) {
    cursor_.Take(3);
  }
  const int first = cursor_.Peek();
  if (first < 0) return Empty();
  end = cursor_.LookAhead();
  const std::string_view text(cursor_.pos(), static_cast<size_t>(end - cursor_.pos()));
  uint64_t searched = 0;
  if (first == '{') {
    if (BeginsEvent(cursor_.pos(), end, '\0', true, &searched)) {
      // A list whose bracket is missing.
      problems_.Add(ProblemKind::kEventsOutsideList, cursor_.offset());
      builder_.metadata().bare_array = true;
      *part = Part::kList;
    } else {
      cursor_.Take();
    }
    return std::nullopt;
  }
  if (first == '[') {
    const char* const element = SkipSpace(cursor_.pos() + 1, end);
    if (cursor_.IsLast(element) || *element == '{' || *element == ']') {
      cursor_.Take();
      builder_.metadata().bare_array = true;
      *part = Part::kList;
      return std::nullopt;
    }
  } else if (const auto why = OtherFormat(text)) {
    return why->At(what_, 0);
  }
  if (!HasTraceNear()) {
    const NoTrace why = NoJsonTrace(text);
    if (first == '[') cursor_.Take();
    cursor_.Peek();
    return why.At(what_, cursor_.offset());
  }
  // Only the beginning is damaged.
  problems_.Add(ProblemKind::kMalformedHeader, cursor_.offset());
  if (first == '[') builder_.metadata().bare_array = true;
  while (std::string_view("[]}:,").find(static_cast<char>(cursor_.Peek())) !=
         std::string_view::npos) {
    cursor_.Take();
  }
  if (cursor_.Peek() == '{' &&
      !BeginsEvent(cursor_.pos(), cursor_.LookAhead(), '\0', true, &searched)) {
    cursor_.Take();
  }
  if (cursor_.Peek() != '"' || !FindKey(cursor_.pos(), cursor_.LookAhead()).found) {
    *part = AfterDamage();
  }
  return std::nullopt;
}

// Whether events, or the key in front of them, stand near behind the cursor.
bool Reader::HasTraceNear() {
  const char* const end = cursor_.LookAhead();
  const std::string_view text(cursor_.pos(), static_cast<size_t>(end - cursor_.pos()));
  return text.find("\"traceEvents\"") != std::string_view::npos ||
         cursor_.HasEventNear(cursor_.pos());
}

Error Reader::WithoutEvents() {
  if (truncated_) return NotATrace(errors::kEndsBeforeEvents, cursor_.window().end_offset());
  const bool execution = keys_seen_.find("schema") != std::string::npos &&
                         keys_seen_.find("nodes") != std::string::npos;
  if (execution) return NotATrace(errors::kExecutionTrace, 0);
  if (keys_seen_.empty()) return NotATrace(errors::kEmptyObject, 0);
  if (no_list_) return NotATrace(errors::kEventsAreNoList, 0);
  return NotATrace(errors::kNoEvents, 0, {{"keys", Printable(keys_seen_)}});
}

Reader::Part Reader::ReadList() {
  events_read_ = true;
  switch (list_.Read()) {
    case EventList::Left::kClosed:
      return builder_.metadata().bare_array ? BehindEnd() : Part::kHeader;
    case EventList::Left::kHeader:
      last_ = Last::kDamage;
      return Part::kHeader;
    case EventList::Left::kEndOfText:
      break;
  }
  truncated_ = true;
  return Part::kNothing;
}

// Behind the end of the trace: events that stand there all the same are read.
Reader::Part Reader::BehindEnd() {
  if (cursor_.Peek() < 0) return Part::kNothing;
  const uint64_t offset = cursor_.offset();
  const uint64_t phases = cursor_.GoToNext(0, Cursor::In::kHeader).phases;
  if (phases > 0) queue_.Drop(ProblemKind::kMalformedEvent, offset, phases);
  const int c = cursor_.Peek();
  if (c < 0) {
    problems_.Add(ProblemKind::kTrailingBytes, offset);
    return Part::kNothing;
  }
  problems_.Add(c == '{' ? ProblemKind::kEventsOutsideList : ProblemKind::kMalformedHeader,
                cursor_.offset());
  return c == '{' ? Part::kList : Part::kHeader;
}

// At something damaged in the header: on with the first event or key of the header near it,
// otherwise behind the next token.
Reader::Part Reader::AfterDamage() {
  const uint64_t offset = cursor_.offset();
  problems_.Add(ProblemKind::kMalformedHeader, offset);
  last_ = Last::kDamage;
  const size_t quiet = quiet_until_ > offset ? static_cast<size_t>(quiet_until_ - offset) : 0;
  if (quiet < kLookAhead / 2) {
    const Cursor::Place place = cursor_.FindNext(quiet, quiet + kLookAhead, Cursor::In::kHeader);
    if (place.phases > 0) queue_.Drop(ProblemKind::kMalformedEvent, offset, place.phases);
    if (place.kind != Cursor::Place::Kind::kNothing) {
      cursor_.Take(place.distance);
      return place.kind == Cursor::Place::Kind::kEvent ? Part::kList : Part::kHeader;
    }
    quiet_until_ = offset + place.distance;
  }
  std::string skipped;
  bool complete = false;
  CaptureValue(&cursor_, &skipped, 256, &complete);
  if (cursor_.offset() == offset) cursor_.Take();
  return Part::kHeader;
}

bool Reader::ReadKey(std::string* key, size_t* length) {
  const char* const end = cursor_.LookAhead();
  const char* const from = cursor_.pos();
  ScannedString string;
  const char* after = ScanString(from + 1, end, &string);
  if (after == nullptr || string.text().size() > kMaxKeyBytes) return false;
  after = SkipSpace(after, end);
  if (after >= end || *after != ':') return false;
  std::string scratch;
  CleanProblems problems;
  key->assign(string.odd ? CleanString(string.text(), &scratch, &problems) : string.text());
  *length = static_cast<size_t>(after + 1 - from);
  return true;
}

// Reads one member of the trace's object, or what stands in its place.
Reader::Part Reader::ReadMember() {
  const int c = cursor_.Peek();
  if (c < 0) {
    truncated_ = true;
    return Part::kNothing;
  }
  if (c == '}') {
    if (last_ == Last::kComma) problems_.Add(ProblemKind::kStrayComma, cursor_.offset());
    cursor_.Take();
    return BehindEnd();
  }
  if (c == ',') {
    if (last_ == Last::kComma || last_ == Last::kBrace) {
      problems_.Add(ProblemKind::kStrayComma, cursor_.offset());
    }
    last_ = Last::kComma;
    cursor_.Take();
    return Part::kHeader;
  }
  if (c != '"') return AfterDamage();
  std::string key;
  size_t length = 0;
  if (!ReadKey(&key, &length)) {
    const char* const end = cursor_.LookAhead();
    ScannedString string;
    if (ScanString(cursor_.pos() + 1, end, &string) == nullptr && cursor_.IsLast(end)) {
      truncated_ = true;
      return Part::kNothing;
    }
    return AfterDamage();
  }
  // Members of an event whose beginning is damaged.
  const bool of_event = FindKey(cursor_.pos(), cursor_.end()).of_event;
  if (of_event && (events_read_ || key == "ph")) return AfterDamage();
  if (keys_seen_.size() < 200 && key.size() < 60) {
    keys_seen_ += keys_seen_.empty() ? "" : ", ";
    keys_seen_ += key;
  }
  const uint64_t offset = cursor_.offset();
  if (last_ == Last::kMember) problems_.Add(ProblemKind::kStrayComma, offset);
  last_ = Last::kMember;
  cursor_.Take(length);
  return ReadValue(key, offset);
}

Reader::Part Reader::ReadValue(const std::string& key, uint64_t offset) {
  const int c = cursor_.Peek();
  if (key == "traceEvents") {
    if (c == '[') {
      cursor_.Take();
      return Part::kList;
    }
    const Cursor::Place place = cursor_.FindNext(0, kMaxDamagedBegin, Cursor::In::kHeader);
    if (place.kind == Cursor::Place::Kind::kEvent) {
      problems_.Add(ProblemKind::kMalformedHeader, cursor_.offset());
      cursor_.Take(place.distance);
      return Part::kList;
    }
    no_list_ = true;
  }
  const size_t limit =
      HeaderReader::NeedsWhole(key) ? kMaxHeaderBytes : HeaderReader::kMaxTextBytes;
  std::string value;
  bool complete = false;
  size_t length = 0;
  bool flawed = false;
  const ValueExtent extent =
      c < 0 ? ValueExtent::kEndless : MeasureValue(&cursor_, &problems_, &length, &flawed);
  // This one is taken apart, and tells its flaws itself.
  if (flawed && extent == ValueExtent::kSound && key != "distributedInfo") {
    problems_.Add(ProblemKind::kMalformedHeader, cursor_.offset());
  }
  switch (extent) {
    case ValueExtent::kSound:
      value.assign(TrimRight({cursor_.pos(), std::min(length, limit)}));
      complete = length <= limit;
      cursor_.Take(length);
      break;
    case ValueExtent::kDamaged:
      return AfterDamage();
    case ValueExtent::kEndless:
      CaptureValue(&cursor_, &value, limit, &complete);
      break;
  }
  header_.Take(key, value, offset, complete);
  return Part::kHeader;
}

Result<ReadResult> Reader::Run() {
  const auto start = Clock::now();
  Progress(0);
  const std::optional<Error> error = ReadText();
  if (cursor_.cancelled()) {
    return Cancelled();
  }
  if (error) return *error;
  const auto read = Clock::now();
  source_.ReportProblems(&problems_, cursor_.window().end_offset());
  if (truncated_ && problems_.count(ProblemKind::kTruncated) == 0) {
    problems_.Add(ProblemKind::kTruncated, cursor_.window().end_offset());
  }
  if (rank_ && !builder_.metadata().distributed) {
    builder_.metadata().distributed = DistributedInfo{"hccl", *rank_, -1, ""};
  }
  sink_.Finish();
  problems_.Merge(&filing_problems_);
  builder_.counts().file_bytes = source_.InputBytes();
  builder_.counts().text_bytes = cursor_.window().end_offset();
  // What reading took is not needed while the store is built, which takes the most.
  source_.Finish();
  list_.Finish();
  if (options_.progress) options_.progress("build", 0.9);
  auto store = builder_.Finalize(options_.cancel);
  if (!store) return store.error();
  const auto end = Clock::now();
  if (options_.progress) options_.progress("build", 1);
  ReadResult result;
  result.store = *store;
  result.stages = {{"read", source_.ReadSeconds()},
                   {"inflate", source_.InflateSeconds()},
                   {"tokenize", Seconds(read - start)},
                   {"build", Seconds(end - read)}};
  result.total_seconds = Seconds(end - start);
  return result;
}

}  // namespace

Result<ReadResult> ReadTraceEvents(ByteSource& source, const TraceFile& file,
                                   const ReadOptions& options) {
  Reader reader(source, file.name, options);
  if (!file.path.empty()) {
    const auto recording = AscendRecordingOf(file.path);
    if (recording && recording->rank) reader.AssumeRank(*recording->rank);
  }
  return reader.Run();
}

}  // namespace emberline
