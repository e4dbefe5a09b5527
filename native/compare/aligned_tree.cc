#include "compare/aligned_tree.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "analysis/operators.h"
#include "base/errors.h"
#include "base/text.h"
#include "compare/errors.h"

namespace emberline {
namespace {

std::vector<ElementLabel> LabelsOf(const StepTree& tree, const std::vector<uint32_t>& nodes) {
  std::vector<ElementLabel> labels;
  labels.reserve(nodes.size());
  for (const uint32_t node : nodes) labels.push_back(tree.LabelOf(node));
  return labels;
}

// What is left over between two matches: nodes of one side are new or gone, nodes of both stand in
// each other's place. Threads replace nothing.
void AddStretch(const StepTree& baseline, std::vector<uint32_t> left, const StepTree& candidate,
                std::vector<uint32_t> right, std::vector<AlignedItem>* items) {
  const auto apart = [&](const StepTree& tree, const std::vector<uint32_t>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      return tree.IsConcurrent(node) || tree.KindOf(node) == StepNodeKind::kStep;
    });
  };
  if (!left.empty() && !right.empty() && !apart(baseline, left) && !apart(candidate, right)) {
    items->push_back({CompareStatus::kReplaced, false, std::move(left), std::move(right)});
    return;
  }
  for (const uint32_t node : left) items->push_back({CompareStatus::kGone, false, {node}, {}});
  for (const uint32_t node : right) items->push_back({CompareStatus::kNew, false, {}, {node}});
}

// Pairs whose insides are alike that are looked into for the sizes of their batches.
constexpr size_t kAlikePairs = 20000;

// "32" of "[[32, 3, 64, 64], [8]]"; 0 where the first input has no dimension.
int64_t FirstDimension(std::string_view shapes) {
  const size_t at = shapes.find_first_not_of("[ ");
  int64_t number = 0;
  if (at == std::string_view::npos || at < 2) return 0;
  std::from_chars(shapes.data() + at, shapes.data() + shapes.size(), number);
  return number;
}

// Counts pairs of first dimensions of matched operators.
class BatchVotes {
 public:
  BatchVotes(const ComparedSide& baseline, const ComparedSide& candidate)
      : baseline_(baseline), candidate_(candidate) {}
  // Of a matched pair of nodes.
  void Add(uint32_t left, uint32_t right) {
    const StepNode &before = baseline_.tree.nodes[left], &after = candidate_.tree.nodes[right];
    if (baseline_.tree.KindOf(left) != StepNodeKind::kOperator ||
        baseline_.tree.LabelOf(left).detail == candidate_.tree.LabelOf(right).detail) {
      return;
    }
    const std::pair sizes(baseline_.FirstDimensionOf(before), candidate_.FirstDimensionOf(after));
    if (sizes.first <= 1 || sizes.second <= 1 || sizes.first == sizes.second) return;
    ++votes_[sizes];
    ++all_;
  }
  std::optional<BatchSizes> Most() const {
    for (const auto& [sizes, count] : votes_) {
      if (2 * count > all_ && count >= 4) return BatchSizes{sizes.first, sizes.second};
    }
    return std::nullopt;
  }

 private:
  struct Side {
    explicit Side(const ComparedSide& side)
        : tree(*side.tree), strings(side.model->store().strings()), shapes(side.model->store()) {}
    int64_t FirstDimensionOf(const StepNode& op) const {
      return FirstDimension(strings.Get(shapes.Of(op.slice)));
    }
    const StepTree& tree;
    const StringPool& strings;
    const RecordedShapesOf shapes;
  };

  const Side baseline_, candidate_;
  std::map<std::pair<int64_t, int64_t>, size_t> votes_;
  size_t all_ = 0;
};

// Names of the operators in `nodes`.
void NoteOperators(const ComparedSide& side, const std::vector<uint32_t>& nodes,
                   std::unordered_set<std::string>* names) {
  for (const uint32_t node : nodes) {
    const uint32_t end = side.tree->EndOf(node);
    for (uint32_t inside = node; inside < end; ++inside) {
      if (side.tree->KindOf(inside) != StepNodeKind::kOperator) continue;
      names->insert(StepNodeName(*side.model, *side.tree, inside));
    }
  }
}

bool IsModule(const ComparedSide& side, const std::vector<uint32_t>& nodes) {
  return nodes.size() == 1 && side.tree->KindOf(nodes[0]) == StepNodeKind::kModule;
}

// Sums what the two structures differ in.
class ChangeSums {
 public:
  ChangeSums(const ComparedSide& baseline, const ComparedSide& candidate)
      : baseline_(baseline), candidate_(candidate) {}

