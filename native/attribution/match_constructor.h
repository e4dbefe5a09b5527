// Which calls construct what: constructors against the sites of a source.
#pragma once

#include <string_view>

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// The names of what constructing an object runs: __init__, __new__, __post_init__.
bool IsConstructorName(std::string_view name);
// True for a frame of one of them.
bool IsConstructor(const Observed& observed);

// The text, or else the letters of its name, say that the call is one of a class.
bool LooksLikeClass(const Site& call);

// How badly a call fits a constructor's frame, as MatchCost().
float MatchConstructor(const Site& call, const Observed& constructor);

}  // namespace emberline
