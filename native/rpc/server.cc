#include "rpc/server.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "base/cores.h"
#include "base/heap.h"
#include "json/discard.h"
#include "rpc/errors.h"
#include "rpc/incoming.h"
#include "rpc/log.h"
#include "rpc/methods.h"
#include "rpc/rpc_error.h"
#include "rpc/transport.h"
#include "rpc/upkeep.h"
#include "session/image_cache.h"

namespace emberline {
namespace {

// A reply above this is worth a line in the log, unless the client asked for everything.
constexpr size_t kReplyBytes = 256 << 10;
constexpr uint64_t kParentPollMs = 500;
// After the end of input, requests that do not notice their cancellation are left behind.
constexpr uint64_t kGraceMs = 3000;
// A trace that is being kept on the disk at the end has this long.
constexpr std::chrono::milliseconds kKeepPatience(2000);

class Server;

// One request. Made on the loop's thread, worked on by one pool thread, finished on the loop.
struct Request {
  uv_work_t work{};
  Server* server = nullptr;
  Json id;
  std::string method;
  Json params;
  CancelToken cancel;
  Json progress_token;                // null: no progress is wanted
  std::atomic<bool> finished{false};  // late progress of a shared load is dropped
  std::atomic<int> percent{-1};
  std::atomic<bool> pictured{false};          // profile/firstPicture can be asked for its trace
  std::string reply;                          // written by the worker
  std::shared_ptr<const LoadedTrace> loaded;  // by profile/load, written by the worker
  std::shared_ptr<Request> self;              // keeps it alive while libuv holds the pointer
};

Json Notification(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json ResultReply(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json ErrorReply(const Json& id, RpcCode code, const Error& error) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", ErrorObject(code, error)}};
}

class Server {
 public:
  Server(std::string version, std::shared_ptr<ImageCache> images)
      : version_(std::move(version)), images_(std::move(images)), session_(0, images_) {}

  int Run() {
    uv_loop_init(&loop_);
    uv_async_init(&loop_, &async_,
                  [](uv_async_t* handle) { static_cast<Server*>(handle->data)->SendProgress(); });
    async_.data = this;
    uv_timer_init(&loop_, &parent_timer_);
    uv_timer_init(&loop_, &grace_timer_);
    parent_timer_.data = grace_timer_.data = this;
    transport_ = std::make_unique<Transport>(
        &loop_, Transport::Handlers{[this](Framer::Item item) { OnItem(std::move(item)); },
                                    [this] { OnEnd("The input ended."); }, [this] { OnBroken(); }});
    transport_->set_on_drained([this] { FinishWhenIdle(); });
    if (!transport_->Start()) {
      Log(LogLevel::kError, "stdin or stdout cannot be used.");
      return 4;
    }
    Log(LogLevel::kInfo, "Serving, version " + version_ + ".");
    uv_run(&loop_, UV_RUN_DEFAULT);
    Log(LogLevel::kInfo, "Ending with status " + std::to_string(status_) + ".");
    if (images_ != nullptr) images_->Finish(kKeepPatience);
    // Workers may still hold the session; leaving without destructors is what ends them.
    _exit(status_);
  }

 private:
  void OnItem(Framer::Item item) {
    if (stopping_) return;
    switch (item.kind) {
      case Framer::Item::Kind::kMessage:
        OnText(item.text);
        return;
      case Framer::Item::Kind::kBadHeader:
        Send(ErrorReply(nullptr, RpcCode::kParseError, item.fault));
        return;
      case Framer::Item::Kind::kOversize:
        Send(ErrorReply(nullptr, RpcCode::kInvalidRequest, item.fault));
        return;
    }
  }

  void OnText(const std::string& text) {
    auto read = ReadMessage(text);
    if (auto* refused = std::get_if<RefusedMessage>(&read)) {
      Send(ErrorReply(refused->id, refused->code, refused->error));
    } else if (auto* call = std::get_if<Call>(&read)) {
      if (call->id.is_null()) {
        OnNotification(call->method, call->params);
      } else {
        OnRequest(call->id, call->method, std::move(call->params));
      }
    }
  }

  void OnNotification(const std::string& method, const Json& params) {
    if (method == "exit") {
      Stop(shut_down_ ? 0 : 1, "The client asked to exit.");
    } else if (method == "$/cancelRequest" && params.contains("id")) {
      const auto it = running_.find(DumpJson(params["id"]));
      if (it == running_.end()) return;  // already answered
      it->second->cancel.Cancel();
      // A request that no thread has begun is taken out of the queue and answered at once.
      uv_cancel(reinterpret_cast<uv_req_t*>(&it->second->work));
    }
    // Others, known or not, need no answer.
  }

  void OnRequest(const Json& id, const std::string& method, Json params) {
    const auto refuse = [&](RpcCode code, const ErrorText& text, MessageArgs args = {}) {
      Send(ErrorReply(id, code, MakeError(text, std::move(args))));
    };
    if (running_.contains(DumpJson(id))) {
      refuse(RpcCode::kInvalidRequest, errors::kIdInUse);
    } else if (method == "initialize") {
      Initialize(id, params);
    } else if (!initialized_) {
      refuse(RpcCode::kNotInitialized, errors::kNotInitialized);
    } else if (shut_down_) {
      refuse(RpcCode::kInvalidRequest, errors::kShutDown);
    } else if (method == "shutdown") {
      shut_down_ = true;
      for (const auto& [key, request] : running_) request->cancel.Cancel();
      Send(ResultReply(id, nullptr));
    } else if (!IsMethod(method)) {
      refuse(RpcCode::kMethodNotFound, errors::kMethodOfAnotherVersion, {{"method", method}});
    } else {
      Begin(id, method, std::move(params));
    }
  }

  void Initialize(const Json& id, const Json& params) {
    const auto refuse = [&](RpcCode code, const ErrorText& text, MessageArgs args = {}) {
      Send(ErrorReply(id, code, MakeError(text, std::move(args))));
    };
    if (initialized_) {
      refuse(RpcCode::kInvalidRequest, errors::kAlreadyInitialized);
      return;
    }
    if (!params.contains("clientVersion") || !params["clientVersion"].is_string()) {
      refuse(RpcCode::kInvalidParams, errors::kWrongType,
             {{"where", "params.clientVersion"}, {"type", "string"}});
      return;
    }
    const Json process = params.value("processId", Json());
    if (!process.is_null() && !process.is_number_integer()) {
      refuse(RpcCode::kInvalidParams, errors::kWrongType,
             {{"where", "params.processId"}, {"type", "integer or null"}});
      return;
    }
    initialized_ = true;
    if (!process.is_null()) WatchParent(process.get<int64_t>());
    Send(ResultReply(id, {{"serverVersion", version_}, {"protocolVersion", kProtocolVersion}}));
  }

  static bool Alive(int64_t process) {
    return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
  }

  void WatchParent(int64_t process) {
    if (process <= 0 || !Alive(process)) {
      // A client in another process namespace names a process that we cannot see.
      Log(LogLevel::kInfo, "The client's process is not visible; only its input is watched.");
      return;
    }
    parent_ = process;
    uv_timer_start(
        &parent_timer_,
        [](uv_timer_t* timer) {
          auto* self = static_cast<Server*>(timer->data);
          if (!Alive(self->parent_)) self->OnEnd("The client's process has ended.");
        },
        kParentPollMs, kParentPollMs);
  }

  void Begin(const Json& id, const std::string& method, Json params) {
    auto request = std::make_shared<Request>();
    request->server = this;
    request->id = id;
    request->method = method;
    request->params = std::move(params);
    request->work.data = request.get();
    request->self = request;
    const Json token = request->params.value("workDoneToken", Json());
    if (token.is_string() || token.is_number_integer()) {
      request->progress_token = token;
      Send(Notification("$/progress", {{"token", token}, {"value", {{"kind", "begin"}}}}));
    }
    running_[DumpJson(id)] = request;
    uv_queue_work(
        &loop_, &request->work, [](uv_work_t* work) { Work(*static_cast<Request*>(work->data)); },
        [](uv_work_t* work, int status) {
          const std::shared_ptr<Request> done = std::move(static_cast<Request*>(work->data)->self);
          done->server->Finish(*done, status);
        });
  }

  // On a pool thread.
  static void Work(Request& request) {
    CallContext context{request.server->session_, request.cancel, {}};
    if (!request.progress_token.is_null()) {
      context.progress = [weak = std::weak_ptr<Request>(request.self)](std::string_view stage,
                                                                       double fraction) {
        if (const std::shared_ptr<Request> live = weak.lock()) {
          live->server->QueueProgress(*live, stage, fraction);
        }
      };
    }
    // Another type than the schema's is refused with the other parameters.
    if (context.progress && request.params.value("firstPicture", Json()) == true) {
      context.first_picture = [weak = std::weak_ptr<Request>(request.self)] {
        if (const std::shared_ptr<Request> live = weak.lock()) {
          live->server->QueueFirstPicture(*live);
        }
      };
    }
    context.loaded = [&request](std::shared_ptr<const LoadedTrace> trace) {
      request.loaded = std::move(trace);
    };
    const auto begin = std::chrono::steady_clock::now();
    Result<Json> result = CallMethod(request.method, request.params, context);
    Json reply = result.ok() ? ResultReply(request.id, std::move(result.value()))
                             : ErrorReply(request.id, CodeOf(result.error().kind), result.error());
    request.reply = DumpJson(reply);
    DiscardJson(std::move(reply));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Log(LogLevel::kDebug, request.method + ": " + std::to_string(seconds * 1e3) + " ms, " +
                              std::to_string(request.reply.size()) + " bytes");
    const bool everything = request.params.contains("limit") &&
                            request.params["limit"].is_number_integer() &&
                            request.params["limit"].get<int64_t>() < 0;
    if (request.reply.size() > kReplyBytes && !everything) {
      Log(LogLevel::kInfo,
          request.method + " answered with " + std::to_string(request.reply.size()) + " bytes.");
    }
  }

  // On any thread. At most one notification per whole percent.
  void QueueProgress(Request& request, std::string_view stage, double fraction) {
    if (request.finished.load()) return;
    const int percent = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
    int last = request.percent.load();
    do {
      if (percent <= last) return;
    } while (!request.percent.compare_exchange_weak(last, percent));
    Json value = {{"kind", "report"}, {"message", std::string(stage)}, {"percentage", percent}};
    if (request.pictured.load()) value["firstPicture"] = true;
    Queue(request, std::move(value));
  }

  // On any thread. All later reports say it, too, for clients that missed this one.
  void QueueFirstPicture(Request& request) {
    if (request.finished.load() || request.pictured.exchange(true)) return;
    Queue(request, {{"kind", "report"},
                    {"message", "read"},
                    {"percentage", std::max(0, request.percent.load())},
                    {"firstPicture", true}});
  }

  void Queue(const Request& request, Json value) {
    std::string text = DumpJson(Notification(
        "$/progress", {{"token", request.progress_token}, {"value", std::move(value)}}));
    {
      std::lock_guard lock(progress_mutex_);
      progress_.push_back(std::move(text));
    }
    uv_async_send(&async_);
  }

  void SendProgress() {
    std::deque<std::string> texts;
    {
      std::lock_guard lock(progress_mutex_);
      texts.swap(progress_);
    }
    for (const std::string& text : texts) transport_->Send(text);
  }

  void Finish(Request& request, int status) {
    request.finished = true;
    SendProgress();
    if (!request.progress_token.is_null()) {
      Send(Notification("$/progress",
                        {{"token", request.progress_token}, {"value", {{"kind", "end"}}}}));
    }
    if (status == UV_ECANCELED) {
      Send(ErrorReply(request.id, RpcCode::kRequestCancelled, Cancelled()));
    } else {
      transport_->Send(request.reply);
    }
    if (request.loaded) upkeep_.Prepare(std::move(request.loaded));
    running_.erase(DumpJson(request.id));
    upkeep_.AfterRequest(request.method);
    FinishWhenIdle();
  }

  void Send(const Json& message) { transport_->Send(DumpJson(message)); }

  void OnEnd(const char* why) {
    // The client has gone: what still runs is of no use to anyone.
    for (const auto& [key, request] : running_) request->cancel.Cancel();
    Stop(0, why);
  }

  void OnBroken() {
    Log(LogLevel::kInfo, "Nobody reads the output any more.");
    status_ = 0;
    uv_stop(&loop_);
  }

  // Replies that are under way are still written, within a grace period.
  void Stop(int status, const char* why) {
    if (stopping_) return;
    stopping_ = true;
    status_ = status;
    Log(LogLevel::kInfo, why);
    upkeep_.Stop();
    for (const auto& [key, request] : running_) {
      request->cancel.Cancel();
      uv_cancel(reinterpret_cast<uv_req_t*>(&request->work));
    }
    transport_->StopReading();
    uv_timer_start(
        &grace_timer_,
        [](uv_timer_t* timer) { uv_stop(static_cast<Server*>(timer->data)->loop()); }, kGraceMs, 0);
    FinishWhenIdle();
  }

  void FinishWhenIdle() {
    if (stopping_ && running_.empty() && transport_->queued_bytes() == 0) uv_stop(&loop_);
  }

  uv_loop_t* loop() { return &loop_; }

  const std::string version_;
  uv_loop_t loop_{};
  uv_async_t async_{};
  uv_timer_t parent_timer_{};
  uv_timer_t grace_timer_{};
  std::unique_ptr<Transport> transport_;
  const std::shared_ptr<ImageCache> images_;  // may be null
  Session session_;
  Upkeep upkeep_{&loop_, [this] { return running_.empty(); }};
  std::map<std::string, std::shared_ptr<Request>> running_;  // by the id's JSON text
  std::mutex progress_mutex_;
  std::deque<std::string> progress_;  // guarded by progress_mutex_
  int64_t parent_ = 0;
  bool initialized_ = false;
  bool shut_down_ = false;
  bool stopping_ = false;
  int status_ = 0;
};

}  // namespace

int Serve(const std::string& version, std::shared_ptr<ImageCache> images) {
  // Requests wait for loads on pool threads, so there must be more threads than cores.
  const size_t threads = std::clamp<size_t>(UsableCores() * 2, 16, 64);
  setenv("UV_THREADPOOL_SIZE", std::to_string(threads).c_str(), 0);
  Server server(version, std::move(images));
  return server.Run();
}

}  // namespace emberline
