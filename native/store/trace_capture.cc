// Graph captures of other traces, added behind the slices of a store.
#include <algorithm>
#include <cassert>
#include <limits>

#include "store/trace_store.h"

namespace emberline {
namespace {

constexpr size_t kMaxNumbered = std::numeric_limits<uint16_t>::max();

uint16_t CategoryOf(std::vector<CategoryInfo>& categories, StringId raw, SliceKind kind) {
  for (size_t c = 0; c < categories.size(); ++c) {
    if (categories[c].raw == raw && categories[c].kind == kind) return static_cast<uint16_t>(c);
  }
  if (categories.size() >= kMaxNumbered) return static_cast<uint16_t>(categories.size() - 1);
  categories.push_back({raw, kind});
  return static_cast<uint16_t>(categories.size() - 1);
}

}  // namespace

StringId TraceStore::KeyFor(ArgRole role) {
  if (HasArg(role)) return ArgKeysOf(role)[0];
  const auto named = std::find_if(arg_names_.begin(), arg_names_.end(),
                                  [&](const auto& name) { return name.first == role; });
  assert(named != arg_names_.end());
  const StringId key = strings_.Intern(named->second);
  FindArgKeys();
  return key;
}

void TraceStore::AddCapture(const CapturedTree& tree,
                            const std::vector<std::pair<SliceIndex, uint32_t>>& work) {
  const SliceIndex first = all_slice_count();
  std::vector<Ns> starts, durations;
  std::vector<StringId> names;
  std::vector<uint16_t> categories, depths;
  std::vector<TrackIndex> tracks;
  std::vector<SliceIndex> parents;
  std::vector<uint64_t> handles;
  for (size_t k = 0; k < tree.slices.size(); ++k) {
    const CapturedTree::Slice& slice = tree.slices[k];
    if (k == 0 || slice.thread != tree.slices[k - 1].thread) {
      Track track;
      track.kind = TrackKind::kGraphCapture;
      track.first = first + static_cast<SliceIndex>(k);
      tracks_.push_back(track);
    }
    Track& track = tracks_.back();
    starts.push_back(slice.start);
    durations.push_back(slice.duration);
    names.push_back(strings_.Intern(slice.name));
    categories.push_back(CategoryOf(categories_, strings_.Intern(slice.category), slice.kind));
    tracks.push_back(static_cast<TrackIndex>(tracks_.size() - 1));
    parents.push_back(slice.parent == kNone ? kNone : first + slice.parent);
    const uint32_t depth = slice.parent == kNone ? 0 : depths[slice.parent] + 1u;
    depths.push_back(
        static_cast<uint16_t>(std::min<uint32_t>(depth, std::numeric_limits<uint16_t>::max())));
    std::vector<ArgItem> items;
    for (const CapturedTree::Arg& arg : slice.args) {
      ArgItem item;
      item.key = KeyFor(arg.role);
      item.type = arg.json ? ArgType::kJson : ArgType::kText;
      item.text = strings_.Intern(arg.text);
      items.push_back(item);
    }
    handles.push_back(arg_table_.Add(items.data(), items.size()));
    track.last = first + static_cast<SliceIndex>(k) + 1;
    track.max_depth = std::max(track.max_depth, depths.back());
  }
  start_.Append(starts);
  duration_.Append(durations);
  name_.Append(names);
  category_.Append(categories);
  track_.Append(tracks);
  parent_.Append(parents);
  depth_.Append(depths);
  event_index_.Append(std::vector<uint32_t>(starts.size(), kNone));
  args_.Append(handles);
  captured_slices_ += static_cast<uint32_t>(tree.slices.size());
  for (const auto& [slice, node] : work) {
    captured_work_.push_back({slice, first + tree.calls[node]});
  }
  std::sort(captured_work_.begin(), captured_work_.end());
  arg_table_.Freeze();
}

}  // namespace emberline
