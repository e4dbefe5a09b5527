// The catalog of errors of the users' cost rules.
#pragma once

#include "base/errors.h"

namespace emberline::errors {

inline constexpr ErrorText kTooManyCostRules{ErrorKind::kInvalidArgument, "tooManyCostRules",
                                             "There are more than {limit} cost rules.",
                                             "A rule is {example}."};
inline constexpr ErrorText kUnnamedCostRule{ErrorKind::kInvalidArgument, "unnamedCostRule",
                                            "A cost rule has no name.", "A rule is {example}."};
inline constexpr ErrorText kBadCostRuleName{
    ErrorKind::kInvalidArgument, "badCostRuleName",
    "The name of the cost rule \"{rule}\" is not valid: {reason}", "A rule is {example}."};
inline constexpr ErrorText kLongCostRule{ErrorKind::kInvalidArgument, "longCostRule",
                                         "An expression of the cost rule \"{rule}\" is too long.",
                                         "A rule is {example}."};
inline constexpr ErrorText kBadCostRule{ErrorKind::kInvalidArgument, "badCostRule",
                                        "The cost rule \"{rule}\" cannot be read: {reason}.",
                                        "A rule is {example}."};
inline constexpr ErrorText kForbiddenInCostRule{
    ErrorKind::kInvalidArgument, "forbiddenInCostRule",
    "The cost rule \"{rule}\" cannot be used: an expression cannot hold {what, select, texts "
    "{strings} "
    "tables {tables or indexes} functions {functions of its own} other {comments}}.",
    "A rule is {example}."};
inline constexpr ErrorText kSlowCostRules{
    ErrorKind::kInvalidArgument, "slowCostRules", "The cost rules take too long on this trace.",
    "Use fewer rules, shorter expressions, or names that repeat less: {few} instead of {many}."};
inline constexpr ErrorText kCostRulesNotReady{ErrorKind::kInternal, "costRulesNotReady",
                                              "Rules cannot be read."};

}  // namespace emberline::errors
