#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "ingest/trace_event/decimal.h"

namespace emberline {
namespace {

Ns Time(std::string_view text) {
  Ns ns = -77;
  bool fraction = false;
  INFO(text);
  REQUIRE(ParseMicroseconds(text, &ns, &fraction) == TimeText::kOk);
  return ns;
}

TimeText State(std::string_view text) {
  Ns ns = 0;
  bool fraction = false;
  return ParseMicroseconds(text, &ns, &fraction);
}

}  // namespace

TEST_CASE("microseconds become exact nanoseconds") {
  CHECK(Time("0") == 0);
  CHECK(Time("45") == 45'000);
  CHECK(Time("1669783687464181") == 1'669'783'687'464'181'000);
  CHECK(Time("1712195495519689.047") == 1'712'195'495'519'689'047);
  CHECK(Time("4458676524648.797") == 4'458'676'524'648'797);
  CHECK(Time("189.626") == 189'626);
  CHECK(Time("68.0") == 68'000);
  CHECK(Time("1.5") == 1'500);
  CHECK(Time("3.") == 3'000);
  CHECK(Time(".25") == 250);
  CHECK(Time("-0.001") == -1);
  CHECK(Time("+7") == 7'000);
}

TEST_CASE("digits beyond the nanosecond round") {
  CHECK(Time("1.0004") == 1'000);
  CHECK(Time("1.0005") == 1'001);
  CHECK(Time("1.9995") == 2'000);
  CHECK(Time("0.123456789012345678901234567890") == 123);
}

TEST_CASE("exponents move the point") {
  CHECK(Time("1e6") == 1'000'000'000);
  CHECK(Time("1.5E+3") == 1'500'000);
  CHECK(Time("4.458676524648797e12") == 4'458'676'524'648'797);
  CHECK(Time("1234.5e-2") == 12'345);
  CHECK(Time("1e-9") == 0);
  CHECK(Time("-2.5e1") == -25'000);
  CHECK(Time("0e35") == 0);
  CHECK(Time("1e-400") == 0);
}

TEST_CASE("what is no time is told apart from what does not fit") {
  for (const char* text :
       {"", "-", ".", "abc", "1.2.3", "12x", "nan", "0x10", "1e", "1ex", "--1"}) {
    INFO(text);
    CHECK(State(text) == TimeText::kInvalid);
  }
  for (const char* text : {"9223372036854775807", "99999999999999999999999", "1e30", "1e400"}) {
    INFO(text);
    CHECK(State(text) == TimeText::kOutOfRange);
  }
}

TEST_CASE("a fraction is noticed only where it is not zero") {
  Ns ns = 0;
  bool fraction = false;
  ParseMicroseconds("5.000", &ns, &fraction);
  CHECK_FALSE(fraction);
  ParseMicroseconds("5.001", &ns, &fraction);
  CHECK(fraction);
  fraction = false;
  ParseMicroseconds("5.0015e3", &ns, &fraction);
  CHECK(fraction);
}

TEST_CASE("integers are plain digits that fit") {
  int64_t value = 0;
  CHECK(
      (ParseInt64("-9223372036854775808", &value) && value == std::numeric_limits<int64_t>::min()));
  CHECK((ParseInt64("+12", &value) && value == 12));
  for (const char* text : {"", "1.0", "9223372036854775808", "0x1", " 1", "1 "}) {
    INFO(text);
    CHECK_FALSE(ParseInt64(text, &value));
  }
}

TEST_CASE("doubles accept what recorders print") {
  double value = 0;
  CHECK((ParseDouble("3.", &value) && value == 3));
  CHECK((ParseDouble(".5", &value) && value == 0.5));
  CHECK((ParseDouble("-1.", &value) && value == -1));
  CHECK((ParseDouble("0.1", &value) && value == 0.1));
  CHECK((ParseDouble("NaN", &value) && std::isnan(value)));
  CHECK((ParseDouble("-inf", &value) && value == -std::numeric_limits<double>::infinity()));
  CHECK((ParseDouble("Infinity", &value) && std::isinf(value)));
  CHECK((ParseDouble("1e999", &value) && std::isinf(value)));
  CHECK((ParseDouble("1e-999", &value) && value == 0));
  for (const char* text : {"", "-", ".", "N/A", "1,5", "0x10", "12abc", "infinite"}) {
    INFO(text);
    CHECK_FALSE(ParseDouble(text, &value));
  }
}

}  // namespace emberline
