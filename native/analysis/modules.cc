#include "analysis/modules.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/module_labels.h"
#include "analysis/module_steps.h"
#include "analysis/stack_of.h"
#include "model/host_place.h"

namespace emberline {
namespace {

const Error kStopped = Cancelled();

// ModuleLabel of a slice that opens a node, or nothing.
using Classify = std::function<std::optional<ModuleLabel>(SliceIndex)>;

struct Call {
  SliceIndex slice;
  uint32_t outer;  // enclosing call, kNone at the top; of a call that ran again: of the first run
  uint32_t node;
  bool selected;
  bool again = false;  // recomputation of another call
  Ns device_self = 0, device_total = 0;
  Ns backward_self = 0, backward_total = 0, backward_host_self = 0, backward_host_total = 0;
  Ns recompute_self = 0, recompute_total = 0, recompute_host_self = 0, recompute_host_total = 0;
  int64_t bytes_self = 0, bytes_total = 0;
  Ns inner_host = 0;  // of selected calls directly inside
  uint64_t operators = 0;
};

class Builder {
 public:
  Builder(const Model& model, const StepSelection& steps, const MemoryData* memory,
          const CancelToken& cancel, ModuleStepTimes* by_step = nullptr)
      : model_(model),
        store_(model.store()),
        steps_(steps),
        memory_(memory),
        cancel_(cancel),
        by_step_(by_step) {}

  bool Build(const Classify& classify, ModuleTree& tree) {
    inner_.assign(store_.all_slice_count(), kNone);
    if (!FindCalls(classify, false, tree)) return false;
    for (auto& [name, runs] : runs_) {
      std::sort(runs.begin(), runs.end(), [&](uint32_t a, uint32_t b) {
        return store_.start(calls_[a].slice) < store_.start(calls_[b].slice);
      });
    }
    if (!FindCalls(classify, true, tree)) return false;
    if (calls_.empty()) return true;
    if (!ChargeHost() || !ChargeDevices()) return false;
    ChargeMemory();
    SumUp(tree);
    return true;
  }

 private:
  uint32_t NodeFor(ModuleTree& tree, uint32_t parent, const ModuleLabel& label) {
    auto key = std::pair(parent, label.name);
    auto [it, fresh] = nodes_.try_emplace(key, static_cast<uint32_t>(tree.nodes.size()));
    if (fresh) {
      ModuleNode node;
      node.name = label.name;
      node.class_name = label.class_name;
      node.parent = parent;
      tree.nodes.push_back(std::move(node));
      (parent == kNone ? tree.roots : tree.nodes[parent].children).push_back(it->second);
    }
    return it->second;
  }

  // Node of a dotted path: below the longest prefix that occurred, else a root.
  uint32_t NodeForPath(ModuleTree& tree, const ModuleLabel& label) {
    auto known = paths_.find(label.name);
    if (known != paths_.end()) return known->second;
    uint32_t parent = kNone;
    std::string prefix = label.name;
    for (size_t dot = prefix.rfind('.'); dot != std::string::npos; dot = prefix.rfind('.')) {
      prefix.resize(dot);
      auto it = paths_.find(prefix);
      if (it != paths_.end()) {
        parent = it->second;
        break;
      }
    }
    const uint32_t node = NodeFor(tree, parent, label);
    paths_.emplace(label.name, node);
    return node;
  }

  // Calls of forward, then, when all of these are known, those that ran again.
  // Slices around the calls that recorded work of this trace's graphs; empty where there are none,
  // as in most traces.
  std::vector<bool> Recorders() const {
    if (model_.captured.empty()) return {};
    std::vector<bool> around(store_.all_slice_count(), false);
    for (const SliceIndex call : model_.captured) {
      for (SliceIndex at = call; at != kNone && !around[at]; at = store_.parent(at)) {
        around[at] = true;
      }
    }
    return around;
  }

