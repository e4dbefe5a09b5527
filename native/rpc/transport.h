// Bytes over the process's stdin and stdout on a libuv loop. Knows framing, not messages.
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <string>

#include "rpc/framer.h"

namespace emberline {

// Reads frames from stdin and writes frames to what stdout was when Start() was called; after that
// file descriptor 1 leads to stderr, so that a stray print cannot damage the protocol. Lives on the
// loop's thread. Reading pauses while more than kMaxQueuedBytes wait to be written.
class Transport {
 public:
  static constexpr size_t kMaxQueuedBytes = 16 << 20;

  struct Handlers {
    std::function<void(Framer::Item)> on_item;
    std::function<void()> on_end;     // end of input, once
    std::function<void()> on_broken;  // nobody reads our output any more
  };

  Transport(uv_loop_t* loop, Handlers handlers);
  ~Transport();
  // False when stdin or stdout cannot be used.
  bool Start();
  void Send(std::string_view body);
  void StopReading();
  size_t queued_bytes() const { return queued_; }
  // Called whenever the queue has become empty.
  void set_on_drained(std::function<void()> on_drained) { on_drained_ = std::move(on_drained); }

 private:
  struct Write;
  void OnBytes(std::string_view bytes);
  void OnEnd();
  void OnWritten(size_t bytes, int status);
  bool OpenStream(int fd, std::unique_ptr<uv_any_handle>* handle);
  // Begins to read a stream, or goes on after a pause.
  bool StartReading();
  void ReadFile();

  uv_loop_t* loop_;
  Handlers handlers_;
  std::function<void()> on_drained_;
  Framer framer_;
  // A stream handle, or none when the descriptor is a plain file.
  std::unique_ptr<uv_any_handle> in_, out_;
  int in_fd_ = 0;
  int out_fd_ = -1;
  uv_fs_t file_read_{};
  std::string file_buffer_;
  char buffer_[64 << 10];
  size_t queued_ = 0;
  bool reading_ = false;
  bool ended_ = false;
  bool broken_ = false;
};

}  // namespace emberline
