#include <algorithm>
#include <string>
#include <vector>

#include "attribution/align.h"
#include "attribution/locate.h"
#include "json/json.h"
#include "rpc/framer.h"
#include "rpc/schema.h"
#include "source/drift.h"
#include "source/python_syntax.h"
#include "target.h"

namespace emberline::fuzz {
namespace {

constexpr size_t kMaxFunctions = 40;
constexpr size_t kMaxObserved = 60;

// Things seen in a function: some of its sites by their names, and some that are not there.
std::vector<Observed> Observe(const PythonFunction& function, Random& random) {
  std::vector<Observed> seen;
  const size_t count = random.Below(kMaxObserved);
  for (size_t i = 0; i < count; ++i) {
    Observed observed;
    observed.kind = static_cast<ObservedKind>(random.Below(5));
    if (function.sites.empty() || random.OneIn(8)) {
      observed.name = "stranger";
    } else {
      // Near the order of the text, as a run would be.
      const size_t at =
          std::min(i * function.sites.size() / std::max<size_t>(1, count) + random.Below(3),
                   function.sites.size() - 1);
      const Site& site = function.sites[at];
      observed.name = site.name;
      if (!site.class_names.empty()) {
        observed.owner = site.class_names[random.Below(site.class_names.size())];
      }
      if (random.OneIn(4)) observed.definition_line = site.definition_line;
    }
    observed.generator = random.OneIn(10);
    seen.push_back(std::move(observed));
  }
  return seen;
}

void CheckModule(const PythonModule& module, std::string_view text) {
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  Check(!module.functions.empty(), "the module is its first function");
  for (const PythonFunction& function : module.functions) {
    Check(function.first_line >= 0 && function.end_line <= lines + 1, "functions lie in the text");
    Check(function.parent < static_cast<int>(&function - module.functions.data()),
          "parents come before children");
    for (const FlowEdge& edge : function.edges) {
      Check(edge.from < edge.to && edge.to < function.points, "forward edges lead on");
      Check(edge.site < static_cast<int>(function.sites.size()), "edges carry sites");
    }
    for (const FlowEdge& edge : function.back_edges) {
      Check(edge.from < function.points && edge.to < function.points, "back edges stay inside");
    }
  }
}

void AlignAll(const PythonModule& module, int lines, Random& random) {
  for (size_t f = 0; f < std::min(module.functions.size(), kMaxFunctions); ++f) {
    const PythonFunction& function = module.functions[f];
    if (function.points > 2000) continue;
    FunctionAligner aligner(function);
    std::vector<uint32_t> ids;
    for (const Observed& observed : Observe(function, random))
      ids.push_back(aligner.Describe(observed));
    // Recorded lines of calls, some of which no text has.
    std::vector<int> called_at;
    if (random.OneIn(2)) {
      for (size_t i = 0; i < ids.size(); ++i) {
        called_at.push_back(
            random.OneIn(3) ? 0 : static_cast<int>(random.Below(static_cast<size_t>(lines) + 2)));
      }
    }
    const std::vector<Placement> placed =
        aligner.Align(ids, {called_at, {}}, random.OneIn(2), random.OneIn(2));
    Check(placed.size() == ids.size(), "each thing seen is answered");
    for (const Placement& placement : placed) {
      Check(placement.line >= 0 && placement.line <= lines,
            "things are placed on lines of the text");
    }
  }
}

std::vector<Framer::Item> Framed(std::string_view input, size_t block) {
  Framer framer;
  std::vector<Framer::Item> items;
  for (size_t at = 0; at < input.size(); at += block) {
    framer.Feed(input.substr(at, block));
    for (Framer::Item item; framer.Pop(&item);) items.push_back(item);
  }
  return items;
}

}  // namespace

void RunPython(std::string_view input) {
  Random random(SeedOf(input));
  const size_t cut = input.find('\x1e');
  const std::string_view before = input.substr(0, cut);
  const Result<PythonModule> old = ParsePython(before);
  if (!old.ok()) return;
  CheckModule(*old, before);
  AlignAll(*old, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, random);
  std::vector<RecordedFunction> recorded;
  for (const PythonFunction& function : old->functions) {
    recorded.push_back({function.name, function.first_line + static_cast<int>(random.Below(3)) - 1,
                        random.OneIn(4), random.OneIn(4) ? "A" : ""});
    if (random.OneIn(2)) recorded.back().called = Observe(function, random);
    if (recorded.size() > 200) break;
  }
  const std::string_view after = cut == std::string_view::npos ? before : input.substr(cut + 1);
  const Result<PythonModule> now = ParsePython(after);
  if (!now.ok()) return;
  CheckModule(*now, after);
  bool exact = false;
  const auto functions = static_cast<int>(now->functions.size());
  for (const LocatedFunction& found : LocateFunctions(recorded, *now, &exact)) {
    Check(found.function >= -1 && found.function < functions, "functions found exist");
  }
  const Drift drift = FollowEdits(*old, *now);
  Check(drift.function.size() == old->functions.size(), "every function is followed");
  const auto lines = static_cast<int>(std::count(after.begin(), after.end(), '\n')) + 1;
  for (const auto& [from, to] : drift.line) {
    Check(to >= 1 && to <= lines, "lines lead to lines");
    if (before == after) Check(from == to, "an unchanged text keeps its lines");
  }
  if (before == after) Check(drift.identical, "an unchanged text is identical");
}

void RunRpc(std::string_view input) {
  Random random(SeedOf(input));
  const std::vector<Framer::Item> whole = Framed(input, std::max<size_t>(1, input.size()));
  static constexpr size_t kBlocks[] = {1, 2, 7, 100};
  const std::vector<Framer::Item> pieces = Framed(input, random.Pick(kBlocks));
  Check(whole.size() == pieces.size(), "the cutting of a stream does not matter");
  for (size_t i = 0; i < whole.size(); ++i) {
    Check(whole[i].kind == pieces[i].kind && whole[i].text == pieces[i].text,
          "the cutting of a stream does not matter");
    if (whole[i].kind != Framer::Item::Kind::kMessage) continue;
    const Result<Json> message = ParseJson(whole[i].text);
    if (!message.ok() || !message->is_object()) continue;
    DumpJson(*message);
    const auto method = message->find("method");
    if (method == message->end() || !method->is_string()) continue;
    const Result<bool> checked =
        CheckParams(method->get<std::string>(), message->value("params", Json::object()));
    Check(checked.ok() || !checked.error().message.empty(), "a refusal says why");
  }
}

}  // namespace emberline::fuzz