  bool FindCalls(const Classify& classify, bool again, ModuleTree& tree) {
    const std::vector<bool> recorders = Recorders();
    for (const Track& track : store_.tracks()) {
      // A module that ran when a graph was recorded did not run here; only the graph's work did.
      const bool capture = track.kind == TrackKind::kGraphCapture;
      if (track.kind != TrackKind::kHostThread && !capture) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if ((i & 0xFFFF) == 0 && cancel_.cancelled()) return false;
        const bool recomputed = model_.pass[i] == Pass::kRecompute;
        if (again && !recomputed) continue;
        const SliceIndex parent = store_.parent(i);
        uint32_t outer = parent == kNone ? kNone : inner_[parent];
        // What runs again is not part of the call that its thread happens to be in.
        if (recomputed && outer != kNone && !calls_[outer].again) outer = kNone;
        inner_[i] = outer;
        if (again != recomputed) continue;
        const auto label = capture && !recorders[i] ? std::nullopt : classify(i);
        if (!label) {
          FindSource(i, outer, tree);
          continue;
        }
        inner_[i] = static_cast<uint32_t>(calls_.size());
        AddCall(i, outer, *label, again, capture, tree);
      }
    }
    return true;
  }

  void AddCall(SliceIndex slice, uint32_t outer, const ModuleLabel& label, bool again, bool capture,
               ModuleTree& tree) {
    const uint32_t first = again && outer == kNone ? FirstRunOf(slice, label.name) : kNone;
    const uint32_t above = outer == kNone ? kNone : calls_[outer].node;
    const uint32_t node = first != kNone ? calls_[first].node
                          : label.dotted ? NodeForPath(tree, label)
                                         : NodeFor(tree, above, label);
    if (!again && !capture) runs_[label.name].push_back(static_cast<uint32_t>(calls_.size()));
    if (first != kNone) outer = calls_[first].outer;
    calls_.push_back({slice, outer, node, !capture && steps_.Contains(model_.step[slice]), again});
  }

  // The call that a recomputed one repeats: the latest of the same module before it.
  uint32_t FirstRunOf(SliceIndex slice, const std::string& name) const {
    const auto found = runs_.find(name);
    if (found == runs_.end()) return kNone;
    const std::vector<uint32_t>& runs = found->second;
    const auto after = std::upper_bound(
        runs.begin(), runs.end(), store_.start(slice),
        [&](Ns time, uint32_t call) { return time < store_.start(calls_[call].slice); });
    return after == runs.begin() ? kNone : *std::prev(after);
  }

  // The first frame called forward inside a module call is its class's code.
  void FindSource(SliceIndex i, uint32_t call, ModuleTree& tree) {
    if (call == kNone || store_.kind(i) != SliceKind::kPythonFunction) return;
    ModuleNode& node = tree.nodes[calls_[call].node];
    if (!node.file.empty() || !store_.name(i).ends_with("): forward")) return;
    Frame frame = ParseFrameName(store_.name(i));
    node.file = std::move(frame.file);
    node.line = frame.line;
    node.function = std::move(frame.function);
  }

  // The call that a slice's time belongs to: by its own place, else by that of the forward operator
  // whose backward or repetition it is; kNone outside of modules.
  uint32_t CallOf(SliceIndex op, SliceIndex place) const {
    const Pass pass = model_.pass[place];
    if (pass == Pass::kForward) return inner_[place];
    if (pass == Pass::kRecompute) return CallOfRepeated(op, place);
    const SliceIndex forward = op == kNone ? kNone : model_.forward[op];
    const uint32_t call = forward == kNone ? kNone : CallOfRepeated(forward, forward);
    return call != kNone ? call : inner_[place];
  }
  uint32_t CallOfRepeated(SliceIndex op, SliceIndex place) const {
    if (inner_[place] != kNone) return inner_[place];
    const SliceIndex first = op == kNone ? kNone : model_.repeats[op];
    return first == kNone ? kNone : inner_[first];
  }

