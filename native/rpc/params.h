// Members of a request's params, which were checked against the protocol before.
#pragma once

#include <cstdint>
#include <string>

#include "json/json.h"

namespace emberline {

// The text under `key`; "" when there is none.
std::string TextParam(const Json& params, const char* key);

// The integer under `key`, also one that is written as 5.0; `fallback` when there is none.
int64_t IntegerParam(const Json& params, const char* key, int64_t fallback);

}  // namespace emberline
