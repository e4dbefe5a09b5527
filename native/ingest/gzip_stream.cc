#include "ingest/gzip_stream.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace emberline {
namespace {

constexpr size_t kInputBytes = 1 << 16;
// Behind a member's data: its CRC-32 and its length, four bytes each, the least significant first
// (RFC 1952). The buffer keeps so many bytes of what was read before, as a refill may cut them
// apart.
constexpr size_t kTrailerBytes = 8;
constexpr int kGzip = 15 + 16;  // zlib's number for gzip with the largest window

uint32_t Number(const unsigned char* bytes) {
  return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
         uint32_t{bytes[3]} << 24;
}

}  // namespace

GzipStream::GzipStream(std::function<size_t(char*, size_t)> read)
    : read_(std::move(read)), input_(kTrailerBytes + kInputBytes) {
  stream_.next_in = input_.data() + kTrailerBytes;
  if (inflateInit2(&stream_, kGzip) == Z_OK) {
    BeginMember();
  } else {
    damaged_ = at_end_ = true;
  }
}

void GzipStream::BeginMember() {
  inflateValidate(&stream_, 0);
  sum_ = 0;
  member_bytes_ = 0;
}

void GzipStream::Refill() {
  unsigned char* const from = input_.data() + kTrailerBytes;
  std::memmove(input_.data(), stream_.next_in - kTrailerBytes, kTrailerBytes);
  stream_.next_in = from;
  stream_.avail_in = static_cast<unsigned>(read_(reinterpret_cast<char*>(from), kInputBytes));
  end_of_input_ = stream_.avail_in == 0;
}

size_t GzipStream::Read(char* to, size_t size) {
  stream_.next_out = reinterpret_cast<unsigned char*>(to);
  stream_.avail_out = static_cast<unsigned>(size);
  while (stream_.avail_out > 0 && !at_end_) {
    if (stream_.avail_in == 0 && !end_of_input_) Refill();
    const unsigned char* const made = stream_.next_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const auto count = static_cast<size_t>(stream_.next_out - made);
    sum_ = libdeflate_crc32(sum_, made, count);
    member_bytes_ += count;
    if (status == Z_STREAM_END) {
      damaged_ = !SumsAgree();
      at_end_ = damaged_ || !NextMember();
    } else if (status == Z_BUF_ERROR || status == Z_OK) {
      truncated_ = stream_.avail_in == 0 && end_of_input_ && stream_.avail_out > 0;
      at_end_ = truncated_;
    } else {
      damaged_ = at_end_ = true;
    }
  }
  return size - stream_.avail_out;
}

// Of the member that has just ended.
bool GzipStream::SumsAgree() const {
  const unsigned char* const trailer = stream_.next_in - kTrailerBytes;
  return Number(trailer) == sum_ && Number(trailer + 4) == static_cast<uint32_t>(member_bytes_);
}

// After the end of a member: true when another one follows. Other bytes are told, zeros (padding)
// are not.
bool GzipStream::NextMember() {
  for (;;) {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in > 0) break;
    if (end_of_input_) return false;
    Refill();
  }
  if (*stream_.next_in == 0x1f) {
    inflateReset2(&stream_, kGzip);
    BeginMember();
    return true;
  }
  trailing_ = true;
  return false;
}

}  // namespace emberline
