#include "ingest/trace_reader.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "ingest/event_batch.h"
#include "ingest/event_reader.h"
#include "ingest/event_sink.h"
#include "ingest/header.h"
#include "ingest/problems.h"
#include "ingest/scan.h"
#include "ingest/window.h"

namespace emberline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxEventBytes = 16 << 20;
constexpr std::ptrdiff_t kLookBack = 4096;
constexpr size_t kMaxKeyBytes = 4096;
constexpr size_t kMaxHeaderBytes = 8 << 20;
constexpr uint64_t kCancelStride = 1024;
// Mending looks ahead; a file that needs more of that than this many times what was read before is
// hostile.
constexpr uint64_t kLenientBudgetFactor = 4;
constexpr uint64_t kLenientBudgetBase = 1 << 22;

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += IsSpace(c) || c == 0x7f ? ' ' : c;
  std::string scratch;
  CleanProblems problems;
  return std::string(CleanNested(out, &scratch, &problems));
}

class Reader {
 public:
  Reader(ByteSource& source, const std::string& what, const ReadOptions& options)
      : source_(source),
        what_(what),
        options_(options),
        window_(&source),
        events_(&builder_.strings()),
        batch_(&events_),
        sink_(&builder_, &problems_),
        header_(&builder_.metadata(), &problems_) {}

  Result<ReadResult> Run();

 private:
  enum class After { kEvents, kEnd };

  bool Fill(size_t keep = 0) { return !Cancelled() && window_.Refill(keep); }
  // Next byte that is no white space, without taking it; -1 at the end.
  int Peek();
  void Take() { window_.set_pos(window_.pos() + 1); }
  Error NotATrace(const std::string& reason, const std::string& hint, uint64_t offset) const;
  Error NotATraceStart() const;
  std::optional<Error> ReadTop();
  std::optional<Error> ReadObjectTop();
  bool ReadKey(std::string* key);
  void CaptureValue(std::string* text, size_t limit, bool* complete);
  std::optional<Error> ReadEvents();
  // Reads the sound events at hand, the next one first; false when that one has to be read alone.
  bool ReadBatch();
  // False when it was damaged and the reader moved on to the next one.
  bool ReadOneEvent();
  void TakeEvent(uint64_t offset);
  void Resync();
  bool Cancelled() { return options_.cancel.cancelled(); }
  void Progress(double fraction) {
    if (options_.progress) options_.progress("read", fraction);
  }

  ByteSource& source_;
  const std::string& what_;
  const ReadOptions& options_;
  Window window_;
  TraceBuilder builder_;
  Problems problems_;
  EventReader events_;
  EventBatch batch_;
  EventSink sink_;
  HeaderReader header_;
  bool truncated_ = false;
  bool list_ended_ = false;        // by a damaged end of the list that stood for the object's end
  uint64_t one_by_one_until_ = 0;  // where the next batch may begin
  uint64_t lenient_bytes_ = 0;     // looked through to mend events
  uint64_t next_report_ = 0;
  std::string keys_seen_;
};

int Reader::Peek() {
  for (;;) {
    const char* p = SkipSpace(window_.pos(), window_.end());
    window_.set_pos(p);
    if (p < window_.end()) return static_cast<unsigned char>(*p);
    if (!Fill()) return -1;
  }
}

Error Reader::NotATrace(const std::string& reason, const std::string& hint, uint64_t offset) const {
  return {ErrorKind::kUnreadable, what_ + " is not a trace: " + reason, hint, offset};
}

