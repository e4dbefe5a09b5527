// The catalog of errors of messages, parameters and views.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

// Messages.
inline constexpr ErrorText kHeaderTooLong{
    ErrorKind::kInvalidArgument, "headerTooLong", "A header block is longer than 8 KiB.",
    "Each message starts with Content-Length and an empty line."};
inline constexpr ErrorText kHeaderWithoutColon{
    ErrorKind::kInvalidArgument, "headerWithoutColon", "A header line has no colon.",
    "Each message starts with Content-Length and an empty line."};
inline constexpr ErrorText kBadContentLength{
    ErrorKind::kInvalidArgument, "badContentLength", "Content-Length is not a number.",
    "Each message starts with Content-Length and an empty line."};
inline constexpr ErrorText kNoBatches{ErrorKind::kInvalidArgument, "noBatches",
                                      "Batches are not supported."};

// Methods.
inline constexpr ErrorText kNoSuchMethod{ErrorKind::kInvalidArgument, "noSuchMethod",
                                         "There is no method \"{method}\"."};
inline constexpr ErrorText kNoMemoryForRequest{ErrorKind::kInternal, "noMemoryForRequest",
                                               "There is not enough memory for this request.",
                                               "Close other profiles, or narrow the selection."};
inline constexpr ErrorText kRequestFailed{ErrorKind::kInternal, "requestFailed",
                                          "The request failed: {reason}",
                                          "Please report this with the log."};

// Parameters.
inline constexpr ErrorText kEmptyPath{ErrorKind::kInvalidArgument, "emptyPath",
                                      "params.path is empty.", "Name a file or folder."};
inline constexpr ErrorText kMissingMember{ErrorKind::kInvalidArgument, "missingMember",
                                          "{where} lacks the member \"{member}\"."};
inline constexpr ErrorText kNoAllowedForm{ErrorKind::kInvalidArgument, "noAllowedForm",
                                          "{where} has none of the forms that are allowed."};
inline constexpr ErrorText kWrongType{ErrorKind::kInvalidArgument, "wrongType",
                                      "{where} must be {type}."};
inline constexpr ErrorText kNotAChoice{ErrorKind::kInvalidArgument, "notAChoice",
                                       "{where} must be one of {choices}."};
inline constexpr ErrorText kBelowMinimum{ErrorKind::kInvalidArgument, "belowMinimum",
                                         "{where} must be at least {limit}."};
inline constexpr ErrorText kAboveMaximum{ErrorKind::kInvalidArgument, "aboveMaximum",
                                         "{where} must be at most {limit}."};
inline constexpr ErrorText kTooManyItems{ErrorKind::kInvalidArgument, "tooManyItems",
                                         "{where} has more than {limit} items."};
inline constexpr ErrorText kEmptyWindow{ErrorKind::kInvalidArgument, "emptyWindow",
                                        "params.endNs must be greater than params.startNs."};
inline constexpr ErrorText kTooManyRows{ErrorKind::kInvalidArgument, "tooManyRows",
                                        "params.tracks names more than {limit} rows."};
inline constexpr ErrorText kUnknownKind{ErrorKind::kInvalidArgument, "unknownKind",
                                        "params.kind must be one of {known}."};
inline constexpr ErrorText kUnusableMember{ErrorKind::kInvalidArgument, "unusableMember",
                                           "{list}: \"{member}\" cannot be used.",
                                           "See the list of members in the protocol."};
inline constexpr ErrorText kNoJobNamed{ErrorKind::kInvalidArgument, "noJobNamed",
                                       "params name neither a profile nor digests.",
                                       "Give profileId, or digests: a folder of digests."};

// Views.
inline constexpr ErrorText kNoSuchSlice{ErrorKind::kNotFound, "noSuchSlice",
                                        "There is no slice {slice}.",
                                        "Slices are counted per trace: ask for the window again."};
inline constexpr ErrorText kNoSuchInstant{ErrorKind::kNotFound, "noSuchInstant",
                                          "There is no instant {instant}."};
inline constexpr ErrorText kNoSuchRow{ErrorKind::kNotFound, "noSuchRow", "There is no row {row}.",
                                      "timeline/tracks lists the rows."};
inline constexpr ErrorText kNoSuchDevice{ErrorKind::kNotFound, "noSuchDevice",
                                         "There is no device {device}."};
inline constexpr ErrorText kNoSuchCall{ErrorKind::kNotFound, "noSuchCall",
                                       "There is no call {call}.",
                                       "The job has {calls}, numbered from 0."};
inline constexpr ErrorText kUnknownWeight{ErrorKind::kInvalidArgument, "unknownWeight",
                                          "Unknown weight \"{weight}\".", "Use device or host."};
