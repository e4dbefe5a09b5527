#include "rpc/views/compare_tables.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "analysis/columns.h"
#include "base/text.h"
#include "compare/spread.h"
#include "compare/tables.h"
#include "rpc/params.h"
#include "rpc/views/compare_level.h"
#include "rpc/views/source_params.h"
#include "rpc/views/tables.h"
#include "session/lines.h"

namespace emberline {
namespace {

// Of the measure, the part in rows that both sides have.
double MatchedShare(const Table& table, const char* unit) {
  const std::string before = std::string("baseline") + unit,
                    after = std::string("candidate") + unit;
  const int status = table.ColumnIndex("status");
  if (status < 0) return 0;
  double all = 0, both = 0;
  for (const auto& row : table.rows) {
    const double sum = std::abs(NumberIn(table, row, before.c_str())) +
                       std::abs(NumberIn(table, row, after.c_str()));
    all += sum;
    if (std::get<std::string>(row[static_cast<size_t>(status)]) == "both") both += sum;
  }
  return all > 0 ? both / all : 0;
}

// For each row, what `is` says of it.
template <typename Is>
std::vector<bool> FlagsOf(const Table& table, Is&& is) {
  std::vector<bool> flags;
  flags.reserve(table.rows.size());
  for (const auto& row : table.rows) flags.push_back(is(row));
  return flags;
}

// Rows of one side in whose place something else stands on the other. Operators and kernels are
// told by their names; what else there is by the calls that it was seen in.
std::vector<bool> ReplacedRows(const ViewRequest& side, const StepTree& tree, const std::string& by,
                               const Table& table, const std::unordered_set<std::string>& names,
                               const std::vector<uint32_t>& nodes) {
  if (by == "operators" || by == "operatorShapes" || by == "kernels" || by == "memory") {
    const char* name = by == "memory" ? "operator" : "name";
    return FlagsOf(table,
                   [&](const auto& row) { return names.contains(TextIn(table, row, name)); });
  }
  // The code of a line is there or not, whatever it calls.
  if (LineGroupingOf(by)) return {};
  const Model& model = *side.trace.model;
  const std::vector<bool> inside = SlicesInside(model, tree, nodes);
  const int column = table.ColumnIndex("slice");
  return FlagsOf(table, [&](const auto& row) {
    const auto* slice =
        column < 0 ? nullptr : std::get_if<int64_t>(&row[static_cast<size_t>(column)]);
    if (slice == nullptr) return false;
    const TraceStore& s = model.store();
    const auto at = static_cast<SliceIndex>(*slice);
    const bool host = s.tracks()[s.track(at)].kind == TrackKind::kHostThread;
    const SliceIndex call = host ? at : model.launch[at];
    return call != kNone && inside[call];
  });
}

// Errors: kCancelled, and those of the trees.
Result<bool> NoteReplaced(const CompareRequest& request, const std::string& by,
                          const Replacements& found, Level* level) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const bool kernels = by == "kernels";
  level->comparison.baseline_replaced =
      ReplacedRows(request.baseline, *trees->baseline, by, level->baseline,
                   kernels ? found.kernels_gone : found.gone, found.nodes_gone);
  level->comparison.candidate_replaced =
      ReplacedRows(request.candidate, *trees->candidate, by, level->candidate,
                   kernels ? found.kernels_came : found.came, found.nodes_came);
  return true;
}

// The tables of one level, compared.
Result<Compared> CompareLevel(const CompareRequest& request, const std::string& by, Time time) {
  auto level = LevelOf(request, by, time);
  if (!level.ok()) return level.error();
  const auto replacements = ReplacementsOf(request);
  if (!replacements.ok()) return replacements.error();
  const auto noted = NoteReplaced(request, by, **replacements, &*level);
  if (!noted.ok()) return noted.error();
  Compared compared;
  compared.measure = level->comparison.measure;
  if (by == "operators" || by == "operatorShapes") compared.batch = (*replacements)->batch;
  compared.table = CompareTables(level->baseline, level->candidate, level->comparison);
  compared.matched = MatchedShare(compared.table, by == "memory" ? "Bytes" : "Us");
  return compared;
}

struct StepRow {
  std::string name;
  Ns time = 0;
};

Table StepsTable(const std::vector<StepRow>& rows, Time time) {
  TableBuilder<StepRow> table;
  table.Add(TextKey("step", "Step", "Name of the step; both names if they differ."),
            [](const StepRow& row) { return TextCell(row.name); });
  if (time == Time::kHost) {
    table.Add(Duration("hostUs", "Host time",
                       "Duration of the step, including the device work that it waited for."),
              &StepRow::time);
  } else {
    table.Add(Duration("deviceUs", "Device time",
                       "Sum of the durations of the device work that the step launched."),
              &StepRow::time);
  }
  table.Add(Count("calls", "Steps", "1 if the step was recorded."),
            [](const StepRow&) { return Cell(int64_t{1}); });
  return table.Make(rows);
}

Ns StepTime(const ViewRequest& side, const StepTree& tree, Time time, uint32_t node) {
  const Model& model = *side.trace.model;
  return time == Time::kHost ? tree.HostOf(model, node) : tree.DeviceOf(model, node);
}

// What the steps of one side vary by.
class SingleSteps {
 public:
  SingleSteps(const ViewRequest& side, const StepTree& tree, Time time) {
    const Model& model = *side.trace.model;
    std::vector<double> times;
    uint32_t step = 0;
    for (const uint32_t node : tree.ChildrenOf(0)) {
      // The root's children are the selected steps in their order.
      while (!side.steps.Contains(step)) ++step;
      if (IsWholeStep(model, side.steps, step++)) {
        whole_.insert(node);
        times.push_back(Micros(StepTime(side, tree, time, node)));
      }
    }
    sample_ = SampleOf(times);
  }
  // Of a step that was recorded whole; else nothing is known.
  Sample Of(uint32_t node) const { return whole_.contains(node) ? sample_ : Sample(); }

