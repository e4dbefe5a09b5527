// Launches one by one: of the sums over a rank, and as rows of a table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/lazy_table.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// HTA's limits, in ns: calls above the first are slow, delays above the second are long.
inline constexpr Ns kSlowCall = 50'000;
inline constexpr Ns kLongDelay = 100'000;

// A call that launched work on a device, by its first work there.
struct LaunchCall {
  SliceIndex call = kNone;
  SliceIndex work = kNone;
  // A graph, or another call with several works: neither its delay nor its work is that of a call
  // with one.
  bool several = false;
  Ns ready = 0;  // when the call had returned and the work before it on the stream had ended
};

// The calls whose first work ran on `device`, and the further works of those with several, stream
// by stream: `first` is false for these. Ends early when cancelled.
void VisitLaunches(const Model& model, const Device& device, const CancelToken& cancel,
                   const std::function<void(const LaunchCall& launched, bool first)>& visit);

// What a launch took, in ns.
struct LaunchTimes {
  Ns call = 0, work = 0;  // work: of all of it
  Ns delay = 0;           // from the end of the call to the begin of its first work
  Ns avoidable = 0;       // of that, what passed while the stream had nothing to do
  bool short_work = false, slow_call = false, long_delay = false;  // HTA's kinds
};
LaunchTimes TimesOf(const Model& model, const LaunchCall& launched);

// Every launch of a trace, in the order of the calls.
struct LaunchList {
  std::vector<LaunchCall> launches;
  size_t MemoryBytes() const { return launches.capacity() * sizeof(LaunchCall); }
};
// Errors: kCancelled.
Result<LaunchList> FindLaunches(const Model& model, const CancelToken& cancel);

// Their table, which is never whole, as that of rank `rank`. What it is of must outlive it.
std::unique_ptr<LazyTable> LaunchRowsTable(const Model& model, const LaunchList& list,
                                           int64_t rank);

}  // namespace emberline
