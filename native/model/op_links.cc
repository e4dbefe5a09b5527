// Which operator device work belongs to.
#include "base/release.h"
#include "base/scratch_vector.h"
#include "model/graphs.h"
#include "model/host_place.h"
#include "model/model_builder.h"

namespace emberline {

bool ModelBuilder::LinkOps() {
  Model& m = *model_;
  // PyTorch 1.12 to 2.2 writes a row's own correlation into its external id: equal on every row.
  uint64_t both = 0, equal = 0, different = 0;
  for (size_t k = 0; k < link_ids_.size(); ++k) {
    const LinkIds ids = link_ids_[k];
    if (ids.external == 0) continue;
    if (!ids.has_correlation) {
      ++different;
      continue;
    }
    ++both;
    if (ids.correlation == ids.external) ++equal;
  }
  const bool trusted = (both > 0 || different > 0) && equal * 100 < both * 99 + (both == 0 ? 1 : 0);
  bool by_id = false, by_containment = false, without_op = false;
  auto find = [&](const LinkIds& ids) -> SliceIndex {
    if (!trusted || ids.external == 0) return kNone;
    // A row without an op falls back to its correlation in some releases.
    if (ids.has_correlation && ids.correlation == ids.external) return kNone;
    return ops_.Find(ids.external);
  };
  for (size_t k = 0; k < link_ids_.size(); ++k) {
    if (Stop(static_cast<uint32_t>(k))) return false;
    const LinkIds ids = link_ids_[k];
    const SliceIndex i = ids.slice;
    if (!IsLaunchApi(Kind(i))) continue;
    const SliceIndex op = find(ids);
    if (op != kNone && s_.tracks()[s_.track(op)].pid == s_.tracks()[s_.track(i)].pid) {
      if (op != m.op[i]) around_.emplace_back(i, m.op[i]);
      m.op[i] = op;
      by_id = true;
    } else if (m.op[i] != kNone) {
      by_containment = true;
    }
  }
  for (size_t k = 0; k < link_ids_.size(); ++k) {
    if (Stop(static_cast<uint32_t>(k))) return false;
    const LinkIds ids = link_ids_[k];
    const SliceIndex i = ids.slice;
    if (!IsDeviceWork(Kind(i))) continue;
    const SliceIndex launch = m.launch[i];
    if (launch != kNone) {
      m.op[i] = m.op[launch];
      m.frame[i] = m.frame[launch];
      m.annotation[i] = m.annotation[launch];
    }
    if (m.op[i] == kNone) {
      const SliceIndex op = find(ids);
      if (op != kNone) {
        m.op[i] = op;
        by_id = true;
        if (launch == kNone) {
          m.frame[i] = m.frame[op];
          m.annotation[i] = m.annotation[op];
        }
      }
    }
    if (launch == kNone && m.op[i] == kNone) ++m.unlinked_device_slices;
    without_op = without_op || m.op[i] == kNone;
  }
  const bool by_arrow = without_op && LinkOpsByFlow();
  m.op_link = by_id            ? OpLinkMethod::kExternalId
              : by_arrow       ? OpLinkMethod::kArrow
              : by_containment ? OpLinkMethod::kContainment
                               : OpLinkMethod::kNone;
  link_ids_.Free();
  Release(ops_);
  return true;
}

bool ModelBuilder::LinkOpsByFlow() {
  Model& m = *model_;
  bool any = false;
  ForEachArrow([&](SliceIndex from, SliceIndex to) {
    if (m.op[to] != kNone || !OnHost(from)) return;
    const SliceIndex op = m.IsOp(from) ? from : m.op[from];
    if (op == kNone) return;
    if (m.launch[to] == kNone) --m.unlinked_device_slices;
    m.op[to] = op;
    m.frame[to] = m.frame[op];
    m.annotation[to] = m.annotation[op];
    any = true;
  });
  return any;
}

bool ModelBuilder::InvertLaunches() {
  Model& m = *model_;
  m.launched.begin.assign(static_cast<size_t>(all_) + 1, 0);
  for (SliceIndex i = 0; i < n_; ++i) {
    if (m.launch[i] != kNone) ++m.launched.begin[m.launch[i] + 1];
  }
  for (uint32_t i = 0; i < all_; ++i) m.launched.begin[i + 1] += m.launched.begin[i];
  m.launched.items.resize(m.launched.begin[all_]);
  const auto begins = m.launched.begin.Draft().first(all_);
  ScratchVector<uint32_t> next(begins.begin(), begins.end());
  for (SliceIndex i = 0; i < n_; ++i) {
    if (m.launch[i] != kNone) m.launched.items[next[m.launch[i]]++] = i;
  }
  return !cancel_.cancelled();
}

bool ModelBuilder::LinkCaptures() {
  Model& m = *model_;
  const auto here = CapturedCalls(m, cancel_);
  if (cancel_.cancelled()) return false;
  if (here.empty() && s_.captured_work().empty()) return true;
  m.captured.assign(all_, kNone);
  for (const auto& [work, call] : s_.captured_work()) m.captured[work] = call;
  for (const auto& [work, call] : here) m.captured[work] = call;
  return true;
}

}  // namespace emberline
