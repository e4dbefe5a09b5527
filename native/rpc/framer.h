// The LSP base framing: bytes in, message bodies out. Knows nothing of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"

namespace emberline {

// Cuts a stream into messages. Frames may arrive split at any byte or several at once. After a bad
// header the framer looks for the next "Content-Length:" and goes on; a body above the cap is
// skipped. Each fault yields one item, so that the peer can be told. Single-threaded.
class Framer {
 public:
  static constexpr size_t kMaxHeaderBytes = 8 << 10;
  static constexpr size_t kMaxBodyBytes = 64 << 20;

  struct Item {
    enum class Kind { kMessage, kBadHeader, kOversize } kind = Kind::kMessage;
    std::string text;  // the body
    Error fault;       // what is wrong, where it is no message
  };

  void Feed(std::string_view bytes);
  bool Pop(Item* item);
  // True in the middle of a frame: the end of input now means a cut message.
  bool pending() const { return state_ == State::kBody || !buffer_.empty(); }

 private:
  enum class State { kHeader, kBody, kSkip, kResync };
  // Each handles what it can of buffer_ and returns false when it needs more bytes.
  bool TakeHeader();
  bool TakeBody();
  bool Resync();
  void Fault(Item::Kind kind, Error error);

  State state_ = State::kHeader;
  std::string buffer_;
  uint64_t want_ = 0;  // bytes of the body that are awaited or skipped
  std::deque<Item> items_;
};

// `body` with its header.
std::string Framed(std::string_view body);

}  // namespace emberline
