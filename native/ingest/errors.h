// The catalog of errors of finding and reading traces. `{file}` is the name of a file, or "The
// text" where there is none.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

// Finding traces.
inline constexpr ErrorText kNoSuchPath{ErrorKind::kNotFound, "noSuchPath",
                                       "There is no file or folder {path}.", "Check the path."};
inline constexpr ErrorText kCannotLookAt{ErrorKind::kUnreadable, "cannotLookAt",
                                         "Cannot access {path}: {reason}.",
                                         "Check the permissions of its folders."};
inline constexpr ErrorText kNeitherFileNorFolder{
    ErrorKind::kUnreadable, "neitherFileNorFolder", "{path} is neither a file nor a folder.",
    "Open a trace file, or the folder that contains it."};
inline constexpr ErrorText kNoTraceInFolder{
    ErrorKind::kUnreadable, "noTraceInFolder",
    "There is no trace in {path}.{skipped, select, yes { For example, {example}} other {}}",
    "Choose the folder that tensorboard_trace_handler wrote to, or a trace file."};

// Why a file of a folder is passed over.
inline constexpr Sentence kManyEntries{
    "manyEntries", "Only the first {limit} entries were searched; choose a folder further down."};
inline constexpr Sentence kNotLookedAt{"notLookedAt",
                                       "{file} was not read: too many files may be traces."};
inline constexpr Sentence kUnreadableBeginning{"unreadableBeginning", "{file}: {reason}"};
inline constexpr Sentence kNoAccess{"noAccess", "{file} cannot be read: {reason}."};
inline constexpr Sentence kLeadsNowhere{"leadsNowhere",
                                        "{file} is a link to a file that does not exist."};
inline constexpr Sentence kIsNoFile{"isNoFile", "{file} is not a regular file."};
inline constexpr Sentence kLeadsOut{
    "leadsOut", "{file} is a link to a place outside the folder; open its target instead."};
inline constexpr Sentence kUnfinishedRecording{
    "unfinishedRecording",
    "{file} is an unfinished recording; open the file itself to see what it contains."};
inline constexpr Sentence kSameRecording{"sameRecording",
                                         "{file} is the same recording as {other}."};

// What a file is that is none of a format, told by its beginning.
inline constexpr Sentence kIsEmpty{"isEmpty", "{file} is empty."};
inline constexpr Sentence kIsOtherEncoding{
    "isOtherEncoding", "{file} is not a trace: its text is {encoding}, and traces are UTF-8."};
inline constexpr Sentence kIsExecutionTrace{"isExecutionTrace",
                                            "{file} is an execution trace without times."};
inline constexpr Sentence kHasNoEvents{"hasNoEvents", "{file} has no \"traceEvents\"."};
inline constexpr Sentence kIsOtherList{"isOtherList", "{file} is a list, but not of events."};
inline constexpr Sentence kIsNoJson{"isNoJson", "{file} is not JSON."};

// Reading.
inline constexpr ErrorText kEmptyFile{
    ErrorKind::kUnreadable, "emptyFile", "{file} is empty.",
    "The profiler may have been killed before it wrote; record again."};
inline constexpr ErrorText kUnknownFormat{
    ErrorKind::kUnreadable, "unknownFormat", "{reason}",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kOtherEncoding{
    ErrorKind::kUnreadable, "otherEncoding",
    "{file} is not a trace: its text is {encoding}, and traces are UTF-8.",
    "Convert it first: iconv -f {from} -t UTF-8 FILE > NEW.json"};
inline constexpr ErrorText kZstd{ErrorKind::kUnreadable, "zstd",
                                 "{file} is not a trace: it is compressed with zstd.",
                                 "Unpack it first: zstd -d FILE."};
inline constexpr ErrorText kZip{ErrorKind::kUnreadable, "zip",
                                "{file} is not a trace: it is a zip archive.", "Unpack it first."};
inline constexpr ErrorText kBzip2{ErrorKind::kUnreadable, "bzip2",
                                  "{file} is not a trace: it is compressed with bzip2.",
                                  "Unpack it first: bunzip2 FILE."};
inline constexpr ErrorText kXz{ErrorKind::kUnreadable, "xz",
                               "{file} is not a trace: it is compressed with xz.",
                               "Unpack it first: unxz FILE."};
inline constexpr ErrorText kTar{ErrorKind::kUnreadable, "tar",
                                "{file} is not a trace: it is a tar archive.", "Unpack it first."};
inline constexpr ErrorText kSqlite{
    ErrorKind::kUnreadable, "sqlite",
    "{file} is not a trace: it is a SQLite database, such as Nsight Systems exports.",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kPickle{
    ErrorKind::kUnreadable, "pickle",
    "{file} is not a trace: it is a Python pickle, such as a torch.cuda.memory snapshot.",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kMarkup{
    ErrorKind::kUnreadable, "markup", "{file} is not a trace: it is an HTML or XML page.",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kMemoryTimeline{
    ErrorKind::kUnreadable, "memoryTimeline",
    "{file} is not a trace: it is a list of lists, such as torch.profiler's memory timeline.",
    "Open the file that export_chrome_trace or tensorboard_trace_handler wrote."};
inline constexpr ErrorText kOtherList{
    ErrorKind::kUnreadable, "otherList", "{file} is not a trace: it is a list, but not of events.",
    "Open the file that export_chrome_trace or tensorboard_trace_handler wrote."};
inline constexpr ErrorText kNoPhases{
    ErrorKind::kUnreadable, "noPhases",
    "{file} is not a trace: it is a list of objects, but none of them is an event (no \"ph\").",
    "Open the file that export_chrome_trace or tensorboard_trace_handler wrote."};
inline constexpr ErrorText kBinary{
    ErrorKind::kUnreadable, "binary",
    "{file} is not a trace: it contains binary data where a JSON object or list must begin.",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kNotJson{
    ErrorKind::kUnreadable, "notJson",
    "{file} is not a trace: a JSON object or list must begin here, but there is \"{found}\".",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kEndsBeforeEvents{
    ErrorKind::kUnreadable, "endsBeforeEvents",
    "{file} is not a trace: it ends before its events begin.",
    "The file is truncated; the profiler may have been killed while writing."};
inline constexpr ErrorText kExecutionTrace{
    ErrorKind::kUnreadable, "executionTrace",
    "{file} is not a trace: it is an execution trace (ExecutionTraceObserver), which has no times.",
    "Open the torch.profiler trace that was recorded with it."};
inline constexpr ErrorText kEmptyObject{
    ErrorKind::kUnreadable, "emptyObject", "{file} is not a trace: its JSON object is empty.",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kNoEvents{
    ErrorKind::kUnreadable, "noEvents",
    "{file} is not a trace: its JSON object has no \"traceEvents\" (keys: {keys}).",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};
inline constexpr ErrorText kEventsAreNoList{
    ErrorKind::kUnreadable, "eventsAreNoList",
    "{file} is not a trace: its \"traceEvents\" is not a list.",
    "Open the .pt.trace.json or .pt.trace.json.gz file that torch.profiler wrote."};

}  // namespace emberline::errors
