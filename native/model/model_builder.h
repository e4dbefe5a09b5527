// How a model is made; BuildModel() of model.h is the way in. Each stage stands in a file of its
// own: classify.cc, enclose.cc, recorded_ids.cc, launch_links.cc, op_links.cc, forward_pairs.cc,
// steps.cc, times.cc, devices.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bit_rows.h"
#include "base/cores.h"
#include "base/scratch_vector.h"
#include "model/id_index.h"
#include "model/id_rows.h"
#include "model/model.h"

namespace emberline {

// Builds a model stage by stage, each in a file of its own. Not thread-safe.
class ModelBuilder {
 public:
  ModelBuilder(std::shared_ptr<const TraceStore> store, const CancelToken& cancel)
      : model_(std::make_shared<Model>()),
        s_(*store),
        n_(store->slice_count()),
        all_(store->all_slice_count()),
        cancel_(cancel) {
    model_->store_ = std::move(store);
  }

  // Errors: kCancelled.
  Result<std::shared_ptr<const Model>> Run();

 private:
  bool Stop(uint32_t i) const { return i % kCancelStride == 0 && cancel_.cancelled(); }
  // Once launches are packed.
  SliceIndex LaunchOf(SliceIndex i) const { return std::as_const(*model_).launch[i]; }
  SliceKind Kind(SliceIndex i) const { return static_cast<SliceKind>(kinds_[i] & ~kOnHost); }
  bool OnHost(SliceIndex i) const { return (kinds_[i] & kOnHost) != 0; }
  // What each slice is, by kind and name; names are classified once each.
  bool Classify();
  void FindKinds();
  // The innermost enclosing op, frame and annotation of host slices. A parent's index is smaller
  // than its children's, so one pass in order does, whatever the depth.
  bool Enclose();
  void PlaceInside(SliceIndex i, SliceIndex parent);
  // Rows that show more of a thread that has a row already (Track::same_thread): their slices run
  // inside what runs there at their start.
  bool EncloseInSameThread();
  static SliceIndex Deeper(SliceIndex a, SliceIndex b);
  // Reads the ids of calls and device work, and those of ops. Each is decoded once: several stages
  // want them, and decoding is most of what a stage costs.
  bool ReadLinkIds();
  bool ReadOpIds();
  // Device slice -> launch by correlation. Correlations of different recorders (MTIA beside CUDA)
  // are different number spaces. 0 means "no link".
  bool LinkLaunches();
  // For files whose args were stripped: arrows from a call to device work.
  void LinkLaunchesByFlow();
  // Arrows that end at device work, without those from forward to backward. An end goes with the
  // last start before it; with the first one where the device's clock is behind the host's.
  template <typename Visit>
  void ForEachArrow(Visit visit) {
    const auto& flows = s_.flows();
    for (size_t i = 0; i < flows.size();) {
      size_t end = i, first = flows.size();
      for (; end < flows.size() && flows[end].id == flows[i].id; ++end) {
        if (flows[end].phase == FlowPhase::kStart) first = std::min(first, end);
      }
      SliceIndex from = first < flows.size() ? flows[first].slice : kNone;
      for (; i < end; ++i) {
        const FlowPoint& point = flows[i];
        if (point.slice == kNone || point.role == FlowRole::kForward) continue;
        if (point.phase == FlowPhase::kStart) {
          from = point.slice;
        } else if (from != kNone && IsDeviceWork(Kind(point.slice))) {
          visit(from, point.slice);
        }
      }
    }
  }
  // Launch -> op by external id where that can be trusted, else by containment (already in `op`);
  // then device slices follow their launch.
  bool LinkOps();
  // Some recorders draw arrows from an operator to the work that it queued for another thread to
  // launch. True when that gave any work its operator.
  bool LinkOpsByFlow();
  bool InvertLaunches();
  // Who recorded the work that graph launches ran.
  bool LinkCaptures();
  // The autograd node that a backward op stands in: the nearest enclosing "evaluate_function", else
  // the op itself.
  SliceIndex NodeOf(SliceIndex op) const {
    const SliceIndex node = (*node_)[op];
    return node == kNone ? op : node;
  }
  SliceIndex OpAt(SliceIndex slice) const {
    if (slice == kNone || !OnHost(slice)) return kNone;
    return model_->IsOp(slice) ? slice : model_->op[slice];
  }
  Interval RangeOf(SliceIndex i) const {
    const Ns start = s_.start(i);
    return {start, start + s_.duration(i)};
  }
  bool Encloses(SliceIndex outer, SliceIndex inner) const {
    return s_.track(outer) == s_.track(inner) && s_.start(outer) <= s_.start(inner) &&
           s_.end(outer) >= s_.end(inner);
  }
  // Forward partners: by arrow, else by (forward thread, sequence number); descendants inherit.
  bool PairForward();
  bool PairByArrow();
  class Sequences;
  // Pairs autograd nodes, by arrow and then by number. `fresh`: ops of forward that have a number.
  bool PairNodes(std::vector<bool>* fresh);
  // Both know of ops of backward by their numbers, too.
  bool ReadSequences(Sequences* sequences, std::vector<bool>* fresh);
  bool BuildSteps();
  // Without step annotations the whole trace is one step: the extent of its operators, extended by
  // their device work as any step; of everything when there is no operator (B24).
  Interval WholeTrace() const;
  uint32_t StepAt(Ns time, Interval Step::*range) const;
  void AssignSteps();
  // Steps extended over their device work, SEMANTICS.md, with device work
  // assigned by the start of its launch (B30) and a last step that misses work shown as partial
  // instead of dropped (B66).
  void ExtendSteps();
  bool AddHostTimes();
  // The time of calls goes to the op around them: all of it, except where it overhangs or crosses
  // what else runs there.
  bool AddApiTimes();  // behind AddHostTimes()
  bool AddDeviceTimes();
  // "GPU 2" and "MTIA 9" label the rows of a device; a file without labels tells by its categories.
  std::string DeviceKind(const Device& device, const std::string& otherwise) const;
  // A hostile file may have as many devices as categories, so these are looked through once.
  std::string KindByCategories() const;
  bool ListDevices();
  std::shared_ptr<Model> model_;
  const TraceStore& s_;
  const uint32_t n_;    // slices of the file
  const uint32_t all_;  // with those of graph captures
  const CancelToken& cancel_;
  // The kind of each slice, with a bit for those on host threads. Nearly all stages ask for them,
  // and the store has them packed, in two columns.
  static constexpr uint8_t kOnHost = 0x80;
  ScratchVector<uint8_t> kinds_;
  // Of all calls and device work, in order; until LinkOps(). Grows on one thread while what follows
  // grows on another.
  alignas(kApart) LinkIdRows link_ids_;
  alignas(kApart) IdIndex ops_;  // by external id; until LinkOps()
  OpNumberRows numbers_;         // of ops that have one, in order; until ReadSequences()
  std::vector<uint8_t> range_;   // by name id: RangeKind, 0xff not seen
  // Launches that an id gives to another op than the one around them, in order: (launch, around).
  std::vector<std::pair<SliceIndex, SliceIndex>> around_;
  std::vector<bool> is_node_;  // "autograd::engine::evaluate_function: X"
  // Of an op: the nearest such around it, or itself; else kNone. While PairForward() runs.
  std::optional<BitRows<SliceIndex>> node_;
  std::vector<bool> is_backward_;  // by its own name or number
};

}  // namespace emberline
