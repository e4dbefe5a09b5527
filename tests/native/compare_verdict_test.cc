// What the verdict names as the cause.
#include <catch2/catch.hpp>

#include "compare/verdict.h"

using namespace emberline;

namespace {

ComparedFigure Figure(const char* key, const char* name, double baseline, double candidate,
                      std::optional<bool> beyond_noise = std::nullopt) {
  ComparedFigure figure;
  figure.key = key;
  figure.name = name;
  figure.baseline = baseline;
  figure.candidate = candidate;
  figure.beyond_noise = beyond_noise;
  return figure;
}

Change Row(const char* name, double baseline, double candidate,
           std::optional<bool> beyond_noise = std::nullopt) {
  Change change;
  change.name = name;
  change.status = baseline == 0 ? "new" : candidate == 0 ? "gone" : "both";
  change.baseline_us = baseline;
  change.candidate_us = candidate;
  change.delta_us = candidate - baseline;
  change.beyond_noise = beyond_noise;
  return change;
}

}  // namespace

TEST_CASE("the row that changed most is the cause, unless it may be chance", "[compare]") {
  const std::vector<ComparedFigure> figures = {Figure("step", "Step time", 1000, 700)};
  const std::vector<Change> shrank = {Row("attend", 500, 250, false), Row("normalise", 280, 60)};
  const auto cause = CauseOf({.figures = figures, .shrank = shrank});
  REQUIRE(cause);
  CHECK(cause->name == "normalise");
  CHECK(cause->baseline_us == 280);
  CHECK(cause->candidate_us == 60);
}

TEST_CASE("what explains little of the difference is no cause; a part of the step may be",
          "[compare]") {
  std::vector<ComparedFigure> figures = {Figure("step", "Step time", 1000, 2000),
                                         Figure("other", "Other", 0, 990),
                                         Figure("dataLoader", "Data loading", 100, 1000)};
  const std::vector<Change> grew = {Row("attend", 500, 600)};
  const auto cause = CauseOf({.figures = figures, .grew = grew});
  REQUIRE(cause);
  CHECK(cause->name == "Data loading");
  figures[2].beyond_noise = false;
  CHECK_FALSE(CauseOf({.figures = figures, .grew = grew}));
  figures = {Figure("step", "Step time", 1000, 1000)};
  CHECK_FALSE(CauseOf({.figures = figures, .grew = grew}));
}

TEST_CASE("a module that went explains what its rows only explain in part", "[compare]") {
  const std::vector<ComparedFigure> figures = {Figure("step", "Step time", 1000, 800)};
  const std::vector<Change> shrank = {Row("aten::mm", 500, 310)};
  Replacements found;
  found.changes.push_back(
      {.status = CompareStatus::kGone, .gone = "Block_3", .came = "", .host_before = 200'000});
  const auto cause = CauseOf({.figures = figures, .shrank = shrank, .replacements = &found});
  REQUIRE(cause);
  CHECK(cause->name == "Block_3");
  CHECK(cause->baseline_us == 200);
  CHECK(cause->candidate_us == 0);
  // Not where everything is gone, because the sides have different numbers of steps.
  const auto per_step =
      CauseOf({.figures = figures, .shrank = shrank, .replacements = &found, .per_step = true});
  REQUIRE(per_step);
  CHECK(per_step->name == "aten::mm");
}

TEST_CASE("a replacement is the cause where work only moved between rows", "[compare]") {
  const std::vector<ComparedFigure> figures = {Figure("step", "Step time", 1000, 900)};
  const std::vector<Change> shrank = {Row("aten::addmm", 400, 0)};
  const std::vector<Change> grew = {Row("fused", 0, 300)};
  Replacements found;
  found.changes.push_back({.status = CompareStatus::kReplaced,
                           .gone = "aten::addmm + aten::gelu",
                           .came = "fused",
                           .host_before = 400'000,
                           .host_after = 300'000});
  const auto cause =
      CauseOf({.figures = figures, .grew = grew, .shrank = shrank, .replacements = &found});
  REQUIRE(cause);
  CHECK(cause->name == "aten::addmm + aten::gelu");
  CHECK(cause->by == "fused");
  // Nothing grew: the row tells its size itself.
  const auto row = CauseOf({.figures = figures, .shrank = shrank, .replacements = &found});
  REQUIRE(row);
  CHECK(row->name == "aten::addmm");
}

TEST_CASE("the first level at which both sides have most of the time says something", "[compare]") {
  CHECK(LevelThatMatches(std::vector<double>{0.1, 0.4, 0.8, 0.9}) == 2);
  CHECK(LevelThatMatches(std::vector<double>{0.5, 0.9}) == 0);
  CHECK(LevelThatMatches(std::vector<double>{0.1, 0.2}) == 0);
  CHECK(LevelThatMatches({}) == 0);
}

TEST_CASE("rows that changed are divided by the steps and carry the line of one side",
          "[compare]") {
  Table table;
  for (const char* key : {"name", "function", "status", "baselineUs", "candidateUs", "deltaUs",
                          "candidateFile", "candidateLine", "baselineFile", "baselineLine"}) {
    table.columns.push_back({.key = key});
  }
  using Row = std::vector<Cell>;
  table.rows = {
      Row{"a.py(3): f", "f", "both", 10.0, 40.0, 30.0, "a.py", int64_t{3}, "old.py", int64_t{1}},
      Row{"b.py(7): g", "g", "gone", 20.0, 0.0, -20.0, Cell(), Cell(), "b.py", int64_t{7}}};
  const auto grew = ChangesIn(table, true, true, 2);
  REQUIRE(grew.size() == 1);
  CHECK(grew[0].name == "f");
  CHECK(grew[0].delta_us == 15);
  CHECK(grew[0].file == "a.py");
  CHECK(grew[0].line == 3);
  CHECK(grew[0].side == "candidate");
  CHECK_FALSE(grew[0].beyond_noise);
  const auto shrank = ChangesIn(table, false, false, 1);
  REQUIRE(shrank.size() == 1);
  CHECK(shrank[0].name == "b.py(7): g");
  CHECK(shrank[0].side == "baseline");
  CHECK(shrank[0].line == 7);
}
