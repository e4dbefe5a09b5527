#include "analysis/timeline_window.h"

#include <algorithm>
#include <cmath>

namespace emberline {
namespace {

// Boxes of the row of steps, whose slices lie on other tracks.
std::vector<TimelineBox> StepBoxes(const Model& model, Interval window, Ns resolution) {
  std::vector<TimelineBox> boxes;
  for (const Step& step : model.steps) {
    if (step.host.end <= window.begin || step.host.begin >= window.end) continue;
    if (!boxes.empty() && step.host.end - boxes.back().start < resolution) {
      boxes.back().end = step.host.end;
      ++boxes.back().count;
      continue;
    }
    boxes.push_back({step.host.begin, step.host.end, 0, step.slice, 1});
  }
  return boxes;
}

std::vector<TimelineBox> BoxesOf(const Model& model, const TimelineRowLanes& item, Interval window,
                                 Ns resolution) {
  if (item.row->kind == TimelineRowKind::kSteps) {
    return StepBoxes(model, window, resolution);
  }
  std::vector<TimelineBox> boxes;
  if (item.lanes == nullptr) return boxes;
  const std::vector<TimelineLane>& lanes = item.lanes->lanes();
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane].Query(model.store(), window, resolution, static_cast<uint16_t>(lane), &boxes);
  }
  return boxes;
}

}  // namespace

uint64_t CountTouching(const Model& model, const TimelineRowLanes& item, Interval window) {
  if (item.row->kind == TimelineRowKind::kSteps) {
    return StepBoxes(model, window, 0).size();
  }
  return item.lanes == nullptr ? 0 : item.lanes->CountTouching(model.store(), window);
}

Result<TimelineBoxes> DrawRows(const Model& model, const std::vector<TimelineRowLanes>& rows,
                               Interval window, int64_t pixels, size_t most,
                               const CancelToken& cancel) {
  TimelineBoxes out;
  out.rows.resize(rows.size());
  out.resolution = std::max<Ns>(1, window.Length() / pixels);
  for (size_t coarser = 1;; out.resolution *= static_cast<Ns>(coarser)) {
    size_t total = 0, least = 0;  // one box of each lane is left at any resolution
    for (size_t r = 0; r < rows.size(); ++r) {
      std::vector<TimelineBox>& boxes = out.rows[r];
      boxes = BoxesOf(model, rows[r], window, out.resolution);
      total += boxes.size();
      for (size_t b = 0; b < boxes.size(); ++b) {
        least += b == 0 || boxes[b].lane != boxes[b - 1].lane;
      }
    }
    if (cancel.cancelled()) {
      return Cancelled();
    }
    if (total <= std::max(most, least) || out.resolution > window.Length() / 2) return out;
    // Half the pixels leave at least half as many boxes, so that the first step may be a large one.
    for (coarser = 2; total / (coarser * 2) >= most;) coarser *= 2;
  }
}

std::vector<TimelineMark> DrawInstants(const TraceStore& store, const TimelineRow& row,
                                       Interval window, Ns resolution, size_t most) {
  const Interval extent = store.extent();
  const auto at_ns = [&](uint32_t i) {
    return std::clamp(store.instants()[i].ts, extent.begin, extent.end);
  };
  const auto before = [&](uint32_t i, Ns ns) { return at_ns(i) < ns; };
  const auto first =
      std::lower_bound(row.instants.begin(), row.instants.end(), window.begin, before);
  const auto last = std::upper_bound(first, row.instants.end(), window.end,
                                     [&](Ns end, uint32_t i) { return end < at_ns(i); });
  std::vector<TimelineMark> marks;
  for (Ns pixel = std::max<Ns>(resolution, 1);; pixel *= 2) {
    marks.clear();
    for (auto at = first; at != last && marks.size() <= most;) {
      // The next mark begins a pixel later.
      const auto next = std::lower_bound(at, last, at_ns(*at) + pixel, before);
      marks.push_back({at_ns(*at), *at, static_cast<uint64_t>(next - at)});
      at = next;
    }
    if (marks.size() <= most || pixel > window.Length()) break;
  }
  return marks;
}

std::vector<double> SharesOf(const TimelineSeries& series, Interval window, int64_t parts) {
  const auto edge = [&](int64_t n) {
    return window.begin + static_cast<Ns>(static_cast<double>(window.Length()) *
                                          static_cast<double>(n) / static_cast<double>(parts));
  };
  std::vector<double> shares;
  for (int64_t part = 0; part < parts; ++part) {
    const double mean = std::clamp(series.Mean({edge(part), edge(part + 1)}), 0.0, 1.0);
    shares.push_back(mean > 0 ? std::max(1e-4, std::round(mean * 1e4) / 1e4) : 0.0);
  }
  return shares;
}

const char* InstantKindName(char scope) {
  switch (scope) {
    case 'N':
      return "objectCreated";
    case 'O':
      return "objectSnapshot";
    case 'D':
      return "objectDeleted";
    case 'v':
    case 'V':
      return "memoryDump";
    case 'P':
      return "sample";
    case 'c':
      return "clockSync";
    default:
      return "instant";
  }
}

InstantPlace PlaceOfInstant(const TimelineIndex& index, uint32_t instant) {
  for (const TimelineRow& row : index.rows) {
    const auto found = std::lower_bound(row.instants.begin(), row.instants.end(), instant);
    if (found == row.instants.end() || *found != instant) continue;
    InstantPlace place{&row};
    if (found != row.instants.begin()) place.previous = *(found - 1);
    if (found + 1 != row.instants.end()) place.next = *(found + 1);
    return place;
  }
  return {};
}

}  // namespace emberline
