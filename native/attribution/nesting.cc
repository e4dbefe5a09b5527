// How the host work of each track lies inside each other; annotations lie across and are left out.
#include <algorithm>
#include <vector>

#include "analysis/host_nesting.h"
#include "attribution/stages.h"
#include "base/parallel.h"

namespace emberline {
namespace {

// The memory records of one track, in their order, next to its slices.
class MemoryRecords {
 public:
  MemoryRecords(Attributing& a, const std::vector<OpenHostWork::Slice>& open,
                const std::vector<uint32_t>& records)
      : a_(a), open_(open), records_(records) {}

  // Gives those before a time the slice in which they happened.
  void Until(Ns time, bool all = false) {
    for (; next_ < records_.size(); ++next_) {
      const Ns ts = a_.store.memory().At<&MemoryRecord::ts>(records_[next_]);
      if (!all && ts >= time) return;
      for (size_t k = open_.size(), look = OpenHostWork::kMaxLooked; k-- > 0 && look-- > 0;) {
        if (open_[k].end < ts) continue;
        a_.at.memory_slice[records_[next_]] = open_[k].index;
        break;
      }
    }
  }

 private:
  Attributing& a_;
  const std::vector<OpenHostWork::Slice>& open_;
  const std::vector<uint32_t>& records_;
  size_t next_ = 0;
};

// Nests the slices of one track, and gives those that were open when the recording began, perhaps.
std::vector<SliceIndex> NestTrack(Attributing& a, TrackIndex t,
                                  const std::vector<uint32_t>& memory) {
  const TraceStore& s = a.store;
  const Track& track = s.tracks()[t];
  OpenHostWork work;
  MemoryRecords records(a, work.open(), memory);
  std::vector<SliceIndex> cut;
  Ns end = 0;
  bool beginning = true;  // still inside the frames that were open when the recording began
  for (SliceIndex i = track.first; i < track.last; ++i) {
    if (a.Stop(i)) break;
    if (!a.Counted(i)) continue;
    const Ns start = s.start(i), duration = s.duration(i);
    end = std::max(end, start + duration);
    records.Until(start);
    a.parent[i] = work.Around(start, duration, [](const OpenHostWork::Slice&) {});
    beginning = beginning && a.IsFrame(i) &&
                (work.open().empty() || a.parent[i] == work.open().back().index);
    if (beginning) cut.push_back(i);
    work.Open(i, start, duration);
  }
  records.Until(0, true);
  a.track_end[t] = end;
  return cut;
}

}  // namespace

bool NestSlices(Attributing& a) {
  const TraceStore& s = a.store;
  std::vector<std::vector<uint32_t>> memory(s.tracks().size());
  for (uint32_t i = 0; i < s.memory().size(); ++i) {
    const TrackIndex track = s.memory().At<&MemoryRecord::track>(i);
    if (track != kNone) memory[track].push_back(i);
  }
  a.cut.assign(s.all_slice_count(), false);
  a.track_end.assign(s.tracks().size(), 0);
  a.parent.assign(s.all_slice_count(), kNone);
  std::vector<std::vector<SliceIndex>> cut(s.tracks().size());
  const bool many = s.all_slice_count() >= kManyRows;
  RunEach(many ? UsableCores() : 1, s.tracks().size(), [&](size_t t) {
    const TrackKind kind = s.tracks()[t].kind;
    if (kind == TrackKind::kHostThread || kind == TrackKind::kGraphCapture || !memory[t].empty())
      cut[t] = NestTrack(a, static_cast<TrackIndex>(t), memory[t]);
  });
  for (const std::vector<SliceIndex>& of_track : cut) {
    for (const SliceIndex i : of_track) a.cut[i] = true;
  }
  return !a.cancel.cancelled();
}

}  // namespace emberline
