#include "rpc/transport.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "rpc/log.h"

namespace emberline {

struct Transport::Write {
  uv_write_t request;
  std::string bytes;
  Transport* transport;
};

Transport::Transport(uv_loop_t* loop, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)) {}

Transport::~Transport() = default;

bool Transport::OpenStream(int fd, std::unique_ptr<uv_any_handle>* handle) {
  auto opened = std::make_unique<uv_any_handle>();
  switch (uv_guess_handle(fd)) {
    case UV_NAMED_PIPE:
      if (uv_pipe_init(loop_, &opened->pipe, 0) != 0) return false;
      if (uv_pipe_open(&opened->pipe, fd) != 0) return false;
      break;
    case UV_TCP:
      if (uv_tcp_init(loop_, &opened->tcp) != 0) return false;
      if (uv_tcp_open(&opened->tcp, fd) != 0) return false;
      break;
    case UV_TTY:
      if (uv_tty_init(loop_, &opened->tty, fd, 0) != 0) return false;
      break;
    case UV_FILE:
      return true;  // plain files have no stream; see ReadFile() and Send()
    default:
      return false;
  }
  opened->handle.data = this;
  *handle = std::move(opened);
  return true;
}

bool Transport::Start() {
  std::signal(SIGPIPE, SIG_IGN);
  out_fd_ = dup(STDOUT_FILENO);
  if (out_fd_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return false;
  if (!OpenStream(in_fd_, &in_) || !OpenStream(out_fd_, &out_)) return false;
  reading_ = true;
  if (!in_) {
    ReadFile();
    return true;
  }
  return StartReading();
}

bool Transport::StartReading() {
  return uv_read_start(
             &in_->stream,
             [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
               auto* self = static_cast<Transport*>(handle->data);
               *buffer = uv_buf_init(self->buffer_, sizeof self->buffer_);
             },
             [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
               auto* self = static_cast<Transport*>(stream->data);
               if (count < 0) {
                 self->OnEnd();
               } else if (count > 0) {
                 self->OnBytes({buffer->base, static_cast<size_t>(count)});
               }
             }) == 0;
}

void Transport::ReadFile() {
  if (ended_ || !reading_) return;
  uv_buf_t buffer = uv_buf_init(buffer_, sizeof buffer_);
  file_read_.data = this;
  const int status = uv_fs_read(loop_, &file_read_, in_fd_, &buffer, 1, -1, [](uv_fs_t* request) {
    auto* self = static_cast<Transport*>(request->data);
    const ssize_t count = request->result;
    uv_fs_req_cleanup(request);
    if (count <= 0) {
      self->OnEnd();
      return;
    }
    self->OnBytes({self->buffer_, static_cast<size_t>(count)});
    self->ReadFile();
  });
  if (status != 0) OnEnd();
}

void Transport::OnBytes(std::string_view bytes) {
  framer_.Feed(bytes);
  Framer::Item item;
  while (framer_.Pop(&item)) handlers_.on_item(std::move(item));
}

void Transport::OnEnd() {
  if (ended_) return;
  ended_ = true;
  if (framer_.pending()) Log(LogLevel::kInfo, "Input ended in the middle of a message.");
  StopReading();
  handlers_.on_end();
}

void Transport::StopReading() {
  if (reading_ && in_) uv_read_stop(&in_->stream);
  reading_ = false;
  ended_ = true;
}

void Transport::Send(std::string_view body) {
  if (broken_) return;
  auto write = std::make_unique<Write>();
  write->bytes = Framed(body);
  write->transport = this;
  if (!out_) {
    // A plain file never blocks for long; writing at once keeps the order.
    const char* at = write->bytes.data();
    size_t left = write->bytes.size();
    while (left > 0) {
      const ssize_t count = ::write(out_fd_, at, left);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        OnWritten(0, UV_EIO);
        return;
      }
      at += count;
      left -= static_cast<size_t>(count);
    }
    return;
  }
  queued_ += write->bytes.size();
  write->request.data = write.get();
  uv_buf_t buffer = uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  const int status =
      uv_write(&write->request, &out_->stream, &buffer, 1, [](uv_write_t* request, int code) {
        const std::unique_ptr<Write> done(static_cast<Write*>(request->data));
        done->transport->OnWritten(done->bytes.size(), code);
      });
  if (status != 0) {
    OnWritten(write->bytes.size(), status);
    return;
  }
  static_cast<void>(write.release());  // owned by its callback from here on
  if (queued_ > kMaxQueuedBytes && reading_ && in_) uv_read_stop(&in_->stream);
}

void Transport::OnWritten(size_t bytes, int status) {
  const bool was_full = queued_ > kMaxQueuedBytes;
  queued_ -= bytes;
  if (status != 0 && !broken_) {
    broken_ = true;
    handlers_.on_broken();
    return;
  }
  if (was_full && queued_ <= kMaxQueuedBytes && reading_ && in_) {
    StartReading();
  }
  if (queued_ == 0 && on_drained_) on_drained_();
}

}  // namespace emberline