Error Reader::NotATraceStart() const {
  const std::string_view head(window_.pos(), std::min<size_t>(window_.available(), 512));
  const std::string hint =
      "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote.";
  const auto starts = [&](std::string_view magic) { return head.substr(0, magic.size()) == magic; };
  if (starts("\x28\xB5\x2F\xFD")) {
    return NotATrace("it is compressed with zstd.", "Unpack it first: zstd -d FILE.", 0);
  }
  if (starts("PK\x03\x04")) return NotATrace("it is a zip archive.", "Unpack it first.", 0);
  if (starts("BZh"))
    return NotATrace("it is compressed with bzip2.", "Unpack it first: bunzip2 FILE.", 0);
  if (starts("\xFD"
             "7zXZ"))
    return NotATrace("it is compressed with xz.", "Unpack it first: unxz FILE.", 0);
  if (starts("SQLite format 3")) {
    return NotATrace("it is a SQLite database, such as Nsight Systems exports.", hint, 0);
  }
  if (starts("\x80")) {
    return NotATrace("it is a Python pickle, such as torch.cuda.memory snapshots are.", hint, 0);
  }
  if (head.size() > 262 && head.substr(257, 5) == "ustar") {
    return NotATrace("it is a tar archive.", "Unpack it first.", 0);
  }
  if (starts("<")) {
    return NotATrace("it is an HTML or XML page.", hint, 0);
  }
  if (starts("\xFF\xFE") || starts("\xFE\xFF")) {
    return NotATrace("its text is UTF-16.", "Convert it first: iconv -f UTF-16 -t UTF-8 FILE.", 0);
  }
  const uint64_t offset = window_.offset();
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::any_of(head.begin(), head.end(), is_control)) {
    return NotATrace("it holds binary data, where a JSON object or list must begin.", hint, offset);
  }
  return NotATrace("a JSON object or list must begin here, but there is \"" +
                       Printable(head.substr(0, 24)) + "\".",
                   hint, offset);
}

std::optional<Error> Reader::ReadTop() {
  if (!Fill()) {
    if (problems_.count(ProblemKind::kTruncatedGzip) != 0) {
      return NotATrace("it ends before its first event.", "", 0);
    }
    return Error{ErrorKind::kUnreadable, what_ + " is empty.",
                 "The profiler may have been killed before it wrote; record again.", 0};
  }
  while (window_.available() < 16 && Fill()) {
  }
  if (window_.available() >= 3 && std::memcmp(window_.pos(), "\xEF\xBB\xBF", 3) == 0) {
    window_.set_pos(window_.pos() + 3);
  }
  const int first = Peek();
  if (first == '[') {
    builder_.metadata().bare_array = true;
    Take();
    const int element = Peek();
    if (element != '{' && element != ']' && element != -1) {
      return NotATrace(element == '['
                           ? "it is a list of lists, such as torch.profiler's memory timeline."
                           : "it is a list of something else than events.",
                       "Open the file that export_chrome_trace or tensorboard_trace_handler wrote.",
                       window_.offset());
    }
    auto error = ReadEvents();
    if (error) return error;
    if (builder_.counts().events > 0 && !sink_.saw_phase()) {
      return NotATrace("it is a list of objects, but none of them is an event (no \"ph\").",
                       "Open the file that export_chrome_trace or tensorboard_trace_handler wrote.",
                       0);
    }
    return std::nullopt;
  }
  if (first == '{') return ReadObjectTop();
  if (first < 0) {
    return Error{ErrorKind::kUnreadable, what_ + " is empty.",
                 "The profiler may have been killed before it wrote; record again.", 0};
  }
  return NotATraceStart();
}

// Reads a key and its colon. False at the end of the text, or when there is no key.
bool Reader::ReadKey(std::string* key) {
  for (;;) {
    ScannedString string;
    const char* after = ScanString(window_.pos() + 1, window_.end(), &string);
    const bool too_long = after != nullptr && string.text().size() > kMaxKeyBytes;
    if (after != nullptr && !too_long) {
      std::string scratch;
      CleanProblems problems;
      key->assign(string.odd ? CleanString(string.text(), &scratch, &problems) : string.text());
      window_.set_pos(after);
      break;
    }
    // Either way the caller must see that something was taken, or it would try here again.
    if (too_long || window_.available() > kMaxKeyBytes + 1) {
      Take();
      return false;
    }
    if (!Fill()) {
      window_.set_pos(window_.end());
      return false;
    }
  }
  if (Peek() != ':') return false;
  Take();
  return true;
}

