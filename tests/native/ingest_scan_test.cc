#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>

#include "ingest/trace_event/scan.h"

namespace emberline {

TEST_CASE("digits are read eight at a time as one by one", "[ingest]") {
  std::mt19937 random(7);
  // Neighbors of the digits, and bytes whose upper bits are set.
  const std::string others("/:.,-eE+ \0\x7f\x80\xb0\xb9\xf9\xfa\xff", 17);
  for (int round = 0; round < 200'000; ++round) {
    char bytes[8];
    for (char& c : bytes) {
      c = random() % 8 != 0 ? static_cast<char>('0' + random() % 10)
                            : others[random() % others.size()];
    }
    uint32_t number = 0;
    unsigned count = 0;
    for (; count < 8 && bytes[count] >= '0' && bytes[count] <= '9'; ++count) {
      number = number * 10 + static_cast<uint32_t>(bytes[count] - '0');
    }
    const Digits digits = ScanDigits(bytes);
    if (digits.count != count || digits.number != number) {
      CAPTURE(std::string(bytes, sizeof(bytes)), count, number, digits.count, digits.number);
      FAIL("other digits");
    }
  }
}

TEST_CASE("bytes are the same where memcmp() says so", "[ingest]") {
  std::mt19937 random(11);
  for (size_t size = 0; size < 70; ++size) {
    std::string a(size, ' ');
    for (char& c : a) c = static_cast<char>(random());
    std::string b = a;
    CHECK(SameBytes(a.data(), b.data(), size));
    for (size_t at = 0; at < size; ++at) {
      b[at] = static_cast<char>(b[at] ^ (1 << (at % 8)));
      if (SameBytes(a.data(), b.data(), size)) FAIL("differ at " << at << " of " << size);
      b[at] = a[at];
    }
  }
}

}  // namespace emberline
