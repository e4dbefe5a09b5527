#include "model/model.h"

#include "base/parallel.h"
#include "model/model_builder.h"

namespace emberline {

Result<std::shared_ptr<const Model>> ModelBuilder::Run() {
  const bool many = all_ >= kManyRows;
  // Stages that fill different parts of the model run side by side.
  bool enclosed = false, op_ids = false, launches = false;
  bool done = Classify();
  if (done) {
    RunAll(
        many, [&] { launches = ReadLinkIds() && LinkLaunches(); }, [&] { enclosed = Enclose(); },
        [&] { op_ids = ReadOpIds(); });
  }
  // What is complete is packed at once, where no other stage reads it meanwhile.
  Model& m = *model_;
  done = enclosed && op_ids && launches && LinkOps();
  if (done) {
    RunAll(
        many,
        [&] {
          done = InvertLaunches() && LinkCaptures();
          m.launched.begin.Pack();
          m.captured.Pack();
          m.launch.Pack();
        },
        [&] { m.frame.Pack(); }, [&] { m.annotation.Pack(); });
  }
  bool passes = false, host_times = false, device_times = false, steps = false;
  if (done) {
    RunAll(
        many,
        [&] {
          passes = PairForward();
          m.forward.Pack();
          m.repeats.Pack();
          m.pass.Pack();
        },
        [&] { host_times = AddHostTimes() && AddApiTimes(); },
        // Together these take no longer than the pairing, and side by side their drafts add up.
        [&] {
          device_times = AddDeviceTimes();
          steps = ListDevices() && BuildSteps();
        });
  }
  if (!passes || !host_times || !device_times || !steps) {
    return Cancelled();
  }
  RunAll(
      many, [&] { m.op.Pack(); }, [&] { m.step.Pack(); });
  return std::shared_ptr<const Model>(std::move(model_));
}

Result<std::shared_ptr<const Model>> BuildModel(std::shared_ptr<const TraceStore> store,
                                                const CancelToken& cancel) {
  return ModelBuilder(std::move(store), cancel).Run();
}

}  // namespace emberline
