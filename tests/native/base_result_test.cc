#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "base/types.h"

namespace emberline {

TEST_CASE("a result holds a value or an error") {
  Result<int> value = 7;
  REQUIRE(value.ok());
  CHECK(*value == 7);
  Result<int> error = Error{ErrorKind::kUnreadable, "It is no trace.", "Open another.", 12};
  REQUIRE_FALSE(error.ok());
  CHECK(error.error().kind == ErrorKind::kUnreadable);
  CHECK(error.error().offset == 12u);
}

TEST_CASE("every kind of error has its own name") {
  std::set<std::string> names;
  for (const ErrorKind kind :
       {ErrorKind::kNotFound, ErrorKind::kUnreadable, ErrorKind::kInvalidArgument,
        ErrorKind::kCancelled, ErrorKind::kUnsupported, ErrorKind::kInternal}) {
    names.insert(ErrorKindName(kind));
  }
  CHECK(names.size() == 6);
}

TEST_CASE("copies of a cancel token share its state") {
  CancelToken token;
  const CancelToken copy = token;
  CHECK_FALSE(copy.cancelled());
  token.Cancel();
  CHECK(copy.cancelled());
}

TEST_CASE("an interval that ends before it begins is empty") {
  CHECK(Interval{5, 3}.Length() == 0);
  CHECK(Interval{3, 5}.Length() == 2);
}

}  // namespace emberline