  void Add(const AlignedItem& item) {
    if (changes_.size() >= kMostChanges) return;
    std::string gone = NamesOf(baseline_, item.baseline);
    std::string came = NamesOf(candidate_, item.candidate);
    const auto [at, added] = place_.try_emplace(gone + '\n' + came, changes_.size());
    if (added) changes_.push_back({item.status, std::move(gone), std::move(came)});
    StructuralChange& change = changes_[at->second];
    for (const uint32_t node : item.baseline) {
      change.host_before += baseline_.tree->HostOf(*baseline_.model, node);
      change.device_before += baseline_.tree->DeviceOf(node);
    }
    for (const uint32_t node : item.candidate) {
      change.host_after += candidate_.tree->HostOf(*candidate_.model, node);
      change.device_after += candidate_.tree->DeviceOf(node);
    }
  }
  std::vector<StructuralChange> Take() { return std::move(changes_); }

 private:
  // Two traces with nothing in common differ everywhere; no one reads that.
  static constexpr size_t kMostChanges = 4096;
  static constexpr size_t kMostNames = 3, kMostName = 120;

  static std::string NamesOf(const ComparedSide& side, const std::vector<uint32_t>& nodes) {
    std::string text;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (i == kMostNames) return text + " + " + std::to_string(nodes.size() - i) + " more";
      text += (i > 0 ? " + " : "") +
              Shortened(StepNodeName(*side.model, *side.tree, nodes[i]), kMostName);
    }
    return text;
  }

  const ComparedSide baseline_, candidate_;
  std::unordered_map<std::string, size_t> place_;
  std::vector<StructuralChange> changes_;
};

// Collects names of the device work that was launched in nodes of one side.
class LaunchedNames {
 public:
  explicit LaunchedNames(const ComparedSide& side)
      : side_(side), left_(kTimesLooked * side.model->launched.rows()) {}

  // Of what an operator launched itself, not in the operators inside of it.
  void NoteOwn(uint32_t node, std::unordered_set<std::string>* names) {
    const TraceStore& s = side_.model->store();
    const StepTree& tree = *side_.tree;
    const SliceIndex slice = tree.nodes[node].slice;
    const SliceIndex last =
        std::min<SliceIndex>(s.tracks()[s.track(slice)].last, side_.model->launched.rows());
    SliceIndex at = slice;
    const auto note_until = [&](SliceIndex end) {
      for (; at < std::min(end, last) && left_ > 0; ++at, --left_) {
        for (const uint32_t work : side_.model->launched[at]) names->emplace(s.name(work));
      }
    };
    for (const uint32_t child : tree.ChildrenOf(node)) {
      const SliceIndex inside = tree.nodes[child].slice;
      note_until(inside);
      at = std::max(at, EndOfInside(s, inside, last));
    }
    note_until(EndOfInside(s, slice, last));
  }

  void Note(const std::vector<uint32_t>& nodes, std::unordered_set<std::string>* names) {
    const TraceStore& s = side_.model->store();
    for (const uint32_t node : nodes) {
      const SliceIndex slice = side_.tree->nodes[node].slice;
      if (slice == kNone) continue;
      // What a slice encloses stands right behind it, outer before inner.
      const SliceIndex last =
          std::min<SliceIndex>(s.tracks()[s.track(slice)].last, side_.model->launched.rows());
      const auto encloses = [&](SliceIndex i) {
        return s.parent(i) != kNone && s.parent(i) >= slice;
      };
      for (SliceIndex i = slice; i < last && (i == slice || encloses(i)); ++i) {
        if (left_ == 0) return;
        --left_;
        for (const uint32_t work : side_.model->launched[i]) names->emplace(s.name(work));
      }
    }
  }

 private:
  // Nodes seldom enclose each other; where a hostile file makes thousands do so, no more is looked
  // at than this many times all slices.
  static constexpr uint64_t kTimesLooked = 4;

  const ComparedSide& side_;
  uint64_t left_;
};

}  // namespace

const char* CompareStatusName(CompareStatus status) {
  switch (status) {
    case CompareStatus::kBoth:
      return "both";
    case CompareStatus::kNew:
      return "new";
    case CompareStatus::kGone:
      return "gone";
    case CompareStatus::kReplaced:
      return "replaced";
  }
  return "both";
}

