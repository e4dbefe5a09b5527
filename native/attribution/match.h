// How badly the places of a source that call something (sites) fit what was observed.
#pragma once

#include "attribution/observed.h"
#include "source/python_syntax.h"

namespace emberline {

// How badly a site fits what was observed: 0 its very name, above 2 hardly, infinite not at all.
float MatchCost(const Site& site, const Observed& observed);

// Sites that take a thing at less have its name, or nearly.
inline constexpr float kNamed = 0.9f;

}  // namespace emberline
