#include "rpc/params.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emberline {

std::string TextParam(const Json& params, const char* key) {
  const auto it = params.find(key);
  return it != params.end() && it->is_string() ? it->get<std::string>() : std::string();
}

int64_t IntegerParam(const Json& params, const char* key, int64_t fallback) {
  const auto it = params.find(key);
  if (it == params.end()) return fallback;
  if (it->is_number_unsigned()) {
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::min(it->get<uint64_t>(), kMost));
  }
  if (it->is_number_integer()) return it->get<int64_t>();
  const double real = it->is_number_float() ? it->get<double>() : std::nan("");
  return std::abs(real) < 9e15 ? static_cast<int64_t>(real) : fallback;
}

}  // namespace emberline
