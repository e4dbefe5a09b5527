// The numbers by which recorders tie slices together.
#include <bit>

#include "model/model_builder.h"

namespace emberline {

bool ModelBuilder::ReadLinkIds() {
  const bool correlated = s_.HasArg(ArgRole::kCorrelation);
  const bool external = s_.HasArg(ArgRole::kExternalId);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    const SliceKind kind = s_.kind(i);
    if (!IsLaunchApi(kind) && !IsDeviceWork(kind)) continue;
    LinkIds ids;
    ids.slice = i;
    if (correlated) {
      const auto correlation = s_.ArgInt(i, ArgRole::kCorrelation);
      ids.has_correlation = correlation.has_value();
      ids.correlation = correlation.value_or(0);
    }
    if (external) ids.external = s_.ArgInt(i, ArgRole::kExternalId).value_or(0);
    link_ids_.Push(ids);
  }
  return true;
}

bool ModelBuilder::ReadOpIds() {
  const bool external = s_.HasArg(ArgRole::kExternalId);
  const bool numbered = s_.HasArg(ArgRole::kSequenceNumber);
  if (!external && !numbered) return true;
  if (external) {
    size_t ops = 0;
    for (const uint64_t word : model_->is_op.words()) {
      ops += static_cast<size_t>(std::popcount(word));
    }
    ops_.Reserve(ops);
  }
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!model_->IsOp(i)) continue;
    if (external) {
      const auto id = s_.ArgInt(i, ArgRole::kExternalId);
      if (id && *id != 0) ops_.Add(*id, i);
    }
    if (numbered) {
      const auto number = s_.ArgInt(i, ArgRole::kSequenceNumber);
      if (!number || *number < 0) continue;
      numbers_.Push({*number, s_.ArgInt(i, ArgRole::kForwardThread).value_or(0), i});
    }
  }
  ops_.Finish();
  return true;
}

}  // namespace emberline
