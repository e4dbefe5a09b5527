// Aligns what ran in each of the user's frames with the text of its function.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "attribution/align.h"
#include "attribution/line_runs.h"
#include "attribution/observe.h"
#include "attribution/stages.h"

namespace emberline {
namespace {

// Below this share of placed calls a function's text is not what ran: its lines are not trusted.
constexpr double kLeastPlaced = 0.4;
// Against hostile files: cells of alignment tables of one trace (seconds); beyond them, calls stay
// with their functions.
constexpr uint64_t kMaxWork = 400'000'000;

// The frames of one function and what ran in them.
struct FunctionRuns {
  explicit FunctionRuns(const PythonFunction& f) : aligner(f), lines(f), named(NamedIn(f)) {}
  FunctionAligner aligner;
  LineRuns lines;
  std::unordered_map<uint64_t, uint32_t> ids;  // of kinds of calls, as the aligner knows them
  CalledByLine recorded;                       // by calling line, where recorded
  uint64_t placed = 0, seen = 0, fitting = 0, judged = 0;
  std::vector<SliceIndex> frames;
  std::set<std::string_view> named;
};

class CallPlacer {
 public:
  explicit CallPlacer(Attributing& a)
      : a_(a), s_(a.store), n_(a.store.all_slice_count()), insides_(a) {}

  bool Run() { return CollectCalls() && DescribeCalls() && PlaceAll(); }

 private:
  bool HasCalls(SliceIndex frame) const { return begin_[frame] != begin_[frame + 1]; }
  std::span<const SliceIndex> CallsOf(SliceIndex frame) const {
    return {calls_.data() + begin_[frame], begin_[frame + 1] - begin_[frame]};
  }

  // A call of a module ends as what it runs last: the module's code handles no exception.
  bool HandsOn(SliceIndex frame) const {
    if (!a_.IsFrame(frame)) return false;
    const FrameName& name = a_.NameOf(frame);
    return name.module_call || name.kind == FrameName::kModule;
  }

  // Direct calls of each frame of the user with a source, in order.
  bool CollectCalls() {
    begin_.assign(static_cast<size_t>(n_) + 1, 0);
    std::vector<SliceIndex> direct;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (a_.Stop(i)) return false;
      insides_.Add(i);
      const SliceIndex parent = a_.parent[i];
      if (parent == kNone || !a_.at.user_frame[parent] || a_.frames.FunctionOf(parent) == nullptr)
        continue;
      ++begin_[parent + 1];
      direct.push_back(i);
    }
    for (uint32_t i = 0; i < n_; ++i) begin_[i + 1] += begin_[i];
    calls_.resize(direct.size());
    std::vector<uint32_t> fill(begin_.begin(), begin_.end() - 1);
    for (const SliceIndex i : direct) calls_[fill[a_.parent[i]]++] = i;
    return true;
  }

  bool DescribeCalls() {
    kinds_.assign(calls_.size(), 0);
    for (SliceIndex frame = 0; frame < n_; ++frame) {
      if (a_.Stop(frame)) return false;
      if (!HasCalls(frame)) continue;
      const PythonFunction* function = a_.frames.FunctionOf(frame);
      std::unique_ptr<FunctionRuns>& runs = functions_[function];
      if (runs == nullptr) runs = std::make_unique<FunctionRuns>(*function);
      runs->frames.push_back(frame);
      for (uint32_t k = begin_[frame]; k < begin_[frame + 1]; ++k) {
        const SliceIndex next = k + 1 < begin_[frame + 1] ? calls_[k + 1] : kNone;
        kinds_[k] = KindOf(calls_[k], next, a_.NameOf(frame), runs.get());
      }
    }
    return true;
  }

  // What a call is to the aligner; its calling line is noted where that was recorded.
  uint32_t KindOf(SliceIndex call, SliceIndex next, const FrameName& frame, FunctionRuns* runs) {
    const Beside beside = insides_.Of(call, next, runs->named);
    // Names of slices of different kinds may be equal; the kind is part of the key.
    const uint64_t key = (static_cast<uint64_t>(s_.name_id(call)) << 34) ^
                         (static_cast<uint64_t>(beside.module | beside.inner) << 2) ^
                         (beside.manages               ? 3u
                          : a_.IsFrame(call)           ? 0u
                          : IsLaunchApi(s_.kind(call)) ? 1u
                                                       : 2u);
    const auto [id, fresh] = runs->ids.emplace(key, 0);
    if (fresh) id->second = runs->aligner.Describe(Observe(a_, call, beside, frame));
    if (!a_.calls.recorded() || !a_.IsFrame(call)) return id->second;
    const int line = RecordedCallLine(s_, call);
    if (line <= 0) return id->second;
    auto& called = runs->recorded[line];
    if (called.size() < kMaxCalled && !called.count(id->second))
      called.emplace(id->second, Observe(a_, call, beside, frame));
    return id->second;
  }

