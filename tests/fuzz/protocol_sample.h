// Random parameters that the protocol's definition allows, or nearly.
#pragma once

#include <string>

#include "json/json.h"
#include "random.h"

namespace emberline::fuzz {

// Params for a method; null when the protocol does not know it.
Json SampleParams(const std::string& method, Random& random);

}  // namespace emberline::fuzz
