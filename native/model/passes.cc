#include "model/passes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "base/bit_rows.h"
#include "base/flat_column.h"
#include "base/release.h"
#include "base/scratch_vector.h"
#include "model/names.h"

namespace emberline {
namespace {

// Ops that one of two equal runs may have more than the other: what packing tensors adds.
constexpr size_t kMaxSkipped = 8;
// Ops around a node's forward op that are looked at for the one that ran again.
constexpr size_t kMaxNesting = 64;

class PassBuilder {
 public:
  PassBuilder(const OpMarks& marks, const CancelToken& cancel, Model* model)
      : m_(*model),
        s_(model->store()),
        n_(s_.slice_count()),
        node_(*marks.is_node),
        backward_(*marks.is_backward),
        fresh_(*marks.is_fresh),
        cancel_(cancel),
        frame_kind_(s_.strings().size(), 0xff),
        is_checkpoint_(s_.strings().size(), 0xff) {}

  bool Run() {
    m_.pass.assign(s_.all_slice_count(), Pass::kForward);
    if (!FindNumbered() || !Walk() || !FollowToDevices()) return false;
    reruns_.reset();
    return FindRepeated();
  }

 private:
  // Where what a backward op runs again begins, and its last op that takes a number. kNone where it
  // runs nothing again.
  struct Rerun {
    SliceIndex begin = kNone, last = kNone;
  };

  bool Stop(uint32_t i) const { return i % kCancelStride == 0 && cancel_.cancelled(); }

  // An op that is backward by itself, whatever is around it.
  bool Begins(SliceIndex op) const { return backward_[op] || m_.forward[op] != kNone; }

  FrameKind KindOf(SliceIndex frame) {
    uint8_t& kind = frame_kind_[s_.name_id(frame)];
    if (kind == 0xff) kind = static_cast<uint8_t>(ClassifyFrame(s_.name(frame)));
    return static_cast<FrameKind>(kind);
  }
  // CheckpointFunctionBackward and its kin.
  bool IsCheckpointNode(SliceIndex op) {
    uint8_t& known = is_checkpoint_[s_.name_id(op)];
    if (known == 0xff) known = s_.name(op).find("Checkpoint") != std::string_view::npos ? 1 : 0;
    return known != 0;
  }
  // Nodes of operators ("ReluBackward0") read what was saved before they compute; nodes of
  // functions in Python ("ScaleBackward") may read it anywhere.
  bool IsOperatorNode(SliceIndex op) const {
    const std::string_view name = s_.name(op);
    return !name.empty() && IsDigit(name.back());
  }

