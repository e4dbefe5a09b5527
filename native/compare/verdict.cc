#include "compare/verdict.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace emberline {
namespace {

// Rows of what grew and of what shrank.
constexpr size_t kMaxChanges = 5;
constexpr size_t kMaxName = 400;
// A level says something when most of the time is in rows that both sides have.
constexpr double kMatchedShare = 0.5;
// Of the difference: what explains less of it is no cause.
constexpr double kCauseShare = 0.2;
// Two causes of which the smaller is this much of the larger explain the same.
constexpr double kSameShare = 0.9;
// What explains more of the difference than this explains something else.
constexpr double kWhole = 1.5;
// What shrank where the whole grew, or the other way round, by this much of what grew: work moved.
constexpr double kMovedShare = 0.5;

double Microseconds(Ns time) { return static_cast<double>(time) / 1000; }

// The first that is not known to be chance; null without one. `known`: steps tell the noise, and
// what has none ran outside of them.
const Change* FirstBeyondNoise(std::span<const Change> changes, bool known) {
  const auto first = std::find_if(changes.begin(), changes.end(), [known](const Change& c) {
    return c.beyond_noise.value_or(!known);
  });
  return first == changes.end() ? nullptr : &*first;
}

double SizeOf(const Change* change) { return change == nullptr ? 0 : std::abs(change->delta_us); }

// Where no row explains the difference, the part of the step that does: waiting for data has no
// row. The rest that nothing is known of explains nothing.
std::optional<VerdictCause> PartThatChanged(std::span<const ComparedFigure> figures, double delta) {
  const ComparedFigure* most = nullptr;
  double change = 0;
  for (const ComparedFigure& part : figures.subspan(1)) {
    if (part.unit != Unit::kUs || !part.baseline || !part.candidate || part.key == "other" ||
        part.beyond_noise == false) {
      continue;
    }
    const double grown = (*part.candidate - *part.baseline) * (delta > 0 ? 1 : -1);
    if (grown <= change) continue;
    change = grown;
    most = &part;
  }
  if (most == nullptr || change < kCauseShare * std::abs(delta)) return std::nullopt;
  return VerdictCause{most->name, *most->baseline, *most->candidate, false};
}

// The change of the structure that explains the difference better than `cause` does: a module that
// is new or gone, where it explains at least as much; what replaced what, where work only went from
// one row to another, so that no row tells its size.
std::optional<VerdictCause> StructuralCause(const Suspects& suspects, double delta,
                                            const std::optional<VerdictCause>& cause,
                                            bool work_moved) {
  // Of steps that only one side has, everything is gone.
  if (suspects.per_step || suspects.replacements == nullptr) return std::nullopt;
  const double told = cause ? std::abs(cause->candidate_us - cause->baseline_us) : 0;
  std::optional<VerdictCause> best;
  double most = kCauseShare * std::abs(delta);
  for (const StructuralChange& change : suspects.replacements->changes) {
    const Ns whole_before = suspects.device ? change.device_before : change.host_before;
    const Ns whole_after = suspects.device ? change.device_after : change.host_after;
    const double before = Microseconds(whole_before) / suspects.steps;
    const double after = Microseconds(whole_after) / suspects.steps;
    const double grown = (after - before) * (delta > 0 ? 1 : -1);
    const bool replaced = change.status == CompareStatus::kReplaced;
    // No more than all of it, but for noise.
    if (grown < most || grown > kWhole * std::abs(delta)) continue;
    if (replaced ? !work_moved : grown < kSameShare * told) continue;
    most = grown;
    best =
        VerdictCause{Shortened(change.gone.empty() ? change.came : change.gone, kMaxName), before,
                     after, false, replaced ? Shortened(change.came, kMaxName) : std::string()};
  }
  return best;
}

// What a row is called in a sentence: a function by its name, else the row's own.
std::string NameOf(const Table& table, const std::vector<Cell>& row, bool functions) {
  const std::string function = TextIn(table, row, "function");
  return functions && !function.empty() ? function : TextIn(table, row, "name");
}

}  // namespace

std::vector<Change> ChangesIn(const Table& table, bool functions, bool grew, double steps) {
  std::vector<Change> changes;
  const int noise = table.ColumnIndex("beyondNoise");
  for (const auto& row : table.rows) {
    if (changes.size() == kMaxChanges) break;
    const double delta = NumberIn(table, row, "deltaUs");
    if (grew ? delta <= 0 : delta >= 0) continue;
    Change change;
    change.name = Shortened(NameOf(table, row, functions), kMaxName);
    change.status = TextIn(table, row, "status");
    change.baseline_us = NumberIn(table, row, "baselineUs") / steps;
    change.candidate_us = NumberIn(table, row, "candidateUs") / steps;
    change.delta_us = delta / steps;
    const auto* beyond = noise < 0 ? nullptr : std::get_if<bool>(&row[static_cast<size_t>(noise)]);
    if (beyond != nullptr) change.beyond_noise = *beyond;
    for (const std::string side : {"candidate", "baseline"}) {
      change.file = TextIn(table, row, side + "File");
      if (change.file.empty()) continue;
      change.line = static_cast<int64_t>(NumberIn(table, row, side + "Line"));
      change.side = side;
      break;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

bool IsDeviceBound(const Overview& baseline, const Overview& candidate) {
  const auto bound = [](const Overview& overview) {
    const StepBreakdown& steps = overview.steps;
    double busy = 0;
    for (size_t role = 0; role <= static_cast<size_t>(Role::kCommunication); ++role) {
      busy += steps.average_ns[role];
    }
    return steps.average_total_ns > 0 && busy > 0.5 * steps.average_total_ns;
  };
  return bound(baseline) && bound(candidate);
}

bool MatchesWell(double matched) { return matched >= kMatchedShare; }

size_t LevelThatMatches(std::span<const double> matched) {
  const auto found = std::find_if(matched.begin(), matched.end(), MatchesWell);
  return found == matched.end() ? 0 : static_cast<size_t>(found - matched.begin());
}

std::optional<VerdictCause> CauseOf(const Suspects& suspects) {
  const ComparedFigure& step = suspects.figures.front();
  const double delta = step.baseline && step.candidate ? *step.candidate - *step.baseline : 0;
  if (delta == 0) return std::nullopt;
  const bool known = step.noise.has_value();
  const Change* with = FirstBeyondNoise(delta > 0 ? suspects.grew : suspects.shrank, known);
  const Change* against = FirstBeyondNoise(delta > 0 ? suspects.shrank : suspects.grew, known);
  std::optional<VerdictCause> cause;
  if (with != nullptr && SizeOf(with) >= kCauseShare * std::abs(delta)) {
    cause =
        VerdictCause{with->name, with->baseline_us, with->candidate_us, with->status == "replaced"};
  }
  const bool work_moved = SizeOf(against) >= kMovedShare * SizeOf(with);
  if (auto better = StructuralCause(suspects, delta, cause, work_moved)) cause = std::move(better);
  if (!cause) cause = PartThatChanged(suspects.figures, delta);
  return cause;
}

}  // namespace emberline
