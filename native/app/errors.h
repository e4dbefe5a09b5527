// The catalog of errors of the command line.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

// Options. What is wrong with a value stands behind the name of its option.
inline constexpr Sentence kWholeNumber{"wholeNumber", "requires a whole number, not \"{text}\""};
inline constexpr Sentence kPositiveNumber{"positiveNumber",
                                          "requires a whole number above 0, not \"{text}\""};
inline constexpr Sentence kWindowForm{"windowForm", "must be START:END in ns"};
inline constexpr Sentence kWindowNumbers{"windowNumbers", "must be START:END in whole nanoseconds"};
inline constexpr Sentence kWindowOrder{"windowOrder", "ends before it starts"};
inline constexpr Sentence kParamForm{"paramForm", "must be KEY=VALUE"};
inline constexpr Sentence kGateForm{"gateForm",
                                    "must be PERCENT or PERCENT:METRIC, not \"{text}\""};
inline constexpr Sentence kOneOf{"oneOf", "must be {words}, not \"{text}\""};
inline constexpr Sentence kStrideForm{"strideForm", "must be I/N"};
inline constexpr Sentence kStrideRange{"strideRange", "must be I/N with I from 0 to N - 1"};
inline constexpr ErrorText kBadOption{ErrorKind::kInvalidArgument, "badOption",
                                      "{option} {complaint}.", "Try `emberline --help`."};
inline constexpr ErrorText kNoValueTaken{ErrorKind::kInvalidArgument, "noValueTaken",
                                         "{option} takes no value.", "Try `emberline --help`."};
inline constexpr ErrorText kValueRequired{ErrorKind::kInvalidArgument, "valueRequired",
                                          "{option} requires a value.", "Try `emberline --help`."};
inline constexpr ErrorText kNoSuchOption{ErrorKind::kInvalidArgument, "noSuchOption",
                                         "{command} has no option {option}.",
                                         "Try `emberline --help`."};
inline constexpr ErrorText kNoSuchOptionNearly{ErrorKind::kInvalidArgument, "noSuchOptionNearly",
                                               "{command} has no option {option}.",
                                               "Did you mean {near}?"};
inline constexpr ErrorText kUnexpectedArgument{
    ErrorKind::kInvalidArgument, "unexpectedArgument",
    "Unexpected argument \"{text}\": only one PATH is accepted.", "Try `emberline --help`."};
inline constexpr ErrorText kNoSuchCommand{ErrorKind::kInvalidArgument, "noSuchCommand",
                                          "There is no command \"{command}\".",
                                          "Try `emberline --help`."};
inline constexpr ErrorText kNoSuchCommandNearly{ErrorKind::kInvalidArgument, "noSuchCommandNearly",
                                                "There is no command \"{command}\".",
                                                "Did you mean {near}?"};
inline constexpr ErrorText kWrongUsage{ErrorKind::kInvalidArgument, "wrongUsage", "{complaint}.",
                                       "Try `emberline --help`."};

// Commands.
inline constexpr ErrorText kPathRequired{ErrorKind::kInvalidArgument, "pathRequired",
                                         "{command} requires a PATH.",
                                         "Name a trace, a run folder or a log folder."};
inline constexpr ErrorText kServeTakesNoPath{ErrorKind::kInvalidArgument, "serveTakesNoPath",
                                             "serve takes no PATH.",
                                             "Clients open profiles with profile/open."};
inline constexpr ErrorText kExportWindow{
    ErrorKind::kInvalidArgument, "exportWindow", "export requires --window START:END in ns.",
    "`emberline timeline PATH` shows the extent of the trace."};
inline constexpr ErrorText kTimelineTracks{
    ErrorKind::kInvalidArgument, "timelineTracks", "timeline --window requires --track N.",
    "`emberline timeline PATH` lists the tracks with their numbers."};
