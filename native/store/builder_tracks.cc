// Tracks of a trace, when all its rows are known: what they are, their order, whose they are.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/case.h"
#include "store/builder.h"

namespace emberline {
namespace {

// Number at the end of a text such as "[TP00] 3", or -1.
int64_t TrailingNumber(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  int64_t value = -1;
  std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return value;
}

// Stream number of a device row: its tid, or the number in "stream 7 annotations".
int64_t StreamOf(const RecordedId& tid, const StringPool& strings) {
  if (!tid.is_text) return tid.number;
  const std::string_view text = strings.Get(tid.text);
  if (!EqualsLower(text.substr(0, 7), "stream ")) return -1;
  int64_t value = -1;
  std::from_chars(text.data() + 7, text.data() + text.size(), value);
  return value;
}

TrackKind KindOf(Domain domain) {
  switch (domain) {
    case Domain::kHost:
      return TrackKind::kHostThread;
    case Domain::kDevice:
      return TrackKind::kDeviceStream;
    case Domain::kOverhead:
      return TrackKind::kOverhead;
    case Domain::kSpan:
      return TrackKind::kSpan;
    case Domain::kUnknown:
      return TrackKind::kOther;
    case Domain::kAsync:
      return TrackKind::kAsync;
  }
  return TrackKind::kOther;
}

}  // namespace

// Tracks of unknown domain join the track of the same thread whose domain is known; otherwise the
// process decides, by its other tracks and its label.
void TraceBuilder::SettleDomains() {
  for (ThreadInfo& thread : threads_) {
    const TrackIndex unknown = thread.tracks[static_cast<int>(Domain::kUnknown)];
    if (unknown == kNone) continue;
    const bool on_host = thread.tracks[static_cast<int>(Domain::kHost)] != kNone;
    const bool on_device = thread.tracks[static_cast<int>(Domain::kDevice)] != kNone;
    const ProcessInfo& process = processes_[thread.key.pid];
    Domain domain = RoleOf(thread.key.pid).domain;
    if (domain != Domain::kUnknown) {
      // Its name told.
    } else if (on_host != on_device) {
      domain = on_host ? Domain::kHost : Domain::kDevice;
    } else if (process.has_host_track != process.has_device_track) {
      domain = process.has_host_track ? Domain::kHost : Domain::kDevice;
    } else if (process.device_labels != 0 && process.host_labels == 0) {
      domain = Domain::kDevice;
    } else if (thread.tracks[static_cast<int>(Domain::kSpan)] != kNone) {
      domain = Domain::kSpan;
    } else if (!thread.key.pid.is_text || on_host) {
      domain = Domain::kHost;
    }
    provisional_[unknown].domain = domain;
  }
}

// Makes the final tracks, sorted for display: host, device, overhead, spans, others; within these
// by the recorder's sort indexes, then by ids.
void TraceBuilder::MakeTracks() {
  auto& tracks = store_->tracks_;
  const StringPool& pool = store_->strings_;
  tracks.reserve(provisional_.size());
  for (ThreadInfo& thread : threads_) {
    for (const TrackIndex p : thread.tracks) {
      if (p == kNone) continue;
      ProvisionalTrack& provisional = provisional_[p];
      const Domain domain = provisional.domain;
      // A settled track joins the one that its thread already has in the domain.
      TrackIndex& own = thread.tracks[static_cast<int>(domain)];
      if (own != p && own != kNone && provisional_[own].final != kNone) {
        provisional.final = provisional_[own].final;
        continue;
      }
      Track track;
      track.kind = KindOf(domain);
      track.pid = thread.key.pid;
      track.tid = thread.key.tid;
      const ProcessInfo& process = processes_[track.pid];
      const bool on_device = domain == Domain::kDevice;
      if (on_device) {
        track.device =
            track.pid.is_text ? TrailingNumber(pool.Get(track.pid.text)) : track.pid.number;
        const ProcessRole role = RoleOf(track.pid);
        if (role.device >= 0) track.device = role.device;
        if (role.layer) {
          track.layer = process.name;
        } else {
          track.stream = StreamOf(track.tid, pool);
        }
      }
      track.process_name = process.name;
      const StringId preferred = on_device ? process.device_labels : process.host_labels;
      const StringId other = on_device ? process.host_labels : process.device_labels;
      track.process_labels = preferred != 0 ? preferred : other;
      const bool device_sort =
          on_device ? process.device_seen : process.device_seen && !process.host_seen;
      track.process_sort_index = device_sort ? process.device_sort_index : process.host_sort_index;
      const StringId name = on_device ? thread.device_name : thread.host_name;
      track.thread_name = name != 0 ? name : on_device ? thread.host_name : thread.device_name;
      track.thread_sort_index = thread.sort_index;
      provisional.final = static_cast<TrackIndex>(tracks.size());
      own = p;
      tracks.push_back(track);
    }
  }
  std::vector<uint32_t> order(tracks.size());
  std::iota(order.begin(), order.end(), 0);
  const auto compare_ids = [&](const RecordedId& a, const RecordedId& b) {
    if (a.is_text != b.is_text) return a.is_text ? 1 : -1;
    if (a.is_text) {
      const int c = pool.Get(a.text).compare(pool.Get(b.text));
      return c < 0 ? -1 : c > 0 ? 1 : 0;
    }
    return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
  };
  std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    const Track& a = tracks[x];
    const Track& b = tracks[y];
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.process_sort_index != b.process_sort_index) {
      return a.process_sort_index < b.process_sort_index;
    }
    if (const int c = compare_ids(a.pid, b.pid)) return c < 0;
    if (a.thread_sort_index != b.thread_sort_index)
      return a.thread_sort_index < b.thread_sort_index;
    if (const int c = compare_ids(a.tid, b.tid)) return c < 0;
    return x < y;
  });
  std::vector<TrackIndex> rank(tracks.size());
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (ProvisionalTrack& p : provisional_) p.final = rank[p.final];
  // In place, cycle by cycle: there may be millions.
  for (uint32_t i = 0; i < rank.size(); ++i) {
    while (rank[i] != i) {
      std::swap(tracks[i], tracks[rank[i]]);
      std::swap(rank[i], rank[rank[i]]);
    }
  }
  PairThreads();
}

// Host rows that belong to the threads of another process point to these.
void TraceBuilder::PairThreads() {
  constexpr int kHost = static_cast<int>(Domain::kHost);
  if (roles_.empty()) return;
  for (const ThreadInfo& thread : threads_) {
    if (thread.tracks[kHost] == kNone) continue;
    const std::optional<RecordedId> owner = RoleOf(thread.key.pid).threads_of;
    if (!owner || *owner == thread.key.pid) continue;
    const ThreadKey key{*owner, thread.key.tid};
    const uint32_t found = thread_table_[ThreadSlot(key, HashKey(key))];
    if (found == kNone) continue;
    const TrackIndex same = threads_[found].tracks[kHost];
    if (same == kNone) continue;
    store_->tracks_[provisional_[thread.tracks[kHost]].final].same_thread =
        provisional_[same].final;
  }
}

}  // namespace emberline
