#include "analysis/features.h"

#include <string_view>
#include <vector>

#include "model/names.h"

namespace emberline {
namespace {

bool IsOfLightning(std::string_view name) {
  return name.starts_with("[pl][") || name.starts_with("[LightningModule]") ||
         name.starts_with("[Strategy]") || name.starts_with("[Callback]");
}

}  // namespace

Features FindFeatures(const Model& model) {
  const TraceStore& store = model.store();
  Features features;
  features.communication = model.is_communication.Any();
  std::vector<bool> kinds(kSliceKindCount, false);
  // A recorder may write the key and no stack.
  const bool stack_texts = store.HasArg(ArgRole::kCallStack);
  for (SliceIndex i = 0; i < store.all_slice_count(); ++i) {
    kinds[static_cast<size_t>(store.kind(i))] = true;
    features.stacks =
        features.stacks || (stack_texts && !store.ArgText(i, ArgRole::kCallStack).empty());
  }
  for (const SliceKind kind : {SliceKind::kKernel, SliceKind::kMemcpy, SliceKind::kMemset,
                               SliceKind::kDeviceOther, SliceKind::kCommunication}) {
    features.device_work = features.device_work || kinds[static_cast<size_t>(kind)];
  }
  features.stacks = features.stacks || kinds[static_cast<size_t>(SliceKind::kPythonFunction)];
  features.shapes = store.HasArg(ArgRole::kInputShapes);
  features.memory = !store.memory().empty();
  features.modules = store.HasArg(ArgRole::kModule);
  const StringPool& strings = store.strings();
  for (StringId id = 0; id < strings.size(); ++id) {
    const std::string_view text = strings.Get(id);
    features.modules = features.modules || text.starts_with(kModulePrefix);
    features.lightning = features.lightning || IsOfLightning(text);
  }
  return features;
}

SliceCounts CountSlices(const TraceStore& store) {
  SliceCounts counts;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (IsDeviceWork(store.kind(i))) {
      ++counts.device;
    } else if (store.tracks()[store.track(i)].kind == TrackKind::kHostThread) {
      ++counts.host;
    }
  }
  return counts;
}

}  // namespace emberline
