// How the host work of each track lies inside each other; annotations lie across and are left out.
#include <algorithm>

#include "attribution/stages.h"

namespace emberline {
namespace {

// Against hostile files: slices that are looked through for the one that encloses another.
constexpr size_t kMaxLook = 256;

// The memory records of one track, in their order, next to its slices.
class MemoryRecords {
 public:
  MemoryRecords(Attributing& a, const std::vector<SliceIndex>& open,
                const std::vector<uint32_t>& records)
      : a_(a), open_(open), records_(records) {}

  // Gives those before a time the slice in which they happened.
  void Until(Ns time, bool all = false) {
    for (; next_ < records_.size(); ++next_) {
      const MemoryRecord& r = a_.store.memory()[records_[next_]];
      if (!all && r.ts >= time) return;
      for (size_t k = open_.size(), look = kMaxLook; k-- > 0 && look-- > 0;) {
        if (a_.store.end(open_[k]) < r.ts) continue;
        a_.at.memory_slice[records_[next_]] = open_[k];
        break;
      }
    }
  }

 private:
  Attributing& a_;
  const std::vector<SliceIndex>& open_;
  const std::vector<uint32_t>& records_;
  size_t next_ = 0;
};

}  // namespace

bool NestSlices(Attributing& a) {
  const TraceStore& s = a.store;
  std::vector<std::vector<uint32_t>> memory(s.tracks().size());
  for (uint32_t i = 0; i < s.memory().size(); ++i) {
    if (s.memory()[i].track != kNone) memory[s.memory()[i].track].push_back(i);
  }
  a.cut.assign(s.all_slice_count(), false);
  a.track_end.assign(s.tracks().size(), 0);
  HostNesting& nesting = a.nesting;
  HostNester nester(s, &nesting, false);  // whoever sums lines nests them again
  const std::vector<SliceIndex>& open = nester.open();
  for (TrackIndex t = 0; t < s.tracks().size(); ++t) {
    const Track& track = s.tracks()[t];
    const bool capture = track.kind == TrackKind::kGraphCapture;
    if (track.kind != TrackKind::kHostThread && !capture && memory[t].empty()) continue;
    nester.BeginTrack();
    MemoryRecords records(a, open, memory[t]);
    bool beginning = true;  // still inside the frames that were open when the recording began
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (a.Stop(i)) return false;
      if (!a.Counted(i)) continue;
      a.track_end[t] = std::max(a.track_end[t], s.end(i));
      records.Until(s.start(i));
      nester.Close(i);
      if (beginning) {
        const bool first = i == track.first || open.empty() || nesting.parent[i] == open.back();
        if (a.IsFrame(i) && first && (open.empty() || a.cut[open.back()]))
          a.cut[i] = true;
        else
          beginning = false;
        if (beginning && open.size() > 1 && nesting.parent[i] != open.back()) beginning = false;
      }
      nester.Open(i);
    }
    records.Until(0, true);
  }
  return true;
}

}  // namespace emberline
