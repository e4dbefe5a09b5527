// Costs come to the same lines on any number of cores.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "attribution/attribute.h"
#include "base/cores.h"
#include "base/parallel.h"
#include "drawn.h"
#include "many_events.h"
#include "source/path_mapper.h"
#include "source/source_text.h"

namespace emberline::drawn {
namespace {

Sums SumsOf(const LineAttribution& at, const LinesResult& lines) {
  Sums sums;
  std::vector<uint32_t> contexts;
  for (const LineContext& context : at.contexts) {
    contexts.push_back(context.location);
    contexts.push_back(context.parent);
  }
  sums.emplace_back("contexts", SumOf(contexts));
  sums.emplace_back("context", SumOf(at.context));
  sums.emplace_back("blamed", SumOf(at.blamed));
  sums.emplace_back("call", SumOf(at.is_call));
  sums.emplace_back("user frame", SumOf(at.user_frame));
  sums.emplace_back("begins run", SumOf(at.begins_run));
  sums.emplace_back("pass", SumOf(at.pass));
  sums.emplace_back("caller", SumOf(at.caller));
  sums.emplace_back("memory", SumOf(at.memory_slice));
  sums.emplace_back("placed", at.placed_calls);
  sums.emplace_back("unplaced", at.unplaced_calls);
  std::vector<uint64_t> rows;
  for (const LineCost& row : lines.rows) {
    for (const Ns figure : {static_cast<Ns>(row.location), row.device_self, row.device_total,
                            row.host_self, row.host_total, row.backward_host, row.idle,
                            row.allocated_bytes, static_cast<Ns>(row.calls)}) {
      rows.push_back(static_cast<uint64_t>(figure));
    }
  }
  sums.emplace_back("rows", SumOf(rows));
  return sums;
}

}  // namespace

TEST_CASE("one core and many give the same lines", "[cores]") {
  const auto model = LoadEvents(ManyEvents(25'000));
  REQUIRE(model->store().slice_count() > kManyRows);
  std::string text;
  for (int line = 1; line <= 90; ++line) {
    text += "def forward(x): return torch.op" + std::to_string(line % 40) + "(x)\n";
  }
  const DocumentTexts texts = {{"net.py", ParseSource(text)}};
  const PathMapper mapper{SourceSpace{}};
  CheckOnCores({2, 3, 8}, [&](size_t cores) {
    const CoreShare share(cores);
    const auto made = AttributeLines(*model, mapper, texts, "", {});
    REQUIRE(made.ok());
    const LineAttribution& at = made->attribution;
    const auto lines = AnalyzeLines(*model, at, {}, {});
    REQUIRE(lines.ok());
    // Nothing of what is compared is empty.
    CHECK(Differ(at.context));
    CHECK(Differ(at.blamed));
    CHECK(Differ(at.memory_slice));
    CHECK(at.placed_calls > 0);
    CHECK(lines->rows.size() > 50);
    CHECK(lines->totals.line_host > 0);
    CHECK(lines->totals.line_device > 0);
    return SumsOf(at, *lines);
  });
}

}  // namespace emberline::drawn
