// Which forward operator a backward one belongs to.
#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/hash.h"
#include "base/near.h"
#include "base/parallel.h"
#include "base/scratch_vector.h"
#include "base/sort_runs.h"
#include "model/host_place.h"
#include "model/model_builder.h"
#include "model/names.h"
#include "model/passes.h"

namespace emberline {

// Forward and backward operators by the numbers that they were recorded with.
class ModelBuilder::Sequences {
 public:
  struct Backward {
    int64_t thread;
    int64_t number;
    SliceIndex slice;
  };

  explicit Sequences(const ModelBuilder& model) : m_(model), s_(model.s_) {}

  // So many will be added.
  void Reserve(size_t forward, size_t backward) {
    forwards_.reserve(forward);
    backwards_.reserve(backward);
  }
  void AddForward(int64_t number, SliceIndex op) {
    forwards_.push_back({number, s_.track(op), op});
  }
  void AddBackward(const Backward& op) { backwards_.push_back(op); }

  // Once all were added; false when cancelled.
  bool Match() {
    if (forwards_.empty()) backwards_.clear();
    if (backwards_.empty()) return true;
    SortRuns(std::span(forwards_), [](const Forward& a, const Forward& b) {
      return a.track != b.track ? a.track < b.track : a.number < b.number;
    });
    for (size_t i = 0; i < forwards_.size();) {
      size_t end = i;
      while (end < forwards_.size() && forwards_[end].track == forwards_[i].track) ++end;
      groups_.push_back({i, end, i});
      i = end;
    }
    // Only the busiest threads are candidates; more would make a hostile file quadratic.
    constexpr size_t kMaxCandidates = 32;
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return a.end - a.begin > b.end - b.begin;
    });
    if (groups_.size() > kMaxCandidates) groups_.resize(kMaxCandidates);
    return Vote();
  }

  const ScratchVector<Backward>& backwards() const { return backwards_; }
  // The forward operator that the number and the thread of `backward` name, or kNone.
  SliceIndex PartnerOf(const Backward& backward) {
    return Find(groups_[best_.at(backward.thread)], backward);
  }

 private:
  struct Forward {
    int64_t number;
    TrackIndex track;
    SliceIndex slice;
  };
  // Those of one thread, and where the search before ended.
  struct Group {
    size_t begin, end;
    size_t near;
  };
  // How many partners each group has, by the thread that backward names.
  using Votes = std::unordered_map<int64_t, std::vector<uint32_t>, NumberHash>;

  // PyTorch numbers threads itself (1, 2, ...): the thread that has most of a number's partners is
  // the one meant.
  bool Vote() {
    const size_t parts = PartsOf(backwards_.size());
    std::vector<Votes> votes(parts);
    RunParts(parts, backwards_.size(), [&](size_t part, size_t first, size_t last) {
      std::vector<Group> groups = groups_;
      for (size_t i = first; i < last; ++i) {
        if (m_.Stop(static_cast<uint32_t>(i))) return;
        auto& vote = votes[part][backwards_[i].thread];
        vote.resize(groups.size(), 0);
        for (size_t g = 0; g < groups.size(); ++g) {
          if (Find(groups[g], backwards_[i]) != kNone) ++vote[g];
        }
      }
    });
    for (size_t part = 1; part < parts; ++part) {
      for (const auto& [thread, vote] : votes[part]) {
        auto& sums = votes[0][thread];
        sums.resize(groups_.size(), 0);
        for (size_t g = 0; g < vote.size(); ++g) sums[g] += vote[g];
      }
    }
    for (const auto& [thread, vote] : votes[0]) {
      best_[thread] =
          static_cast<size_t>(std::max_element(vote.begin(), vote.end()) - vote.begin());
    }
    return !m_.cancel_.cancelled();
  }

  // The last forward op on the group's thread with this number that had ended before `backward`.
  SliceIndex Find(Group& group, const Backward& backward) const {
    const auto at = [&](size_t i) { return forwards_.begin() + static_cast<ptrdiff_t>(i); };
    const auto begin = at(group.begin);
    const int64_t number = backward.number;
    const Ns start = s_.start(backward.slice);
    // Backward goes through the numbers of forward in turn.
    auto after = PartitionPointNear(begin, at(group.end), at(group.near), [&](const Forward& e) {
      return e.number != number ? e.number < number : s_.start(e.slice) <= start;
    });
    group.near = static_cast<size_t>(after - forwards_.begin());
    // Ops of one number nest a few deep; a hostile file may repeat it, so the way back is bounded.
    for (int tries = 0; tries < 16 && after != begin; ++tries) {
      --after;
      if (after->number != number) break;
      if (!m_.Encloses(after->slice, backward.slice)) return after->slice;
    }
    return kNone;
  }

  const ModelBuilder& m_;
  const TraceStore& s_;
  ScratchVector<Forward> forwards_;
  ScratchVector<Backward> backwards_;
  std::vector<Group> groups_;  // one per forward thread
  std::unordered_map<int64_t, size_t, NumberHash> best_;
};

