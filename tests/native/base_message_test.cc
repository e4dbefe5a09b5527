// Sentences with values: places, plurals, choices, and numbers written by their unit.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "base/message.h"
#include "base/number_text.h"
#include "base/result.h"

namespace emberline {
namespace {

std::string Text(const MessagePattern& pattern, const MessageArgs& args) {
  return pattern.Format(args);
}

TEST_CASE("message: values stand in their places") {
  CHECK(Text("There is no run \"{run}\".", {{"run", "b"}}) == "There is no run \"b\".");
  CHECK(Text("{a}{b}{a}", {{"a", "x"}, {"b", 7}}) == "x7x");
  CHECK(Text("", {}).empty());
  // What a value holds is no pattern.
  CHECK(Text("<{name}>", {{"name", "{run}, #"}}) == "<{run}, #>");
}

TEST_CASE("message: numbers are written by their unit") {
  CHECK(Text("{n}", {{"n", 12345}}) == "12345");
  CHECK(Text("{n}", {{"n", 12345, Unit::kCount}}) == "12,345");
  CHECK(Text("{n}", {{"n", 0.4567, Unit::kRatio}}) == "45.7 %");
  CHECK(Text("{n, number, integer}", {{"n", 0.4567, Unit::kRatio}}) == "46 %");
  CHECK(Text("{n}", {{"n", 0.0001, Unit::kRatio}}) == "< 0.1 %");
  CHECK(Text("{n}", {{"n", 0.0, Unit::kRatio}}) == "0 %");
  CHECK(Text("{n}", {{"n", 1500, Unit::kNs}}) == "1.50 µs");
  CHECK(Text("{n}", {{"n", 2'500'000, Unit::kNs}}) == "2.50 ms");
  CHECK(Text("{n}", {{"n", 3e6, Unit::kUs}}) == "3.00 s");
  CHECK(Text("{n}", {{"n", int64_t{3} << 29, Unit::kBytes}}) == "1.50 GiB");
  CHECK(Text("{n}", {{"n", 512, Unit::kBytes}}) == "512 B");
  // As in tables and on the page.
  for (const Unit unit : {Unit::kUs, Unit::kNs, Unit::kBytes, Unit::kRatio, Unit::kFlops}) {
    for (const double n : {0.0, 0.0002, 0.25, 1.0, 4.0, 12.34, 999.96, 4096.0, 1.5e9}) {
      CHECK(Text("{n}", {{"n", n, unit}}) == QuantityText(n, unit));
    }
  }
}

TEST_CASE("message: plurals and choices") {
  const MessagePattern ranks =
      "{ranks, plural, one {# rank} other {# ranks}} on {nodes, plural, "
      "one {one node} other {{nodes} nodes}}";
  CHECK(Text(ranks, {{"ranks", 1}, {"nodes", 1}}) == "1 rank on one node");
  CHECK(Text(ranks, {{"ranks", 1200, Unit::kCount}, {"nodes", 2}}) == "1,200 ranks on 2 nodes");
  CHECK(Text(ranks, {{"ranks", 0}, {"nodes", 1.5, Unit::kNone}}) == "0 ranks on 1.50 nodes");
  const MessagePattern wait =
      "{span, select, step {Steps wait} other {It waits}}"
      "{span, select, step { per step} other {}}";
  CHECK(Text(wait, {{"span", "step"}}) == "Steps wait per step");
  CHECK(Text(wait, {{"span", "trace"}}) == "It waits");
}

TEST_CASE("message: a sentence keeps its code and its values") {
  static constexpr Sentence kSentence{"idle", "{device} idle"};
  const Message message = Say(kSentence, {{"device", "GPU 0"}});
  CHECK(message.code == "idle");
  CHECK(message.text == "GPU 0 idle");
  REQUIRE(message.arguments.size() == 1);
  CHECK(message.arguments[0].name == "device");

  static constexpr ErrorText kText{ErrorKind::kNotFound, "noSuchRun", "There is no run {run}.",
                                   "Runs: {known}."};
  const Error error = MakeError(kText, {{"run", "b"}, {"known", "a"}}, 12);
  CHECK(error.kind == ErrorKind::kNotFound);
  CHECK(error.code == "noSuchRun");
  CHECK(error.message == "There is no run b.");
  CHECK(error.hint == "Runs: a.");
  CHECK(error.offset == 12);
  CHECK(error.arguments.size() == 2);
}

TEST_CASE("number text: the largest numbers fit") {
  CHECK(GroupedText(0) == "0");
  CHECK(GroupedText(999) == "999");
  CHECK(GroupedText(-1234567) == "\u22121,234,567");
  CHECK(GroupedText(std::numeric_limits<int64_t>::min()) == "\u22129,223,372,036,854,775,808");
  CHECK(FixedText(1e300, 2).size() == 304);
  CHECK(QuantityText(999.96, Unit::kUs) == "1.00 ms");
  CHECK(QuantityText(0.566, Unit::kUs) == "566 ns");
  CHECK(QuantityText(0, Unit::kUs) == "0 µs");
  CHECK(QuantityText(-2048, Unit::kBytes) == "\u22122.00 KiB");
  // What is too small to be shown has no sign.
  CHECK(QuantityText(-0.3, Unit::kBytes) == "0 B");
  CHECK(FixedText(-0.004, 2) == "0.00");
  CHECK(FixedText(-0.006, 2) == "\u22120.01");
  CHECK(QuantityText(1.25e12, Unit::kFlops) == "1.25 TFLOP");
  CHECK(ShortText(5.0) == "5");
  CHECK(ShortText(2.5) == "2.5");
}

}  // namespace
}  // namespace emberline
