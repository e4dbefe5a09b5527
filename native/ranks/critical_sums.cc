// What lies on the critical paths, summed, and what the steps would take without it.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"
#include "model/names.h"
#include "ranks/critical_path.h"
#include "ranks/digest_parts.h"
#include "ranks/what_if.h"

namespace emberline {
namespace {

constexpr size_t kMaxPathName = 200;
// Rows of a digest for each grouping; the rest is one row.
constexpr std::array<size_t, kPathGroupingCount> kKeptPathRows = {40, 24, 24, 24};
// Parts of the trace that are played at most, so that no trace takes long: of larger ones, fewer
// rows have an alternative.
constexpr size_t kMaxPlayed = 60'000'000;

// What a slice is called in each grouping: indexes of texts or parts; kNone where it has no place
// in it.
using Labels = std::array<uint32_t, kPathGroupingCount>;

class Labeler {
 public:
  Labeler(const Model& model, FrameFinder& frames)
      : m_(model), s_(model.store()), frames_(frames) {}

  Labels Of(PathKind kind, SliceIndex slice) {
    Labels labels;
    labels.fill(kNone);
    uint32_t name = Text("");
    int64_t ordinal = -1;
    if (slice != kNone) {
      const bool device = IsDeviceWork(s_.kind(slice));
      const SliceIndex op = device                        ? m_.SourceOp(slice)
                            : m_.IsOp(slice)              ? slice
                            : IsLaunchApi(s_.kind(slice)) ? m_.op[slice]
                                                          : kNone;
      const bool waits = !device && IsSynchronizingCall(s_.name(slice));
      name = NameOf(op != kNone && !waits ? op : slice);
      if (op != kNone) labels[kPathOperators] = NameOf(op);
      labels[kPathLines] = Text(PlaceOf(frames_, slice));
      if (device) {
        ordinal = s_.tracks()[s_.track(slice)].device;
        labels[kPathKernels] = PartId({PathKind{}, NameOf(slice), kNone, ordinal});
      }
    }
    labels[kPathParts] = PartId({kind, name, labels[kPathLines], ordinal});
    if (labels[kPathLines] == Text("")) labels[kPathLines] = kNone;
    return labels;
  }

  void Describe(int by, uint32_t label, PathDigest* row) const {
    if (label == kNone) return;
    if (by == kPathParts || by == kPathKernels) {
      if (by == kPathParts) row->kind = PathKindName(parts_[label].kind);
      row->name = texts_[parts_[label].name];
      row->ordinal = parts_[label].ordinal;
      if (parts_[label].place != kNone) row->place = texts_[parts_[label].place];
    } else {
      (by == kPathLines ? row->place : row->name) = texts_[label];
    }
  }

 private:
  struct Part {
    PathKind kind;
    uint32_t name, place;
    int64_t ordinal;
    auto operator<=>(const Part&) const = default;
  };
  uint32_t PartId(const Part& part) {
    const auto [it, added] = part_ids_.try_emplace(part, static_cast<uint32_t>(parts_.size()));
    if (added) parts_.push_back(part);
    return it->second;
  }
  uint32_t Text(const std::string& text) {
    const auto [it, added] = text_ids_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(text);
    return it->second;
  }
  uint32_t NameOf(SliceIndex slice) {
    const auto [it, added] = names_.try_emplace(s_.name_id(slice), kNone);
    if (added) {
      const std::string name = s_.kind(slice) == SliceKind::kPythonFunction
                                   ? ParseFrameName(s_.name(slice)).function
                                   : std::string(s_.name(slice));
      it->second = Text(Shortened(name, kMaxPathName));
    }
    return it->second;
  }

