#include "base/hash.h"

#include <chrono>
#include <exception>
#include <random>

namespace emberline {
namespace {

uint64_t Draw() {
  try {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
  } catch (const std::exception&) {
    // No source of randomness: the clock, and where the loader put us, are better than a constant.
    static const char here = 0;
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
           reinterpret_cast<uintptr_t>(&here) * 0x9E3779B97F4A7C15ull;
  }
}

}  // namespace

const HashSecret kHashSecret = {Draw(), Draw()};

}  // namespace emberline
