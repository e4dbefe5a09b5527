#include "compare/clocks.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/compare_sides.h"
#include "rpc/views/compare_tables.h"

namespace emberline {
namespace {

// Knots of one reply: two numbers of at most 19 digits each.
constexpr size_t kMaxPoints = 4096;

}  // namespace

Result<Json> CompareTimeline(const CompareRequest& request) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  std::optional<Interval> window;
  if (request.params.contains("startNs") && request.params.contains("endNs")) {
    window = {IntegerParam(request.params, "startNs", 0), IntegerParam(request.params, "endNs", 0)};
  }
  const auto points = MatchClocks(BaselineOf(request, *trees), CandidateOf(request, *trees), window,
                                  kMaxPoints, request.cancel);
  if (!points.ok()) return points.error();
  Json before = Json::array(), after = Json::array();
  for (const ClockPoint& point : *points) {
    before.push_back(point.baseline);
    after.push_back(point.candidate);
  }
  return Json{{"baselineNs", std::move(before)}, {"candidateNs", std::move(after)}};
}

Result<Json> CompareSlice(const CompareRequest& request) {
  const bool from_baseline = TextParam(request.params, "side") == "baseline";
  const ViewRequest& from = from_baseline ? request.baseline : request.candidate;
  const ViewRequest& to = from_baseline ? request.candidate : request.baseline;
  const auto slice = SliceOf(from);
  if (!slice.ok()) return slice.error();
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const auto match = MatchSlice(BaselineOf(request, *trees), CandidateOf(request, *trees),
                                from_baseline, *slice, request.cancel);
  if (!match.ok()) return match.error();
  const StepTree& tree = from_baseline ? *trees->baseline : *trees->candidate;
  const std::string* elsewhere = nullptr;
  std::shared_ptr<const Replacements> replacements;
  if (match->status == CompareStatus::kGone && match->lacking != 0) {
    auto found = ReplacementsOf(request);
    if (!found.ok()) return found.error();
    replacements = std::move(*found);
    elsewhere = ElsewhereAround(*replacements, from_baseline, tree, match->lacking, match->node);
  }
  // The one that has nothing to stand for it is new or gone, by the side that it is on.
  const CompareStatus status = elsewhere != nullptr ? CompareStatus::kReplaced
                               : match->status == CompareStatus::kGone && !from_baseline
                                   ? CompareStatus::kNew
                                   : match->status;
  return Json{
      {"status", CompareStatusName(status)},
      {"elsewhere", ElsewhereJson(elsewhere)},
      {"slice", match->slice == kNone ? Json() : SliceRefJson(*to.trace.store, match->slice)},
      {"path", match->path}};
}

}  // namespace emberline