  // Rule 3: per backward op, which of the ops directly inside it take numbers.
  bool FindNumbered() {
    ScratchVector<SliceIndex> inside(n_, kNone);  // innermost op around that is backward by itself
    numbered_.assign(n_, false);
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!m_.IsOp(i) || m_.op[i] == kNone) continue;
      const SliceIndex p = m_.op[i];
      inside[i] = Begins(p) ? p : inside[p];
      if (inside[i] == p && fresh_[i]) numbered_.Set(p, true);
    }
    if (!numbered_.Any()) return true;
    reruns_.emplace(numbered_, Rerun());
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!m_.IsOp(i) || !fresh_[i]) continue;
      const SliceIndex x = m_.op[i];
      if (x == kNone || inside[i] != x) continue;
      Rerun& rerun = (*reruns_)[x];
      if (rerun.begin == kNone) rerun.begin = IsOperatorNode(x) ? x : i;
      rerun.last = i;
    }
    LeaveOutGradients(inside);
    return !cancel_.cancelled();
  }

  // For gradients of gradients, nodes take numbers too, and other nodes refer to them after they
  // ended. Some of a thread's nodes may not be referred to, so most of them speak for all.
  void LeaveOutGradients(const ScratchVector<SliceIndex>& inside) {
    std::vector<bool> referred(n_, false);
    for (SliceIndex i = 0; i < n_; ++i) {
      const SliceIndex f = m_.IsOp(i) ? m_.forward[i] : kNone;
      if (f == kNone || inside[f] == kNone) continue;
      const SliceIndex x = inside[f];
      const bool within = s_.track(i) == s_.track(x) && s_.start(i) < s_.end(x);
      if (!within && numbered_[x]) referred[x] = true;
    }
    std::vector<uint64_t> numbered(s_.tracks().size(), 0), left_out(s_.tracks().size(), 0);
    for (SliceIndex x = 0; x < n_; ++x) {
      if (!numbered_[x]) continue;
      ++numbered[s_.track(x)];
      if (referred[x]) ++left_out[s_.track(x)];
    }
    for (SliceIndex x = 0; x < n_; ++x) {
      const TrackIndex t = s_.track(x);
      if (numbered_[x] && (referred[x] || left_out[t] * 4 > numbered[t])) (*reruns_)[x] = Rerun();
    }
  }
  // By its place between ops that take numbers; what they enclose follows them.
  bool RunsAgainByNumber(SliceIndex op) const {
    const SliceIndex x = m_.op[op];
    if (x == kNone || !numbered_[x]) return false;
    const Rerun rerun = (*reruns_)[x];
    return rerun.begin != kNone && op >= rerun.begin && op <= rerun.last;
  }

  bool Walk() {
    std::vector<bool> nested(n_, false);  // of a checkpoint's node: a node inside has begun
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (s_.tracks()[s_.track(i)].kind != TrackKind::kHostThread) continue;
      SliceIndex p = s_.parent(i);
      const SliceIndex op = m_.op[i];
      // A launch may overhang the op that made it.
      if (op != kNone && s_.track(op) == s_.track(i)) p = p == kNone ? op : std::max(p, op);
      const Pass outer = p == kNone ? Pass::kForward : m_.pass[p];
      m_.pass[i] = PassInside(i, p, outer, nested);
      if (!m_.IsOp(i) || op == kNone) continue;
      if (Begins(i)) nested[op] = true;
      if (m_.forward[i] == kNone && !node_[i] && m_.pass[i] == Pass::kBackward &&
          m_.pass[op] == Pass::kBackward) {
        m_.forward[i] = m_.forward[op];
      }
    }
    return true;
  }
  Pass PassInside(SliceIndex i, SliceIndex p, Pass outer, const std::vector<bool>& nested) {
    if (m_.IsOp(i) && Begins(i)) return Pass::kBackward;
    if (s_.kind(i) == SliceKind::kPythonFunction) {
      const FrameKind kind = KindOf(i);
      if (kind == FrameKind::kRecompute) return Pass::kRecompute;
      if (kind == FrameKind::kModule && outer == Pass::kBackward) return Pass::kRecompute;
      if (kind == FrameKind::kEngine && outer == Pass::kRecompute) return Pass::kBackward;
    }
    if (outer != Pass::kBackward) return outer;
    if (m_.IsOp(p) && Begins(p) && IsCheckpointNode(p) && !nested[p] && !IsLaunchApi(s_.kind(i))) {
      return Pass::kRecompute;
    }
    return m_.IsOp(i) && RunsAgainByNumber(i) ? Pass::kRecompute : outer;
  }

  bool FollowToDevices() {
    const PackedColumn<SliceIndex>& launch = m_.launch;  // packed, so only read
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!IsDeviceWork(s_.kind(i))) continue;
      if (const SliceIndex call = m_.CapturedCall(i); call != kNone) {
        m_.pass[i] = m_.pass[call];
        continue;
      }
      const SliceIndex host = launch[i] != kNone ? launch[i] : m_.op[i];
      if (host == kNone) continue;
      // An id may give the work to another op than the one around its launch.
      const SliceIndex op = m_.op[i];
      m_.pass[i] = m_.pass[op != kNone && s_.track(op) != s_.track(host) ? op : host];
    }
    return true;
  }

  // What ran again is what ran before, in the same order: ops are matched by their names from
  // both ends of what is known to be the same.
  bool FindRepeated() {
    std::vector<SliceIndex> nodes;  // ops with recomputed ones directly inside
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!m_.IsOp(i) || m_.pass[i] != Pass::kRecompute) continue;
      const SliceIndex x = m_.op[i];
      if (x != kNone && m_.pass[x] == Pass::kBackward) nodes.push_back(x);
    }
    const uint32_t all = s_.all_slice_count();
    if (nodes.empty()) {
      m_.repeats.Pack(all, [](size_t) { return kNone; });
      return true;
    }
    m_.repeats.assign(all, kNone);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    Link();
    for (const SliceIndex x : nodes) {
      if (cancel_.cancelled()) return false;
      Match(x);
    }
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!m_.IsOp(i) || m_.pass[i] != Pass::kRecompute || m_.repeats[i] != kNone) continue;
      if (m_.op[i] != kNone && m_.pass[m_.op[i]] == Pass::kRecompute)
        m_.repeats[i] = m_.repeats[m_.op[i]];
    }
    return true;
  }

  // Ops beside each other: directly inside the same op, or outermost on the same thread.
  void Link() {
    next_.assign(n_, kNone);
    previous_.assign(n_, kNone);
    first_inside_.assign(n_, kNone);
    ScratchVector<SliceIndex> last_inside(n_, kNone);
    SliceIndex last_outermost = kNone;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!m_.IsOp(i)) continue;
      const SliceIndex p = m_.op[i];
      SliceIndex& last = p == kNone ? last_outermost : last_inside[p];
      if (p != kNone && first_inside_[p] == kNone) first_inside_[p] = i;
      if (last != kNone && s_.track(last) == s_.track(i)) {
        next_[last] = i;
        previous_[i] = last;
      }
      last = i;
    }
  }

  void Match(SliceIndex x) {
    std::vector<SliceIndex> again;
    for (SliceIndex i = first_inside_[x]; i != kNone; i = next_[i]) {
      if (m_.pass[i] == Pass::kRecompute) again.push_back(i);
    }
    const SliceIndex f = m_.forward[x];
    if (again.empty() || f == kNone) return;
    if (IsCheckpointNode(x) && first_inside_[f] != kNone) {
      // The checkpoint's own forward op encloses what ran.
      MatchForward(again, 0, first_inside_[f]);
      return;
    }
    // The node whose tensors were missing is that of the last op that saves some.
    std::vector<SliceIndex> around;
    for (SliceIndex at = f; at != kNone && around.size() < kMaxNesting; at = m_.op[at])
      around.push_back(at);
    for (size_t k = around.size(); k-- > 0;) {
      for (size_t r = again.size(); r-- > 0;) {
        if (!Same(again[r], around[k])) continue;
        m_.repeats[again[r]] = First(around[k]);
        MatchBackward(again, r, previous_[around[k]]);
        MatchForward(again, r + 1, next_[around[k]]);
        return;
      }
    }
  }

  // Pairs again[from], again[from + 1], ... with `op` and the ones after it.
  void MatchForward(const std::vector<SliceIndex>& again, size_t from, SliceIndex op) {
    for (size_t r = from; r < again.size() && op != kNone; ++r) {
      SliceIndex at = op;
      for (size_t k = 0; k < kMaxSkipped && at != kNone && !Same(again[r], at); ++k) at = next_[at];
      if (at == kNone || !Same(again[r], at)) continue;
      m_.repeats[again[r]] = First(at);
      op = next_[at];
    }
  }
  void MatchBackward(const std::vector<SliceIndex>& again, size_t from, SliceIndex op) {
    for (size_t r = from; r-- > 0 && op != kNone;) {
      SliceIndex at = op;
      for (size_t k = 0; k < kMaxSkipped && at != kNone && !Same(again[r], at); ++k)
        at = previous_[at];
      if (at == kNone || !Same(again[r], at)) continue;
      m_.repeats[again[r]] = First(at);
      op = previous_[at];
    }
  }
  bool Same(SliceIndex a, SliceIndex b) const {
    return s_.name_id(a) == s_.name_id(b) && First(b) != kNone;
  }
  // A forward op itself; of one that is a repetition already (checkpoints inside checkpoints), the
  // op that ran first.
  SliceIndex First(SliceIndex op) const {
    for (size_t k = 0; op != kNone && k < kMaxNesting; ++k, op = m_.op[op]) {
      if (m_.pass[op] == Pass::kForward) return k == 0 ? op : kNone;
      if (m_.pass[op] == Pass::kBackward) return kNone;
      if (m_.repeats[op] != kNone) return m_.repeats[op];
    }
    return kNone;
  }

  Model& m_;
  const TraceStore& s_;
  const uint32_t n_;
  const std::vector<bool>& node_;
  const std::vector<bool>& backward_;
  const std::vector<bool>& fresh_;
  const CancelToken& cancel_;
  std::vector<uint8_t> frame_kind_, is_checkpoint_;  // by name id; 0xff not looked at yet
  // Backward ops with ops directly inside that take numbers.
  BitColumn numbered_;
  std::optional<BitRows<Rerun>> reruns_;  // of these; nothing when there are none
  ScratchVector<SliceIndex> next_, previous_, first_inside_;  // between ops
};

}  // namespace

bool AssignPasses(const OpMarks& marks, const CancelToken& cancel, Model* model) {
  return PassBuilder(marks, cancel, model).Run();
}

}  // namespace emberline
