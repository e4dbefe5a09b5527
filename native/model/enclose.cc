// What lies around each slice.
#include <algorithm>

#include "model/model_builder.h"

namespace emberline {

bool ModelBuilder::Enclose() {
  Model& m = *model_;
  m.op.assign(all_, kNone);
  m.frame.assign(all_, kNone);
  m.annotation.assign(all_, kNone);
  std::vector<SliceIndex> open;  // ops of the current track that may enclose what follows
  TrackIndex track = kNone;
  for (SliceIndex i = 0; i < all_; ++i) {
    if (Stop(i)) return false;
    if (!OnHost(i) && i < n_) continue;
    if (s_.track(i) != track) {
      track = s_.track(i);
      open.clear();
    }
    const SliceIndex p = s_.parent(i);
    if (p != kNone) PlaceInside(i, p);
    const bool launch = IsLaunchApi(Kind(i));
    if (!launch && !m.IsOp(i)) continue;
    // A launch belongs to the innermost op around its start: whole microseconds of old recorders
    // let a call end after the op that made it, so containment of the whole call is too strict
    // (SEMANTICS.md, Slices).
    while (!open.empty() && (s_.end(open.back()) < s_.start(i) ||
                             (s_.end(open.back()) == s_.start(i) && s_.duration(i) > 0))) {
      open.pop_back();
    }
    if (m.IsOp(i)) {
      open.push_back(i);
    } else if (!open.empty() && open.back() != m.op[i]) {
      const SliceIndex op = open.back();
      m.op[i] = op;
      m.frame[i] = Deeper(m.frame[i], m.frame[op]);
      m.annotation[i] = Deeper(m.annotation[i], m.annotation[op]);
    }
  }
  return EncloseInSameThread();
}

void ModelBuilder::PlaceInside(SliceIndex i, SliceIndex parent) {
  Model& m = *model_;
  const SliceKind kind = Kind(parent);
  m.op[i] = m.IsOp(parent) ? parent : m.op[parent];
  m.frame[i] = kind == SliceKind::kPythonFunction ? parent : m.frame[parent];
  m.annotation[i] =
      kind == SliceKind::kUserAnnotation || (kind == SliceKind::kCpuOp && !m.IsOp(parent))
          ? parent
          : m.annotation[parent];
}

bool ModelBuilder::EncloseInSameThread() {
  for (const Track& track : s_.tracks()) {
    if (track.kind != TrackKind::kHostThread || track.same_thread == kNone) continue;
    const Track& outer = s_.tracks()[track.same_thread];
    SliceIndex next = outer.first;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (Stop(i)) return false;
      const SliceIndex parent = s_.parent(i);
      if (parent != kNone) {
        model_->op[i] = Deeper(model_->op[i], model_->op[parent]);
        model_->frame[i] = Deeper(model_->frame[i], model_->frame[parent]);
        model_->annotation[i] = Deeper(model_->annotation[i], model_->annotation[parent]);
        continue;
      }
      while (next < outer.last && s_.start(next) <= s_.start(i)) ++next;
      SliceIndex around = next == outer.first ? kNone : next - 1;
      while (around != kNone && s_.end(around) < s_.end(i)) around = s_.parent(around);
      if (around != kNone) PlaceInside(i, around);
    }
  }
  return true;
}

SliceIndex ModelBuilder::Deeper(SliceIndex a, SliceIndex b) {
  if (a == kNone) return b;
  if (b == kNone) return a;
  return std::max(a, b);
}

}  // namespace emberline