// Takes one value of any kind. Keeps at most `limit` bytes of its text; *complete tells whether the
// text held all of it.
void Reader::CaptureValue(std::string* text, size_t limit, bool* complete) {
  text->clear();
  *complete = true;
  int depth = 0;
  bool in_string = false, escaped = false, started = false;
  if (Peek() < 0) {
    *complete = false;
    return;
  }
  for (;;) {
    const char* p = window_.pos();
    const char* const end = window_.end();
    const char* const from = p;
    bool done = false;
    for (; p < end; ++p) {
      const char c = *p;
      if (in_string) {
        if (escaped)
          escaped = false;
        else if (c == '\\')
          escaped = true;
        else if (c == '"') {
          in_string = false;
          if (depth == 0) {
            ++p;
            done = true;
            break;
          }
        }
        continue;
      }
      if (c == '"') {
        if (depth == 0 && started) {
          done = true;
          break;
        }
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) {
          done = true;
          break;
        }
        if (--depth == 0) {
          ++p;
          done = true;
          break;
        }
      } else if (depth == 0 && (c == ',' || (c == '\n' && started))) {
        done = true;
        break;
      }
      started |= !IsSpace(c);
    }
    if (text->size() < limit) {
      text->append(from, std::min<size_t>(static_cast<size_t>(p - from), limit - text->size()));
    }
    if (text->size() >= limit) *complete = false;
    window_.set_pos(p);
    if (done) break;
    if (Cancelled() || !Fill()) {
      *complete = false;
      break;
    }
  }
  while (!text->empty() && IsSpace(text->back())) text->pop_back();
}

std::optional<Error> Reader::ReadObjectTop() {
  Take();
  bool events_read = false;
  std::string key, value;
  for (;;) {
    if (Cancelled()) break;
    const int c = Peek();
    if (c < 0) {
      truncated_ = true;
      break;
    }
    if (c == '}') {
      Take();
      if (Peek() >= 0) problems_.Add(ProblemKind::kTrailingBytes, window_.offset());
      break;
    }
    if (c == ',') {
      Take();
      continue;
    }
    const uint64_t offset = window_.offset();
    if (c != '"') {
      // Not a key: skip one token of whatever it is, so that later keys are still found.
      problems_.Add(ProblemKind::kMalformedHeader, offset);
      bool complete = false;
      const uint64_t before = window_.offset();
      CaptureValue(&value, 256, &complete);
      if (window_.offset() == before) Take();
      continue;
    }
    if (!ReadKey(&key)) {
      const bool without_end = window_.offset() == offset;
      if (Peek() < 0 || (without_end && window_.at_end())) {
        truncated_ = true;
        break;
      }
      problems_.Add(ProblemKind::kMalformedHeader, offset);
      // Without a colon: on behind the text. Without an end in reach: on behind its quote.
      if (without_end) Take();
      continue;
    }
    if (keys_seen_.size() < 200 && key.size() < 60) {
      keys_seen_ += keys_seen_.empty() ? "" : ", ";
      keys_seen_ += key;
    }
    if (key == "traceEvents" && Peek() == '[') {
      Take();
      events_read = true;
      if (auto error = ReadEvents()) return error;
      if (truncated_ || list_ended_) break;
      continue;
    }
    const bool large = HeaderReader::NeedsWhole(key);
    bool complete = false;
    CaptureValue(&value, large ? kMaxHeaderBytes : HeaderReader::kMaxTextBytes, &complete);
    header_.Take(key, value, offset, complete);
  }
  if (Cancelled()) return std::nullopt;
  if (events_read) return std::nullopt;
  if (truncated_) {
    return NotATrace("it ends before its events begin.",
                     "The file is cut; the profiler may have been killed while writing.",
                     window_.end_offset());
  }
  const bool execution = keys_seen_.find("schema") != std::string::npos &&
                         keys_seen_.find("nodes") != std::string::npos;
  if (execution) {
    return NotATrace("it is an execution trace (ExecutionTraceObserver), which holds no times.",
                     "Open the torch.profiler trace that was recorded with it.", 0);
  }
  return NotATrace(
      keys_seen_.empty()
          ? "its JSON object is empty."
          : "its JSON object has no \"traceEvents\" (keys: " + Printable(keys_seen_) + ").",
      "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote.", 0);
}

