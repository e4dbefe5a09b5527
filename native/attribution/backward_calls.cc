// For backward work on a thread without a stack around it: the call that waits for it, where
// exactly one thread of the process waits in such a call all the while.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/stages.h"

namespace emberline {
namespace {

constexpr size_t kMaxThreads = 64;  // of a process, that wait in such calls

struct Call {
  Ns start, end;
  uint32_t context;
};
// Per process and track, in order of time.
using EngineCalls = std::map<RecordedId, std::map<TrackIndex, std::vector<Call>>>;

// Calls into the autograd engine: what they wait for runs on threads of its own.
bool IsEngineCall(const Attributing& a, SliceIndex i) {
  if (!a.IsFrame(i)) return false;
  const FrameName& info = a.NameOf(i);
  if (info.kind == FrameName::kBuiltin) return info.name == "run_backward";
  if (info.kind != FrameName::kFrame) return false;
  const std::string& file = a.frames.files()[info.file].file.recorded;
  const auto in = [&](std::string_view path) {
    return file.ends_with(path) &&
           (file.size() == path.size() || file[file.size() - path.size() - 1] == '/' ||
            file[file.size() - path.size() - 1] == '\\');
  };
  return (info.name == "_engine_run_backward" && in("graph.py")) ||
         (info.name == "backward" && (in("_tensor.py") || in("tensor.py"))) ||
         ((info.name == "backward" || info.name == "grad") && in("__init__.py") &&
          file.find("autograd") != std::string::npos);
}

bool FindEngineCalls(const Attributing& a, EngineCalls* calls) {
  for (TrackIndex t = 0; t < a.store.tracks().size(); ++t) {
    const Track& track = a.store.tracks()[t];
    if (track.kind != TrackKind::kHostThread) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (a.Stop(i)) return false;
      if (a.at.context[i] == kNone || !IsEngineCall(a, i)) continue;
      std::vector<Call>& list = (*calls)[track.pid][t];
      // Calls nest: Tensor.backward, autograd.backward, the engine. The outermost has them all.
      if (!list.empty() && a.store.start(i) < list.back().end) continue;
      list.push_back({a.store.start(i), a.store.end(i), a.at.context[i]});
    }
  }
  return true;
}

// The context of the one call on another track that lasts all the while; kNone where there are
// several, or none.
uint32_t WaitingCall(const std::map<TrackIndex, std::vector<Call>>& calls, TrackIndex own, Ns start,
                     Ns end) {
  size_t found = 0;
  uint32_t context = kNone;
  for (const auto& [waiting, list] : calls) {
    if (waiting == own) continue;
    const auto after = std::upper_bound(list.begin(), list.end(), start,
                                        [](Ns time, const Call& c) { return time < c.start; });
    if (after == list.begin()) continue;
    const Call& call = *std::prev(after);
    if (end > call.end + kJitter) continue;
    ++found;
    context = call.context;
  }
  return found == 1 ? context : kNone;
}

}  // namespace

bool FindBackwardCalls(Attributing& a) {
  EngineCalls calls;
  if (!FindEngineCalls(a, &calls)) return false;
  if (calls.empty()) return true;
  a.at.caller.assign(a.store.all_slice_count(), kNone);
  for (TrackIndex t = 0; t < a.store.tracks().size(); ++t) {
    const Track& track = a.store.tracks()[t];
    if (track.kind != TrackKind::kHostThread) continue;
    const auto of_process = calls.find(track.pid);
    if (of_process == calls.end() || of_process->second.size() > kMaxThreads) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (a.Stop(i)) return false;
      if (!a.Counted(i)) continue;
      if (a.parent[i] != kNone) {
        a.at.caller.Set(i, a.at.caller[a.parent[i]]);
      } else if (a.model.pass[i] != Pass::kForward) {
        a.at.caller.Set(i, WaitingCall(of_process->second, t, a.store.start(i), a.store.end(i)));
      }
    }
  }
  return true;
}

}  // namespace emberline
