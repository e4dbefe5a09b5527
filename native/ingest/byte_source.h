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
  // How much of the input was consumed, 0..1.
  virtual double Fraction() const = 0;
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
