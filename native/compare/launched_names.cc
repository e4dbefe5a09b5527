#include "compare/launched_names.h"

#include <algorithm>

namespace emberline {
namespace {

Names Sorted(Names names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Names LaunchedNames::Own(uint32_t node) {
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

Names LaunchedNames::All(uint32_t node) {
  Names names;
  Look(node, &names);
  return Sorted(std::move(names));
}

void LaunchedNames::Note(const std::vector<uint32_t>& nodes, std::unordered_set<std::string>* all) {
  Names names;
  for (const uint32_t node : nodes) Look(node, &names);
  for (const std::string_view name : names) all->emplace(name);
}

void LaunchedNames::Look(uint32_t node, Names* names) {
  const TraceStore& s = side_.model->store();
  const SliceIndex slice = side_.tree->slices[node];
  // What a slice encloses stands right behind it.
  if (slice != kNone) Look(slice, EndOfInside(s, slice, s.tracks()[s.track(slice)].last), names);
}

void LaunchedNames::Look(SliceIndex first, SliceIndex end, Names* names) {
  const TraceStore& s = side_.model->store();
  end = std::min(end, static_cast<SliceIndex>(side_.model->launched.rows()));
  for (SliceIndex i = first; i < end && left_ > 0; ++i, --left_) {
    for (const uint32_t work : side_.model->launched[i]) names->push_back(s.name(work));
  }
}

}  // namespace emberline
