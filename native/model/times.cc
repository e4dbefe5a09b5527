// Self and total times of operators.
#include <algorithm>

#include "model/host_place.h"
#include "model/model_builder.h"

namespace emberline {

bool ModelBuilder::AddTimes() {
  // One column after the other: as drafts they take the most memory of all that a model has.
  Model& m = *model_;
  m.host_self.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!m.IsOp(i)) continue;
    m.host_self[i] += s_.duration(i);
    if (m.op[i] != kNone) m.host_self[m.op[i]] -= s_.duration(i);
  }
  m.host_self.Pack();

  auto around = around_.begin();
  m.host_api.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!IsLaunchApi(s_.kind(i))) continue;
    SliceIndex op = m.op[i];
    // Host time goes by where the call ran, also when an id gives its work to another op.
    if (around != around_.end() && around->first == i) op = (around++)->second;
    if (op != kNone) AddApi(i, op);
  }
  m.host_api.Pack();

  m.device_self.assign(all_, 0);
  m.device_total.assign(all_, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!IsDeviceWork(s_.kind(i)) || m.op[i] == kNone) continue;
    const SliceIndex op = m.op[i];
    (m.SourceOp(i) == op ? m.device_self : m.device_total)[op] += s_.duration(i);
  }
  // Children have larger indexes than their parents, so one pass backwards adds up whole trees.
  for (SliceIndex i = n_; i-- > 0;) {
    if (!m.IsOp(i)) continue;
    m.device_total[i] += m.device_self[i];
    if (m.op[i] != kNone) m.device_total[m.op[i]] += m.device_total[i];
  }
  m.device_self.Pack();
  m.device_total.Pack();
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
