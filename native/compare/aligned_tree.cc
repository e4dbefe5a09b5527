#include "compare/aligned_tree.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <unordered_map>

#include "analysis/operators.h"
#include "base/errors.h"
#include "base/text.h"
#include "compare/errors.h"
#include "compare/fused_names.h"

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
    if (baseline_.tree.KindOf(left) != StepNodeKind::kOperator ||
        baseline_.tree.LabelOf(left).detail == candidate_.tree.LabelOf(right).detail) {
      return;
    }
    const std::pair sizes(baseline_.FirstDimensionOf(left), candidate_.FirstDimensionOf(right));
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
    int64_t FirstDimensionOf(uint32_t node) const {
      return FirstDimension(strings.Get(shapes.Of(tree.slices[node])));
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

void Append(const std::vector<uint32_t>& nodes, std::vector<uint32_t>* all) {
  all->insert(all->end(), nodes.begin(), nodes.end());
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
      change.device_before += baseline_.tree->DeviceOf(*baseline_.model, node);
    }
    for (const uint32_t node : item.candidate) {
      change.host_after += candidate_.tree->HostOf(*candidate_.model, node);
      change.device_after += candidate_.tree->DeviceOf(*candidate_.model, node);
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

using Names = std::vector<std::string_view>;

// Collects names of the device work that was launched in nodes of one side.
class LaunchedNames {
 public:
  explicit LaunchedNames(const ComparedSide& side)
      : side_(side), left_(kTimesLooked * side.model->launched.rows()) {}

  // Of what a node launched itself, not in the nodes inside of it. Each name once, in order.
  Names Own(uint32_t node) {
    const StepTree& tree = *side_.tree;
    const TraceStore& s = side_.model->store();
    const SliceIndex slice = tree.slices[node];
    Names names;
    if (slice == kNone) return names;
    const SliceIndex last = s.tracks()[s.track(slice)].last;
    SliceIndex at = slice;
    for (const uint32_t child : tree.ChildrenOf(node)) {
      const SliceIndex inside = tree.slices[child];
      // What ran on another thread meanwhile lies on another track.
      if (tree.IsConcurrent(child) || inside < at) continue;
      Look(at, inside, &names);
      at = EndOfInside(s, inside, last);
    }
    Look(at, EndOfInside(s, slice, last), &names);
    return Sorted(std::move(names));
  }
  // The same with the nodes inside of it.
  Names All(uint32_t node) {
    Names names;
    Look(node, &names);
    return Sorted(std::move(names));
  }

  // Of all that was launched in `nodes`.
  void Note(const std::vector<uint32_t>& nodes, std::unordered_set<std::string>* all) {
    Names names;
    for (const uint32_t node : nodes) Look(node, &names);
    for (const std::string_view name : names) all->emplace(name);
  }

 private:
  // Nodes seldom enclose each other; where a hostile file makes thousands do so, no more is looked
  // at than this many times all slices.
  static constexpr uint64_t kTimesLooked = 4;

  static Names Sorted(Names names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  void Look(uint32_t node, Names* names) {
    const TraceStore& s = side_.model->store();
    const SliceIndex slice = side_.tree->slices[node];
    // What a slice encloses stands right behind it.
    if (slice != kNone) Look(slice, EndOfInside(s, slice, s.tracks()[s.track(slice)].last), names);
  }
  void Look(SliceIndex first, SliceIndex end, Names* names) {
    const TraceStore& s = side_.model->store();
    end = std::min(end, static_cast<SliceIndex>(side_.model->launched.rows()));
    for (SliceIndex i = first; i < end && left_ > 0; ++i, --left_) {
      for (const uint32_t work : side_.model->launched[i]) names->push_back(s.name(work));
    }
  }

  const ComparedSide& side_;
  uint64_t left_;
};

// What two matched nodes launched that the other did not, where both did: another library's kernels
// for the same work. What only one launched more is new or gone.
void NoteOthers(const Names& before, const Names& after, Replacements* found) {
  Names gone, came;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(gone));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(came));
  if (gone.empty() || came.empty()) return;
  for (const std::string_view name : gone) found->kernels_gone.emplace(name);
  for (const std::string_view name : came) found->kernels_came.emplace(name);
}

// What one side has alone: nodes that stand in nobody's place.
struct Alone {
  std::vector<uint32_t> nodes;
  std::unordered_set<std::string> operators, kernels;  // names of what is inside of them

  void Take(const ComparedSide& side, const AlignedItem& item, LaunchedNames* launched) {
    const std::vector<uint32_t>& own = item.baseline.empty() ? item.candidate : item.baseline;
    if (side.tree->IsConcurrent(own[0]) || side.tree->KindOf(own[0]) == StepNodeKind::kStep) return;
    Append(own, &nodes);
    NoteOperators(side, own, &operators);
    launched->Note(own, &kernels);
  }
};

// One side of what FindReplacements finds.
struct FoundSide {
  const ComparedSide& side;
  LaunchedNames* launched;
  std::unordered_set<std::string>* operators;
  std::unordered_set<std::string>* kernels;
  std::vector<uint32_t>* nodes;
};

// Operators that only one side has, and that a fused one of the other is named after, stand in its
// place, wherever it stands: what is fused comes from several places.
class FusedElsewhere {
 public:
  FusedElsewhere(const FoundSide& from, const Alone& gone, const FoundSide& to, const Alone& came)
      : from_(from), gone_(gone), to_(to), came_(came) {}

  // What is fused; changes nothing, so that neither side is looked at first.
  void Find() {
    std::unordered_set<std::string> words;
    for (const std::string& name : gone_.operators) words.insert(OperatorWords(name));
    words.erase("");
    if (words.empty()) return;
    for (const auto* names : {to_.operators, to_.kernels}) {
      for (const std::string& name : *names) AddHeld(name, words, &held_);
    }
    for (const std::string& name : came_.operators) {
      if (AddHeld(name, words, &held_)) operators_.push_back(name);
    }
    for (const std::string& name : came_.kernels) {
      if (AddHeld(name, words, &held_)) kernels_.push_back(name);
    }
  }
  void NoteAll() {
    to_.operators->insert(operators_.begin(), operators_.end());
    to_.kernels->insert(kernels_.begin(), kernels_.end());
    if (held_.empty()) return;
    for (const uint32_t node : gone_.nodes) Note(node);
  }

 private:
  // The operators inside of `node` that are held, and the node itself where they are most of it.
  void Note(uint32_t node) {
    const StepTree& tree = *from_.side.tree;
    const Model& model = *from_.side.model;
    Ns host = 0, device = 0;
    std::vector<uint32_t> found;
    for (uint32_t i = node, end = tree.EndOf(node); i < end;) {
      if (!IsHeld(i)) {
        ++i;
        continue;
      }
      found.push_back(i);
      host += tree.HostOf(model, i);
      device += tree.DeviceOf(model, i);
      i = tree.EndOf(i);
    }
    if (found.empty()) return;
    const Ns all = tree.DeviceOf(model, node);
    const bool most = all > 0 ? 2 * device > all : 2 * host > tree.HostOf(model, node);
    if (most) found = {node};
    NoteOperators(from_.side, found, from_.operators);
    from_.launched->Note(found, from_.kernels);
    Append(found, from_.nodes);
  }

  bool IsHeld(uint32_t node) {
    const StepTree& tree = *from_.side.tree;
    if (tree.KindOf(node) != StepNodeKind::kOperator) return false;
    // Nodes of one label have one name.
    const auto [at, added] = known_.try_emplace(tree.LabelOf(node).name, false);
    if (added) {
      at->second = held_.contains(OperatorWords(StepNodeName(*from_.side.model, tree, node)));
    }
    return at->second;
  }

  const FoundSide& from_;
  const Alone& gone_;
  const FoundSide& to_;
  const Alone& came_;
  std::unordered_set<std::string> held_;
  std::vector<std::string> operators_, kernels_;  // fused ones that stand in nobody's place
  std::unordered_map<uint64_t, bool> known_;
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
  size_t bytes = HeapBytesOf(nodes_gone, nodes_came);
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
  Alone only_before, only_after;
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
        Append(item.baseline, &found.nodes_gone);
        Append(item.candidate, &found.nodes_came);
      } else if (IsPair(item)) {
        const uint32_t i = item.baseline[0], j = item.candidate[0];
        votes.Add(i, j);
        // Where the insides are alike there is nothing to find, only shapes and kernels to look at.
        const bool alike = baseline.tree->LabelOf(i).content == candidate.tree->LabelOf(j).content;
        if (alike && pairs.size() >= kAlikePairs) continue;
        pairs.emplace_back(i, j);
        // A leaf stands against all that the other has inside.
        const bool whole = baseline.tree->IsLeaf(i) || candidate.tree->IsLeaf(j);
        NoteOthers(whole ? gone.All(i) : gone.Own(i), whole ? came.All(j) : came.Own(j), &found);
      } else {
        const bool left_alone = !item.baseline.empty();
        (left_alone ? only_before : only_after)
            .Take(left_alone ? baseline : candidate, item, left_alone ? &gone : &came);
        if (IsModule(baseline, item.baseline) || IsModule(candidate, item.candidate)) {
          sums.Add(item);
        }
      }
    }
  }
  const FoundSide before{baseline, &gone, &found.gone, &found.kernels_gone, &found.nodes_gone};
  const FoundSide after{candidate, &came, &found.came, &found.kernels_came, &found.nodes_came};
  FusedElsewhere there(before, only_before, after, only_after);
  FusedElsewhere back(after, only_after, before, only_before);
  there.Find();
  back.Find();
  there.NoteAll();
  back.NoteAll();
  found.nodes_gone.shrink_to_fit();
  found.nodes_came.shrink_to_fit();
  found.changes = sums.Take();
  found.batch = votes.Most();
  return found;
}

}  // namespace emberline
