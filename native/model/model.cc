#include "model/model.h"

#include "base/parallel.h"
#include "model/model_builder.h"

namespace emberline {

Result<std::shared_ptr<const Model>> ModelBuilder::Run() {
  const bool many = all_ >= kManyRows;
  // Stages that fill different parts of the model run side by side.
  bool enclosed = false, launches = false, passes = false, times = false;
  bool done = Classify();
  if (done) {
    RunBoth(
        many, [&] { enclosed = Enclose() && ReadOpIds(); },
        [&] { launches = ReadLinkIds() && LinkLaunches(); });
  }
  // What is complete is packed at once, where no other stage reads it meanwhile.
  Model& m = *model_;
  done = enclosed && launches && LinkOps();
  if (done) {
    RunBoth(
        many,
        [&] {
          done = InvertLaunches() && LinkCaptures();
          m.launched.begin.Pack();
          m.captured.Pack();
        },
        [&] {
          m.frame.Pack();
          m.annotation.Pack();
        });
  }
  if (done) {
    RunBoth(
        many,
        [&] {
          passes = PairForward();
          m.forward.Pack();
          m.repeats.Pack();
          m.pass.Pack();
        },
        [&] { times = AddTimes() && ListDevices() && BuildSteps(); });
  }
  if (!passes || !times) {
    return Cancelled();
  }
  RunBoth(
      many,
      [&] {
        m.op.Pack();
        m.launch.Pack();
      },
      [&] { m.step.Pack(); });
  return std::shared_ptr<const Model>(std::move(model_));
}

Result<std::shared_ptr<const Model>> BuildModel(std::shared_ptr<const TraceStore> store,
                                                const CancelToken& cancel) {
  return ModelBuilder(std::move(store), cancel).Run();
}

}  // namespace emberline
