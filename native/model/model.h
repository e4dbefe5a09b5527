// What several views need, computed once per trace: links, op tree, steps, devices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/flat_column.h"
#include "base/packed_column.h"
#include "base/result.h"
#include "store/trace_store.h"

namespace emberline {

// A compressed list of lists: items of row i are items[begin[i] .. begin[i+1]).
struct Csr {
  PackedColumn<uint32_t> begin;  // rows + 1 entries
  FlatColumn<uint32_t> items;
  std::span<const uint32_t> operator[](uint32_t row) const {
    return {items.data() + begin[row], items.data() + begin[row + 1]};
  }
  uint32_t rows() const { return begin.empty() ? 0 : static_cast<uint32_t>(begin.size() - 1); }
};

struct Step {
  std::string name;     // "12" for ProfilerStep#12 as the plugin shows; "0" when there are none
  int64_t number = -1;  // of ProfilerStep#N; -1 when the whole trace is taken as one step
  SliceIndex slice = kNone;  // the host annotation; kNone for the whole trace
  Interval host;             // of the annotation
  Interval time;             // extended over its device work, see SEMANTICS.md, Steps
  bool partial = false;      // cut by the end of the capture
};

struct Device {
  int64_t ordinal = 0;
  std::string kind = "GPU";                      // as recorded: "GPU", "MTIA", "XPU", ...
  std::string name;                              // from deviceProperties, else ""
  std::vector<TrackIndex> streams;               // by load, heaviest first
  const DeviceProperties* properties = nullptr;  // in the store's metadata; may be null
};

// "GPU 2", "MTIA 9": what a device is called wherever it is shown.
inline std::string DeviceLabel(const Device& device) {
  return device.kind + " " + std::to_string(device.ordinal);
}

// Which pass of training a slice runs in. What is neither backward nor recomputation is forward:
// data loading and the optimizer too.
enum class Pass : uint8_t {
  kForward,
  kBackward,   // below an autograd node, or with a forward partner
  kRecompute,  // forward work that backward runs again: activation checkpointing. Inside a node.
};

// How an op's launches were found; shown in trace health.
enum class OpLinkMethod : uint8_t { kNone, kExternalId, kContainment, kArrow };

class Model {
 public:
  const TraceStore& store() const { return *store_; }
  std::shared_ptr<const TraceStore> store_ptr() const { return store_; }

  // --- Per slice (parallel to all of the store's slices); kNone where there is none. Slices of
  // graph captures have op, frame, annotation and is_op only.
  // Launching runtime or driver call of a device slice (correlation; one launch to many kernels).
  PackedColumn<SliceIndex> launch;
  // Device slices of a launch.
  Csr launched;  // row: slice index
  // Of work that a graph launch ran: the call that put it into the graph when the graph was
  // captured, in this trace or in a capture trace beside it; kNone where that is not known. Empty
  // when there is no such work. See graphs.h.
  PackedColumn<SliceIndex> captured;
  SliceIndex CapturedCall(SliceIndex work) const {
    return captured.empty() ? kNone : captured[work];
  }
  // The op that device work is listed under: for a graph's work the op that recorded it, else the
  // op that launched it.
  SliceIndex SourceOp(SliceIndex work) const {
    const SliceIndex call = CapturedCall(work);
    return call != kNone && op[call] != kNone ? op[call] : op[work];
  }
  // Innermost enclosing op of a host slice on its thread (not itself); for a device slice, the op
  // that launched it (of its launch, or by trusted external id). An op is a kCpuOp that is no
  // range: see IsOp().
  PackedColumn<SliceIndex> op;
  // Innermost enclosing python_function slice on the thread; for a device slice, its launch's.
  PackedColumn<SliceIndex> frame;
  // Innermost enclosing user annotation (kUserAnnotation) on the thread; device slices: launch's.
  PackedColumn<SliceIndex> annotation;
  // For a backward op: its forward op (flow, else (Fwd thread id, Sequence number)); kNone else.
  PackedColumn<SliceIndex> forward;
  // Pass of every slice on a host thread and, through its launch or op, of every device slice.
  PackedColumn<Pass> pass;
  // For a recomputed op: the forward op that it repeats; kNone where that is not known, and for
  // all others. See model/passes.h.
  PackedColumn<SliceIndex> repeats;
  // Step index of a slice (see `steps`), kNone outside all steps. A device slice belongs to the
  // step of its launch.
  PackedColumn<uint32_t> step;

  // --- Per op: times in ns. Parallel to slices too (0 for what is no cpu op).
  PackedColumn<Ns> host_self;  // own duration minus child ops' (cpu ops only)
  PackedColumn<Ns> host_api;   // time in runtime and driver calls that the op itself made
  // Sum of device work launched by the op itself, not by child ops, without that whose captured
  // call is known: it is its recorder's own (SourceOp).
  PackedColumn<Ns> device_self;
  PackedColumn<Ns> device_total;  // with all descendants', and all that graphs launched here ran

  std::vector<Step> steps;  // in order of time; never empty for a trace with slices
  bool has_recorded_steps = false;
  std::vector<Device> devices;  // by ordinal
  OpLinkMethod op_link = OpLinkMethod::kNone;
  uint64_t unlinked_device_slices = 0;  // device work without a launch or op

  // True for operators: cpu ops that are no ProfilerStep, data loader or optimizer range (recorders
  // before 1.10 wrote those as operators too). Only these are in `op` and have the times above.
  bool IsOp(SliceIndex i) const { return is_op[i]; }
  BitColumn is_op;
  // True for device slices that communicate between devices (NCCL and the like), by their name or
  // their recorded collective.
  BitColumn is_communication;

  std::shared_ptr<const TraceStore> store_;
  std::shared_ptr<const void> backing_;  // what the columns show when they own nothing
};

// Builds the model. Errors: kCancelled.
Result<std::shared_ptr<const Model>> BuildModel(std::shared_ptr<const TraceStore> store,
                                                const CancelToken& cancel = {});

// A choice of steps: all, or an inclusive range of indexes into Model::steps.
struct StepSelection {
  bool all = true;
  uint32_t first = 0, last = 0;
  bool Contains(uint32_t step_index) const {
    return all || (step_index != kNone && step_index >= first && step_index <= last);
  }
};

// Parses "all", "N" or "A-B", where N is a step's number as shown (Step::name). Errors:
// kInvalidArgument, which names the steps there are.
Result<StepSelection> ParseSteps(const Model& model, const std::string& text);

}  // namespace emberline
