#include "compare/aligned_tree.h"

#include <algorithm>
#include <charconv>

#include "base/errors.h"
#include "compare/errors.h"

namespace emberline {
namespace {

std::vector<ElementLabel> NodeLabels(const StepTree& tree, const std::vector<uint32_t>& nodes) {
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
      MatchSequences(NodeLabels(baseline, left), NodeLabels(candidate, right));
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

}  // namespace emberline