  bool ChargeHost() {
    // Per slice: the call that the innermost backward or recomputed slice around it was charged to.
    std::vector<uint32_t> charged(store_.slice_count(), kNone);
    for (const Track& track : store_.tracks()) {
      if (track.kind != TrackKind::kHostThread) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if ((i & 0xFFFF) == 0 && cancel_.cancelled()) return false;
        const SliceIndex parent = store_.parent(i);
        charged[i] = parent == kNone ? kNone : charged[parent];
        const bool selected = steps_.Contains(model_.step[i]);
        if (model_.pass[i] != Pass::kForward) ChargePass(i, parent, selected, charged);
        if (selected && store_.kind(i) == SliceKind::kCpuOp) CountOperator(i);
      }
    }
    return true;
  }
  // A slice of another pass or of another call than the one around it takes its time from there.
  void ChargePass(SliceIndex i, SliceIndex parent, bool selected, std::vector<uint32_t>& charged) {
    const SliceIndex op = model_.IsOp(i) ? i : model_.op[i];
    const Pass around = parent == kNone ? Pass::kForward : model_.pass[parent];
    const uint32_t call = CallOf(op, i);
    if (model_.pass[i] == around && call == charged[i]) return;
    if (selected && parent != kNone && charged[parent] != kNone) {
      (around == Pass::kRecompute ? calls_[charged[parent]].recompute_host_self
                                  : calls_[charged[parent]].backward_host_self) -=
          store_.duration(i);
    }
    charged[i] = selected ? call : kNone;
    if (charged[i] == kNone) return;
    (model_.pass[i] == Pass::kRecompute ? calls_[call].recompute_host_self
                                        : calls_[call].backward_host_self) += store_.duration(i);
  }
  void CountOperator(SliceIndex i) {
    const uint32_t call = inner_[i];
    const SliceIndex above = model_.op[i];
    if (call != kNone && !calls_[call].again && calls_[call].slice != i &&
        IsListedOperator(model_, i) &&
        (above == kNone || inner_[above] != call || calls_[call].slice == above)) {
      ++calls_[call].operators;
    }
  }

  bool ChargeDevices() {
    for (SliceIndex i = 0; i < store_.slice_count(); ++i) {
      if ((i & 0xFFFF) == 0 && cancel_.cancelled()) return false;
      if (!IsDeviceWork(store_.kind(i)) || !steps_.Contains(model_.step[i])) continue;
      const SliceIndex place = HostPlaceOf(model_, i);
      const SliceIndex op = model_.SourceOp(i);
      if (place == kNone) continue;
      const uint32_t call = CallOf(op, place);
      if (call == kNone) continue;
      if (by_step_ != nullptr && model_.step[i] != kNone) {
        by_step_->device[ModuleStepTimes::KeyOf(calls_[call].node, model_.step[i])] +=
            store_.duration(i);
      }
      switch (model_.pass[i]) {
        case Pass::kForward:
          calls_[call].device_self += store_.duration(i);
          break;
        case Pass::kBackward:
          calls_[call].backward_self += store_.duration(i);
          break;
        case Pass::kRecompute:
          calls_[call].recompute_self += store_.duration(i);
          break;
      }
    }
    return true;
  }

  void ChargeMemory() {
    if (memory_ == nullptr) return;
    const auto& records = store_.memory();
    for (uint32_t i = 0; i < records.size() && i < memory_->owners.size(); ++i) {
      const SliceIndex within = memory_->owners[i].within;
      if (records.At<&MemoryRecord::bytes>(i) <= 0 || within == kNone || inner_[within] == kNone)
        continue;
      if (steps_.Contains(model_.step[within]))
        calls_[inner_[within]].bytes_self += records.At<&MemoryRecord::bytes>(i);
    }
  }

