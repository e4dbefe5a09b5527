// The catalogue of what the command line says around results.
#pragma once

#include "base/message.h"

namespace emberline::messages {

inline constexpr Sentence kTraceAbout{
    "traceAbout",
    "run {run}, worker {worker}{spans, select, yes {, span {span}} other {}}, {events, plural, one "
    "{# event} other {# events}} in {duration}"};
inline constexpr Sentence kNotice{"notice", "Notice: {text}"};
inline constexpr Sentence kSkipped{"skipped", "Skipped: {text}"};
inline constexpr Sentence kAugmented{
    "augmented", "{written, plural, one {# trace} other {# traces}} written, {failed} failed."};
inline constexpr Sentence kProblem{"problem", "{count} x {kind}: {text} (first at byte {offset})"};

}  // namespace emberline::messages
