// Members of structs as bytes.
#include <catch2/catch.hpp>

#include "base/archive.h"

using namespace emberline;

namespace {

enum class Kind : uint8_t { kFirst, kSecond = 200 };

}  // namespace

TEST_CASE("what others read meanwhile can be written: nothing of it changes") {
  const Kind kind = Kind::kSecond;
  const int64_t number = -3;
  ArchiveWriter writer;
  writer(kind, number);
  const std::string bytes = writer.Take();
  Kind read = Kind::kFirst;
  int64_t count = 0;
  ArchiveReader reader(bytes);
  reader(read, count);
  CHECK((reader.ok() && reader.AtEnd()));
  CHECK((read == kind && count == number));
}
