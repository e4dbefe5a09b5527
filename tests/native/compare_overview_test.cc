#include <catch2/catch.hpp>

#include "compare/overview.h"

using namespace emberline;

TEST_CASE("the verdict says what became of its cause") {
  ComparedFigure step;
  step.baseline = 300;
  step.candidate = 240;
  const auto text = [&](const VerdictCause& cause) { return VerdictText(step, true, cause).text; };
  const std::string start = "Step time went from 300 µs to 240 µs (\u221220 %), because ";
  CHECK(text({"sgemm", 80, 20, false}).starts_with(start + "sgemm went from 80.0 µs to 20.0 µs."));
  CHECK(text({"sgemm", 80, 0, false}).starts_with(start + "sgemm, which took 80.0 µs, is gone."));
  CHECK(
      text({"sgemm", 80, 0, true}).starts_with(start + "sgemm, which took 80.0 µs, was replaced."));
  CHECK(text({"aten::mm + aten::gelu", 80, 20, false, "fused_mm_gelu"})
            .starts_with(start +
                         "fused_mm_gelu replaces aten::mm + aten::gelu: 80.0 µs to 20.0 µs."));
  step.candidate = 360;
  CHECK(VerdictText(step, true, VerdictCause{"hgemm", 0, 60, false})
            .text.starts_with("Step time went from 300 µs to 360 µs (+20 %), because hgemm is new "
                              "and takes 60.0 µs."));
  CHECK(VerdictText(step, true, VerdictCause{"hgemm", 0, 60, true})
            .text.starts_with("Step time went from 300 µs to 360 µs (+20 %), because hgemm "
                              "replaces other work and takes 60.0 µs."));
}
