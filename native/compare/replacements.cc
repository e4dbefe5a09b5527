#include "compare/replacements.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <unordered_map>

#include "analysis/operators.h"
#include "base/byte_size.h"
#include "base/text.h"

namespace emberline {
namespace {

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
  // Another batch shows in more than one of so many operators. In fewer it is the size of something
  // else: the rows of one table, say.
  static constexpr size_t kBatchShare = 20;

 public:
  BatchVotes(const ComparedSide& baseline, const ComparedSide& candidate)
      : baseline_(baseline), candidate_(candidate) {}
  // Of a matched pair of nodes.
  void Add(uint32_t left, uint32_t right) {
    if (baseline_.tree.KindOf(left) != StepNodeKind::kOperator) return;
    ++operators_;
    if (baseline_.tree.LabelOf(left).detail == candidate_.tree.LabelOf(right).detail) return;
    const std::pair sizes(baseline_.FirstDimensionOf(left), candidate_.FirstDimensionOf(right));
    if (sizes.first <= 1 || sizes.second <= 1 || sizes.first == sizes.second) return;
    ++votes_[sizes];
    ++all_;
  }
  std::optional<BatchSizes> Most() const {
    for (const auto& [sizes, count] : votes_) {
      if (2 * count > all_ && count >= 4 && kBatchShare * count > operators_)
        return BatchSizes{sizes.first, sizes.second};
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
  size_t all_ = 0, operators_ = 0;
};

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

// Each node once: what was found first stays.
void SortByNode(std::vector<ElsewhereNode>* nodes) {
  std::stable_sort(nodes->begin(), nodes->end(),
                   [](const ElsewhereNode& a, const ElsewhereNode& b) { return a.node < b.node; });
  nodes->erase(
      std::unique(nodes->begin(), nodes->end(),
                  [](const ElsewhereNode& a, const ElsewhereNode& b) { return a.node == b.node; }),
      nodes->end());
  nodes->shrink_to_fit();
}

}  // namespace

size_t Replacements::MemoryBytes() const {
  size_t bytes = HeapBytesOf(nodes_gone, nodes_came, elsewhere_gone, elsewhere_came);
  for (const auto* names : {&gone, &came, &kernels_gone, &kernels_came}) {
    for (const std::string& name : *names) bytes += 64 + name.capacity();
  }
  for (const std::string& text : elsewhere_texts) bytes += sizeof(std::string) + text.capacity();
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
    if (cancel.cancelled()) return Cancelled();
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
  ElsewhereTexts texts;
  const FoundSide before{
      baseline, &gone, &found.gone, &found.kernels_gone, &found.nodes_gone, &found.elsewhere_gone,
      &texts};
  const FoundSide after{
      candidate, &came, &found.came, &found.kernels_came, &found.nodes_came, &found.elsewhere_came,
      &texts};
  FusedElsewhere there(before, only_before, after, only_after);
  FusedElsewhere back(after, only_after, before, only_before);
  there.Find();
  back.Find();
  there.NoteAll();
  back.NoteAll();
  found.nodes_gone.shrink_to_fit();
  found.nodes_came.shrink_to_fit();
  SortByNode(&found.elsewhere_gone);
  SortByNode(&found.elsewhere_came);
  found.elsewhere_texts = texts.values();
  found.changes = sums.Take();
  found.batch = votes.Most();
  return found;
}

const std::string* ElsewhereOf(const Replacements& found, bool baseline, uint32_t node) {
  const std::vector<ElsewhereNode>& nodes = baseline ? found.elsewhere_gone : found.elsewhere_came;
  const auto at =
      std::lower_bound(nodes.begin(), nodes.end(), node,
                       [](const ElsewhereNode& one, uint32_t wanted) { return one.node < wanted; });
  return at != nodes.end() && at->node == node ? &found.elsewhere_texts[at->by] : nullptr;
}

const std::string* ElsewhereAround(const Replacements& found, bool baseline, const StepTree& tree,
                                   uint32_t outer, uint32_t node) {
  for (uint32_t i = node + 1; i > outer; --i) {
    if (tree.EndOf(i - 1) <= node) continue;
    if (const std::string* text = ElsewhereOf(found, baseline, i - 1)) return text;
  }
  return nullptr;
}

}  // namespace emberline
