// libFuzzer's entry points for the target that EMBERLINE_FUZZ_TARGET names.
#include <algorithm>
#include <cstring>

#include "target.h"

using emberline::fuzz::Random;
using emberline::fuzz::Target;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

const Target& Chosen() {
  static const Target* const target = emberline::fuzz::FindTarget(EMBERLINE_FUZZ_TARGET);
  return *target;
}

std::string_view View(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

size_t Store(const std::string& text, uint8_t* out, size_t max_size) {
  const size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Chosen().run(View(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Random random(seed);
  if (random.OneIn(4)) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(View(data, size));
  const std::string other = text;
  for (size_t n = 1 + random.Below(3); n > 0; --n) Chosen().mutate(text, other, random);
  return Store(text, data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  Random random(seed);
  std::string text(View(data1, size1));
  for (int n = 0; n < 2; ++n) Chosen().mutate(text, View(data2, size2), random);
  return Store(text, out, max_size);
}