bool ModelBuilder::PairForward() {
  Model& m = *model_;
  m.forward.assign(all_, kNone);
  is_backward_.assign(n_, false);
  is_node_.assign(n_, false);
  node_.emplace(m.is_op, kNone);
  std::vector<uint8_t> node_name(s_.strings().size(),
                                 0xff);  // bit 0: evaluate_function, bit 1: backward
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    if (!m.IsOp(i)) continue;
    const StringId name = s_.name_id(i);
    if (node_name[name] == 0xff) {
      const std::string_view text = s_.strings().Get(name);
      node_name[name] =
          static_cast<uint8_t>((text.starts_with("autograd::engine::evaluate_function") ? 1 : 0) |
                               (IsBackwardName(text) ? 2 : 0));
    }
    is_node_[i] = (node_name[name] & 1) != 0;
    // Ops around it stand before it, so each chain of them is followed once, however deep.
    (*node_)[i] = is_node_[i] ? i : m.op[i] == kNone ? kNone : (*node_)[m.op[i]];
    is_backward_[i] = (node_name[name] & 2) != 0;
  }

  std::vector<bool> fresh(n_, false);  // records a sequence number of its own as a forward op
  if (!PairNodes(&fresh)) return false;

  // A gradient is accumulated right after the node that made it, on the same thread; its node has
  // no forward op of its own, so it goes with that one.
  TrackIndex track = kNone;
  SliceIndex last = kNone;
  for (SliceIndex i = 0; i < n_; ++i) {
    if (!is_node_[i]) continue;
    if (s_.track(i) != track) last = kNone;
    track = s_.track(i);
    if (m.forward[i] != kNone) {
      last = i;
    } else if (last != kNone && s_.name(i).ends_with("AccumulateGrad")) {
      m.forward[i] = m.forward[last];
    }
  }

  node_.reset();
  return AssignPasses({&is_node_, &is_backward_, &fresh}, cancel_, &m);
}

bool ModelBuilder::PairNodes(std::vector<bool>* fresh) {
  Model& m = *model_;
  Sequences sequences(*this);
  bool by_arrow = false, matched = false;
  RunAll(
      n_ >= kManyRows, [&] { matched = ReadSequences(&sequences, fresh) && sequences.Match(); },
      [&] { by_arrow = PairByArrow(); });
  if (!by_arrow || !matched) return false;
  for (size_t i = 0; i < sequences.backwards().size(); ++i) {
    if (Stop(static_cast<uint32_t>(i))) return false;
    const Sequences::Backward& backward = sequences.backwards()[i];
    const SliceIndex node = NodeOf(backward.slice);
    if (m.forward[node] != kNone) continue;
    const SliceIndex partner = sequences.PartnerOf(backward);
    if (partner != kNone && partner != node && !Encloses(node, partner)) m.forward[node] = partner;
  }
  return true;
}

bool ModelBuilder::PairByArrow() {
  Model& m = *model_;
  const auto& flows = s_.flows();
  SliceIndex from = kNone;
  uint64_t id = 0;
  for (size_t k = 0; k < flows.size(); ++k) {
    if (Stop(static_cast<uint32_t>(k))) return false;
    const FlowPoint& point = flows[k];
    if (point.role != FlowRole::kForward) continue;
    if (point.id != id) from = kNone;
    id = point.id;
    if (point.phase == FlowPhase::kStart) {
      from = OpAt(point.slice);
    } else if (from != kNone) {
      const SliceIndex to = OpAt(point.slice);
      if (to == kNone) continue;
      const SliceIndex node = NodeOf(to);
      if (node == from || Encloses(node, from)) continue;
      // Several arrows into one node: the forward op that starts last counts, in whatever order
      // the arrows come (B10).
      if (m.forward[node] == kNone || s_.start(m.forward[node]) < s_.start(from)) {
        m.forward[node] = from;
      }
    }
  }
  return true;
}

bool ModelBuilder::ReadSequences(Sequences* sequences, std::vector<bool>* fresh) {
  size_t named = 0;  // ops of backward, which name a forward thread
  for (size_t k = 0; k < numbers_.size(); ++k) named += numbers_[k].forward_thread > 0;
  sequences->Reserve(numbers_.size() - named, named);
  for (size_t k = 0; k < numbers_.size(); ++k) {
    if (Stop(static_cast<uint32_t>(k))) return false;
    const OpNumber number = numbers_[k];
    if (number.forward_thread > 0) {
      is_backward_[number.op] = true;
      sequences->AddBackward({number.forward_thread, number.sequence, number.op});
    } else if (!is_backward_[number.op]) {
      (*fresh)[number.op] = true;
      sequences->AddForward(number.sequence, number.op);
    }
  }
  numbers_.Free();
  return true;
}

}  // namespace emberline
