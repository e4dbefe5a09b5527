// The catalog of what a comparison says first. {span} is "step" where both sides recorded steps,
// else "trace".
#pragma once

#include "base/message.h"

namespace emberline::messages {

inline constexpr Sentence kVerdictUnknown{
    "verdictUnknown",
    "{span, select, step {Step time} other {The length of the trace}} is not known on both sides."};
inline constexpr Sentence kVerdictSame{
    "verdictSame",
    "{span, select, step {Step time is the same} other {The trace takes the same time}}: {from}."};
inline constexpr Sentence kVerdictWithinNoise{
    "verdictWithinNoise",
    "{span, select, step {Step time} other {The trace}} did not change beyond noise: {from} to "
    "{to} ({change})."};
// {cause}: "none", or what became of {name}: "new", "gone", "changed", "replaced" by something
// else, it is the "replacement" of something else, or it was "swapped" for {by}.
inline constexpr Sentence kVerdictChanged{
    "verdictChanged",
    "{span, select, step {Step time} other {The trace}} went from {from} to {to} ({change}){cause, "
    "select, none {} new {, because {name} is new and takes {causeTo}} gone {, because {name}, "
    "which took {causeFrom}, is gone} replacement {, because {name} replaces other work and takes "
    "{causeTo}} replaced {, because {name}, which took {causeFrom}, was replaced} swapped {, "
    "because {by} replaces {name}: {causeFrom} to {causeTo}} other {, because {name} went from "
    "{causeFrom} to {causeTo}}}.{noise, select, known {} other { {span, select, step {With a "
    "single step on one "
    "side, the noise is unknown.} other {Steps were not recorded, so the noise is unknown.}}}}"};

}  // namespace emberline::messages
