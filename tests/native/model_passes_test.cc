// Forward, backward, and what backward runs again.
#include <catch2/catch.hpp>

#include "checkpointed.h"
#include "model/names.h"

using namespace emberline;
using namespace emberline::drawn;

TEST_CASE("what a checkpoint runs again is found in every kind of recording", "[passes]") {
  for (const CheckpointKind kind : kCheckpointKinds) {
    INFO("reentrant " << kind.reentrant << ", frames " << kind.frames);
    const Checkpointed c = DrawCheckpointed(kind);
    const Loaded m = Load(c.drawing);
    const auto pass = [&](int event) { return m->pass[m.At(event)]; };
    for (const int event : {c.linear, c.addmm, c.relu}) CHECK(pass(event) == Pass::kForward);
    for (const int event : {c.again_linear, c.again_addmm, c.again_relu}) {
      CHECK(pass(event) == Pass::kRecompute);
      CHECK(m->forward[m.At(event)] == kNone);
    }
    for (const int event : {c.node, c.relu_gradient, c.linear_gradient})
      CHECK(pass(event) == Pass::kBackward);
    // Ops repeat those of forward, and gradients go with them.
    CHECK(m->repeats[m.At(c.again_linear)] == m.At(c.linear));
    CHECK(m->repeats[m.At(c.again_relu)] == m.At(c.relu));
    CHECK(m->repeats[m.At(c.again_addmm)] == m.At(c.linear));
    CHECK(m->forward[m.At(c.relu_gradient)] == m.At(kind.reentrant ? c.again_relu : c.relu));
    // Each device slice has the pass of its launch.
    Ns time[3] = {};
    const TraceStore& s = m->store();
    for (SliceIndex i = 0; i < s.slice_count(); ++i) {
      if (IsDeviceWork(s.kind(i))) time[static_cast<size_t>(m->pass[i])] += s.duration(i);
    }
    CHECK(time[0] == 35 * kUs);
    CHECK(time[1] == 37 * kUs);
    CHECK(time[2] == 32 * kUs);
  }
}

TEST_CASE("gradients that are differentiated again are no recomputation", "[passes]") {
  Drawing d;
  d.Op("aten::mul", 0, 10, Number(1, 0));
  d.Op("autograd::engine::evaluate_function: MulBackward0", 100, 50, Number(1, 1), "20");
  const int gradient = d.Op("aten::mul", 110, 20, Number(3, 0), "20");
  // The second derivative: its forward op is the gradient's.
  d.Op("autograd::engine::evaluate_function: MulBackward0", 300, 50, Number(3, 2), "20");
  d.Op("aten::mul", 310, 20, "", "20");
  const Loaded m = Load(d);
  CHECK(m->pass[m.At(gradient)] == Pass::kBackward);
}

TEST_CASE("a hand-written backward is backward", "[passes]") {
  Drawing d;
  d.Op("Scale", 0, 10, Number(1, 0));
  d.Op("autograd::engine::evaluate_function: ScaleBackward", 100, 50, Number(1, 1), "20");
  d.Op("ScaleBackward", 101, 48, Number(1, 1), "20");
  const int frame = d.Python("net.py(30): backward", 105, 40, "", "20");
  const int op = d.Op("aten::mul", 110, 20, "", "20");
  const Loaded m = Load(d);
  CHECK(m->pass[m.At(frame)] == Pass::kBackward);
  CHECK(m->pass[m.At(op)] == Pass::kBackward);
}

TEST_CASE("a checkpoint's library may be another one", "[passes]") {
  Drawing d;
  d.Op("Unsloth_CheckpointFunction", 0, 50, Number(1, 0));
  const int first = d.Op("aten::mm", 10, 20);
  d.Op("autograd::engine::evaluate_function: Unsloth_CheckpointFunctionBackward", 100, 90,
       Number(1, 1), "20");
  d.Op("Unsloth_CheckpointFunctionBackward", 101, 88, Number(1, 1), "20");
  const int again = d.Op("aten::mm", 110, 20, "", "20");
  d.Op("autograd::engine::evaluate_function: MmBackward0", 140, 20, Number(0, 2), "20");
  const int after = d.Op("aten::add", 165, 5, "", "20");
  const Loaded m = Load(d);
  CHECK(m->pass[m.At(again)] == Pass::kRecompute);
  CHECK(m->repeats[m.At(again)] == m.At(first));
  CHECK(m->pass[m.At(after)] == Pass::kBackward);
}

TEST_CASE("frames that say something about passes", "[passes]") {
  CHECK(ClassifyFrame("nn.Module: Linear_3") == FrameKind::kModule);
  CHECK(ClassifyFrame("torch/utils/checkpoint.py(1): unpack_hook") == FrameKind::kRecompute);
  CHECK(ClassifyFrame("C:\\py\\torch\\utils\\checkpoint.py(1): backward") == FrameKind::kRecompute);
  CHECK(ClassifyFrame("torch/utils/checkpoint.py(164): checkpoint") == FrameKind::kCheckpoint);
  CHECK(ClassifyFrame("torch/autograd/__init__.py(103): backward") == FrameKind::kEngine);
  CHECK(ClassifyFrame("train.py(103): backward") == FrameKind::kOther);
  CHECK(ClassifyFrame("") == FrameKind::kOther);
}
