// Lines of code whose work runs again in backward.
#include <catch2/catch.hpp>
#include <map>

#include "checkpointed.h"
#include "session/lines.h"

using namespace emberline;
using namespace emberline::drawn;

namespace {

struct Lines {
  std::map<std::string, LineCost> by_place;  // "file:line"
  LinesResult result;
};

Lines LinesOfDrawing(const Drawing& drawing) {
  const Loaded loaded = Load(drawing);
  LoadedTrace trace;
  trace.model = loaded.model;
  trace.store = loaded->store_ptr();
  const auto data = LinesOf(trace, SourceSpace{}, {});
  REQUIRE(data.ok());
  const LineAttribution& at = (*data)->attribution;
  auto result = AnalyzeLines(*loaded, at, {});
  REQUIRE(result.ok());
  Lines lines;
  lines.result = std::move(*result);
  for (const LineCost& cost : lines.result.rows) {
    const LineLocation& l = at.locations[cost.location];
    if (l.confidence != LineConfidence::kFunction)
      lines.by_place[l.file + ":" + std::to_string(l.line)] = cost;
  }
  return lines;
}

}  // namespace

TEST_CASE("a line has what ran again of it; the line of the checkpoint has all of that") {
  for (const CheckpointKind kind : kCheckpointKinds) {
    INFO("reentrant " << kind.reentrant << ", frames " << kind.frames);
    Lines lines = LinesOfDrawing(DrawCheckpointed(kind).drawing);
    const auto check = [&](const char* place, Ns self, Ns total, Ns backward, Ns recompute) {
      INFO(place);
      const LineCost& cost = lines.by_place[place];
      CHECK(cost.device_self == self * kUs);
      CHECK(cost.device_total == total * kUs);
      CHECK(cost.backward_device == backward * kUs);
      CHECK(cost.recompute_device == recompute * kUs);
    };
    check("block.py:10", 38, 38, 17, 11);  // linear
    check("block.py:11", 54, 54, 13, 21);  // relu
    check("net.py:6", 0, 92, 30, 32);      // checkpoint(block, x)
    check("net.py:7", 12, 12, 7, 0);       // mul
    check("train.py:3", 0, 104, 37, 32);   // net(x)
    check("train.py:4", 0, 69, 37, 32);    // loss.backward()
    CHECK(lines.result.totals.device == 104 * kUs);
    CHECK(lines.result.totals.line_device == 104 * kUs);
    // Host time, too, is that of the line that ran again.
    CHECK(lines.by_place["block.py:10"].recompute_host >= 130 * kUs);
    CHECK(lines.by_place["net.py:6"].recompute_host >= 220 * kUs);
    for (const LineCost& cost : lines.result.rows) {
      CHECK(cost.backward_host + cost.recompute_host <= cost.host_total);
      CHECK(cost.backward_device + cost.recompute_device <= cost.device_total);
    }
  }
}

TEST_CASE("the call of a function with a backward of its own has that in its total") {
  Drawing d;
  d.Python("train.py(1): main", 0, 1000);
  d.Python("<built-in method apply of FunctionMeta object at 0x5>", 10, 80,
           "\"CallFrom\":\"train.py:2\"");
  d.Op("Scale", 12, 70, Number(1, 0));
  d.Python("scale.py(5): forward", 15, 60);
  d.Python("<built-in function mul>", 18, 40, "\"CallFrom\":\"scale.py:7\"");
  d.Op("aten::mul", 20, 30);
  d.Launch(1, 25, 2);
  d.Kernel("k", 1, 2000, 10);
  d.Python("torch/_tensor.py(400): backward", 200, 500, "\"CallFrom\":\"train.py:3\"");
  d.Op("autograd::engine::evaluate_function: ScaleBackward", 300, 100, Number(1, 1), "20");
  d.Op("ScaleBackward", 301, 98, Number(1, 1), "20");
  d.Python("scale.py(10): backward", 305, 90, "", "20");
  d.Python("<built-in function mul>", 308, 60, "\"CallFrom\":\"scale.py:12\"", "20");
  d.Op("aten::mul", 310, 50, "", "20");
  d.Launch(2, 315, 2, "", "cuda_runtime", "20");
  d.Kernel("k", 2, 2100, 20);
  Lines lines = LinesOfDrawing(d);
  CHECK(lines.by_place["scale.py:12"].device_self == 20 * kUs);
  CHECK(lines.by_place["scale.py:12"].backward_device == 20 * kUs);
  CHECK(lines.by_place["train.py:2"].device_total == 30 * kUs);
  CHECK(lines.by_place["train.py:2"].backward_device == 20 * kUs);
  CHECK(lines.by_place["train.py:2"].recompute_device == 0);
  CHECK(lines.by_place["train.py:3"].device_total == 20 * kUs);
}
