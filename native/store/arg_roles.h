// What the args of slices mean, whatever a format calls them.
#pragma once

#include <cstdint>
#include <limits>

namespace emberline {

// An importer names the keys of its format for each role that it has (TraceBuilder::NameArg); all
// code behind the store asks by role, never by key.
enum class ArgRole : uint8_t {
  // Who belongs to whom.
  kCorrelation,     // integer: of a call and of the device work that it launched; 0 is none
  kExternalId,      // integer: the operator of a call, as the recorder numbers them
  kSequenceNumber,  // integer: of an operator and of its backward
  kForwardThread,   // integer: on which thread the forward operator ran
  kGraph,           // integer: the device graph that work was part of
  kGraphNode,       // integer: its node in there
  kKernelName,      // text: the kernel that a call launches
  kAutogradPhase,   // text: "backward" where a range says so
  kWaitedRecord,    // integer: correlation of the event record that a stream waited for
  kWaitedStream,    // integer: the stream of that record
  kWaitingStream,   // integer: the stream that waited; of device work, its own
  kWaitingDevice,   // integer: the device of both
  // What operators were called with.
  kInputShapes,   // JSON: a list of lists of integers
  kInputTypes,    // JSON: a list of names of types
  kInputStrides,  // JSON, as the shapes
  kInputValues,   // JSON: a list of texts
  // Where in the program.
  kCallStack,     // text: frames from the innermost on, separated by ";"
  kCallSite,      // text: "file(line)" of a frame's call
  kCaptureStack,  // text: as kCallStack, of work that a graph replays
  kModule,        // text: path of modules
  // What device work is.
  kGrid,           // JSON: a list of integers
  kBlock,          // JSON: a list of integers
  kBlocksPerSm,    // number
  kOccupancy,      // number, percent
  kRegisters,      // integer, per thread
  kSharedMemory,   // integer, bytes
  kBytes,          // integer: of a copy or set, in bytes
  kCopyRate,       // number: of a copy or set, in GB/s
  kCopyDirection,  // text: "HtoD"
  kDeviceUnit,     // text: the unit of the device that ran a task
  // Communication.
  kCollective,        // text: which one, "allreduce"
  kElementType,       // text
  kInSplits,          // JSON
  kOutSplits,         // JSON
  kInElements,        // integer
  kOutElements,       // integer
  kCollectiveNumber,  // integer: which call of its group
  kGroupName,         // text
  kGroupDescription,  // text
  kGroupSize,         // integer: ranks
  kGroupRanks,        // JSON
  kSourceRank,        // integer
  kTargetRank,        // integer
};
inline constexpr int kArgRoleCount = static_cast<int>(ArgRole::kTargetRank) + 1;

// What a recorded number can be: others come from damage, and count as not recorded. Far wider than
// any device or library goes.
struct ArgRange {
  int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
};
constexpr ArgRange RangeOf(ArgRole role) {
  switch (role) {
    case ArgRole::kBlocksPerSm:
      return {0, int64_t{1} << 40};
    case ArgRole::kOccupancy:
      return {0, 100};
    case ArgRole::kRegisters:
      return {0, 1 << 12};
    case ArgRole::kSharedMemory:
      return {0, 1 << 30};
    case ArgRole::kBytes:
    case ArgRole::kInElements:
    case ArgRole::kOutElements:
      return {0, int64_t{1} << 50};
    case ArgRole::kGroupSize:
      return {0, 1 << 24};
    default:
      return {};
  }
}

}  // namespace emberline
