// How much the modules of a hierarchy vary from step to step.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analysis/modules.h"
#include "base/hash.h"

namespace emberline {

// What nodes took in each step, excluding sub-modules: device work by the step in which it ran, the
// host by that of the call. Of all passes. By node and step, see KeyOf(); zeros may be missing.
struct ModuleStepTimes {
  std::unordered_map<uint64_t, Ns, NumberHash> device, host;
  static uint64_t KeyOf(uint32_t node, uint32_t step) { return uint64_t{node} << 32 | step; }
};

// AnalyzeModules(), which notes that beside.
Result<ModuleTree> AnalyzeModulesByStep(const Model& model, const StepSelection& steps,
                                        const MemoryData* memory, const CancelToken& cancel,
                                        ModuleStepTimes* by_step);

}  // namespace emberline
