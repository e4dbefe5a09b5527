#include "analysis/modules.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/stack_of.h"
#include "model/host_place.h"

namespace emberline {
namespace {

constexpr std::string_view kLightningModule = "[pl][module]";
constexpr std::string_view kLightningHook = "[pl][profile]";
const Error kStopped{ErrorKind::kCancelled, "Cancelled.", "", {}};

struct Label {
  std::string name;
  std::string class_name;
  bool dotted =
      false;  // the name is a dotted instance path, whose parent is the path before the last dot
};
// Label of a slice that opens a node, or nothing.
using Classify = std::function<std::optional<Label>(SliceIndex)>;

bool IsRange(SliceKind kind) {
  return kind == SliceKind::kCpuOp || kind == SliceKind::kUserAnnotation;
}

// "Linear_3" -> "Linear".
std::string ClassOf(std::string_view instance) {
  const size_t underscore = instance.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == instance.size())
    return std::string(instance);
  for (char c : instance.substr(underscore + 1)) {
    if (c < '0' || c > '9') return std::string(instance);
  }
  return std::string(instance.substr(0, underscore));
}

struct Call {
  SliceIndex slice;
  uint32_t outer;  // enclosing call, kNone at the top
  uint32_t node;
  bool selected;
  Ns device_self = 0, device_total = 0;
  Ns backward_self = 0, backward_total = 0, backward_host_self = 0, backward_host_total = 0;
  int64_t bytes_self = 0, bytes_total = 0;
  Ns inner_host = 0;  // of selected calls directly inside
  uint64_t operators = 0;
};

class Builder {
 public:
  Builder(const Model& model, const StepSelection& steps, const MemoryData* memory,
          const CancelToken& cancel)
      : model_(model), store_(model.store()), steps_(steps), memory_(memory), cancel_(cancel) {}

  bool Build(const Classify& classify, ModuleTree& tree) {
    if (!FindCalls(classify, tree)) return false;
    if (calls_.empty()) return true;
    if (!Charge()) return false;
    SumUp(tree);
    return true;
  }

