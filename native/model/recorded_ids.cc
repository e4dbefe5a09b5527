// The numbers by which recorders tie slices together.
#include "model/model_builder.h"
#include "store/arg_ints.h"

namespace emberline {

bool ModelBuilder::ReadLinkIds() {
  ArgInts recorded(s_, {ArgRole::kCorrelation, ArgRole::kExternalId});
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    const SliceKind kind = Kind(i);
    if (!IsLaunchApi(kind) && !IsDeviceWork(kind)) continue;
    LinkIds ids;
    ids.slice = i;
    const auto [correlation, external, unused] = recorded.Of(i);
    ids.has_correlation = correlation.has_value();
    ids.correlation = correlation.value_or(0);
    ids.external = external.value_or(0);
    link_ids_.Push(ids);
  }
  return true;
}

bool ModelBuilder::ReadOpIds() {
  if (!s_.HasArg(ArgRole::kExternalId) && !s_.HasArg(ArgRole::kSequenceNumber)) return true;
  ArgInts recorded(s_, {ArgRole::kExternalId, ArgRole::kSequenceNumber, ArgRole::kForwardThread});
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!model_->IsOp(i)) continue;
    const auto [id, number, forward_thread] = recorded.Of(i);
    if (id && *id != 0) ops_.Add(*id, i);
    if (number && *number >= 0) numbers_.Push({i, *number, forward_thread.value_or(0)});
  }
  ops_.Finish();
  return true;
}

}  // namespace emberline
