// Who recorded a trace, told by what stands in it, and the meaning of slices that only this tells.
// Categories that mean the same in every recording are in category.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/builder.h"
#include "store/problems.h"

namespace emberline {

// What one category of durations counted while the events were read.
struct CategoryUse {
  StringId raw = 0;
  uint64_t first_offset = 0;  // of its first slice in the text
};

// True for a category that only recorders of PyTorch write, in their spelling: "cpu_op", and
// "Operator" of 1.8, but not "operator" or "runtime", which other programs use as well.
bool IsPyTorchCategory(std::string_view raw);

// What other programs call themselves in their traces' processes and categories, in plain words:
// "JAX or TensorFlow", "Chrome". Empty when nothing is recognized.
std::string NameOtherRecorder(const TraceBuilder& builder, const std::vector<CategoryUse>& uses);

// Settles what could not be known event by event. Rows of dialects that need it get their place and
// kind; where the recorder is not known, nothing is taken for device work, and a problem says so.
// Call it once, after the last event and before Finalize().
void SettleDialect(TraceBuilder* builder, Problems* problems, const std::vector<CategoryUse>& uses);

}  // namespace emberline
