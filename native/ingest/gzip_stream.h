// A gzip file as one text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ingest/inflater.h"

namespace emberline {

// Inflates the members of a file (RFC 1952) one after the other, and compares each with the sum and
// the length behind it. Not thread-safe.
class GzipStream {
 public:
  // `read` fills a buffer of so many bytes and tells how many it got: 0 at the end of the file.
  explicit GzipStream(std::function<size_t(char*, size_t)> read,
                      std::unique_ptr<Inflater> inflater = MakeInflater());

  // Inflates the next bytes to `to` and tells how many: fewer than `size` only at the end.
  size_t Read(char* to, size_t size);
  bool at_end() const { return at_end_; }

  // What was wrong, known at the end.
  bool truncated() const { return truncated_; }
  bool damaged() const { return damaged_; }
  bool trailing() const { return trailing_; }  // bytes that are no member follow the last one

 private:
  void Refill();
  std::optional<unsigned char> Take();
  std::optional<uint32_t> TakeNumber(int bytes);
  bool SkipText();
  void BeginMember();
  std::optional<bool> ReadHeader();
  void EndMember();
  bool NextMember();

  std::function<size_t(char*, size_t)> read_;
  std::unique_ptr<Inflater> inflater_;
  std::vector<unsigned char> buffer_;     // begins with the end of what was read before
  std::span<const unsigned char> input_;  // the rest of the buffer
  bool end_of_input_ = false, at_end_ = false, in_member_ = false;
  uint32_t sum_ = 0;           // CRC-32 of the member so far, or of its header
  uint64_t member_bytes_ = 0;  // inflated
  bool truncated_ = false, damaged_ = false, trailing_ = false;
};

}  // namespace emberline
