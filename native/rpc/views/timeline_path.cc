// timeline/criticalPath and timeline/criticalSums: what the ends of the steps waited for.
#include <algorithm>

#include "base/text.h"
#include "ranks/critical_path.h"
#include "ranks/digest_parts.h"
#include "rpc/params.h"
#include "rpc/views/timeline_parts.h"

namespace emberline {
namespace {

// A reply stays below 256 KiB.
constexpr size_t kMaxParts = 500;
constexpr size_t kMaxEdges = 200;
constexpr size_t kMaxNameOnPath = 100;
constexpr const char* kGroupings[kPathGroupingCount] = {"parts", "operators", "lines", "kernels"};

struct KeptPath {
  std::vector<PathSegment> segments;
  std::vector<PathEdge> edges;
  size_t steps = 0;
  size_t MemoryBytes() const {
    return sizeof(*this) + segments.capacity() * sizeof(PathSegment) +
           edges.capacity() * sizeof(PathEdge);
  }
};

struct KeptSums {
  std::vector<PathDigest> rows;
  size_t MemoryBytes() const {
    size_t bytes = sizeof(*this) + rows.capacity() * sizeof(PathDigest);
    for (const PathDigest& row : rows) bytes += row.name.capacity() + row.place.capacity();
    return bytes;
  }
};

Result<std::shared_ptr<const KeptPath>> PathOf(const ViewRequest& request) {
  return request.trace.results.Get<KeptPath>(
      "timeline/criticalPath", request.cancel, [&]() -> Result<KeptPath> {
        const Model& model = *request.trace.model;
        const std::vector<PathStep> steps = StepsOfPaths(model);
        auto segments =
            CriticalPaths(CriticalPathFinder(model, request.cancel), steps, request.cancel);
        if (!segments.ok()) return segments.error();
        KeptPath kept{std::move(*segments), {}, steps.size()};
        kept.edges = EdgesOf(kept.segments);
        return kept;
      });
}

// As SliceRef(), with a shorter name: there are many.
Json ShortRef(const TraceStore& store, SliceIndex slice) {
  Json ref = SliceRef(store, slice);
  if (!ref.is_null()) ref["name"] = Shortened(store.name(slice), kMaxNameOnPath);
  return ref;
}

// The longest of those that touch the window, at most `limit`, in their order.
template <typename T>
std::vector<const T*> LongestIn(const std::vector<T>& all, Interval window, size_t limit,
                                size_t* total) {
  std::vector<const T*> found;
  for (const T& one : all) {
    if (one.time.begin < window.end && one.time.end > window.begin) found.push_back(&one);
  }
  *total = found.size();
  if (found.size() <= limit) return found;
  std::vector<const T*> longest = found;
  const auto cut = longest.begin() + static_cast<std::ptrdiff_t>(limit);
  std::nth_element(longest.begin(), cut, longest.end(), [](const T* a, const T* b) {
    return std::pair(b->time.Length(), a) < std::pair(a->time.Length(), b);
  });
  longest.resize(limit);
  std::sort(longest.begin(), longest.end());
  return longest;
}

}  // namespace

Result<Json> TimelineCriticalPath(const ViewRequest& request) {
  const Result<Interval> window = WindowOf(request.params);
  if (!window.ok()) return window.error();
  const auto path = PathOf(request);
  if (!path.ok()) return path.error();
  const TraceStore& store = *request.trace.store;
  std::vector<Ns> kinds(kPathKindCount, 0);
  Ns whole = 0;
  for (const PathSegment& segment : (*path)->segments) {
    const Interval inside{std::max(segment.time.begin, window->begin),
                          std::min(segment.time.end, window->end)};
    kinds[static_cast<size_t>(segment.kind)] += inside.Length();
    whole += inside.Length();
  }
  Json sums = Json::array();
  for (int kind = 0; kind < kPathKindCount; ++kind) {
    if (kinds[kind] == 0) continue;
    sums.push_back({{"kind", PathKindName(static_cast<PathKind>(kind))}, {"timeNs", kinds[kind]}});
  }
  size_t total = 0, total_edges = 0;
  Json parts = Json::array(), edges = Json::array();
  for (const PathSegment* segment : LongestIn((*path)->segments, *window, kMaxParts, &total)) {
    parts.push_back({{"kind", PathKindName(segment->kind)},
                     {"startNs", segment->time.begin},
                     {"endNs", segment->time.end},
                     {"slice", ShortRef(store, segment->slice)}});
  }
  for (const PathEdge* edge : LongestIn((*path)->edges, *window, kMaxEdges, &total_edges)) {
    edges.push_back({{"kind", PathKindName(edge->kind)},
                     {"startNs", edge->time.begin},
                     {"endNs", edge->time.end},
                     {"from", ShortRef(store, edge->from)},
                     {"to", ShortRef(store, edge->to)}});
  }
  return Json{{"steps", (*path)->steps},   {"wholeNs", whole},    {"sums", std::move(sums)},
              {"parts", std::move(parts)}, {"totalParts", total}, {"edges", std::move(edges)},
              {"totalEdges", total_edges}};
}

Result<Json> TimelineCriticalSums(const ViewRequest& request) {
  const auto kept = request.trace.results.Get<KeptSums>(
      "timeline/criticalSums", request.cancel, [&]() -> Result<KeptSums> {
        RankDigest digest;
        FrameFinder frames(*request.trace.model);
        const CollectiveList none;
        AddCriticalPath({*request.trace.model, none, frames, request.cancel}, &digest);
        if (request.cancel.cancelled()) {
          return Cancelled();
        }
        return KeptSums{std::move(digest.critical_path)};
      });
  if (!kept.ok()) return kept.error();
  const std::string by = TextParam(request.params, "by");
  Json rows = Json::array();
  Ns whole = 0;
  for (const PathDigest& row : (*kept)->rows) {
    whole = row.whole;
    if (by != kGroupings[row.by]) continue;
    rows.push_back({{"kind", row.kind},
                    {"name", Cut(row.name)},
                    {"place", row.place},
                    {"timeNs", row.time},
                    {"hostNs", row.host},
                    {"deviceNs", row.device},
                    {"withoutNs", row.without >= 0 ? Json(row.without) : Json()},
                    {"count", row.count}});
  }
  return Json{{"by", by}, {"wholeNs", whole}, {"rows", std::move(rows)}};
}

}  // namespace emberline
