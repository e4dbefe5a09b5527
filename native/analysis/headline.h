// The overview in one sentence: how busy the device is, what limits the run, what is lost.
#pragma once

#include <cstdint>

#include "analysis/overview.h"
#include "base/message.h"

namespace emberline {

// What the average step is limited by.
enum class Bound : uint8_t {
  kGpu,            // the device is busy nearly all the time
  kCommunication,  // communication that no compute overlaps
  kInput,          // waiting for the data loader
  kLaunch,         // runtime calls and operators on the host while the device is idle
  kPython,         // nothing recorded on host or device
  kCpu,            // no device work in the trace at all
  kUnknown,        // no time, or a part of the file is missing
};
const char* BoundName(Bound bound);  // "gpu", ..., "unknown"

struct Headline {
  Bound bound = Bound::kUnknown;
  double busy = 0;      // share of the average step in which the device works, 0..1
  double total_ns = 0;  // the average step
  double lost_ns = 0;   // of it, idle time, or exposed communication where that is the bound
  Message message;      // the sentence
};

// How much of its file a trace holds.
enum class Extent : uint8_t {
  kFile,  // all of it, but for what is missing where the file was cut
  kPart,  // its beginning, which says nothing of what limits the steps behind it
};

// `overview` is of the same model.
Headline MakeHeadline(const Model& model, const Overview& overview, Extent extent = Extent::kFile);

}  // namespace emberline
