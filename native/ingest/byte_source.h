// A trace's text in blocks: from memory, or from a file, inflated on a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/problems.h"

namespace emberline {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next block, valid until the next call; empty at the end.
  virtual std::string_view Next() = 0;
  // No further block is asked for: lets go the memory of blocks, and threads.
  virtual void Finish() {}
  // How much of the input was consumed, 0..1.
  virtual double Fraction() const = 0;
  // Bytes of text that were made of it, handed out or not: those of what was consumed, but for the
  // last that was read.
  virtual uint64_t TextBytes() const = 0;
  // Size of the input as stored.
  virtual uint64_t InputBytes() const = 0;
  // Seconds spent reading and inflating so far.
  virtual double ReadSeconds() const { return 0; }
  virtual double InflateSeconds() const { return 0; }
  // Adds what was wrong with the container. `text_bytes`: where the text ended.
  virtual void ReportProblems(Problems* problems, uint64_t text_bytes) const {
    (void)problems;
    (void)text_bytes;
  }
};

// Text that outlives the source, handed out in blocks of `block_bytes`.
std::unique_ptr<ByteSource> MakeTextSource(std::string_view text, size_t block_bytes = 1 << 18);

// A plain or gzip-compressed file (told by its first bytes, not by its name), one or several gzip
// members. Errors: kNotFound, kUnreadable.
Result<std::unique_ptr<ByteSource>> OpenFile(const std::filesystem::path& path);

// A source whose beginning can be looked at before it is read. Not thread-safe.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(ByteSource* source) : source_(source) {}
  // The first `bytes` of the text, less where it ends before. Only before the first Next(); valid
  // until then.
  std::string_view Head(size_t bytes);
  std::string_view Next() override;
  void Finish() override { source_->Finish(); }
  double Fraction() const override { return source_->Fraction(); }
  uint64_t TextBytes() const override { return source_->TextBytes(); }
  uint64_t InputBytes() const override { return source_->InputBytes(); }
  double ReadSeconds() const override { return source_->ReadSeconds(); }
  double InflateSeconds() const override { return source_->InflateSeconds(); }
  void ReportProblems(Problems* problems, uint64_t text_bytes) const override {
    source_->ReportProblems(problems, text_bytes);
  }

 private:
  ByteSource* source_;
  std::string_view first_;  // a block that was looked at and not handed out yet
  std::vector<char> head_;  // several of them
};

// Reads how files begin, on the calling thread and into one buffer.
class HeadReader {
 public:
  // At most `max_bytes` of the file's text, inflated where it is compressed; fewer where the file
  // ends or is damaged. Valid until the next call. Errors: kNotFound, kUnreadable.
  Result<std::string_view> Read(const std::filesystem::path& path, size_t max_bytes);

 private:
  std::vector<char> text_, packed_;
};

}  // namespace emberline
