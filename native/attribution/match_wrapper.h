// Calls that run as what a decorator made of them: "wrapper", "decorate_context".
#pragma once

#include <string_view>

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// Names that decorators commonly give to what they return.
bool IsWrapperName(std::string_view name);

// How badly a call fits a wrapper's frame, as MatchCost().
float MatchWrapper(const Site& call, const Observed& wrapper);

}  // namespace emberline
