#include "ranks/recordings.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include "base/saturating.h"

namespace emberline {
namespace {

// As many ranks as this are there twice before it is no longer a single file too many.
constexpr size_t kSeveral = 2;

struct Recording {
  std::vector<const RankDigest*> traces;
  std::set<int64_t> ranks;
  uint64_t events = 0;
};

bool AreApart(const std::set<int64_t>& a, const std::set<int64_t>& b) {
  return std::none_of(a.begin(), a.end(), [&](int64_t rank) { return b.count(rank) > 0; });
}

}  // namespace

std::set<const RankDigest*> OfOtherRecordings(std::vector<const RankDigest*> traces) {
  std::map<int64_t, size_t> counts;
  for (const RankDigest* trace : traces) ++counts[trace->rank];
  const auto several =
      std::count_if(counts.begin(), counts.end(), [](const auto& rank) { return rank.second > 1; });
  if (static_cast<size_t>(several) < kSeveral) return {};
  std::sort(traces.begin(), traces.end(), [](const RankDigest* a, const RankDigest* b) {
    return std::tie(a->base_ns, a->rank, a->path) < std::tie(b->base_ns, b->rank, b->path);
  });
  // Traces that overlap in time are of one recording, and so are those of a rank that began when
  // the others had ended.
  std::vector<Recording> recordings;
  Recording next;
  const auto add = [&] {
    if (next.traces.empty()) return;
    if (recordings.empty() || !AreApart(recordings.back().ranks, next.ranks)) {
      recordings.emplace_back();
    }
    Recording& last = recordings.back();
    last.traces.insert(last.traces.end(), next.traces.begin(), next.traces.end());
    last.ranks.insert(next.ranks.begin(), next.ranks.end());
    last.events += next.events;
    next = {};
  };
  Ns end = std::numeric_limits<Ns>::min();
  for (const RankDigest* trace : traces) {
    if (trace->base_ns > end) add();
    end = std::max(end, SaturatingAdd(trace->base_ns, trace->end));
    next.traces.push_back(trace);
    next.ranks.insert(trace->rank);
    next.events += trace->events;
  }
  add();
  const auto shown = std::max_element(
      recordings.begin(), recordings.end(), [](const Recording& a, const Recording& b) {
        return std::pair(a.ranks.size(), a.events) < std::pair(b.ranks.size(), b.events);
      });
  std::set<const RankDigest*> others(traces.begin(), traces.end());
  for (const RankDigest* trace : shown->traces) others.erase(trace);
  return others;
}

}  // namespace emberline
