#include "rpc/upkeep.h"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "base/background.h"
#include "base/cancel.h"
#include "base/heap.h"
#include "rpc/log.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr uint64_t kRestMs = 500;

// What is closed, and what loading and comparing two traces need for a moment only, would stay in
// the allocator's hands.
bool FreesMuch(std::string_view method) {
  return method == "profile/close" || method == "profile/load" ||
         (method.starts_with("compare/") && method != "compare/slice");
}

}  // namespace

// Its worker touches the trace alone; the rest is the loop's.
struct Upkeep::Preparation {
  uv_work_t work{};
  Upkeep* upkeep = nullptr;
  std::shared_ptr<const LoadedTrace> trace;
  CancelToken cancel;
};

Upkeep::Upkeep(uv_loop_t* loop, std::function<bool()> quiet)
    : loop_(loop), quiet_(std::move(quiet)) {}

Upkeep::~Upkeep() = default;

void Upkeep::Prepare(std::shared_ptr<const LoadedTrace> trace) {
  if (stopped_) return;
  for (const Preparation* job : preparing_) {
    if (job->trace == trace) return;
  }
  auto* job = new Preparation{{}, this, std::move(trace), {}};
  job->work.data = job;
  preparing_.insert(job);
  uv_queue_work(
      loop_, &job->work,
      [](uv_work_t* work) {
        const auto* mine = static_cast<const Preparation*>(work->data);
        try {
          RunStandingBack([&] { PrepareTimeline(*mine->trace, mine->cancel); });
        } catch (const std::exception& e) {
          // A request that needs it meets the same and answers it.
          Log(LogLevel::kInfo, std::string("Preparing the timeline failed: ") + e.what());
        }
      },
      [](uv_work_t* work, int) {
        const std::unique_ptr<Preparation> done(static_cast<Preparation*>(work->data));
        Log(LogLevel::kDebug, done->cancel.cancelled() ? "Preparing the timeline was cancelled."
                                                       : "The timeline is prepared.");
        Upkeep* const upkeep = done->upkeep;
        upkeep->preparing_.erase(done.get());
        done->trace.reset();
        upkeep->TrimWhenQuiet();
      });
}

void Upkeep::AfterRequest(std::string_view method) {
  // What was closed, or let go for the sake of memory, would stay in memory until it is prepared.
  for (Preparation* job : preparing_) {
    if (job->trace.use_count() == 1) job->cancel.Cancel();
  }
  freed_ = freed_ || FreesMuch(method);
  TrimWhenQuiet();
  TrimAfterRest();
}

// Views leave small blocks of scratch between what they keep. Looking for the pages of these after
// each request would hold up the next one.
void Upkeep::TrimAfterRest() {
  if (stopped_) return;
  if (!has_rest_) {
    uv_timer_init(loop_, &rest_);
    rest_.data = this;
    has_rest_ = true;
  }
  uv_timer_start(
      &rest_,
      [](uv_timer_t* timer) {
        auto* const self = static_cast<Upkeep*>(timer->data);
        self->freed_ = true;
        self->TrimWhenQuiet();
      },
      kRestMs, 0);
}

void Upkeep::Stop() {
  stopped_ = true;
  for (Preparation* job : preparing_) job->cancel.Cancel();
}

// Only once nothing runs that may still hold the memory.
void Upkeep::TrimWhenQuiet() {
  if (!freed_ || trimming_ || stopped_ || !preparing_.empty() || !quiet_()) return;
  freed_ = false;
  trimming_ = true;
  trim_.data = this;
  uv_queue_work(
      loop_, &trim_, [](uv_work_t*) { TrimHeap(); },
      [](uv_work_t* work, int) {
        auto* self = static_cast<Upkeep*>(work->data);
        self->trimming_ = false;
        self->TrimWhenQuiet();
      });
}

}  // namespace emberline
