// A gzip file as one text.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace emberline {

// Inflates the members of a file one after the other, and compares each with the sum and the length
// behind it. zlib inflates, libdeflate sums: summing takes zlib a quarter of the time of inflating.
// Not thread-safe.
class GzipStream {
 public:
  // `read` fills a buffer of so many bytes and tells how many it got: 0 at the end of the file.
  explicit GzipStream(std::function<size_t(char*, size_t)> read);
  ~GzipStream() { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  // Inflates the next bytes to `to` and tells how many: fewer than `size` only at the end.
  size_t Read(char* to, size_t size);
  bool at_end() const { return at_end_; }

  // What was wrong, known at the end.
  bool truncated() const { return truncated_; }
  bool damaged() const { return damaged_; }
  bool trailing() const { return trailing_; }  // bytes that are no member follow the last one

 private:
  void Refill();
  void BeginMember();
  bool SumsAgree() const;
  bool NextMember();

  std::function<size_t(char*, size_t)> read_;
  z_stream stream_{};
  std::vector<unsigned char> input_;  // begins with the end of what was read before
  bool end_of_input_ = false, at_end_ = false;
  uint32_t sum_ = 0;           // CRC-32 of the member so far
  uint64_t member_bytes_ = 0;  // inflated
  bool truncated_ = false, damaged_ = false, trailing_ = false;
};

}  // namespace emberline