 private:
  std::unordered_set<uint32_t> whole_;
  Sample sample_;
};

// Steps of both sides, matched in order.
Result<Compared> CompareSteps(const CompareRequest& request, Time time) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const StepTree &left = *trees->baseline, &right = *trees->candidate;
  const auto name = [](const ViewRequest& side, const StepTree& tree,
                       const std::vector<uint32_t>& nodes) {
    return nodes.empty() ? std::string() : StepNodeName(*side.trace.model, tree, nodes.front());
  };
  TableComparison options;
  options.measure = time == Time::kHost ? "hostUs" : "deviceUs";
  const SingleSteps samples_before(request.baseline, left, time);
  const SingleSteps samples_after(request.candidate, right, time);
  options.single = options.knows_noise = true;
  std::vector<StepRow> before, after;
  std::unordered_map<std::string, size_t> times_named;
  for (const AlignedItem& item : AlignChildren(left, 0, right, 0)) {
    const std::string a = name(request.baseline, left, item.baseline);
    const std::string b = name(request.candidate, right, item.candidate);
    const std::string both = a.empty() ? b : b.empty() || a == b ? a : a + " | " + b;
    // A step that went may be called like one that came.
    const size_t earlier = times_named[both]++;
    const std::string key = earlier == 0 ? both : both + " (" + std::to_string(earlier + 1) + ")";
    if (!item.baseline.empty()) {
      before.push_back({both, StepTime(request.baseline, left, time, item.baseline.front())});
      options.baseline_keys.push_back(key);
      options.baseline_samples.push_back(samples_before.Of(item.baseline.front()));
    }
    if (!item.candidate.empty()) {
      after.push_back({both, StepTime(request.candidate, right, time, item.candidate.front())});
      options.candidate_keys.push_back(key);
      options.candidate_samples.push_back(samples_after.Of(item.candidate.front()));
    }
  }
  Compared compared;
  compared.measure = options.measure;
  compared.table = CompareTables(StepsTable(before, time), StepsTable(after, time), options);
  compared.matched = MatchedShare(compared.table, "Us");
  return compared;
}

}  // namespace

Result<std::shared_ptr<const Replacements>> ReplacementsOf(const CompareRequest& request) {
  return request.candidate.trace.results.Get<Replacements>(
      "replacements/" + SidesKey(request), request.cancel, [&]() -> Result<Replacements> {
        const auto trees = TreesOf(request);
        if (!trees.ok()) return trees.error();
        return FindReplacements(BaselineOf(request, *trees), CandidateOf(request, *trees),
                                request.cancel);
      });
}

size_t Compared::MemoryBytes() const { return HeapBytesOf(table, measure); }

Result<std::shared_ptr<const Compared>> CompareBy(const CompareRequest& request,
                                                  const std::string& by, Time time) {
  std::string key = "compared/" + SidesKey(request) + "/" + by +
                    (time == Time::kDevice ? "/device/" : "/host/") +
                    TextParam(request.params, "device") + "/" + TextParam(request.params, "block") +
                    "/" + SelectionKey(request.candidate);
  if (LineGroupingOf(by)) {
    // They depend on the sources and on what documents taught about them.
    const auto lines =
        OfBothSides<std::shared_ptr<const LineData>>(request, [](const ViewRequest& side) {
          return LinesOf(side.trace, SpaceParam(side.params), side.cancel);
        });
    if (!lines.ok()) return lines.error();
    key += "\n" + lines->baseline->key + "\n" + lines->candidate->key;
  }
  return request.candidate.trace.results.Get<Compared>(key, request.cancel, [&] {
    return by == "steps" ? CompareSteps(request, time) : CompareLevel(request, by, time);
  });
}

Json ElsewhereJson(const std::string* text) {
  constexpr size_t kMaxText = 400;
  return text == nullptr ? Json() : Json(Shortened(*text, kMaxText));
}

}  // namespace emberline