// Reads the list up to and with its closing bracket.
std::optional<Error> Reader::ReadEvents() {
  bool separated = true;
  uint64_t handled = 0;
  for (;;) {
    if (++handled % kCancelStride == 0 && Cancelled()) return std::nullopt;
    if (window_.offset() >= next_report_) {
      Progress(0.9 * source_.Fraction());
      next_report_ = window_.offset() + (1 << 20);
    }
    const int c = Peek();
    if (c < 0) {
      truncated_ = true;
      return std::nullopt;
    }
    if (c == '{') {
      if (separated && ReadBatch()) {
        if (Cancelled()) return std::nullopt;
        separated = false;
        continue;
      }
      if (!separated) problems_.Add(ProblemKind::kStrayComma, window_.offset());
      if (!sink_.CanTakeMore()) {
        problems_.Add(ProblemKind::kTooManyEvents, window_.offset());
        truncated_ = true;
        return std::nullopt;
      }
      separated = !ReadOneEvent();
      if (truncated_) return std::nullopt;
    } else if (c == ',') {
      if (separated) problems_.Add(ProblemKind::kStrayComma, window_.offset());
      Take();
      separated = true;
      if (Peek() == ']') problems_.Add(ProblemKind::kStrayComma, window_.offset());
    } else if (c == ']') {
      Take();
      return std::nullopt;
    } else if (c == '}') {
      // The list was never closed, but the object is.
      problems_.Add(ProblemKind::kMalformedHeader, window_.offset());
      list_ended_ = true;
      return std::nullopt;
    } else {
      const uint64_t offset = window_.offset();
      std::string value;
      bool complete = false;
      CaptureValue(&value, 256, &complete);
      if (window_.offset() == offset) Take();
      sink_.Drop(ProblemKind::kNotAnObject, offset);
      separated = false;
    }
  }
}

void Reader::TakeEvent(uint64_t offset) {
  for (const auto& [kind, at] : events_.mended()) problems_.Add(kind, window_.OffsetOf(at));
  sink_.Take(events_.event(), offset);
}

bool Reader::ReadBatch() {
  // A batch needs the byte before it.
  if (window_.offset() < one_by_one_until_ || window_.pos() == window_.begin()) return false;
  const char* const first = window_.pos();
  const char* const limit = first + std::min(window_.available(), EventBatch::kMaxBytes);
  const char* const stop = LastEventBorder(first, limit);
  if (stop == nullptr) {
    one_by_one_until_ = window_.OffsetOf(limit);
    return false;
  }
  const char* const reached =
      batch_.Read(window_.Mutable(first), window_.Mutable(stop), [&](const char* at) {
        if (!sink_.CanTakeMore()) return false;
        TakeEvent(window_.OffsetOf(at));
        return true;
      });
  // Damage is seldom alone: what is left of the batch is read with tolerance.
  if (reached != stop) one_by_one_until_ = window_.OffsetOf(stop);
  window_.set_pos(reached);
  return reached != first;
}

bool Reader::ReadOneEvent() {
  bool lenient = false;
  bool malformed = false;  // read strictly, it is wrong before it ends
  const auto give_up = [&](ProblemKind kind) {
    lenient_bytes_ += events_.lenient_bytes();
    sink_.Drop(kind, window_.offset());
    Resync();
    return false;
  };
  for (;;) {
    const char* next = nullptr;
    // What is done with an event must not depend on how much of the file happens to be at hand.
    const char* const end = window_.pos() + std::min(window_.available(), kMaxEventBytes);
    const EventReader::Status status = events_.Read(window_.pos(), end, lenient, &next);
    switch (status) {
      case EventReader::Status::kOk: {
        lenient_bytes_ += events_.lenient_bytes();
        TakeEvent(window_.offset());
        window_.set_pos(next);
        return true;
      }
      case EventReader::Status::kNeedMore: {
        const size_t have = window_.available();
        if (have >= kMaxEventBytes) return give_up(ProblemKind::kOversizedEvent);
        // Each round doubles what is at hand, so that a large event is not read over and over.
        const size_t wanted = std::min(have * 2, kMaxEventBytes);
        while (window_.available() < wanted && Fill()) {
        }
        if (window_.available() > have) continue;
        if (malformed) return give_up(ProblemKind::kMalformedEvent);
        if (!lenient) {
          // The end may be hidden behind a quote too many.
          lenient = true;
          continue;
        }
        sink_.Drop(ProblemKind::kTruncated, window_.offset());
        truncated_ = true;
        return true;
      }
      case EventReader::Status::kBad:
        malformed = true;
        if (!lenient &&
            lenient_bytes_ < kLenientBudgetBase + kLenientBudgetFactor * window_.offset()) {
          lenient = true;
          continue;
        }
        return give_up(ProblemKind::kMalformedEvent);
      case EventReader::Status::kTooDeep:
        return give_up(ProblemKind::kTooDeep);
    }
  }
}

