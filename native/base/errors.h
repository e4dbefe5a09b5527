// The catalog of errors that any room may meet, and those of opening files.
#pragma once

#include "base/result.h"

namespace emberline::errors {

inline constexpr ErrorText kCancelled{ErrorKind::kCancelled, "cancelled",
                                      "The request was cancelled."};
// Files.
inline constexpr ErrorText kZeroByteInPath{ErrorKind::kNotFound, "zeroByteInPath",
                                           "The path {path} contains a zero byte.",
                                           "Check the path."};
inline constexpr ErrorText kNoSuchFile{ErrorKind::kNotFound, "noSuchFile",
                                       "There is no file {path}.", "Check the path."};
inline constexpr ErrorText kNotAllowed{ErrorKind::kUnreadable, "notAllowed",
                                       "Cannot open {path}: {reason}.",
                                       "Check the permissions of the file and its folders."};
inline constexpr ErrorText kCannotOpen{ErrorKind::kUnreadable, "cannotOpen",
                                       "Cannot open {path}: {reason}."};
inline constexpr ErrorText kNotRegular{ErrorKind::kUnreadable, "notRegular",
                                       "{path} is not a regular file.",
                                       "Open a trace file, or the folder that holds it."};
// Why something cannot be written; these stand in a sentence behind a colon.
inline constexpr Sentence kFolderIsMissing{"folderIsMissing", "its folder does not exist"};
inline constexpr Sentence kFolderIsNone{"folderIsNone",
                                        "a part of its path is a file instead of a folder"};
inline constexpr Sentence kPermissionDenied{"permissionDenied", "permission was denied"};
inline constexpr Sentence kReadOnlyFiles{"readOnlyFiles", "the file system is read-only"};
inline constexpr Sentence kNoSpaceLeft{"noSpaceLeft", "there is no space left"};
inline constexpr Sentence kIsAFolder{"isAFolder", "it is a folder"};
inline constexpr Sentence kNameTooLong{"nameTooLong", "its name is too long"};
inline constexpr Sentence kFileTooLarge{"fileTooLarge", "the file would become too large"};
inline constexpr Sentence kNobodyReads{"nobodyReads", "nobody reads it any more"};
inline constexpr Sentence kWriteFailed{"writeFailed", "writing failed"};
// Images of traces that were kept; the log tells them.
inline constexpr ErrorText kImageNotMade{ErrorKind::kUnreadable, "imageNotMade",
                                         "{path} cannot be created: {reason}."};
inline constexpr ErrorText kImageNotWritten{ErrorKind::kUnreadable, "imageNotWritten",
                                            "{path} cannot be written: {reason}."};
inline constexpr ErrorText kImageShared{ErrorKind::kUnreadable, "imageShared",
                                        "Other users can change {path}."};
inline constexpr ErrorText kImageNotMapped{ErrorKind::kUnreadable, "imageNotMapped",
                                           "{path} cannot be mapped."};
inline constexpr ErrorText kNotAnImage{ErrorKind::kUnreadable, "notAnImage",
                                       "{path} is not the image of a trace."};
inline constexpr ErrorText kImageDamaged{ErrorKind::kUnreadable, "imageDamaged",
                                         "{path} is damaged."};
inline constexpr ErrorText kImageCut{ErrorKind::kUnreadable, "imageCut", "{path} ends too early."};
inline constexpr ErrorText kImageOfAnotherBuild{ErrorKind::kUnreadable, "imageOfAnotherBuild",
                                                "{path} was written by another build."};
inline constexpr ErrorText kImageOfAnotherTrace{ErrorKind::kUnreadable, "imageOfAnotherTrace",
                                                "{path} holds another trace."};
// Regular expressions.
inline constexpr ErrorText kBadExpression{ErrorKind::kInvalidArgument, "badExpression",
                                          "The regular expression cannot be used: {reason}.",
                                          "Search for plain text, or correct the expression."};
inline constexpr ErrorText kSlowExpression{
    ErrorKind::kInvalidArgument, "slowExpression",
    "The regular expression takes too long on the names of this trace.",
    "Search for plain text, or repeat less in the expression: {few} instead of {many}."};
inline constexpr Sentence kExpressionTooLong{"expressionTooLong",
                                             "it is longer than {limit} bytes"};
inline constexpr Sentence kExpressionRepeats{
    "expressionRepeats", "it repeats too much, with {states} states where {limit} are allowed"};
inline constexpr Sentence kExpressionMemory{"expressionMemory", "it needs too much memory"};
inline constexpr Sentence kNotOpened{"notOpened", "this parenthesis was not opened"};
inline constexpr Sentence kNotClosed{"notClosed", "this parenthesis is not closed"};
inline constexpr Sentence kBracketNotClosed{"bracketNotClosed", "this bracket is not closed"};
inline constexpr Sentence kRangeBackwards{"rangeBackwards",
                                          "this range of characters runs backwards"};
inline constexpr Sentence kNothingToRepeat{"nothingToRepeat", "there is nothing here to repeat"};
inline constexpr Sentence kRepeatsTooMuch{"repeatsTooMuch", "this repeats too much"};
inline constexpr Sentence kNotSupported{
    "notSupported", "this is not supported, as all look-around and back references"};
inline constexpr Sentence kLoneBackslash{"loneBackslash", "nothing follows the backslash"};
inline constexpr Sentence kAtCharacter{"atCharacter", "{reason}: `{text}` at character {position}"};

}  // namespace emberline::errors
