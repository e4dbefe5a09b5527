// What a recording holds: which options the recorder ran with, as far as events tell.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace emberline {

struct Features {
  bool stacks = false;  // Python frames, or call stacks as text
  bool shapes = false;
  bool memory = false;
  bool modules = false;
  bool lightning = false;  // ranges that PyTorch Lightning names
  bool device_work = false;
  bool communication = false;
};

// One pass over slices and one over different names.
Features FindFeatures(const Model& model);

// Slices of the host's threads and of work on devices, as far as they were read.
struct SliceCounts {
  uint64_t host = 0, device = 0;
};
SliceCounts CountSlices(const TraceStore& store);

}  // namespace emberline
