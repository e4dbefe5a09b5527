#include "ingest/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/release.h"
#include "ingest/block_ring.h"
#include "ingest/gzip_stream.h"

namespace emberline {
namespace {

constexpr size_t kBlockBytes = BlockRing::kBlockBytes;

class TextSource final : public ByteSource {
 public:
  TextSource(std::string_view text, size_t block)
      : text_(text), block_(std::max<size_t>(1, block)) {}
  std::string_view Next() override {
    const std::string_view block = text_.substr(at_, block_);
    at_ += block.size();
    return block;
  }
  double Fraction() const override {
    return text_.empty() ? 1 : static_cast<double>(at_) / static_cast<double>(text_.size());
  }
  uint64_t TextBytes() const override { return at_; }
  uint64_t InputBytes() const override { return text_.size(); }

 private:
  std::string_view text_;
  size_t block_;
  size_t at_ = 0;
};

// Reads and inflates on its own thread into a ring of blocks.
class FileSource final : public ByteSource {
 public:
  FileSource(FilePtr file, uint64_t size, bool gzip)
      : file_(std::move(file)), size_(size), gzip_(gzip) {
    thread_ = std::thread([this] { gzip_ ? RunGzip() : RunPlain(); });
  }

  ~FileSource() override { FileSource::Finish(); }

  std::string_view Next() override { return ring_.Next(); }
  void Finish() override {
    if (!thread_.joinable()) return;
    ring_.Stop();
    thread_.join();
    ring_.Free();
  }

  double Fraction() const override {
    return size_ == 0 ? 1 : static_cast<double>(consumed_.load()) / static_cast<double>(size_);
  }
  uint64_t TextBytes() const override { return made_; }
  uint64_t InputBytes() const override { return size_; }
  double ReadSeconds() const override { return static_cast<double>(read_ns_.load()) * 1e-9; }
  double InflateSeconds() const override { return static_cast<double>(inflate_ns_.load()) * 1e-9; }

  void ReportProblems(Problems* problems, uint64_t text_bytes) const override {
    const std::lock_guard lock(mutex_);
    if (truncated_) problems->Add(ProblemKind::kTruncatedGzip, text_bytes);
    if (damaged_) problems->Add(ProblemKind::kDamagedGzip, text_bytes);
    if (trailing_) problems->Add(ProblemKind::kTrailingBytes, text_bytes);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static int64_t NsSince(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  }

  size_t Read(char* to, size_t size) {
    const auto start = Clock::now();
    const size_t got = std::fread(to, 1, size, file_.get());
    read_ns_ += NsSince(start);
    consumed_ += got;
    return got;
  }

  void Publish(size_t bytes) {
    made_ += bytes;
    ring_.Publish(bytes);
  }

  void RunPlain() {
    while (char* block = ring_.Acquire()) {
      const size_t got = Read(block, kBlockBytes);
      Publish(got);
      if (got < kBlockBytes) break;
    }
    ring_.Finish();
  }

  void RunGzip() {
    GzipStream gzip([this](char* to, size_t size) { return Read(to, size); });
    while (!gzip.at_end()) {
      char* const block = ring_.Acquire();
      if (block == nullptr) break;
      const auto start = Clock::now();
      const int64_t read_before = read_ns_;
      const size_t got = gzip.Read(block, kBlockBytes);
      inflate_ns_ += NsSince(start) - (read_ns_ - read_before);
      Publish(got);
    }
    {
      const std::lock_guard lock(mutex_);
      truncated_ = gzip.truncated();
      damaged_ = gzip.damaged();
      trailing_ = gzip.trailing();
    }
    ring_.Finish();
  }

  FilePtr file_;
  const uint64_t size_;
  const bool gzip_;
  BlockRing ring_;
  mutable std::mutex mutex_;
  bool truncated_ = false, damaged_ = false, trailing_ = false;  // guarded by mutex_
  std::atomic<uint64_t> consumed_{0}, made_{0};
  std::atomic<int64_t> read_ns_{0}, inflate_ns_{0};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> MakeTextSource(std::string_view text, size_t block_bytes) {
  return std::make_unique<TextSource>(text, block_bytes);
}

namespace {

struct TraceSource {
  FilePtr file;
  uint64_t size_bytes = 0;
  bool gzip = false;  // by its first bytes
};

Result<TraceSource> OpenTraceFile(const std::filesystem::path& path) {
  Result<OpenedFile> opened = OpenRegularFile(path);
  if (!opened.ok()) return opened.error();
  TraceSource out{std::move(opened->file), opened->size_bytes, false};
  unsigned char magic[2] = {0, 0};
  const size_t got = std::fread(magic, 1, 2, out.file.get());
  std::rewind(out.file.get());
  // Our blocks are larger than stdio's buffer: a second copy would only cost.
  std::setvbuf(out.file.get(), nullptr, _IONBF, 0);
  out.gzip = got == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  return out;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenFile(const std::filesystem::path& path) {
  Result<TraceSource> opened = OpenTraceFile(path);
  if (!opened.ok()) return opened.error();
  return std::unique_ptr<ByteSource>(
      std::make_unique<FileSource>(std::move(opened->file), opened->size_bytes, opened->gzip));
}

std::string_view PeekedSource::Head(size_t bytes) {
  if (first_.empty()) first_ = source_->Next();
  while (first_.size() < bytes) {
    // The source's block goes with its next one.
    if (head_.empty()) head_.assign(first_.begin(), first_.end());
    const std::string_view more = source_->Next();
    head_.insert(head_.end(), more.begin(), more.end());
    first_ = {head_.data(), head_.size()};
    if (more.empty()) break;
  }
  return first_.substr(0, bytes);
}

std::string_view PeekedSource::Next() {
  if (!first_.empty()) return std::exchange(first_, {});
  Release(head_);
  return source_->Next();
}

Result<std::string_view> HeadReader::Read(const std::filesystem::path& path, size_t max_bytes) {
  const Result<TraceSource> opened = OpenTraceFile(path);
  if (!opened.ok()) return opened.error();
  text_.resize(max_bytes);
  if (!opened->gzip) {
    const size_t got = std::fread(text_.data(), 1, max_bytes, opened->file.get());
    return std::string_view(text_.data(), got);
  }
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::string_view();
  packed_.resize(kBlockBytes / 16);
  stream.next_out = reinterpret_cast<unsigned char*>(text_.data());
  stream.avail_out = static_cast<unsigned>(max_bytes);
  int status = Z_OK;
  while (status == Z_OK && stream.avail_out > 0) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<unsigned char*>(packed_.data());
      stream.avail_in =
          static_cast<unsigned>(std::fread(packed_.data(), 1, packed_.size(), opened->file.get()));
      if (stream.avail_in == 0) break;
    }
    status = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return std::string_view(text_.data(), max_bytes - stream.avail_out);
}

}  // namespace emberline
