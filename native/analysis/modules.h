// Module hierarchies: nn.Module calls recorded as python_function slices, TorchScript's "Module
// Hierarchy" strings, PyTorch Lightning's module and hook ranges (SEMANTICS.md; the
// plugin's mistakes B16 to B19, B50, B51 and B72 are mended).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/memory.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// One place of the hierarchy. Calls along the same path share a node.
struct ModuleNode {
  std::string name;        // as shown: "Linear_3", "layer.1", "run_training_batch"
  std::string class_name;  // "Linear"; "" when unknown
  uint32_t parent = kNone;
  std::vector<uint32_t> children;  // in order of first call
  uint64_t occurrences = 0;        // calls in forward
  uint64_t operators =
      0;  // listed operators directly inside: not inside another operator or a sub-module
  // By pass (model.h). Forward: what ran in the calls. Backward: operators whose forward operator
  // ran in the calls. Recomputation: what activation checkpointing ran again of the calls. The
  // selves of the three passes of all modules, and what lies outside of modules, are all there is.
  Ns host_total = 0;     // time of the calls
  Ns host_self = 0;      // less the time of sub-modules
  Ns device_total = 0;   // device work launched during the calls
  Ns device_self = 0;    // less that of sub-modules
  Ns backward_host = 0;  // time of backward operators, less what they run again and other nodes
  Ns backward_device_total = 0;   // device work of those
  Ns backward_device_self = 0;    // less that of sub-modules
  uint64_t recomputed = 0;        // calls that ran again
  Ns recompute_host = 0;          // time of what ran again
  Ns recompute_device_total = 0;  // device work of that
  Ns recompute_device_self = 0;   // less that of sub-modules
  int64_t allocated_bytes =
      0;  // bytes allocated during the calls, also when they ran again; releases not subtracted
  SliceIndex first_slice = kNone;
  // The class's forward, where frames were recorded.
  std::string file;
  int64_t line = 0;
  std::string function;
};

enum class ModuleSource { kNone, kPythonModules, kModuleHierarchy, kLightning };

struct ModuleTree {
  ModuleSource source = ModuleSource::kNone;
  std::vector<ModuleNode> nodes;  // parents before children
  std::vector<uint32_t> roots;
};

// The hierarchy of nn.Module calls in the selected steps. `memory` may be null. Errors: kCancelled.
Result<ModuleTree> AnalyzeModules(const Model& model, const StepSelection& steps,
                                  const MemoryData* memory, const CancelToken& cancel);

struct LightningResult {
  ModuleTree modules;  // by dotted instance path
  ModuleTree hooks;    // by nesting of "[pl][profile]" ranges
};
// Lightning's module and hook ranges, recorded as operators or as annotations (B50).
Result<LightningResult> AnalyzeLightning(const Model& model, const StepSelection& steps,
                                         const MemoryData* memory, const CancelToken& cancel);

// What ran in calls of the module or hook `name` (a ModuleNode's), in its sub-modules, or as the
// backward or repetition of an operator that did: true per slice, for host slices. Modules of one
// name are one.
std::vector<bool> InsideModule(const Model& model, std::string_view name);

// Name of the innermost module around a slice (through its launch and forward operator): of its
// nn.Module call, else of its "Module Hierarchy"; "" when there is none.
std::string ModuleNameOf(const Model& model, SliceIndex slice);

// Cheap tests for tabs; they stop at the first hit.
bool HasModules(const Model& model);
bool HasLightning(const Model& model);

}  // namespace emberline
