#include "session/first_picture.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/cores.h"
#include "base/escape.h"
#include "ingest/byte_source.h"

namespace emberline {
namespace {

// How much text tells how long the whole is.
constexpr uint64_t kJudgedBytes = uint64_t{4} << 20;
// Of what was read of a file, up to 64 KiB are not text yet, or text of a block that is not whole:
// about so much of it, as the files of recorders hold up to thirty times as much text as they have
// bytes.
constexpr uint64_t kAheadBytes = uint64_t{2} << 20;

// Ends where a part of the file's bytes is consumed, or so much text is handed out.
class Beginning final : public ByteSource {
 public:
  Beginning(std::unique_ptr<ByteSource> source, const FirstPictureOptions& options)
      : source_(std::move(source)), options_(options) {}

  std::string_view Next() override {
    if (too_short_) return {};
    const bool enough =
        source_->Fraction() >= options_.fraction || handed_ >= options_.most_text_bytes;
    if (handed_ > 0 && enough) {
      Judge();
      return {};
    }
    const std::string_view block = source_->Next();
    const uint64_t before = handed_;
    handed_ += block.size();
    if (block.empty() || (before < kJudgedBytes && handed_ >= kJudgedBytes)) Judge();
    return too_short_ ? std::string_view() : block;
  }
  void Finish() override { source_->Finish(); }
  double Fraction() const override { return source_->Fraction(); }
  uint64_t TextBytes() const override { return source_->TextBytes(); }
  uint64_t InputBytes() const override { return source_->InputBytes(); }

  bool too_short() const { return too_short_; }

 private:
  void Judge() {
    // In this order, as more is made meanwhile.
    const double consumed = source_->Fraction();
    const double text = static_cast<double>(source_->TextBytes() + kAheadBytes);
    too_short_ = text < consumed * static_cast<double>(options_.least_text_bytes);
  }

  const std::unique_ptr<ByteSource> source_;
  const FirstPictureOptions options_;
  uint64_t handed_ = 0;  // bytes of text
  bool too_short_ = false;
};

// Where what was read ends: the latest start of a host event that is no range around others, and
// the latest end of device work. Recorders write a range when it begins or before all else, with
// its full length, so the ranges of steps reach far beyond what is known of them.
struct Reached {
  bool any = false;
  Ns host = 0;    // without host events, the end of the device work
  Ns device = 0;  // of host events where no device work was read
};

Reached FindReached(const TraceStore& store, const CancelToken& cancel) {
  constexpr Ns kNothing = std::numeric_limits<Ns>::min();
  Ns host = kNothing, device = kNothing;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) break;
    const SliceKind kind = store.kind(i);
    if (IsDeviceWork(kind)) {
      device = std::max(device, store.end(i));
    } else if (kind == SliceKind::kCpuOp || kind == SliceKind::kPythonFunction ||
               IsLaunchApi(kind)) {
      host = std::max(host, store.start(i));
    }
  }
  if (host == kNothing && device == kNothing) return {};
  if (host == kNothing) host = device;
  return {true, host, std::max(host, device)};
}

// Steps of which only a part was read, or nothing yet, are no steps to make averages of, and what
// was not read is no time in which nothing happened.
void CutSteps(Model* model, const Reached& reached) {
  for (Step& step : model->steps) {
    if (step.host.end <= reached.host) continue;
    step.partial = model->has_recorded_steps;
    const Ns end = std::max(reached.host, std::min(reached.device, step.time.end));
    step.host.begin = std::min(step.host.begin, reached.host);
    step.host.end = reached.host;
    step.time.begin = std::min(step.time.begin, end);
    step.time.end = end;
  }
}

}  // namespace

FirstPictureOptions FirstPictureOptionsOfMachine() {
  FirstPictureOptions options;
  if (UsableCores() < 4) {
    options.fraction /= 4;
    options.most_text_bytes /= 4;
  }
  if (const char* text = std::getenv("EMBERLINE_FIRST_PICTURE_LEAST_KB")) {
    const long long kilobytes = std::atoll(text);
    if (kilobytes > 0) options.least_text_bytes = static_cast<uint64_t>(kilobytes) << 10;
  }
  return options;
}

FirstPicture::FirstPicture(std::filesystem::path path, std::shared_ptr<Memo> memo,
                           const FirstPictureOptions& options, Ready ready) {
  try {
    thread_ = std::thread([path = std::move(path), memo = std::move(memo), options,
                           ready = std::move(ready), cancel = cancel_] {
      try {
        std::shared_ptr<const FirstPart> part = ReadFirstPart(path, memo, options, cancel);
        if (part != nullptr && !cancel.cancelled()) ready(std::move(part));
      } catch (const std::exception&) {
        // Too little memory for the picture: the load goes on, and says it where it is too little
        // for the trace, too.
      }
    });
  } catch (const std::system_error&) {
    // No thread is to be had.
  }
}

FirstPicture::~FirstPicture() {
  cancel_.Cancel();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const FirstPart> ReadFirstPart(const std::filesystem::path& path,
                                               std::shared_ptr<Memo> memo,
                                               const FirstPictureOptions& options,
                                               const CancelToken& cancel) {
  const auto begin = std::chrono::steady_clock::now();
  Result<std::unique_ptr<ByteSource>> file = OpenFile(path);
  if (!file.ok()) return nullptr;
  Beginning source(std::move(file.value()), options);
  ReadOptions reading;
  reading.cancel = cancel;
  const TraceFile named{Escaped(path.filename().string()), path};
  const Result<ReadResult> read = ReadTraceFrom(source, named, reading);
  if (!read.ok() || source.too_short()) return nullptr;
  const Result<std::shared_ptr<const Model>> model = BuildModel(read->store, cancel);
  if (!model.ok()) return nullptr;
  const Reached reached = FindReached(*read->store, cancel);
  if (!reached.any) return nullptr;
  // The model was made as a changeable object, and nobody else has seen it yet.
  CutSteps(std::const_pointer_cast<Model>(*model).get(), reached);
  const auto& steps = (*model)->steps;
  if (std::none_of(steps.begin(), steps.end(),
                   [](const Step& step) { return step.time.Length() > 0; })) {
    return nullptr;
  }
  auto trace = std::make_shared<LoadedTrace>(std::move(memo));
  trace->path = path;
  trace->store = read->store;
  trace->model = *model;
  trace->stages = read->stages;
  trace->total_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::make_shared<const FirstPart>(
      FirstPart{std::move(trace), std::min(1.0, source.Fraction())});
}

}  // namespace emberline