inline constexpr ErrorText kUnknownLineGrouping{ErrorKind::kInvalidArgument, "unknownLineGrouping",
                                                "Unknown grouping \"{grouping}\".",
                                                "Use line, function or file."};
inline constexpr ErrorText kUnknownOperatorGrouping{
    ErrorKind::kInvalidArgument, "unknownOperatorGrouping",
    "Operators cannot be grouped by \"{grouping}\".", "Groupings: operator, operatorAndShapes."};
inline constexpr ErrorText kUnknownKernelGrouping{
    ErrorKind::kInvalidArgument, "unknownKernelGrouping",
    "Kernels cannot be grouped by \"{grouping}\".", "Groupings: name, properties."};
inline constexpr ErrorText kUnknownCostGrouping{
    ErrorKind::kInvalidArgument, "unknownCostGrouping",
    "Costs cannot be grouped by \"{grouping}\".",
    "Groupings: operator, shape, kernel, module, line, class."};
inline constexpr ErrorText kUnknownBlockTable{
    ErrorKind::kInvalidArgument, "unknownBlockTable",
    "A block of the execution has no table of {table}.",
    "Tables of a block: operators, operatorShapes, kernels."};
inline constexpr ErrorText kUnknownDevicePeaks{ErrorKind::kInvalidArgument, "unknownDevicePeaks",
                                               "No device \"{device}\" is known.",
                                               "Known: {known}."};
inline constexpr ErrorText kNoSuchFrame{
    ErrorKind::kInvalidArgument, "noSuchFrame", "There is no stack frame with this id.",
    "Ids hold for one choice of options; ask for the tree again."};
inline constexpr ErrorText kNoSuchModule{
    ErrorKind::kInvalidArgument, "noSuchModule", "There is no module with this id.",
    "Ids hold for one trace and one choice of steps; ask for the tree again."};
inline constexpr ErrorText kNoSuchMemoryDevice{
    ErrorKind::kInvalidArgument, "noSuchMemoryDevice",
    "There is no memory device \"{device}\" in this trace.", "Devices: {known}."};
inline constexpr ErrorText kNoAllocatorRecords{
    ErrorKind::kInvalidArgument, "noAllocatorRecords",
    "There is no memory device \"{device}\" in this trace.",
    "The trace holds no allocator records."};
inline constexpr ErrorText kExportTooLarge{ErrorKind::kInvalidArgument, "exportTooLarge",
                                           "The range holds {slices} slices, too many to export.",
                                           "Choose a shorter range or fewer tracks."};
inline constexpr ErrorText kExportTooManyBytes{
    ErrorKind::kInvalidArgument, "exportTooManyBytes",
    "The events of the range are too large to export.",
    "Choose a shorter range or fewer tracks, or use `emberline export`."};
inline constexpr ErrorText kNoContentLength{
    ErrorKind::kInvalidArgument, "noContentLength", "A header block has no Content-Length.",
    "Each message starts with Content-Length and an empty line."};
inline constexpr ErrorText kMessageTooLarge{
    ErrorKind::kInvalidArgument, "messageTooLarge",
    "A message of {bytes} bytes is above the limit of {limit}."};
inline constexpr ErrorText kMessageNotAnObject{ErrorKind::kInvalidArgument, "messageNotAnObject",
                                               "A message must be an object."};
inline constexpr ErrorText kParamsNotAnObject{ErrorKind::kInvalidArgument, "paramsNotAnObject",
                                              "params must be an object."};
inline constexpr ErrorText kIdInUse{ErrorKind::kInvalidArgument, "idInUse",
                                    "A request with this id is still running."};
inline constexpr ErrorText kNotInitialized{ErrorKind::kInvalidArgument, "notInitialized",
                                           "The first request must be initialize."};
inline constexpr ErrorText kShutDown{ErrorKind::kInvalidArgument, "shutDown",
                                     "The daemon was shut down.", "Send the notification exit."};
inline constexpr ErrorText kMethodOfAnotherVersion{
    ErrorKind::kInvalidArgument, "methodOfAnotherVersion", "There is no method \"{method}\".",
    "The client and the daemon may be of different versions."};
inline constexpr ErrorText kAlreadyInitialized{ErrorKind::kInvalidArgument, "alreadyInitialized",
                                               "initialize was already answered."};
inline constexpr ErrorText kWrongVersion{ErrorKind::kInvalidArgument, "wrongVersion",
                                         "The member \"jsonrpc\" must be \"2.0\"."};
inline constexpr ErrorText kMethodNotAString{ErrorKind::kInvalidArgument, "methodNotAString",
                                             "The member \"method\" must be a string."};
inline constexpr ErrorText kBadId{ErrorKind::kInvalidArgument, "badId",
                                  "The member \"id\" must be a string or an integer."};

}  // namespace emberline::errors
