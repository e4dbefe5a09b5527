// What each slice is.
#include "model/model_builder.h"
#include "model/names.h"

namespace emberline {

void ModelBuilder::FindKinds() {
  static_assert(kSliceKindCount <= kOnHost);
  kinds_.resize(all_);
  for (SliceIndex i = 0; i < all_; ++i) kinds_[i] = static_cast<uint8_t>(s_.kind(i));
  for (const Track& track : s_.tracks()) {
    if (track.kind != TrackKind::kHostThread) continue;
    for (SliceIndex i = track.first; i < track.last; ++i) kinds_[i] |= kOnHost;
  }
  for (SliceIndex i = n_; i < all_; ++i) {
    if (s_.tracks()[s_.track(i)].kind == TrackKind::kHostThread) kinds_[i] |= kOnHost;
  }
}

bool ModelBuilder::Classify() {
  Model& m = *model_;
  FindKinds();
  m.is_op.assign(all_, false);
  m.is_communication.assign(all_, false);
  range_.assign(s_.strings().size(), 0xff);
  std::vector<uint8_t> communication(s_.strings().size(), 0xff);
  for (SliceIndex i = 0; i < all_; ++i) {
    if (Stop(i)) return false;
    const SliceKind kind = Kind(i);
    const StringId name = s_.name_id(i);
    if (kind == SliceKind::kCpuOp || kind == SliceKind::kUserAnnotation) {
      if (range_[name] == 0xff) {
        range_[name] = static_cast<uint8_t>(ClassifyRange(s_.strings().Get(name)));
      }
      const auto range = static_cast<RangeKind>(range_[name]);
      m.is_op.Set(i, kind == SliceKind::kCpuOp && range != RangeKind::kStep &&
                         range != RangeKind::kDataLoader && range != RangeKind::kOptimizer);
    } else if (IsDeviceWork(kind) && kind != SliceKind::kMemcpy && kind != SliceKind::kMemset) {
      if (communication[name] == 0xff) {
        communication[name] = IsCommunicationKernelName(s_.strings().Get(name));
      }
      m.is_communication.Set(i, kind == SliceKind::kCommunication || communication[name] != 0 ||
                                    !s_.ArgText(i, ArgRole::kCollective).empty());
    }
  }
  return true;
}

}  // namespace emberline
