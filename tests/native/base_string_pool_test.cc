#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/string_pool.h"

namespace emberline {

TEST_CASE("a string pool stores each text once") {
  StringPool pool;
  CHECK(pool.Get(0).empty());
  CHECK(pool.Intern("") == 0);
  const StringId a = pool.Intern("aten::add");
  CHECK(pool.Intern(std::string("aten::add")) == a);
  CHECK(pool.Intern("aten::mul") != a);
  CHECK(pool.Get(a) == "aten::add");
  CHECK(pool.Find("aten::add") == a);
  CHECK(pool.Find("aten::sub") == kNone);
}

TEST_CASE("texts that differ only in length, in their last byte or in a zero byte stay apart") {
  StringPool pool;
  std::vector<StringId> ids;
  for (size_t length = 1; length < 40; ++length) {
    std::string text(length, 'x');
    ids.push_back(pool.Intern(text));
    text.back() = 'y';
    ids.push_back(pool.Intern(text));
    text.back() = '\0';
    ids.push_back(pool.Intern(text));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) REQUIRE(ids[i] != ids[j]);
  }
}

TEST_CASE("a string pool of few texts takes little memory") {
  StringPool pool;
  for (int i = 0; i < 100; ++i) pool.Intern("aten::op" + std::to_string(i));
  CHECK(pool.MemoryBytes() < 32 * 1024);
}

TEST_CASE("a text longer than the chunk that would be next has room") {
  for (const size_t size : {size_t{8191}, size_t{8193}, size_t{20'000}, size_t{32 * 1024},
                            size_t{32 * 1024 + 1}, size_t{300'000}}) {
    StringPool pool;
    std::vector<StringId> ids;
    for (char c = 'a'; c <= 'z'; ++c) ids.push_back(pool.Intern(std::string(size, c)));
    for (char c = 'a'; c <= 'z'; ++c) {
      REQUIRE(pool.Get(ids[static_cast<size_t>(c - 'a')]) == std::string(size, c));
    }
    CHECK(pool.MemoryBytes() > 26 * size);
  }
}

TEST_CASE("long texts leave no room unused, and short ones between them are kept") {
  StringPool pool;
  const auto text = [](int i) {
    return std::string(i % 2 == 0 ? 100'000 : 10, static_cast<char>('a' + i % 26)) +
           std::to_string(i);
  };
  size_t bytes = 0;
  std::vector<StringId> ids;
  for (int i = 0; i < 200; ++i) {
    ids.push_back(pool.Intern(text(i)));
    bytes += text(i).size();
  }
  for (int i = 0; i < 200; ++i) REQUIRE(pool.Get(ids[static_cast<size_t>(i)]) == text(i));
  CHECK(pool.MemoryBytes() < bytes + bytes / 20);
}

TEST_CASE("a string pool grows and keeps what it handed out") {
  StringPool pool;
  std::vector<std::string_view> views;
  constexpr int kCount = 50'000;
  for (int i = 0; i < kCount; ++i) {
    views.push_back(pool.Get(pool.Intern("kernel_" + std::to_string(i))));
  }
  const std::string big(1 << 20, 'b');
  const StringId big_id = pool.Intern(big);
  CHECK(pool.size() == kCount + 2);
  for (int i = 0; i < kCount; ++i) REQUIRE(views[i] == "kernel_" + std::to_string(i));
  CHECK(pool.Get(big_id) == big);
  CHECK(pool.MemoryBytes() > big.size());
}

}  // namespace emberline