  bool PlaceAll() {
    a_.calls.placed.assign(n_, 0);
    for (auto& [function, runs] : functions_)
      a_.calls.Follow(*function, runs->frames.front(), runs->recorded);
    ended_.assign(n_, Ended::kUnknown);
    uint64_t work = 0;
    std::vector<bool> handed_on(n_, false);  // the last one inside it was met
    // What runs inside a frame has a higher index than the frame: how it ended is known by then.
    for (SliceIndex frame = n_; frame-- > 0;) {
      if (a_.Stop(frame)) return false;
      if (HasCalls(frame) && work <= kMaxWork) work += PlaceFrame(frame);
      const SliceIndex outer = a_.parent[frame];
      if (outer == kNone || handed_on[outer]) continue;
      handed_on[outer] = true;
      if (!HasCalls(outer) && HandsOn(outer)) ended_[outer] = ended_[frame];
    }
    for (auto& [function, runs] : functions_) {
      a_.at.placed_calls += runs->placed;
      a_.at.unplaced_calls += runs->seen - runs->placed;
      if (static_cast<double>(runs->fitting) >= kLeastPlaced * static_cast<double>(runs->judged))
        continue;
      for (const SliceIndex frame : runs->frames) {
        for (const SliceIndex call : CallsOf(frame)) a_.calls.placed[call] = 0;
      }
    }
    return true;
  }

  // Returns how many cells that took.
  uint64_t PlaceFrame(SliceIndex frame) {
    const PythonFunction& function = *a_.frames.FunctionOf(frame);
    FunctionRuns* runs = functions_[&function].get();
    const uint64_t before = runs->aligner.work();
    const std::span<const SliceIndex> calls = CallsOf(frame);
    const std::vector<Placement> placed = AlignFrame(function, frame, calls, runs);
    MarkRuns(frame, calls, placed, runs);
    const bool one_line =
        function.kind != FunctionKind::kModule && function.first_line == function.end_line;
    for (size_t k = 0; k < calls.size(); ++k) {
      const bool found = placed[k].line > 0 && !placed[k].ambiguous;
      ++runs->seen;
      if (found) ++runs->placed;
      // Reads of attributes fit any text, so they say nothing about whether this is what ran.
      if (!a_.RunsUnseen(calls[k])) {
        ++runs->judged;
        // Two lines that fit by name are no misfit.
        if (found || (placed[k].line > 0 && placed[k].named)) ++runs->fitting;
      }
      // Several lambdas may share a line.
      a_.calls.placed[calls[k]] = found ? placed[k].line : one_line ? function.first_line : 0;
    }
    ended_[frame] = runs->aligner.last_ended();
    return runs->aligner.work() - before;
  }

  std::vector<Placement> AlignFrame(const PythonFunction& function, SliceIndex frame,
                                    std::span<const SliceIndex> calls, FunctionRuns* runs) {
    const FrameName& name = a_.NameOf(frame);
    const bool begun = !(a_.cut[frame] && (name.inside || function.kind == FunctionKind::kModule));
    // A frame that was already open names the line where it stood, one that is resumed the line of
    // its yield: there it goes on.
    const bool resumed = name.inside && (!begun || !function.resumptions.empty());
    const Start start(begun, resumed ? name.goes_on : 0, a_.frames.files()[name.file].file.exact);
    const bool ended = s_.end(frame) + kJitter < a_.track_end[s_.track(frame)];
    called_at_.clear();
    if (a_.calls.recorded()) {
      for (const SliceIndex call : calls) called_at_.push_back(a_.calls.Recorded(call).line);
    }
    // What was open inside it was called from there.
    if (!begun && start.line > 0 && start.certain && a_.cut[calls[0]]) {
      called_at_.resize(calls.size(), 0);
      called_at_[0] = start.line;
    }
    endings_.clear();
    for (const SliceIndex call : calls) endings_.push_back(ended_[call]);
    // Most runs are known by what ran in them alone.
    if (std::all_of(endings_.begin(), endings_.end(), [](Ended e) { return e == Ended::kUnknown; }))
      endings_.clear();
    return runs->aligner.Align({kinds_.data() + begin_[frame], calls.size()},
                               {called_at_, endings_}, start, ended);
  }

  void MarkRuns(SliceIndex frame, std::span<const SliceIndex> calls,
                const std::vector<Placement>& placed, FunctionRuns* runs) {
    runs->lines.Begin();
    for (size_t k = 0; k < calls.size(); ++k) {
      const bool found = placed[k].line > 0 && !placed[k].ambiguous;
      const int recorded = a_.calls.Recorded(calls[k]).line;
      const int line = recorded > 0 ? recorded : found ? placed[k].line : 0;
      if (line == 0) continue;
      a_.at.begins_run[calls[k]] =
          found && placed[k].line == line
              ? runs->lines.Next(placed[k].site, runs->aligner.Kind(kinds_[begin_[frame] + k]))
              : runs->lines.NextOnLine(line);
    }
  }

  Attributing& a_;
  const TraceStore& s_;
  const uint32_t n_;
  Insides insides_;
  std::vector<uint32_t> begin_;    // per frame and one behind: where its calls begin in calls_
  std::vector<SliceIndex> calls_;  // direct calls of the user's frames
  std::vector<uint32_t> kinds_;    // of them, as their function's aligner knows them
  std::map<const PythonFunction*, std::unique_ptr<FunctionRuns>> functions_;
  std::vector<Ended> ended_;  // per slice
  std::vector<int> called_at_;
  std::vector<Ended> endings_;
};

}  // namespace

bool PlaceCalls(Attributing& a) { return CallPlacer(a).Run(); }

}  // namespace emberline