// Moves on from a damaged event to the next one, or to the end of the list.
void Reader::Resync() {
  window_.set_pos(window_.pos() + 1);
  for (;;) {
    const char* const end = window_.end();
    bool wait = false;
    const char* p = window_.pos();
    for (; p < end; ++p) {
      if (*p == '{') {
        bool more = false;
        const bool event = LooksLikeEvent(p, end, &more);
        if (more && !window_.at_end()) {
          wait = true;
          break;
        }
        if (!event) continue;
        const char* back = p - 1;
        while (back > window_.begin() && IsSpace(*back) && p - back < kLookBack) --back;
        if (*back != ',' && *back != '}') continue;
        window_.set_pos(p);
        return;
      }
      if (*p != '}') continue;
      // "} ]" followed by the end or by another key of the file ends the list.
      const char* q = SkipSpace(p + 1, end);
      if (q < end && *q != ']') continue;
      const char* after = q < end ? SkipSpace(q + 1, end) : end;
      if (after >= end && !window_.at_end()) {
        wait = true;
        break;
      }
      if (q >= end) continue;
      if (after >= end) {
        window_.set_pos(q);
        return;
      }
      if (*after == '}') {
        const char* last = SkipSpace(after + 1, end);
        if (last >= end && !window_.at_end()) {
          wait = true;
          break;
        }
        if (last < end) continue;
        window_.set_pos(q);
        return;
      }
      if (*after != ',') continue;
      const char* key = SkipSpace(after + 1, end);
      const size_t room = static_cast<size_t>(end - key);
      if (room < 64 && !window_.at_end()) {
        wait = true;
        break;
      }
      if (room > 1 && *key == '"' &&
          HeaderReader::IsKnownKey({key + 1, std::min<size_t>(room - 1, 63)})) {
        window_.set_pos(q);
        return;
      }
    }
    window_.set_pos(p);
    if (Cancelled()) return;
    // When the end came while a candidate waited for more text, what is left is judged once more.
    if (!Fill(kLookBack) && !wait) return;
  }
}

Result<ReadResult> Reader::Run() {
  const auto start = Clock::now();
  Progress(0);
  const std::optional<Error> error = ReadTop();
  if (Cancelled()) {
    return Error{ErrorKind::kCancelled, "Reading the trace was cancelled.", "", {}};
  }
  if (error) return *error;
  const auto read = Clock::now();
  source_.ReportProblems(&problems_, window_.end_offset());
  if (truncated_ && problems_.count(ProblemKind::kTruncated) == 0) {
    problems_.Add(ProblemKind::kTruncated, window_.end_offset());
  }
  sink_.Finish();
  problems_.AppendTo(builder_.problems());
  builder_.counts().file_bytes = source_.InputBytes();
  builder_.counts().text_bytes = window_.end_offset();
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

Result<ReadResult> ReadTraceFrom(ByteSource& source, const std::string& what,
                                 const ReadOptions& options) {
  Reader reader(source, what, options);
  return reader.Run();
}

Result<ReadResult> ReadTrace(const std::filesystem::path& path, const ReadOptions& options) {
  auto source = OpenFile(path);
  if (!source) return source.error();
  return ReadTraceFrom(**source, path.filename().string(), options);
}

Result<ReadResult> ReadTraceText(std::string_view text, const ReadOptions& options) {
  const auto source = MakeTextSource(text);
  return ReadTraceFrom(*source, "The text", options);
}

}  // namespace emberline
