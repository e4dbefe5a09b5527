// Which forward operator a backward one belongs to.
#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/hash.h"
#include "base/near.h"
#include "base/release.h"
#include "base/scratch_vector.h"
#include "base/sort_runs.h"
#include "model/host_place.h"
#include "model/model_builder.h"
#include "model/names.h"
#include "model/passes.h"

namespace emberline {

bool ModelBuilder::PairForward() {
  Model& m = *model_;
  m.forward.assign(all_, kNone);
  is_backward_.assign(n_, false);
  is_node_.assign(n_, false);
  node_.assign(n_, kNone);
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
    node_[i] = is_node_[i] ? i : m.op[i] == kNone ? kNone : node_[m.op[i]];
    is_backward_[i] = (node_name[name] & 2) != 0;
  }

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

  std::vector<bool> fresh(n_, false);  // records a sequence number of its own as a forward op
  if (!PairBySequence(&fresh)) return false;

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

  Release(node_);
  return AssignPasses({&is_node_, &is_backward_, &fresh}, cancel_, &m);
}

bool ModelBuilder::PairBySequence(std::vector<bool>* fresh) {
  Model& m = *model_;
  struct Entry {
    int64_t number;
    TrackIndex track;
    SliceIndex slice;
  };
  struct Backward {
    int64_t thread;
    int64_t number;
    SliceIndex slice;
  };
  ScratchVector<Entry> forwards;
  ScratchVector<Backward> backwards;
  size_t named = 0;  // ops of backward, which name a forward thread
  for (size_t k = 0; k < numbers_.size(); ++k) named += numbers_[k].forward_thread > 0;
  backwards.reserve(named);
  forwards.reserve(numbers_.size() - named);
  for (size_t k = 0; k < numbers_.size(); ++k) {
    const OpNumber& number = numbers_[k];
    if (number.forward_thread > 0) {
      is_backward_[number.op] = true;
      backwards.push_back({number.forward_thread, number.sequence, number.op});
    } else if (!is_backward_[number.op]) {
      (*fresh)[number.op] = true;
      forwards.push_back({number.sequence, s_.track(number.op), number.op});
    }
  }
  numbers_.Free();
  if (forwards.empty() || backwards.empty()) return true;
  SortRuns(std::span(forwards), [](const Entry& a, const Entry& b) {
    return a.track != b.track ? a.track < b.track : a.number < b.number;
  });
  struct Group {
    size_t begin, end;
    size_t near;  // where the search before ended
  };
  std::vector<Group> groups;  // one per forward thread
  for (size_t i = 0; i < forwards.size();) {
    size_t end = i;
    while (end < forwards.size() && forwards[end].track == forwards[i].track) ++end;
    groups.push_back({i, end, i});
    i = end;
  }
  // Only the busiest threads are candidates; more would make a hostile file quadratic.
  constexpr size_t kMaxCandidates = 32;
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  if (groups.size() > kMaxCandidates) groups.resize(kMaxCandidates);

  // The last forward op on the group's thread with this number that had ended before `backward`.
  auto find = [&](Group& group, int64_t number, SliceIndex backward) -> SliceIndex {
    const auto at = [&](size_t i) { return forwards.begin() + static_cast<ptrdiff_t>(i); };
    const auto begin = at(group.begin);
    const Ns start = s_.start(backward);
    // Backward goes through the numbers of forward in turn.
    auto after = PartitionPointNear(begin, at(group.end), at(group.near), [&](const Entry& e) {
      return e.number != number ? e.number < number : s_.start(e.slice) <= start;
    });
    group.near = static_cast<size_t>(after - forwards.begin());
    // Ops of one number nest a few deep; a hostile file may repeat it, so the way back is
    // bounded.
    for (int tries = 0; tries < 16 && after != begin; ++tries) {
      --after;
      if (after->number != number) break;
      if (!Encloses(after->slice, backward)) return after->slice;
    }
    return kNone;
  };

  // PyTorch numbers threads itself (1, 2, ...): the thread that has most of a number's partners
  // is the one meant.
  std::unordered_map<int64_t, std::vector<uint32_t>, NumberHash> votes;
  for (size_t i = 0; i < backwards.size(); ++i) {
    if (Stop(static_cast<uint32_t>(i))) return false;
    auto& vote = votes[backwards[i].thread];
    vote.resize(groups.size(), 0);
    for (size_t g = 0; g < groups.size(); ++g) {
      if (find(groups[g], backwards[i].number, backwards[i].slice) != kNone) ++vote[g];
    }
  }
  std::unordered_map<int64_t, size_t, NumberHash> best;
  for (const auto& [thread, vote] : votes) {
    best[thread] = static_cast<size_t>(std::max_element(vote.begin(), vote.end()) - vote.begin());
  }
  for (size_t i = 0; i < backwards.size(); ++i) {
    if (Stop(static_cast<uint32_t>(i))) return false;
    const Backward& b = backwards[i];
    const SliceIndex node = NodeOf(b.slice);
    if (m.forward[node] != kNone) continue;
    const SliceIndex partner = find(groups[best[b.thread]], b.number, b.slice);
    if (partner != kNone && partner != node && !Encloses(node, partner)) m.forward[node] = partner;
  }
  return true;
}

}  // namespace emberline
