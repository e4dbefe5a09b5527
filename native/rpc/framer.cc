#include "rpc/framer.h"

#include <algorithm>
#include <cctype>

#include "base/case.h"
#include "rpc/errors.h"

namespace emberline {
namespace {

constexpr std::string_view kLengthName = "content-length";
constexpr std::string_view kHeaderEnd = "\r\n\r\n";
constexpr size_t kKept = 256;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Digits only, at most 15 of them.
bool ParseLength(std::string_view text, uint64_t* out) {
  if (text.empty() || text.size() > 15) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  *out = value;
  return true;
}

}  // namespace

void Framer::Feed(std::string_view bytes) {
  while (!bytes.empty() || !buffer_.empty()) {
    if (state_ == State::kSkip) {
      // Skipped bytes are never collected.
      const uint64_t buffered = std::min<uint64_t>(want_, buffer_.size());
      buffer_.erase(0, buffered);
      want_ -= buffered;
      const uint64_t fresh = std::min<uint64_t>(want_, bytes.size());
      bytes.remove_prefix(fresh);
      want_ -= fresh;
      if (want_ > 0) return;
      state_ = State::kHeader;
      continue;
    }
    buffer_.append(bytes);
    bytes = {};
    const bool progressed = state_ == State::kHeader ? TakeHeader()
                            : state_ == State::kBody ? TakeBody()
                                                     : Resync();
    if (!progressed) return;
  }
}

bool Framer::Pop(Item* item) {
  if (items_.empty()) return false;
  *item = std::move(items_.front());
  items_.pop_front();
  return true;
}

void Framer::Fault(Item::Kind kind, Error error) { items_.push_back({kind, "", std::move(error)}); }

bool Framer::TakeHeader() {
  const size_t end = buffer_.find(kHeaderEnd);
  if (end == std::string::npos || end > kMaxHeaderBytes) {
    if (buffer_.size() < kMaxHeaderBytes + kHeaderEnd.size()) return false;
    Fault(Item::Kind::kBadHeader, MakeError(errors::kHeaderTooLong));
    // Dropped but for its end, where a good header may begin: resynchronizing must get on.
    buffer_.erase(0, kMaxHeaderBytes - kKept);
    state_ = State::kResync;
    return true;
  }
  const std::string block = buffer_.substr(0, end);
  uint64_t length = 0;
  bool found = false;
  const ErrorText* fault = nullptr;
  for (size_t at = 0; at <= block.size();) {
    const size_t stop = std::min(block.find("\r\n", at), block.size());
    const std::string_view line = std::string_view(block).substr(at, stop - at);
    at = stop + 2;
    if (line.empty()) continue;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      fault = &errors::kHeaderWithoutColon;
      break;
    }
    if (!EqualsLower(Trim(line.substr(0, colon)), kLengthName)) continue;
    if (!ParseLength(Trim(line.substr(colon + 1)), &length)) {
      fault = &errors::kBadContentLength;
      break;
    }
    found = true;
  }
  if (fault == nullptr && !found) fault = &errors::kNoContentLength;
  if (fault != nullptr) {
    Fault(Item::Kind::kBadHeader, MakeError(*fault));
    // Drop the block itself, else resynchronizing would find its own bad length again.
    buffer_.erase(0, end + kHeaderEnd.size());
    state_ = State::kResync;
    return true;
  }
  buffer_.erase(0, end + kHeaderEnd.size());
  want_ = length;
  if (length > kMaxBodyBytes) {
    Fault(Item::Kind::kOversize,
          MakeError(errors::kMessageTooLarge, {{"bytes", length}, {"limit", kMaxBodyBytes}}));
    state_ = State::kSkip;
  } else {
    state_ = State::kBody;
  }
  return true;
}

bool Framer::TakeBody() {
  if (buffer_.size() < want_) return false;
  items_.push_back({Item::Kind::kMessage, buffer_.substr(0, want_), {}});
  buffer_.erase(0, want_);
  state_ = State::kHeader;
  return true;
}

bool Framer::Resync() {
  const size_t at = FindLower(buffer_, kLengthName);
  if (at == std::string::npos) {
    // Keep what may be the beginning of the name.
    const size_t keep = std::min(buffer_.size(), kLengthName.size() - 1);
    buffer_.erase(0, buffer_.size() - keep);
    return false;
  }
  buffer_.erase(0, at);
  state_ = State::kHeader;
  return true;
}

std::string Framed(std::string_view body) {
  std::string framed = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  framed.append(body);
  return framed;
}

}  // namespace emberline
