#include "model/model.h"

#include <array>

#include "model/model_builder.h"

namespace emberline {

Result<std::shared_ptr<const Model>> ModelBuilder::Run() {
  using Stage = bool (ModelBuilder::*)();
  constexpr std::array<Stage, 10> kStages = {
      &ModelBuilder::Classify,    &ModelBuilder::Enclose,        &ModelBuilder::LinkLaunches,
      &ModelBuilder::LinkOps,     &ModelBuilder::InvertLaunches, &ModelBuilder::LinkCaptures,
      &ModelBuilder::PairForward, &ModelBuilder::BuildSteps,     &ModelBuilder::AddTimes,
      &ModelBuilder::ListDevices};
  for (Stage stage : kStages) {
    if (!(this->*stage)())
      return Error{ErrorKind::kCancelled, "Building the model was cancelled.", ""};
  }
  return std::shared_ptr<const Model>(std::move(model_));
}

Result<std::shared_ptr<const Model>> BuildModel(std::shared_ptr<const TraceStore> store,
                                                const CancelToken& cancel) {
  return ModelBuilder(std::move(store), cancel).Run();
}

}  // namespace emberline
