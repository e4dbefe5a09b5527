// Backward work counts at its forward op's line, and what runs again at the line that ran before,
// unless they run user code of their own (custom autograd functions, recomputation with a stack
// around it).
#include <unordered_map>
#include <vector>

#include "attribution/stages.h"

namespace emberline {
namespace {

class Blamer {
 public:
  explicit Blamer(Attributing& a) : a_(a), s_(a.store), model_(a.model), at_(a.at) {}

  bool Run() {
    const uint32_t n = s_.all_slice_count();
    std::vector<bool> own_code(n, false);
    if (!FindBackwardCalls(a_) || !FindOrigins()) return false;
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (!Counted(i)) continue;
      const SliceIndex p = a_.parent[i];
      at_.blamed.Set(i, at_.context[i]);
      const bool outer = p != kNone && at_.pass[p] != Pass::kForward;
      at_.pass[i] = model_.pass[i] == Pass::kForward && outer ? at_.pass[p] : model_.pass[i];
      if (at_.pass[i] == Pass::kForward) continue;
      const SliceIndex op = model_.IsOp(i) ? i : model_.op[i];
      const SliceIndex forward = op == kNone ? kNone : model_.forward[op];
      if (outer && !BeginsNode(i) && (own_code[p] || at_.user_frame[p] || at_.user_frame[i])) {
        own_code[i] = true;
        if (at_.pass[i] == Pass::kBackward) SetOrigin(i, forward);
        continue;
      }
      if (at_.pass[i] == Pass::kRecompute) {
        BlameRepeated(i, op);
      } else if (model_.forward[i] != kNone && BlamedOf(forward) != kNone) {
        at_.blamed.Set(i, BlamedOf(forward));
        if (model_.pass[forward] == Pass::kRecompute) SetOrigin(i, forward);
      } else if (outer) {
        at_.blamed.Set(i, at_.blamed[p]);
        if (!at_.origin.empty()) at_.origin.Set(i, at_.origin[p]);
      } else if (at_.blamed[i] == kNone && !at_.caller.empty()) {
        at_.blamed.Set(i, at_.caller[i]);  // gradients that belong to no forward line
      }
    }
    return true;
  }

 private:
  bool Stop(uint32_t i) const { return a_.Stop(i); }
  bool Counted(SliceIndex i) const { return a_.Counted(i); }

  // An op that is an autograd node: what is inside it shares its forward op.
  bool BeginsNode(SliceIndex i) const {
    const SliceIndex forward = model_.forward[i];
    const SliceIndex outer = model_.op[i];
    return forward != kNone && (outer == kNone || model_.forward[outer] != forward);
  }
  uint32_t BlamedOf(SliceIndex forward) const {
    return at_.context[forward] != kNone ? at_.context[forward] : at_.blamed[forward];
  }
  // What belongs to `forward` is part of the call that this is part of.
  void SetOrigin(SliceIndex i, SliceIndex forward) {
    if (forward == kNone) return;
    if (at_.origin.empty()) at_.origin.assign(s_.all_slice_count(), kNone);
    const uint32_t origin = at_.origin[forward];
    at_.origin.Set(i, origin != kNone ? origin : at_.context[forward]);
  }

  // Recomputed work that no user frame stands around.
  void BlameRepeated(SliceIndex i, SliceIndex op) {
    const SliceIndex first = op == kNone ? kNone : model_.repeats[op];
    if (first != kNone && at_.context[first] != kNone) {
      at_.blamed.Set(i, at_.context[first]);
    } else if (!at_.origin.empty() && at_.origin[i] != kNone) {
      at_.blamed.Set(i, at_.origin[i]);
    } else if (at_.blamed[i] == kNone && !at_.caller.empty()) {
      at_.blamed.Set(i, at_.caller[i]);
    }
  }

  // The calls whose work runs again: of an op that of the op that it repeats, of what is around it
  // what these have in common.
  bool FindOrigins() {
    const uint32_t n = s_.all_slice_count();
    const auto repeated = [&](SliceIndex i) { return model_.pass[i] == Pass::kRecompute; };
    SliceIndex begin = 0;
    while (begin < n && !repeated(begin)) ++begin;
    if (begin == n) return true;
    std::vector<SliceIndex> root(n, kNone);  // outermost recomputed slice around
    std::unordered_map<SliceIndex, uint32_t> common;
    for (SliceIndex i = begin; i < n; ++i) {
      if (Stop(i)) return false;
      if (!Counted(i) || !repeated(i)) continue;
      const SliceIndex p = a_.parent[i];
      root[i] = p != kNone && root[p] != kNone ? root[p] : i;
      const SliceIndex first = model_.repeats[i];
      if (first == kNone || at_.context[first] == kNone) continue;
      const auto [it, fresh] = common.try_emplace(root[i], at_.context[first]);
      if (!fresh) it->second = a_.locations.CommonContext(it->second, at_.context[first]);
    }
    if (common.empty()) return true;
    at_.origin.assign(n, kNone);
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (root[i] == kNone) continue;
      const SliceIndex op = model_.IsOp(i) ? i : model_.op[i];
      const SliceIndex first = op == kNone ? kNone : model_.repeats[op];
      const auto of_root = common.find(root[i]);
      at_.origin.Set(i, first != kNone && at_.context[first] != kNone ? at_.context[first]
                        : of_root == common.end()                     ? kNone
                                                                      : of_root->second);
    }
    return true;
  }

  Attributing& a_;
  const TraceStore& s_;
  const Model& model_;
  LineAttribution& at_;
};

}  // namespace

bool BlameCalls(Attributing& a) { return Blamer(a).Run(); }

}  // namespace emberline
