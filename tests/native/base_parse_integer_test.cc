#include <catch2/catch.hpp>
#include <limits>

#include "base/parse_integer.h"

namespace emberline {

TEST_CASE("integers of texts, decimal and hexadecimal") {
  CHECK(ParseInteger("7") == 7);
  CHECK(ParseInteger("-3") == -3);
  CHECK(ParseInteger("+5") == 5);
  CHECK(ParseInteger("007") == 7);
  CHECK(ParseInteger("0x7f00") == 0x7f00);
  CHECK(ParseInteger("-0X10") == -16);
  CHECK(ParseInteger("-9223372036854775808") == std::numeric_limits<int64_t>::min());
}

TEST_CASE("values of 64 bits keep their bits") {
  CHECK(static_cast<uint64_t>(*ParseInteger("18446744073709551615")) == 18446744073709551615ull);
  CHECK(static_cast<uint64_t>(*ParseInteger("0xffffffffffffffff")) == 18446744073709551615ull);
}

TEST_CASE("other texts are no integers") {
  for (const char* text :
       {"", "-", "0x", "1.0", "1e3", " 1", "1 ", "--1", "18446744073709551616", "abc"}) {
    INFO(text);
    CHECK_FALSE(ParseInteger(text).has_value());
  }
}

}  // namespace emberline