 private:
  uint32_t NodeFor(ModuleTree& tree, uint32_t parent, const Label& label) {
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
  uint32_t NodeForPath(ModuleTree& tree, const Label& label) {
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

  bool FindCalls(const Classify& classify, ModuleTree& tree) {
    inner_.assign(store_.all_slice_count(), kNone);
    for (const Track& track : store_.tracks()) {
      // A module that ran when a graph was recorded did not run here; only the graph's work did.
      const bool capture = track.kind == TrackKind::kGraphCapture;
      if (track.kind != TrackKind::kHostThread && !capture) continue;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if ((i & 0xFFFF) == 0 && cancel_.cancelled()) return false;
        const SliceIndex parent = store_.parent(i);
        const uint32_t outer = parent == kNone ? kNone : inner_[parent];
        auto label = classify(i);
        if (!label) {
          inner_[i] = outer;
          FindSource(i, outer, tree);
          continue;
        }
        const uint32_t above = outer == kNone ? kNone : calls_[outer].node;
        const uint32_t node =
            label->dotted ? NodeForPath(tree, *label) : NodeFor(tree, above, *label);
        inner_[i] = static_cast<uint32_t>(calls_.size());
        calls_.push_back({i, outer, node, !capture && steps_.Contains(model_.step[i])});
      }
    }
    return true;
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

  bool Charge() {
    const uint32_t n = store_.slice_count();
    // Forward operator of each backward operator or of the one around it.
    std::vector<SliceIndex> forward(store_.all_slice_count(), kNone);
    for (SliceIndex i = 0; i < n; ++i) {
      if ((i & 0xFFFF) == 0 && cancel_.cancelled()) return false;
      const SliceKind kind = store_.kind(i);
      if (kind == SliceKind::kCpuOp) {
        const SliceIndex above = model_.op[i];
        const SliceIndex inherited = above == kNone ? kNone : forward[above];
        forward[i] = inherited != kNone ? inherited : model_.forward[i];
        if (!steps_.Contains(model_.step[i])) continue;
        if (inherited == kNone && forward[i] != kNone && inner_[forward[i]] != kNone) {
          calls_[inner_[forward[i]]].backward_host_self += store_.duration(i);
        }
        const uint32_t call = inner_[i];
        if (call != kNone && calls_[call].slice != i && IsListedOperator(model_, i) &&
            (above == kNone || inner_[above] != call || calls_[call].slice == above)) {
          ++calls_[call].operators;
        }
      }
    }
    for (SliceIndex i = 0; i < n; ++i) {
      if (!IsDeviceWork(store_.kind(i)) || !steps_.Contains(model_.step[i])) continue;
      const SliceIndex host = HostPlaceOf(model_, i);
      const SliceIndex op = model_.SourceOp(i);
      const uint32_t call = host == kNone ? kNone : inner_[host];
      if (op != kNone && forward[op] != kNone && inner_[forward[op]] != kNone) {
        calls_[inner_[forward[op]]].backward_self += store_.duration(i);
      } else if (call != kNone) {
        calls_[call].device_self += store_.duration(i);
      }
    }
    if (memory_) {
      const auto& records = store_.memory();
      for (uint32_t i = 0; i < records.size() && i < memory_->owners.size(); ++i) {
        const SliceIndex within = memory_->owners[i].within;
        if (records[i].bytes <= 0 || within == kNone || inner_[within] == kNone) continue;
        if (steps_.Contains(model_.step[within]))
          calls_[inner_[within]].bytes_self += records[i].bytes;
      }
    }
    return true;
  }

  void SumUp(ModuleTree& tree) {
    // Inner calls stand behind outer ones, so one pass from the back gives totals.
    for (size_t k = calls_.size(); k-- > 0;) {
      Call& call = calls_[k];
      call.device_total += call.device_self;
      call.backward_total += call.backward_self;
      call.backward_host_total += call.backward_host_self;
      call.bytes_total += call.bytes_self;
      if (call.outer == kNone) continue;
      Call& outer = calls_[call.outer];
      outer.device_total += call.device_total;
      outer.backward_total += call.backward_total;
      outer.backward_host_total += call.backward_host_total;
      outer.bytes_total += call.bytes_total;
      if (call.selected) outer.inner_host += store_.duration(call.slice);
    }
    for (const Call& call : calls_) {
      ModuleNode& node = tree.nodes[call.node];
      node.device_total += call.device_total;
      node.device_self += call.device_self;
      node.backward_device_total += call.backward_total;
      node.backward_device_self += call.backward_self;
      node.backward_host += call.backward_host_total;
      node.allocated_bytes += call.bytes_total;
      node.operators += call.operators;
      if (node.first_slice == kNone) node.first_slice = call.slice;
      if (!call.selected) continue;
      ++node.occurrences;
      node.host_total += store_.duration(call.slice);
      node.host_self += std::max<Ns>(0, store_.duration(call.slice) - call.inner_host);
    }
  }

  const Model& model_;
  const TraceStore& store_;
  const StepSelection& steps_;
  const MemoryData* memory_;
  const CancelToken& cancel_;
  std::vector<uint32_t> inner_;  // per slice: innermost call
  std::vector<Call> calls_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> nodes_;
  std::unordered_map<std::string, uint32_t> paths_;
};

std::optional<Label> PythonModule(const TraceStore& store, SliceIndex i) {
  if (store.kind(i) != SliceKind::kPythonFunction) return std::nullopt;
  auto name = ModuleName(store.name(i));
  if (!name) return std::nullopt;
  return Label{std::string(*name), ClassOf(*name), false};
}

bool HasModuleHierarchy(const TraceStore& store) {
  const StringId key = store.strings().Find("Module Hierarchy");
  if (key == kNone) return false;
  for (SliceIndex i = 0; i < store.all_slice_count(); ++i) {
    if (store.kind(i) == SliceKind::kCpuOp && !store.ArgText(i, key).empty()) return true;
  }
  return false;
}

// TorchScript names the place of each operator: an operator opens the node of its place unless the
// one around it did.
std::optional<Label> ScriptModule(const Model& model, StringId key, SliceIndex i) {
  const TraceStore& store = model.store();
  if (store.kind(i) != SliceKind::kCpuOp) return std::nullopt;
  const std::string_view place = store.ArgText(i, key);
  if (place.empty()) return std::nullopt;
  const SliceIndex above = model.op[i];
  if (above != kNone && store.ArgText(above, key) == place) return std::nullopt;
  return Label{std::string(place), "", true};
}

std::optional<Label> LightningModule(const TraceStore& store, SliceIndex i) {
  if (!IsRange(store.kind(i))) return std::nullopt;
  std::string_view name = store.name(i);
  if (!name.starts_with(kLightningModule)) return std::nullopt;
  name.remove_prefix(kLightningModule.size());
  const size_t colon = name.find(": ");
  if (colon == std::string_view::npos) return Label{std::string(name), "", true};
  return Label{std::string(name.substr(colon + 2)), std::string(name.substr(0, colon)), true};
}

std::optional<Label> LightningHook(const TraceStore& store, SliceIndex i) {
  if (!IsRange(store.kind(i))) return std::nullopt;
  std::string_view name = store.name(i);
  if (!name.starts_with(kLightningHook)) return std::nullopt;
  return Label{std::string(name.substr(kLightningHook.size())), "", false};
}

bool AnySlice(const TraceStore& store,
              const std::function<bool(std::string_view, SliceKind)>& test) {
  // Names are interned: each distinct (name, kind) is asked once.
  std::vector<uint8_t> asked(store.strings().size(), 0);
  for (SliceIndex i = 0; i < store.all_slice_count(); ++i) {
    const SliceKind kind = store.kind(i);
    if (kind != SliceKind::kPythonFunction && !IsRange(kind)) continue;
    uint8_t& seen = asked[store.name_id(i)];
    const uint8_t bit = kind == SliceKind::kPythonFunction ? 1 : kind == SliceKind::kCpuOp ? 2 : 4;
    if (seen & bit) continue;
    seen |= bit;
    if (test(store.name(i), kind)) return true;
  }
  return false;
}

}  // namespace

std::vector<bool> InsideModule(const Model& model, std::string_view name) {
  const TraceStore& store = model.store();
  const uint32_t n = store.all_slice_count();
  const StringId hierarchy = store.strings().Find("Module Hierarchy");
  // "layer" holds "layer.0" where names are paths.
  const auto holds = [&](const Label& label) {
    return label.name == name || (label.dotted && label.name.size() > name.size() &&
                                  label.name[name.size()] == '.' && label.name.starts_with(name));
  };
  // All slices of one name and kind are of one module, but for places that stand in args.
  std::vector<uint8_t> known(store.strings().size(), 0);  // two bits a kind: asked, holds
  const auto opens = [&](SliceIndex i) {
    const SliceKind kind = store.kind(i);
    if (hierarchy != kNone && kind == SliceKind::kCpuOp) {
      const std::string_view place = store.ArgText(i, hierarchy);
      if (!place.empty() && holds({std::string(place), "", true})) return true;
    }
    const bool python = kind == SliceKind::kPythonFunction;
    if (!python && !IsRange(kind)) return false;
    const int shift = python ? 0 : 2;
    uint8_t& bits = known[store.name_id(i)];
    if ((bits >> shift & 1) == 0) {
      auto label = python ? PythonModule(store, i) : LightningModule(store, i);
      if (!label && !python) label = LightningHook(store, i);
      bits |= static_cast<uint8_t>((label && holds(*label) ? 3 : 1) << shift);
    }
    return (bits >> shift & 2) != 0;
  };
  std::vector<bool> inside(n, false);
  for (SliceIndex i = 0; i < n; ++i) {
    const SliceIndex parent = store.parent(i);
    inside[i] = (parent != kNone && inside[parent]) || opens(i);
  }
  const std::vector<bool> forward = inside;
  for (SliceIndex i = 0; i < n; ++i) {
    const SliceIndex parent = store.parent(i), partner = model.forward[i];
    if ((parent != kNone && inside[parent]) || (partner != kNone && forward[partner])) {
      inside[i] = true;
    }
  }
  return inside;
}

std::string ModuleNameOf(const Model& model, SliceIndex slice) {
  const TraceStore& store = model.store();
  const SliceIndex module = ModuleOf(model, slice);
  if (module != kNone) return std::string(ModuleName(store.name(module)).value_or(""));
  const SliceIndex op = model.IsOp(slice) ? slice : model.op[slice];
  return op == kNone ? std::string() : std::string(store.ArgText(op, "Module Hierarchy"));
}

bool HasModules(const Model& model) {
  return AnySlice(model.store(),
                  [](std::string_view name, SliceKind kind) {
                    return kind == SliceKind::kPythonFunction && ModuleName(name).has_value();
                  }) ||
         HasModuleHierarchy(model.store());
}

bool HasLightning(const Model& model) {
  return AnySlice(model.store(), [](std::string_view name, SliceKind kind) {
    return IsRange(kind) &&
           (name.starts_with(kLightningModule) || name.starts_with(kLightningHook));
  });
}

Result<ModuleTree> AnalyzeModules(const Model& model, const StepSelection& steps,
                                  const MemoryData* memory, const CancelToken& cancel) {
  const TraceStore& store = model.store();
  ModuleTree tree;
  if (!Builder(model, steps, memory, cancel)
           .Build([&](SliceIndex i) { return PythonModule(store, i); }, tree)) {
    return kStopped;
  }
  if (!tree.nodes.empty()) {
    tree.source = ModuleSource::kPythonModules;
    return tree;
  }
  const StringId key = store.strings().Find("Module Hierarchy");
  if (key == kNone) return tree;
  if (!Builder(model, steps, memory, cancel)
           .Build([&](SliceIndex i) { return ScriptModule(model, key, i); }, tree)) {
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
           .Build([&](SliceIndex i) { return LightningModule(store, i); }, result.modules) ||
      !Builder(model, steps, memory, cancel)
           .Build([&](SliceIndex i) { return LightningHook(store, i); }, result.hooks)) {
    return kStopped;
  }
  if (!result.modules.nodes.empty()) result.modules.source = ModuleSource::kLightning;
  if (!result.hooks.nodes.empty()) result.hooks.source = ModuleSource::kLightning;
  return result;
}

}  // namespace emberline
