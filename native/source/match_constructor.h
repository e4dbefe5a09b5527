// Which calls construct what: constructors against the sites of a source.
#pragma once

#include "source/align.h"

namespace emberline {

// True for the frames that constructing an object runs: __init__, __new__, __post_init__.
bool IsConstructor(const Observed& observed);

// How badly a call fits a constructor's frame, as MatchCost().
float MatchConstructor(const Site& call, const Observed& constructor);

}  // namespace emberline
