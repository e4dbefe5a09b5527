#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "store/args.h"

namespace emberline {
namespace {

ArgItem Int(StringId key, int64_t number) {
  ArgItem item;
  item.key = key;
  item.type = ArgType::kInt;
  item.number = number;
  return item;
}

ArgItem Real(StringId key, double real) {
  ArgItem item;
  item.key = key;
  item.type = ArgType::kDouble;
  item.real = real;
  return item;
}

ArgItem Plain(StringId key, ArgType type, StringId text = 0) {
  ArgItem item;
  item.key = key;
  item.type = type;
  item.text = text;
  return item;
}

}  // namespace

TEST_CASE("args come back as they were stored") {
  ArgTable table;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::vector<ArgItem> items = {Int(1, 0),
                                      Int(2, -1),
                                      Int(3, kLeast),
                                      Int(4, kMost),
                                      Real(5, 0.1),
                                      Real(6, std::numeric_limits<double>::infinity()),
                                      Plain(7, ArgType::kTrue),
                                      Plain(8, ArgType::kFalse),
                                      Plain(9, ArgType::kNull),
                                      Plain(10, ArgType::kText, 4'000'000'000u),
                                      Plain(11, ArgType::kJson, 300)};
  const uint64_t handle = table.Add(items.data(), items.size());
  REQUIRE(handle != 0);
  table.Freeze();
  const auto args = table.Decode(handle);
  REQUIRE(args.size() == items.size());
  for (size_t i = 0; i < items.size(); ++i) CHECK(args[i].first == items[i].key);
  CHECK(std::get<int64_t>(args[2].second.v) == kLeast);
  CHECK(std::get<int64_t>(args[3].second.v) == kMost);
  CHECK(std::get<double>(args[4].second.v) == 0.1);
  CHECK(std::isinf(std::get<double>(args[5].second.v)));
  CHECK(std::get<bool>(args[6].second.v));
  CHECK_FALSE(std::get<bool>(args[7].second.v));
  CHECK(std::holds_alternative<std::monostate>(args[8].second.v));
  CHECK(std::get<ArgValue::Text>(args[9].second.v).id == 4'000'000'000u);
  CHECK(std::get<ArgValue::Json>(args[10].second.v).id == 300u);
  CHECK(std::get<int64_t>(table.Find(handle, 2)->v) == -1);
  CHECK(std::get<ArgValue::Json>(table.Find(handle, 11)->v).id == 300u);
  CHECK_FALSE(table.Find(handle, 12).has_value());
}

TEST_CASE("no args have no handle") {
  ArgTable table;
  CHECK(table.Add(nullptr, 0) == 0);
  CHECK(table.Decode(0).empty());
  CHECK_FALSE(table.Find(0, 1).has_value());
}

TEST_CASE("a repeated key gives its first value and keeps both") {
  ArgTable table;
  const std::vector<ArgItem> items = {Int(1, 10), Int(1, 20)};
  const uint64_t handle = table.Add(items.data(), items.size());
  CHECK(std::get<int64_t>(table.Find(handle, 1)->v) == 10);
  CHECK(table.Decode(handle).size() == 2);
}

TEST_CASE("layouts that look alike stay apart") {
  // Of the same first and last key and as many in all: what a table of recent ones goes by.
  ArgTable table;
  std::vector<std::vector<ArgItem>> kinds;
  for (StringId key = 2; key < 200; ++key) {
    kinds.push_back({Int(1, key), Int(key, 7), Int(300, 9)});
    kinds.push_back({Int(1, key), Plain(key, ArgType::kText, 7), Int(300, 9)});
    kinds.push_back({Plain(1, ArgType::kTrue), Int(key, 7), Int(300, key)});
  }
  std::vector<uint64_t> handles;
  for (int round = 0; round < 3; ++round) {
    for (const auto& items : kinds) handles.push_back(table.Add(items.data(), items.size()));
  }
  for (size_t i = 0; i < handles.size(); ++i) {
    const auto& items = kinds[i % kinds.size()];
    const auto args = table.Decode(handles[i]);
    REQUIRE(args.size() == items.size());
    for (size_t k = 0; k < items.size(); ++k) REQUIRE(args[k].first == items[k].key);
    REQUIRE(std::holds_alternative<ArgValue::Text>(args[1].second.v) ==
            (items[1].type == ArgType::kText));
    REQUIRE(std::holds_alternative<bool>(args[0].second.v) == (items[0].type == ArgType::kTrue));
  }
}

TEST_CASE("args that come behind the table was frozen") {
  ArgTable table;
  const std::vector<ArgItem> first = {Int(1, 11)}, second = {Int(1, 22), Int(2, -3)};
  const uint64_t a = table.Add(first.data(), first.size());
  table.Freeze();
  const uint64_t b = table.Add(second.data(), second.size());
  table.Freeze();
  CHECK(std::get<int64_t>(table.Find(a, 1)->v) == 11);
  CHECK(std::get<int64_t>(table.Find(b, 1)->v) == 22);
  CHECK(std::get<int64_t>(table.Find(b, 2)->v) == -3);
}

TEST_CASE("many layouts and many chunks stay apart") {
  ArgTable table;
  std::vector<uint64_t> handles;
  constexpr int kCount = 300'000;
  for (int i = 0; i < kCount; ++i) {
    const std::vector<ArgItem> items = {Int(static_cast<StringId>(1 + i % 1000), i),
                                        Int(2000, int64_t{i} * 1'000'000'007)};
    handles.push_back(table.Add(items.data(), items.size()));
  }
  // One that is larger than a chunk.
  std::vector<ArgItem> large;
  for (int i = 0; i < 300'000; ++i) large.push_back(Int(7, -int64_t{i} * 1'000'003));
  const uint64_t large_handle = table.Add(large.data(), large.size());
  const std::vector<ArgItem> after = {Int(7, 42)};
  const uint64_t after_handle = table.Add(after.data(), after.size());
  table.Freeze();
  for (int i = 0; i < kCount; ++i) {
    REQUIRE(std::get<int64_t>(table.Find(handles[i], static_cast<StringId>(1 + i % 1000))->v) == i);
    REQUIRE(std::get<int64_t>(table.Find(handles[i], 2000)->v) == int64_t{i} * 1'000'000'007);
  }
  const auto decoded = table.Decode(large_handle);
  REQUIRE(decoded.size() == large.size());
  CHECK(std::get<int64_t>(decoded.back().second.v) == large.back().number);
  CHECK(std::get<int64_t>(table.Find(after_handle, 7)->v) == 42);
  CHECK(table.MemoryBytes() > 0);
}

}  // namespace emberline
