// Steps: where they begin and end, what belongs to them (native/SEMANTICS.md).
#include "drawn.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

// A step at `ts` of 100 us with `kernels` kernels of 5 us that start right after `first_kernel`.
void AddStep(Drawing* d, int number, double ts, int kernels, double first_kernel) {
  d->Step(number, ts, 100);
  for (int i = 0; i < kernels; ++i) {
    const int correlation = number * 1000 + i + 1;
    d->Launch(correlation, ts + 1 + i, 0.5);
    d->Kernel("k", correlation, first_kernel + i * 5, 5);
  }
}

}  // namespace

TEST_CASE("steps extend over their device work and push the next one", "[model]") {
  Drawing d;
  AddStep(&d, 1, 0, 4, 90);     // kernels until 110
  AddStep(&d, 2, 100, 4, 150);  // inside
  const Loaded m = Load(d);
  REQUIRE(m->steps.size() == 2);
  CHECK(m->has_recorded_steps);
  CHECK(m->steps[0].time == Interval{0, 110 * kUs});
  CHECK(m->steps[1].time == Interval{110 * kUs, 200 * kUs});
  CHECK(m->steps[0].host == Interval{0, 100 * kUs});
}

TEST_CASE("work launched before the first step pushes its begin", "[model]") {
  Drawing d;
  d.Kernel("early", 7, 0, 30);
  AddStep(&d, 1, 20, 3, 40);
  const Loaded m = Load(d);
  CHECK(m->steps[0].time.begin == 30 * kUs);
  CHECK(m->step[m.At(0)] == kNone);
}

TEST_CASE("annotations on the device are no steps (B2)", "[model]") {
  Drawing d;
  AddStep(&d, 15, 0, 2, 50);
  AddStep(&d, 16, 100, 2, 150);
  d.Slice("gpu_user_annotation", "ProfilerStep#15", "0", "7", 50, 10);
  d.Slice("gpu_user_annotation", "ProfilerStep#16", "0", "7", 150, 10);
  const Loaded m = Load(d);
  REQUIRE(m->steps.size() == 2);
  CHECK(m->steps[0].name == "15");
  CHECK(m->steps[1].name == "16");
}

TEST_CASE("a launch that straddles the end of its step still counts (B30)", "[model]") {
  Drawing d;
  d.Step(1, 0, 100);
  d.Launch(5, 95, 20);
  const int kernel = d.Kernel("k", 5, 120, 30);
  const Loaded m = Load(d);
  CHECK(m->step[m.At(kernel)] == 0);
  CHECK(m->steps[0].time.end == 150 * kUs);
}

TEST_CASE("a last step that misses work is partial, not dropped (B66)", "[model]") {
  struct Case {
    std::vector<int> counts;
    std::vector<bool> partial;
  };
  const std::vector<Case> cases = {
      {{10, 10, 8}, {false, false, false}}, {{10, 10, 7}, {false, false, true}},
      {{10, 7, 0}, {false, true, true}},    {{10, 8, 0, 0}, {false, false, true, true}},
      {{10, 0, 10}, {false, false, false}}, {{3, 0}, {false, true}}};
  for (const Case& c : cases) {
    Drawing d;
    for (size_t i = 0; i < c.counts.size(); ++i) {
      AddStep(&d, static_cast<int>(i), 100.0 * static_cast<double>(i), c.counts[i],
              100.0 * static_cast<double>(i) + 20);
    }
    const Loaded m = Load(d);
    REQUIRE(m->steps.size() == c.counts.size());
    for (size_t i = 0; i < c.partial.size(); ++i) {
      INFO("step " << i << " of " << c.counts.size());
      CHECK(m->steps[i].partial == c.partial[i]);
    }
  }
}

TEST_CASE("without steps, the operators and their device work are one step", "[model]") {
  Drawing d;
  d.Python("main.py(1): <module>", 0, 500);
  d.Op("aten::mm", 100, 50);
  d.Launch(5, 110, 5);
  const int kernel = d.Kernel("k", 5, 200, 50);
  const Loaded m = Load(d);
  REQUIRE(m->steps.size() == 1);
  CHECK_FALSE(m->has_recorded_steps);
  CHECK(m->steps[0].name == "0");
  CHECK(m->steps[0].number == -1);
  CHECK(m->steps[0].time == Interval{100 * kUs, 250 * kUs});
  CHECK(m->step[m.At(kernel)] == 0);
}

TEST_CASE("a trace of kernels alone spans its kernels (B24)", "[model]") {
  Drawing d;
  d.Kernel("k", 5, 10, 5);
  d.Kernel("k", 6, 30, 5);
  const Loaded m = Load(d);
  REQUIRE(m->steps.size() == 1);
  CHECK(m->steps[0].time.Length() == 25 * kUs);
}

TEST_CASE("a step of zero length does no harm (B25)", "[model]") {
  Drawing d;
  d.Step(4, 10, 0);
  d.Op("aten::a", 20, 5);
  const Loaded m = Load(d);
  REQUIRE(m->steps.size() == 1);
  CHECK(m->steps[0].time.Length() == 0);
}

TEST_CASE("work without a launch goes to the step of its time", "[model]") {
  Drawing d;
  AddStep(&d, 1, 0, 2, 20);
  AddStep(&d, 2, 100, 2, 120);
  const int orphan = d.Kernel("orphan", 9999, 150, 5);
  const Loaded m = Load(d);
  CHECK(m->step[m.At(orphan)] == 1);
}

TEST_CASE("steps are chosen by their numbers", "[model]") {
  Drawing d;
  AddStep(&d, 5, 0, 1, 20);
  AddStep(&d, 6, 100, 1, 120);
  AddStep(&d, 7, 200, 1, 220);
  const Loaded m = Load(d);
  CHECK(ParseSteps(*m, "all")->all);
  CHECK(ParseSteps(*m, "")->all);
  const auto one = ParseSteps(*m, "6");
  REQUIRE(one.ok());
  CHECK_FALSE(one->Contains(0));
  CHECK(one->Contains(1));
  CHECK_FALSE(one->Contains(kNone));
  const auto range = ParseSteps(*m, "6-7");
  REQUIRE(range.ok());
  CHECK(range->first == 1);
  CHECK(range->last == 2);
  for (const char* wrong : {"8", "x", "5-9", "-", "5-", "-5"}) {
    const auto result = ParseSteps(*m, wrong);
    INFO(wrong);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::kInvalidArgument);
    CHECK(result.error().hint.find("5, 6, 7") != std::string::npos);
  }
}
