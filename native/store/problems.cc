// The catalog of what may be wrong with a trace.
#include "store/problems.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace emberline {
namespace {

// What a problem does to events: it may lose some, or be what a lost one left between its
// neighbors.
enum class Harm : uint8_t { kNone, kLoss, kLeftover };

struct Text {
  const char* name;
  MessagePattern message;
  bool notice = false;
  Harm harm = Harm::kNone;
};

// In the order of ProblemKind.
constexpr Text kTexts[] = {
    {"truncated", "The file is truncated: everything up to the cut was read, the rest is missing.",
     true},
    {"truncatedGzip",
     "The compressed file is truncated: everything up to the cut was read, the rest is missing.",
     true},
    {"damagedGzip",
     "The compressed data is damaged: everything up to the damage was read, the rest is missing.",
     true},
    {"trailingBytes", "Bytes after the end of the trace were ignored."},
    {"malformedEvent", "Events are damaged beyond repair; they are left out.", true, Harm::kLoss},
    {"oversizedEvent", "Events are larger than 16 MiB; they are left out.", true, Harm::kLoss},
    {"tooDeep", "Events nest deeper than 200 levels; they are left out.", true, Harm::kLoss},
    {"notAnObject", "Entries of the event list are not objects; they are left out."},
    {"mergedEvents",
     "Two events run into each other because the text between them is missing; one of them is left "
     "out.",
     true, Harm::kLoss},
    {"repeatedPhase", "Events give their type (\"ph\") twice in a row; the last one counts."},
    {"strayText", "Text between events, such as the rest of a damaged event, was skipped.", false,
     Harm::kLeftover},
    {"strayBracket", "Extra brackets, braces or colons between events were skipped.", false,
     Harm::kLeftover},
    {"brokenListEnd",
     "The list of events has no closing bracket; every event before the next key was read."},
    {"eventsOutsideList", "Events outside the list of events were read."},
    {"rawQuote", "Texts contain quotes that the recorder did not escape; they were repaired."},
    {"controlCharacter",
     "Texts contain raw line ends or other control characters; they were kept."},
    {"badEscape",
     "Texts contain single backslashes, such as Windows paths; they were kept as they are."},
    {"invalidUtf8", "Texts are not valid UTF-8; the bytes in question were replaced."},
    {"invalidToken",
     "Values such as N/A, nan or 3. are not JSON; they were kept as text or numbers."},
    {"missingValue", "Keys have no value; they read as null."},
    {"strayComma", "Extra or missing commas were ignored.", false, Harm::kLeftover},
    {"malformedHeader",
     "Keys or values before or after the events are not valid JSON; they were kept as text or "
     "skipped."},
    {"missingPhase", "Events have no type (\"ph\"); they are left out.", true, Harm::kLoss},
    {"unsupportedPhase",
     "Events have a type that the trace event format does not define; they are left out."},
    {"missingAsyncId", "Asynchronous events have no id; they are left out."},
    {"missingTime", "Events have no usable timestamp; they are left out.", true, Harm::kLoss},
    {"timeOutOfRange",
     "Events have timestamps beyond what fits into 64-bit nanoseconds; they are left out.", true,
     Harm::kLoss},
    {"missingName", "Durations have no name; they are shown without one."},
    {"missingDuration", "Complete events have no usable duration; they count as 0."},
    {"negativeDuration", "Durations are negative; they count as 0."},
    {"unfinishedEvent", "Ranges were started but never ended; they last to the end of the trace."},
    {"endWithoutBegin", "Ranges end without a start; these ends are left out."},
    {"missingFlowId", "Arrows between events have no id; they are left out."},
    {"tooManyEvents", "The trace has more events than can be numbered; the rest is left out.", true,
     Harm::kLoss},
    {"lostTimestamp",
     "Events carry the timestamp 0: the recorder lost their time. They are shown at the start."},
    {"farTime",
     "Events have timestamps far away from nearly all others, which only damage explains; they "
     "are left out.",
     true, Harm::kLoss},
    {"absurdDuration",
     "Events last more than 7 days beyond all others, which only damage explains; their durations "
     "count as 0."},
    {"absurdSize", "The sum of allocations overflows; it is capped."},
    {"unknownTask",
     "NPU tasks have no type or an unknown one; they are shown, but not counted in any figure.",
     true},
    {"unknownRecorder",
     "This is not a trace of the PyTorch profiler{known, select, yes {; it looks like one of "
     "{recorder}} other {}}. The timeline shows it as it is; device figures are not available.",
     true},
    {"unknownDeviceWork",
     "Device slices have unknown categories ({categories}). On tracks of a device they count as "
     "kernels, elsewhere they do not count: device figures may be wrong.",
     true},
};
static_assert(sizeof(kTexts) / sizeof(kTexts[0]) == kProblemKindCount);

Harm HarmOf(const Problem& problem) {
  const auto* const found =
      std::find_if(std::begin(kTexts), std::end(kTexts),
                   [&](const Text& text) { return problem.kind == text.name; });
  return found == std::end(kTexts) ? Harm::kNone : found->harm;
}

}  // namespace

const char* ProblemKindName(ProblemKind kind) { return kTexts[static_cast<int>(kind)].name; }

bool LosesEvents(const Problem& problem) { return HarmOf(problem) == Harm::kLoss; }

bool IsLeftover(const Problem& problem, const std::vector<Problem>& all) {
  return HarmOf(problem) == Harm::kLeftover && std::any_of(all.begin(), all.end(), LosesEvents);
}

void Problems::Add(ProblemKind kind, uint64_t offset, uint64_t count, MessageArgs arguments) {
  Item& item = items_[static_cast<int>(kind)];
  if (item.count == 0) item.arguments = std::move(arguments);
  if (item.count == 0 || offset < item.first_offset) item.first_offset = offset;
  item.count += count;
}

void Problems::Merge(Problems* other) {
  for (int i = 0; i < kProblemKindCount; ++i) {
    Item& item = other->items_[i];
    if (item.count == 0) continue;
    Add(static_cast<ProblemKind>(i), item.first_offset, item.count, std::move(item.arguments));
  }
  *other = {};
}

void Problems::AppendTo(std::vector<Problem>& out) const {
  for (int i = 0; i < kProblemKindCount; ++i) {
    const Item& item = items_[i];
    if (item.count == 0) continue;
    // The text ends where the compressed data does: one problem and not two.
    if (i == static_cast<int>(ProblemKind::kTruncated) &&
        (count(ProblemKind::kTruncatedGzip) > 0 || count(ProblemKind::kDamagedGzip) > 0)) {
      continue;
    }
    out.push_back({kTexts[i].name, kTexts[i].message.Format(item.arguments), item.count,
                   item.first_offset, kTexts[i].notice, item.arguments});
  }
}

}  // namespace emberline