inline constexpr ErrorText kDiffTraces{ErrorKind::kInvalidArgument, "diffTraces",
                                       "diff requires two traces.",
                                       "Write `emberline diff BASELINE CANDIDATE`."};
inline constexpr ErrorText kNoSuchMetric{ErrorKind::kInvalidArgument, "noSuchMetric",
                                         "There is no metric \"{metric}\" in both traces.",
                                         "Metrics: {known}."};
inline constexpr ErrorText kGateUnknown{
    ErrorKind::kInvalidArgument, "gateUnknown",
    "{metric} is not known of both traces, so that --fail-above has nothing to compare.",
    "A trace without steps or events may have been recorded too early or too late."};
inline constexpr Sentence kGateWasZero{"gateWasZero", "{metric} was zero and no longer is"};
inline constexpr Sentence kGateGrew{
    "gateGrew",
    "{metric} grew by {grown}{noise, select, known { beyond noise} other {}}, which is more than "
    "{allowed} %{noise, select, known {} other {; its noise is unknown}}"};
inline constexpr ErrorText kDigestTraces{ErrorKind::kInvalidArgument, "digestTraces",
                                         "digest requires traces.",
                                         "Write `emberline digest TRACE... -o DIR`."};
inline constexpr ErrorText kDigestOut{ErrorKind::kInvalidArgument, "digestOut",
                                      "digest requires -o DIR.", "Digests are written there."};
inline constexpr ErrorText kMergeFolder{ErrorKind::kInvalidArgument, "mergeFolder",
                                        "merge requires a folder.", "Write `emberline merge DIR`."};
inline constexpr ErrorText kJobsOperands{ErrorKind::kInvalidArgument, "jobsOperands",
                                         "jobs requires an engine and a folder.",
                                         "Write `emberline jobs slurm FOLDER`."};
inline constexpr ErrorText kFolderRequired{ErrorKind::kInvalidArgument, "folderRequired",
                                           "{command} requires a FOLDER.",
                                           "Name a folder of traces or of digests."};
inline constexpr ErrorText kUnreadableList{ErrorKind::kNotFound, "unreadableList",
                                           "The list {path} cannot be read.",
                                           "The list has one path per line."};
inline constexpr ErrorText kFolderNotMade{ErrorKind::kUnreadable, "folderNotMade",
                                          "The folder {path} cannot be created: {reason}.",
                                          "Name a folder that you may write to."};
inline constexpr ErrorText kUnreadableParams{ErrorKind::kUnreadable, "unreadableParams",
                                             "\"{path}\" cannot be read.",
                                             "Name a file that contains a JSON list."};
inline constexpr ErrorText kParamsNotAList{ErrorKind::kInvalidArgument, "paramsNotAList",
                                           "\"{path}\" contains no JSON list.",
                                           "Enclose the objects in [ ]."};
inline constexpr ErrorText kParamsNotJson{ErrorKind::kInvalidArgument, "paramsNotJson",
                                          "\"{path}\" contains no JSON list.", "{reason}"};
inline constexpr ErrorText kResultHasNoTable{ErrorKind::kUnsupported, "resultHasNoTable",
                                             "This result has no table.",
                                             "Use --format json or --format table."};
inline constexpr ErrorText kAugmentOperands{ErrorKind::kInvalidArgument, "augmentOperands",
                                            "augment requires traces and -o DIR.",
                                            "Write `emberline augment TRACE... -o DIR`."};
inline constexpr ErrorText kTraceNotWritten{ErrorKind::kUnreadable, "traceNotWritten",
                                            "{path} cannot be written: {reason}.",
                                            "Write it to another place, or free this one."};
inline constexpr ErrorText kTraceNameTaken{ErrorKind::kInvalidArgument, "traceNameTaken",
                                           "{folder} already holds a trace with this name."};
inline constexpr ErrorText kOutputNotWritten{ErrorKind::kInternal, "outputNotWritten",
                                             "The output cannot be written: {reason}."};

}  // namespace emberline::errors
