#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "compare/clocks.h"

namespace emberline {
namespace {

// The innermost node around a slice of a host thread, or of it; the root where none is.
uint32_t NodeAround(const ComparedSide& side, SliceIndex slice) {
  const TraceStore& s = side.model->store();
  uint32_t found = 0;
  for (uint32_t i = 1; i < side.tree->size(); ++i) {
    const SliceIndex at = side.tree->slices[i];
    // Of a thread, what is inside comes behind what is around it.
    if (at == kNone || at > slice || s.track(at) != s.track(slice)) continue;
    if (s.start(at) <= s.start(slice) && s.end(at) >= s.end(slice)) found = i;
  }
  return found;
}

// Where the two trees part on the way to `node`, or the node itself.
struct Way {
  CompareStatus status = CompareStatus::kBoth;
  uint32_t from = 0;         // the last node that the alignment reached
  std::vector<uint32_t> to;  // what it is on the other side
  std::string path;
};

Way WayTo(const ComparedSide& baseline, const ComparedSide& candidate, bool from_baseline,
          uint32_t node) {
  Way way;
  way.to = {0};
  while (way.from != node) {
    const std::vector<AlignedItem> items =
        from_baseline ? AlignChildren(*baseline.tree, way.from, *candidate.tree, way.to[0])
                      : AlignChildren(*baseline.tree, way.to[0], *candidate.tree, way.from);
    const StepTree& tree = from_baseline ? *baseline.tree : *candidate.tree;
    bool found = false;
    for (size_t position = 0; position < items.size() && !found; ++position) {
      const AlignedItem& item = items[position];
      for (const uint32_t own : from_baseline ? item.baseline : item.candidate) {
        if (node < own || node >= tree.EndOf(own)) continue;
        way.path += (way.path.empty() ? "" : ".") + std::to_string(position);
        way.from = own;
        way.to = from_baseline ? item.candidate : item.baseline;
        way.status = item.status;
        found = true;
        break;
      }
    }
    if (!found || way.status != CompareStatus::kBoth) break;
  }
  if (way.to.empty()) way.status = CompareStatus::kGone;
  return way;
}

// What a node holds besides other nodes: slices of its thread, or the device work launched inside.
std::vector<SliceIndex> SlicesIn(const Model& model, SliceIndex slice, bool device) {
  const TraceStore& s = model.store();
  std::vector<SliceIndex> inside;
  for (SliceIndex i = slice, end = EndOfInside(s, slice, s.tracks()[s.track(slice)].last); i < end;
       ++i) {
    if (!device) {
      inside.push_back(i);
    } else if (i < model.launched.rows()) {
      for (const uint32_t work : model.launched[i]) inside.push_back(work);
    }
  }
  return inside;
}

// Device work of one kind may be another kernel of the same operator; on the host names say what it
// is.
std::vector<ElementLabel> SliceLabels(const TraceStore& s, const std::vector<SliceIndex>& slices,
                                      bool device) {
  std::vector<ElementLabel> labels;
  labels.reserve(slices.size());
  for (const SliceIndex slice : slices) {
    const auto kind = static_cast<uint64_t>(s.kind(slice));
    const uint64_t name = StableHash(s.name(slice));
    labels.push_back(device ? ElementLabel{StableHash(kind, 1), name, 0}
                            : ElementLabel{StableHash(kind, name), 0, 0});
  }
  return labels;
}

// The counterpart of `slice` inside of two nodes that are one.
SliceIndex CounterpartIn(const Model& from, SliceIndex from_node, const Model& to,
                         SliceIndex to_node, SliceIndex slice, bool device) {
  const std::vector<SliceIndex> own = SlicesIn(from, from_node, device);
  const std::vector<SliceIndex> others = SlicesIn(to, to_node, device);
  const auto labels = SliceLabels(from.store(), own, device);
  for (const Match& match : MatchSequences(labels, SliceLabels(to.store(), others, device))) {
    if (own[match.baseline] == slice) return others[match.candidate];
  }
  return kNone;
}

}  // namespace

Result<SliceMatch> MatchSlice(const ComparedSide& baseline, const ComparedSide& candidate,
                              bool from_baseline, SliceIndex slice, const CancelToken& cancel) {
  const ComparedSide& from = from_baseline ? baseline : candidate;
  const ComparedSide& to = from_baseline ? candidate : baseline;
  const TraceStore& s = from.model->store();
  const bool device = s.tracks()[s.track(slice)].kind != TrackKind::kHostThread;
  const SliceIndex host = device ? from.model->launch[slice] : slice;
  SliceMatch match;
  if (host == kNone) return match;
  const uint32_t node = NodeAround(from, host);
  if (node == 0) return match;
  if (cancel.cancelled()) {
    return Cancelled();
  }
  const Way way = WayTo(baseline, candidate, from_baseline, node);
  match.path = way.path;
  match.status = way.status;
  if (way.to.empty()) {
    match.node = node;
    match.lacking = way.from;
    return match;
  }
  const SliceIndex own = from.tree->slices[way.from];
  const SliceIndex other = to.tree->slices[way.to[0]];
  match.slice = other;
  if (way.status == CompareStatus::kReplaced) {
    if (device && other != kNone) {
      const std::vector<SliceIndex> work = SlicesIn(*to.model, other, true);
      if (!work.empty()) match.slice = work.front();
    }
    return match;
  }
  if (host == own && !device) {
    if (other == kNone) match.status = CompareStatus::kGone;
    return match;
  }
  match.slice = own == kNone || other == kNone
                    ? kNone
                    : CounterpartIn(*from.model, own, *to.model, other, slice, device);
  if (match.slice == kNone) match.status = CompareStatus::kGone;
  return match;
}

}  // namespace emberline
