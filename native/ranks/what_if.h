// What steps would take if some of what ran took no time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "ranks/critical_path.h"

namespace emberline {

// Plays a trace again, each part as soon as what it waited for is done: the part of the host before
// it, the work before it on its stream or behind a recorded event, its launch, for a call that
// waits the work it waits for. What lay between a part and what held it up stays as it was, so that
// playing everything gives the recorded times. Ranks are taken as alike: a collective takes as long
// as it took.
class WhatIf {
 public:
  // Alternatives that are played at once: bit k of a part's byte leaves it out of alternative k.
  static constexpr size_t kAtOnce = 4;
  using Times = std::array<Ns, kAtOnce>;

  // `graph` must outlive it.
  explicit WhatIf(const WorkGraph& graph);
  size_t parts() const { return graph_.host().size() + graph_.works().size(); }

  // By how much the end of `last` comes earlier. `host` and `works` have a byte for each part of
  // the graph. Linear; incomplete when cancelled.
  Times Saved(const std::vector<uint8_t>& host, const std::vector<uint8_t>& works,
              const PathStep& last, const CancelToken& cancel);

 private:
  // A moment of the host: so long after the begin of a part (or, beyond its end, into the gap).
  struct Moment {
    uint32_t part = kNone;
    Ns since = 0;
  };
  Moment MomentOf(Ns time) const;
  Ns At(const Moment& moment, size_t alternative) const;
  void BeginHost(uint32_t part);
  void EndHost(uint32_t part, uint8_t without);
  bool WaitsForAll(uint32_t part) const;
  void PlayWork(uint32_t work, uint8_t without);

  const WorkGraph& graph_;
  Ns latency_ = 0;                // shortest time from a launch to its work
  std::vector<uint32_t> order_;   // works by begin
  std::vector<uint32_t> waited_;  // by part of the host
  std::vector<Moment> launched_;  // by work; part kNone: not by the host
  size_t ended_ = 0;              // works that had ended, by their recorded ends
  Times last_end_{};              // when the last of them does
  std::vector<Times> host_begin_, host_end_, work_end_;
};

}  // namespace emberline
