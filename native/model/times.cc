// Self and total times of operators.
#include <algorithm>

#include "model/host_place.h"
#include "model/model_builder.h"

namespace emberline {

bool ModelBuilder::AddTimes() {
  Model& m = *model_;
  auto around = around_.begin();
  m.host_self.assign(all_, 0);
  m.host_api.assign(all_, 0);
  m.device_self.assign(all_, 0);
  m.device_total.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    SliceIndex op = m.op[i];
    // Host time goes by where the call ran, also when an id gives its work to another op.
    if (around != around_.end() && around->first == i) op = (around++)->second;
    if (m.IsOp(i)) {
      m.host_self[i] += s_.duration(i);
      if (op != kNone) m.host_self[op] -= s_.duration(i);
    } else if (op != kNone && IsLaunchApi(s_.kind(i))) {
      AddApi(i, op);
    } else if (op != kNone && IsDeviceWork(s_.kind(i))) {
      (m.SourceOp(i) == op ? m.device_self : m.device_total)[op] += s_.duration(i);
    }
  }
  // Children have larger indexes than their parents, so one pass backwards adds up whole trees.
  for (SliceIndex i = n_; i-- > 0;) {
    if (!m.IsOp(i)) continue;
    m.device_total[i] += m.device_self[i];
    if (m.op[i] != kNone) m.device_total[m.op[i]] += m.device_total[i];
  }
  return true;
}

void ModelBuilder::AddApi(SliceIndex call, SliceIndex op) {
  const SliceIndex p = s_.parent(call);
  if (p != kNone && IsLaunchApi(s_.kind(p))) return;
  const Ns begin = std::max(s_.start(op), s_.start(call));
  const Ns end = std::min(s_.end(op), s_.end(call));
  if (end > begin) model_->host_api[op] += end - begin;
}

}  // namespace emberline
