#include "ingest/gzip_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace emberline {
namespace {

constexpr size_t kInputBytes = 1 << 16;

// Of a member's header.
constexpr unsigned char kMagic0 = 0x1f, kMagic1 = 0x8b, kDeflate = 8;
constexpr unsigned kHasSum = 2, kHasExtra = 4, kHasName = 8, kHasComment = 16, kReserved = 0xe0;
constexpr int kTimeAndSystemBytes = 6;

}  // namespace

GzipStream::GzipStream(std::function<size_t(char*, size_t)> read,
                       std::unique_ptr<Inflater> inflater)
    : read_(std::move(read)),
      inflater_(std::move(inflater)),
      buffer_(Inflater::kLookBack + kInputBytes),
      input_(buffer_.data() + Inflater::kLookBack, 0) {
  if (inflater_ == nullptr) damaged_ = at_end_ = true;
}

// Only when the input is used up.
void GzipStream::Refill() {
  unsigned char* const from = buffer_.data() + Inflater::kLookBack;
  std::memmove(buffer_.data(), input_.data() - Inflater::kLookBack, Inflater::kLookBack);
  input_ = {from, read_(reinterpret_cast<char*>(from), kInputBytes)};
  end_of_input_ = input_.empty();
}

// None at the end of the file.
std::optional<unsigned char> GzipStream::Take() {
  if (input_.empty() && !end_of_input_) Refill();
  if (input_.empty()) return std::nullopt;
  const unsigned char byte = input_.front();
  input_ = input_.subspan(1);
  return byte;
}

// The least significant byte comes first.
std::optional<uint32_t> GzipStream::TakeNumber(int bytes) {
  uint32_t number = 0;
  for (int i = 0; i < bytes; ++i) {
    const std::optional<unsigned char> byte = Take();
    if (!byte) return std::nullopt;
    sum_ = GzipSum(sum_, {&*byte, 1});
    number |= uint32_t{*byte} << (8 * i);
  }
  return number;
}

// Past the next zero; false at the end of the file.
bool GzipStream::SkipText() {
  for (;;) {
    const std::optional<uint32_t> byte = TakeNumber(1);
    if (!byte) return false;
    if (*byte == 0) return true;
  }
}

// Whether the header is sound; none when the file ends inside it.
std::optional<bool> GzipStream::ReadHeader() {
  sum_ = 0;
  for (const unsigned char expected : {kMagic0, kMagic1, kDeflate}) {
    const std::optional<uint32_t> byte = TakeNumber(1);
    if (!byte) return std::nullopt;
    if (*byte != expected) return false;
  }
  const std::optional<uint32_t> flags = TakeNumber(1);
  if (!flags) return std::nullopt;
  if ((*flags & kReserved) != 0) return false;
  for (int i = 0; i < kTimeAndSystemBytes; ++i) {
    if (!TakeNumber(1)) return std::nullopt;
  }
  if ((*flags & kHasExtra) != 0) {
    const std::optional<uint32_t> count = TakeNumber(2);
    if (!count) return std::nullopt;
    for (uint32_t i = 0; i < *count; ++i) {
      if (!TakeNumber(1)) return std::nullopt;
    }
  }
  if ((*flags & kHasName) != 0 && !SkipText()) return std::nullopt;
  if ((*flags & kHasComment) != 0 && !SkipText()) return std::nullopt;
  if ((*flags & kHasSum) == 0) return true;
  const uint32_t sum = sum_ & 0xffff;
  const std::optional<uint32_t> recorded = TakeNumber(2);
  if (!recorded) return std::nullopt;
  return *recorded == sum;
}

void GzipStream::BeginMember() {
  const std::optional<bool> sound = ReadHeader();
  truncated_ = !sound.has_value();
  damaged_ = sound.has_value() && !*sound;
  at_end_ = truncated_ || damaged_;
  inflater_->Reset();
  sum_ = 0;
  member_bytes_ = 0;
  in_member_ = true;
}

size_t GzipStream::Read(char* to, size_t size) {
  std::span<unsigned char> out(reinterpret_cast<unsigned char*>(to), size);
  while (!out.empty() && !at_end_) {
    if (!in_member_) {
      BeginMember();
      continue;
    }
    if (input_.empty() && !end_of_input_) Refill();
    const unsigned char* const made = out.data();
    const Inflater::Status status = inflater_->Run(&input_, &out);
    const auto count = static_cast<size_t>(out.data() - made);
    sum_ = GzipSum(sum_, {made, count});
    member_bytes_ += count;
    switch (status) {
      case Inflater::Status::kEnd:
        EndMember();
        break;
      case Inflater::Status::kMore:
        truncated_ = at_end_ = input_.empty() && end_of_input_ && !out.empty();
        break;
      case Inflater::Status::kDamaged:
        damaged_ = at_end_ = true;
        break;
    }
  }
  return size - out.size();
}

// Behind a member's data stand its CRC-32 and its length.
void GzipStream::EndMember() {
  in_member_ = false;
  const uint32_t sum = sum_;
  const std::optional<uint32_t> recorded_sum = TakeNumber(4);
  const std::optional<uint32_t> recorded_bytes = TakeNumber(4);
  truncated_ = !recorded_sum || !recorded_bytes;
  damaged_ = !truncated_ &&
             (*recorded_sum != sum || *recorded_bytes != static_cast<uint32_t>(member_bytes_));
  at_end_ = truncated_ || damaged_ || !NextMember();
}

// After the end of a member: true when another one follows. Other bytes are told, zeros (padding)
// are not.
bool GzipStream::NextMember() {
  for (;;) {
    while (!input_.empty() && input_.front() == 0) input_ = input_.subspan(1);
    if (!input_.empty()) break;
    if (end_of_input_) return false;
    Refill();
  }
  trailing_ = input_.front() != kMagic0;
  return !trailing_;
}

}  // namespace emberline