  const Model& m_;
  const TraceStore& s_;
  FrameFinder& frames_;
  std::map<std::string, uint32_t> text_ids_;
  std::vector<std::string> texts_;
  std::unordered_map<StringId, uint32_t, NumberHash> names_;
  std::map<Part, uint32_t> part_ids_;
  std::vector<Part> parts_;
};

struct PathSum {
  Ns time = 0, host = 0, device = 0;
  uint64_t count = 0;
  std::set<int64_t> ordinals;  // of the devices that ran
};

struct LabelledRow {
  uint32_t label = kNone;
  PathDigest row;
};

void AddSegment(const PathSegment& segment, const TraceStore& store, PathSum* sum) {
  const Ns time = segment.time.Length();
  sum->time += time;
  ++sum->count;
  switch (segment.kind) {
    case PathKind::kHost:
    case PathKind::kHostUnknown:
    case PathKind::kDataLoading:
      sum->host += time;
      break;
    case PathKind::kComputation:
    case PathKind::kCommunication:
    case PathKind::kCopy:
      sum->device += time;
      if (segment.slice != kNone) {
        sum->ordinals.insert(store.tracks()[store.track(segment.slice)].device);
      }
      break;
    default:
      break;
  }
}

// "0, 1"
std::string OrdinalsText(const std::set<int64_t>& ordinals) {
  std::string text;
  for (const int64_t ordinal : ordinals) {
    text += (text.empty() ? "" : ", ") + std::to_string(ordinal);
  }
  return text;
}

// The largest sums of a grouping; what is left of each kind is one row, so that the rows add up to
// the steps.
std::vector<LabelledRow> RowsOf(const Labeler& labeler, int by,
                                const std::map<uint32_t, PathSum>& sums, Ns whole) {
  std::vector<LabelledRow> rows;
  for (const auto& [label, sum] : sums) {
    LabelledRow one{label, {}};
    one.row.by = static_cast<uint8_t>(by);
    one.row.count = sum.count;
    one.row.time = sum.time;
    one.row.host = sum.host;
    one.row.device = sum.device;
    one.row.whole = whole;
    if (by == kPathOperators || by == kPathLines) one.row.devices = OrdinalsText(sum.ordinals);
    labeler.Describe(by, label, &one.row);
    rows.push_back(std::move(one));
  }
  std::sort(rows.begin(), rows.end(), [](const LabelledRow& a, const LabelledRow& b) {
    return std::tie(b.row.time, a.row.kind, a.row.name, a.row.place, a.row.ordinal) <
           std::tie(a.row.time, b.row.kind, b.row.name, b.row.place, b.row.ordinal);
  });
  std::map<std::string, LabelledRow> rest;
  for (; rows.size() > kKeptPathRows[by]; rows.pop_back()) {
    const PathDigest& small = rows.back().row;
    PathDigest& sum = rest[small.kind].row;
    sum.by = small.by;
    sum.kind = small.kind;
    sum.name = "(others)";
    sum.count += small.count;
    sum.time += small.time;
    sum.host += small.host;
    sum.device += small.device;
    sum.whole = whole;
  }
  for (auto& [kind, row] : rest) rows.push_back(std::move(row));
  return rows;
}

// True for rows of what can take no time. What passes between works cannot be left out.
bool HasAlternative(const LabelledRow& one) {
  if (one.label == kNone) return false;
  return one.row.by != kPathParts || one.row.host + one.row.device == one.row.time;
}

class Alternatives {
 public:
  Alternatives(const CriticalPathFinder& finder, const std::vector<PathStep>& steps,
               Labeler* labeler)
      : graph_(finder.graph()), steps_(steps), what_if_(graph_) {
    for (const WorkGraph::HostPart& part : graph_.host()) {
      const bool counts = InSteps(part.time.begin);
      host_.push_back(counts ? labeler->Of(finder.KindOfHost(part.slice), part.slice) : kNobody);
    }
    for (const WorkGraph::Work& work : graph_.works()) {
      const bool counts = InSteps(work.time.begin);
      works_.push_back(counts ? labeler->Of(finder.KindOf(work.slice), work.slice) : kNobody);
    }
  }

  void Fill(std::vector<LabelledRow>* rows, const CancelToken& cancel) {
    std::vector<PathDigest*> wanted;
    std::vector<uint32_t> labels;
    for (LabelledRow& one : *rows) {
      if (!HasAlternative(one)) continue;
      wanted.push_back(&one.row);
      labels.push_back(one.label);
    }
    const size_t rounds = kMaxPlayed / kPathGroupingCount / std::max<size_t>(1, what_if_.parts());
    wanted.resize(std::min(wanted.size(), rounds * WhatIf::kAtOnce));
    for (size_t at = 0; at < wanted.size() && !cancel.cancelled(); at += WhatIf::kAtOnce) {
      const size_t count = std::min(WhatIf::kAtOnce, wanted.size() - at);
      const auto masks = [&](const std::vector<Labels>& parts) {
        std::vector<uint8_t> bytes(parts.size(), 0);
        for (size_t k = 0; k < count; ++k) {
          const uint32_t label = labels[at + k];
          const uint8_t by = wanted[at + k]->by;
          for (size_t i = 0; i < parts.size(); ++i) {
            if (parts[i][by] == label) bytes[i] = static_cast<uint8_t>(bytes[i] | 1U << k);
          }
        }
        return bytes;
      };
      const WhatIf::Times saved =
          what_if_.Saved(masks(host_), masks(works_), steps_.back(), cancel);
      for (size_t k = 0; k < count; ++k) {
        PathDigest& row = *wanted[at + k];
        row.without = std::clamp<Ns>(row.whole - saved[k], 0, row.whole);
      }
    }
  }

 private:
  static constexpr Labels kNobody = {kNone, kNone, kNone, kNone};

  bool InSteps(Ns time) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), time,
                         [](Ns value, const PathStep& step) { return value < step.time.begin; });
    return after != steps_.begin() && time < std::prev(after)->time.end;
  }

  const WorkGraph& graph_;
  const std::vector<PathStep>& steps_;
  WhatIf what_if_;
  std::vector<Labels> host_, works_;
};

}  // namespace

void AddCriticalPath(const DigestWork& work, RankDigest* digest) {
  const CriticalPathFinder finder(work.model, work.cancel);
  const std::vector<PathStep> steps = StepsOfPaths(work.model);
  const auto path = CriticalPaths(finder, steps, work.cancel);
  if (!path.ok() || steps.empty()) return;
  Ns whole = 0;
  for (const PathStep& step : steps) whole += step.time.Length();
  Labeler labeler(work.model, work.frames);
  std::array<std::map<uint32_t, PathSum>, kPathGroupingCount> sums;
  for (const PathSegment& segment : *path) {
    const Labels labels = labeler.Of(segment.kind, segment.slice);
    for (int by = 0; by < kPathGroupingCount; ++by) {
      AddSegment(segment, work.model.store(), &sums[by][labels[by]]);
    }
  }
  // Time in which no kernel runs belongs to none.
  sums[kPathKernels].erase(kNone);
  Alternatives alternatives(finder, steps, &labeler);
  for (int by = 0; by < kPathGroupingCount; ++by) {
    std::vector<LabelledRow> rows = RowsOf(labeler, by, sums[by], whole);
    alternatives.Fill(&rows, work.cancel);
    for (LabelledRow& one : rows) digest->critical_path.push_back(std::move(one.row));
  }
}

}  // namespace emberline
