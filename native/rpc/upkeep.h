// What the daemon does while no request waits for it: the timeline's pyramids of a trace that was
// loaded, and memory given back to the system.
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <set>
#include <string_view>

#include "session/session.h"

namespace emberline {

// Belongs to the loop's thread, on which every method is called; the work runs on the pool, and
// stands back behind that of requests. Must outlive the loop.
class Upkeep {
 public:
  // `quiet` tells whether no request runs.
  Upkeep(uv_loop_t* loop, std::function<bool()> quiet);
  ~Upkeep();

  // Prepares the trace's timeline, once however often it is called meanwhile.
  void Prepare(std::shared_ptr<const LoadedTrace> trace);

  // After each request: preparations of traces that nobody else holds any more are cancelled, and
  // memory is given back: at once if the request let go of much, else when no other one follows.
  void AfterRequest(std::string_view method);

  // The daemon ends: nothing more is begun, and what runs is cancelled.
  void Stop();

 private:
  struct Preparation;

  void TrimWhenQuiet();
  void TrimAfterRest();

  uv_loop_t* const loop_;
  const std::function<bool()> quiet_;
  std::set<Preparation*> preparing_;
  bool stopped_ = false;
  bool freed_ = false;  // much was let go since memory was given back
  bool trimming_ = false;
  uv_work_t trim_{};
  uv_timer_t rest_{};  // ends when nothing was asked for a while
  bool has_rest_ = false;
};

}  // namespace emberline
