// The catalog of errors of Python sources.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kSourceTooLarge{ErrorKind::kInvalidArgument, "sourceTooLarge",
                                           "The source file is too large to be parsed."};
inline constexpr ErrorText kGrammarMisfit{ErrorKind::kInternal, "grammarMisfit",
                                          "The Python grammar does not fit the parser."};
inline constexpr ErrorText kSourceTooSlow{ErrorKind::kUnsupported, "sourceTooSlow",
                                          "Parsing the source file takes too long."};

}  // namespace emberline::errors
