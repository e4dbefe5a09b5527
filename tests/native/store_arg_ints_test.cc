// Integers of many slices, read in one pass: against what each slice is asked for alone.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "store/arg_ints.h"
#include "store/builder.h"

namespace emberline {
namespace {

ArgItem Random(std::mt19937* random, TraceBuilder* builder) {
  static constexpr const char* kKeys[] = {"correlation", "corr", "External id",
                                          "Sequence",    "x",    "y"};
  static constexpr const char* kTexts[] = {"17", "-3", "0x10", "none", ""};
  ArgItem item;
  item.key = builder->strings().Intern(kKeys[(*random)() % std::size(kKeys)]);
  switch ((*random)() % 8) {
    case 0:
      item.type = ArgType::kText;
      item.text = builder->strings().Intern(kTexts[(*random)() % std::size(kTexts)]);
      break;
    case 1:
      item.type = ArgType::kDouble;
      item.real = (*random)() % 2 == 0 ? 12.5 : 1e300;
      break;
    case 2:
      item.type = (*random)() % 2 == 0 ? ArgType::kTrue : ArgType::kNull;
      break;
    case 3:
      item.type = ArgType::kJson;
      item.text = builder->strings().Intern("[1, 2]");
      break;
    default:
      item.type = ArgType::kInt;
      item.number = static_cast<int64_t>((*random)()) - (int64_t{1} << 31);
      if ((*random)() % 5 == 0) item.number *= int64_t{1} << 31;
  }
  return item;
}

TEST_CASE("integers read in one pass are those that each slice is asked for") {
  std::mt19937 random(5);
  TraceBuilder builder;
  // The second key has its turn where the first is absent, or is no number.
  builder.NameArg(ArgRole::kCorrelation, "correlation");
  builder.NameArg(ArgRole::kCorrelation, "corr");
  builder.NameArg(ArgRole::kExternalId, "External id");
  builder.NameArg(ArgRole::kSequenceNumber, "Sequence");
  const uint16_t category = builder.Category(builder.strings().Intern("op"), SliceKind::kCpuOp);
  const StringId name = builder.strings().Intern("op");
  for (uint32_t i = 0; i < 20'000; ++i) {
    std::vector<ArgItem> items;
    const size_t count = random() % 7;
    while (items.size() < count) items.push_back(Random(&random, &builder));
    builder.AddSlice(builder.HostTrack(1, 1), category, name, Ns{1000} * i + 1, 500,
                     builder.args().Add(items.data(), items.size()), i);
  }
  const auto done = builder.Finalize();
  REQUIRE(done.ok());
  const TraceStore& store = **done;

  const std::vector<ArgRole> all = {ArgRole::kSequenceNumber, ArgRole::kCorrelation,
                                    ArgRole::kExternalId};
  ArgInts three(store, {all[0], all[1], all[2]});
  ArgInts two(store, {all[1], all[2]});
  ArgInts unnamed(store, {ArgRole::kForwardThread});
  size_t present = 0;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    const ArgInts::Values values = three.Of(i);
    for (size_t r = 0; r < all.size(); ++r) {
      REQUIRE(values[r] == store.ArgInt(i, all[r]));
      present += values[r].has_value();
    }
    REQUIRE(two.Of(i)[0] == values[1]);
    REQUIRE(two.Of(i)[1] == values[2]);
    REQUIRE(unnamed.Of(i)[0] == std::nullopt);
  }
  CHECK(present > 10'000);
}

}  // namespace
}  // namespace emberline