  void SumUp(ModuleTree& tree) {
    // Inner calls stand behind outer ones, and what ran again behind all of forward, so one pass
    // from the back gives totals.
    for (size_t k = calls_.size(); k-- > 0;) {
      Call& call = calls_[k];
      call.device_total += call.device_self;
      call.backward_total += call.backward_self;
      call.backward_host_total += call.backward_host_self;
      call.recompute_total += call.recompute_self;
      call.recompute_host_total += call.recompute_host_self;
      call.bytes_total += call.bytes_self;
      if (call.outer == kNone) continue;
      Call& outer = calls_[call.outer];
      outer.device_total += call.device_total;
      outer.backward_total += call.backward_total;
      outer.backward_host_total += call.backward_host_total;
      outer.recompute_total += call.recompute_total;
      outer.recompute_host_total += call.recompute_host_total;
      outer.bytes_total += call.bytes_total;
      if (call.selected && !call.again) outer.inner_host += store_.duration(call.slice);
    }
    for (const Call& call : calls_) {
      ModuleNode& node = tree.nodes[call.node];
      node.device_total += call.device_total;
      node.device_self += call.device_self;
      node.backward_device_total += call.backward_total;
      node.backward_device_self += call.backward_self;
      node.backward_host += call.backward_host_total;
      node.recompute_device_total += call.recompute_total;
      node.recompute_device_self += call.recompute_self;
      node.recompute_host += call.recompute_host_total;
      node.allocated_bytes += call.bytes_total;
      node.operators += call.operators;
      if (node.first_slice == kNone) node.first_slice = call.slice;
      AddHostOfStep(call);
      if (!call.selected) continue;
      if (call.again) {
        ++node.recomputed;
        continue;
      }
      ++node.occurrences;
      node.host_total += store_.duration(call.slice);
      node.host_self += HostSelf(call);
    }
  }

  // Of a selected call of forward.
  Ns HostSelf(const Call& call) const {
    return std::max<Ns>(0, store_.duration(call.slice) - call.inner_host);
  }

  void AddHostOfStep(const Call& call) {
    const uint32_t step = model_.step[call.slice];
    if (by_step_ == nullptr || step == kNone) return;
    const Ns own = call.selected && !call.again ? HostSelf(call) : 0;
    by_step_->host[ModuleStepTimes::KeyOf(call.node, step)] +=
        own + call.backward_host_total + call.recompute_host_total;
  }

  const Model& model_;
  const TraceStore& store_;
  const StepSelection& steps_;
  const MemoryData* memory_;
  const CancelToken& cancel_;
  ModuleStepTimes* const by_step_;
  std::vector<uint32_t> inner_;  // per slice: innermost call
  std::vector<Call> calls_;      // of forward, then those that ran again
  std::unordered_map<std::string, std::vector<uint32_t>>
      runs_;  // calls of forward by name, in time
  std::map<std::pair<uint32_t, std::string>, uint32_t> nodes_;
  std::unordered_map<std::string, uint32_t> paths_;
};

}  // namespace

Result<ModuleTree> AnalyzeModules(const Model& model, const StepSelection& steps,
                                  const MemoryData* memory, const CancelToken& cancel) {
  return AnalyzeModulesByStep(model, steps, memory, cancel, nullptr);
}

Result<ModuleTree> AnalyzeModulesByStep(const Model& model, const StepSelection& steps,
                                        const MemoryData* memory, const CancelToken& cancel,
                                        ModuleStepTimes* by_step) {
  const TraceStore& store = model.store();
  ModuleTree tree;
  if (!Builder(model, steps, memory, cancel, by_step)
           .Build([&](SliceIndex i) { return PythonModuleLabel(store, i); }, tree)) {
    return kStopped;
  }
  if (!tree.nodes.empty()) {
    tree.source = ModuleSource::kPythonModules;
    return tree;
  }
  if (!store.HasArg(ArgRole::kModule)) return tree;
  if (!Builder(model, steps, memory, cancel, by_step)
           .Build([&](SliceIndex i) { return ScriptModuleLabel(model, i); }, tree)) {
    return kStopped;
  }
  if (!tree.nodes.empty()) tree.source = ModuleSource::kModuleHierarchy;
  return tree;
}

Result<LightningResult> AnalyzeLightning(const Model& model, const StepSelection& steps,
                                         const MemoryData* memory, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  LightningResult result;
  if (!Builder(model, steps, memory, cancel)
           .Build([&](SliceIndex i) { return LightningModuleLabel(store, i); }, result.modules) ||
      !Builder(model, steps, memory, cancel)
           .Build([&](SliceIndex i) { return LightningHookLabel(store, i); }, result.hooks)) {
    return kStopped;
  }
  if (!result.modules.nodes.empty()) result.modules.source = ModuleSource::kLightning;
  if (!result.hooks.nodes.empty()) result.hooks.source = ModuleSource::kLightning;
  return result;
}

}  // namespace emberline