std::vector<AlignedItem> AlignChildren(const StepTree& baseline, uint32_t baseline_node,
                                       const StepTree& candidate, uint32_t candidate_node) {
  const std::vector<uint32_t> left = baseline.ChildrenOf(baseline_node);
  const std::vector<uint32_t> right = candidate.ChildrenOf(candidate_node);
  const std::vector<Match> matches =
      MatchSequences(LabelsOf(baseline, left), LabelsOf(candidate, right));
  std::vector<bool> moved_left(left.size(), false), moved_right(right.size(), false);
  for (const Match& match : matches) {
    if (match.moved) moved_left[match.baseline] = moved_right[match.candidate] = true;
  }
  std::vector<AlignedItem> items;
  uint32_t i = 0, j = 0;
  // What stands before the two positions and was matched by nobody.
  const auto stretch = [&](uint32_t i1, uint32_t j1) {
    std::vector<uint32_t> gone, came;
    for (; i < i1; ++i) {
      if (!moved_left[i]) gone.push_back(left[i]);
    }
    for (; j < j1; ++j) {
      if (!moved_right[j]) came.push_back(right[j]);
    }
    AddStretch(baseline, std::move(gone), candidate, std::move(came), &items);
  };
  for (const Match& match : matches) {
    if (match.moved) continue;
    stretch(match.baseline, match.candidate);
    items.push_back(
        {CompareStatus::kBoth, false, {left[match.baseline]}, {right[match.candidate]}});
    i = match.baseline + 1;
    j = match.candidate + 1;
  }
  stretch(static_cast<uint32_t>(left.size()), static_cast<uint32_t>(right.size()));
  for (const Match& match : matches) {
    if (!match.moved) continue;
    items.push_back({CompareStatus::kBoth, true, {left[match.baseline]}, {right[match.candidate]}});
  }
  return items;
}

Result<AlignedItem> ItemAt(const StepTree& baseline, const StepTree& candidate,
                           std::string_view path) {
  AlignedItem item{CompareStatus::kBoth, false, {0}, {0}};
  const Error missing = MakeError(errors::kNothingAtPath, {{"path", path}});
  for (std::string_view rest = path; !rest.empty();) {
    uint32_t position = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), position);
    if (fault != std::errc() || !IsPair(item)) return missing;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.starts_with('.')) rest.remove_prefix(1);
    std::vector<AlignedItem> items =
        AlignChildren(baseline, item.baseline[0], candidate, item.candidate[0]);
    if (position >= items.size()) return missing;
    item = std::move(items[position]);
  }
  return item;
}

size_t Replacements::MemoryBytes() const {
  size_t bytes = 0;
  for (const auto* names : {&gone, &came, &kernels_gone, &kernels_came}) {
    for (const std::string& name : *names) bytes += 64 + name.capacity();
  }
  for (const StructuralChange& change : changes) {
    bytes += sizeof(change) + change.gone.capacity() + change.came.capacity();
  }
  return bytes;
}

Result<Replacements> FindReplacements(const ComparedSide& baseline, const ComparedSide& candidate,
                                      const CancelToken& cancel) {
  Replacements found;
  BatchVotes votes(baseline, candidate);
  ChangeSums sums(baseline, candidate);
  LaunchedNames gone(baseline), came(candidate);
  std::vector<std::pair<uint32_t, uint32_t>> pairs = {{0, 0}};
  for (size_t at = 0; at < pairs.size(); ++at) {
    if (cancel.cancelled()) return MakeError(errors::kCancelled);
    const auto [left, right] = pairs[at];
    for (AlignedItem& item : AlignChildren(*baseline.tree, left, *candidate.tree, right)) {
      if (item.status == CompareStatus::kReplaced) {
        sums.Add(item);
        NoteOperators(baseline, item.baseline, &found.gone);
        NoteOperators(candidate, item.candidate, &found.came);
        gone.Note(item.baseline, &found.kernels_gone);
        came.Note(item.candidate, &found.kernels_came);
      } else if (IsPair(item)) {
        const uint32_t i = item.baseline[0], j = item.candidate[0];
        votes.Add(i, j);
        // Where the insides are alike there is nothing to find, only shapes and kernels to look at.
        const bool alike = baseline.tree->LabelOf(i).content == candidate.tree->LabelOf(j).content;
        if (alike && pairs.size() >= kAlikePairs) continue;
        pairs.emplace_back(i, j);
        if (baseline.tree->IsLeaf(i) && candidate.tree->IsLeaf(j)) {
          gone.Note(item.baseline, &found.kernels_gone);
          came.Note(item.candidate, &found.kernels_came);
        } else if (baseline.tree->KindOf(i) == StepNodeKind::kOperator) {
          // Another library's kernels for the same operator, beside what it calls on both sides.
          gone.NoteOwn(i, &found.kernels_gone);
          came.NoteOwn(j, &found.kernels_came);
        }
      } else if (IsModule(baseline, item.baseline) || IsModule(candidate, item.candidate)) {
        sums.Add(item);
      }
    }
  }
  found.changes = sums.Take();
  found.batch = votes.Most();
  return found;
}

}  // namespace emberline
