#include "rpc/views/compare_sides.h"

#include "rpc/params.h"
#include "rpc/views/common.h"

namespace emberline {
namespace {

Result<std::shared_ptr<const StepTree>> TreeOf(const ViewRequest& request) {
  return request.trace.results.Get<StepTree>("stepTree/" + StepsKey(request), request.cancel, [&] {
    return BuildStepTree(*request.trace.model, request.steps, request.cancel);
  });
}

}  // namespace

std::string SidesKey(const CompareRequest& request) {
  return std::to_string(request.baseline.trace.results.id()) + "/" + StepsKey(request.baseline) +
         "/" + StepsKey(request.candidate);
}

Result<Trees> TreesOf(const CompareRequest& request) {
  return OfBothSides<std::shared_ptr<const StepTree>>(request, &TreeOf);
}

ComparedSide BaselineOf(const CompareRequest& request, const Trees& trees) {
  return {request.baseline.trace.model.get(), trees.baseline.get()};
}

ComparedSide CandidateOf(const CompareRequest& request, const Trees& trees) {
  return {request.candidate.trace.model.get(), trees.candidate.get()};
}

Result<Time> TimeOf(const CompareRequest& request) {
  const std::string text = TextParam(request.params, "time");
  if (text == "host") return Time::kHost;
  if (text == "device") return Time::kDevice;
  for (const ViewRequest* side : {&request.baseline, &request.candidate}) {
    const Result<bool> device = HasDeviceWork(*side);
    if (!device.ok()) return device.error();
    if (!*device) return Time::kHost;
  }
  return Time::kDevice;
}

double SelectedSteps(const ViewRequest& request) {
  const Model& model = *request.trace.model;
  if (!model.has_recorded_steps) return 0;
  double count = 0;
  for (uint32_t step = 0; step < model.steps.size(); ++step) {
    count += request.steps.Contains(step) ? 1 : 0;
  }
  return count;
}

ViewRequest InSteps(const ViewRequest& side, bool per_step) {
  ViewRequest request = side;
  if (per_step && request.steps.all) {
    request.steps = {false, 0, static_cast<uint32_t>(side.trace.model->steps.size() - 1)};
  }
  return request;
}

bool IsPerStep(const CompareRequest& request) {
  const double before = SelectedSteps(request.baseline), after = SelectedSteps(request.candidate);
  return before > 0 && after > 0 && before != after;
}

}  // namespace emberline
