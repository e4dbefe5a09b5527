// What was wrong with a trace, counted by kind: one vocabulary for reading and for building.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "store/trace_store.h"

namespace emberline {

enum class ProblemKind : uint8_t {
  // Damage of the text.
  kTruncated,
  kTruncatedGzip,
  kDamagedGzip,
  kTrailingBytes,
  kMalformedEvent,
  kOversizedEvent,
  kTooDeep,
  kNotAnObject,
  kMergedEvents,
  kRepeatedPhase,
  kStrayText,
  kStrayBracket,
  kBrokenListEnd,
  kEventsOutsideList,
  kRawQuote,
  kControlCharacter,
  kBadEscape,
  kInvalidUtf8,
  kInvalidToken,
  kMissingValue,
  kStrayComma,
  kMalformedHeader,
  // Events that cannot be understood.
  kMissingPhase,
  kUnsupportedPhase,
  kMissingAsyncId,
  kMissingTime,
  kTimeOutOfRange,
  kMissingName,
  kMissingDuration,
  kNegativeDuration,
  kUnfinishedEvent,
  kEndWithoutBegin,
  kMissingFlowId,
  kTooManyEvents,
  // Values that no recording can have, found when all events are known.
  kLostTimestamp,
  kFarTime,
  kAbsurdDuration,
  kAbsurdSize,
  // Slices whose meaning is not known.
  kUnknownTask,
  kUnknownRecorder,
  kUnknownDeviceWork,
};
inline constexpr int kProblemKindCount = static_cast<int>(ProblemKind::kUnknownDeviceWork) + 1;

// Stable lower-camel id of a kind, for example "invalidUtf8".
const char* ProblemKindName(ProblemKind kind);

// Whether it cost single events: damage inside the file.
bool LosesEvents(const Problem& problem);
// Whether it is what lost events left between their neighbors: the same damage, told once.
bool IsLeftover(const Problem& problem, const std::vector<Problem>& all);

class Problems {
 public:
  // `offset`: byte offset in the inflated text; the first one of a kind is kept.
  // `arguments`: what its sentence names, where it names something.
  void Add(ProblemKind kind, uint64_t offset, uint64_t count = 1, MessageArgs arguments = {});
  // Takes over what `other` found, which is empty afterwards.
  void Merge(Problems* other);
  uint64_t count(ProblemKind kind) const { return items_[static_cast<int>(kind)].count; }
  // Appends one Problem per kind that occurred, with its explanation.
  void AppendTo(std::vector<Problem>& out) const;

 private:
  struct Item {
    uint64_t count = 0;
    uint64_t first_offset = 0;
    MessageArgs arguments;
  };
  std::array<Item, kProblemKindCount> items_{};
};

}  // namespace emberline
