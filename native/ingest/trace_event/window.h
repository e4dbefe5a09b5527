// The part of the text that is being read: a buffer that slides over a ByteSource's blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "ingest/byte_source.h"

namespace emberline {

class Window {
 public:
  // Bytes behind end() that may be read (not trusted): scanners load whole vectors.
  static constexpr size_t kPadding = 64;

  explicit Window(ByteSource* source) : source_(source) { buffer_.resize(kPadding); }

  const char* begin() const { return buffer_.data(); }
  const char* pos() const { return buffer_.data() + pos_; }
  const char* end() const { return buffer_.data() + end_; }
  // The byte at `p`, for those who lend some of the text for a while.
  char* Mutable(const char* p) { return buffer_.data() + (p - buffer_.data()); }
  size_t available() const { return end_ - pos_; }
  void set_pos(const char* p) { pos_ = static_cast<size_t>(p - buffer_.data()); }
  uint64_t offset() const { return base_ + pos_; }
  uint64_t OffsetOf(const char* p) const {
    return base_ + static_cast<uint64_t>(p - buffer_.data());
  }
  uint64_t end_offset() const { return base_ + end_; }
  bool at_end() const { return done_; }

  // Appends at least one more block behind what is left from pos() on; false at the end of the
  // input. Pointers into the window are invalid afterwards. `keep`: bytes before pos() to keep.
  bool Refill(size_t keep = 0) {
    if (done_) return false;
    const std::string_view block = source_->Next();
    if (block.empty()) {
      done_ = true;
      return false;
    }
    const size_t from = pos_ > keep ? pos_ - keep : 0;
    // Moving only when room is short makes many refills of a large event cost no more than few.
    if (from > 0 && (end_ + block.size() + kPadding > buffer_.size() || from > end_ - from)) {
      std::memmove(buffer_.data(), buffer_.data() + from, end_ - from);
      base_ += from;
      pos_ -= from;
      end_ -= from;
    }
    if (end_ + block.size() + kPadding > buffer_.size()) {
      buffer_.resize(std::max(end_ + block.size() + kPadding, buffer_.size() + buffer_.size() / 2));
    }
    std::memcpy(buffer_.data() + end_, block.data(), block.size());
    end_ += block.size();
    std::memset(buffer_.data() + end_, 0, kPadding);
    return true;
  }

 private:
  ByteSource* source_;
  std::vector<char> buffer_;
  uint64_t base_ = 0;  // offset in the text of buffer_[0]
  size_t pos_ = 0, end_ = 0;
  bool done_ = false;
};

}  // namespace emberline
