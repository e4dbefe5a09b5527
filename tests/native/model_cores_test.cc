// A load gives the same on any number of cores.
#include <catch2/catch.hpp>
#include <string>

#include "base/cores.h"
#include "base/parallel.h"
#include "drawn.h"
#include "many_events.h"

namespace emberline::drawn {
namespace {

// Each with the name of what it sums up.
Sums SumsOf(const Model& m) {
  const TraceStore& s = m.store();
  Sums sums;
  const auto of_slices = [&](const char* name, auto&& of) {
    std::vector<uint64_t> values;
    for (SliceIndex i = 0; i < s.slice_count(); ++i) values.push_back(static_cast<uint64_t>(of(i)));
    sums.emplace_back(name, SumOf(values));
  };
  of_slices("start", [&](SliceIndex i) { return s.start(i); });
  of_slices("duration", [&](SliceIndex i) { return s.duration(i); });
  of_slices("track", [&](SliceIndex i) { return s.track(i); });
  of_slices("name", [&](SliceIndex i) { return s.name_id(i); });
  of_slices("category", [&](SliceIndex i) { return s.category(i); });
  of_slices("parent", [&](SliceIndex i) { return s.parent(i); });
  of_slices("depth", [&](SliceIndex i) { return s.depth(i); });
  of_slices("event", [&](SliceIndex i) { return s.event_index(i); });
  of_slices("is_op", [&](SliceIndex i) { return m.IsOp(i); });
  std::vector<uint64_t> flows;
  for (const FlowPoint& flow : s.flows()) {
    for (const uint64_t value :
         {flow.id, static_cast<uint64_t>(flow.ts), uint64_t{flow.slice}, uint64_t{flow.track}}) {
      flows.push_back(value);
    }
  }
  sums.emplace_back("flows", SumOf(flows));
  std::vector<uint64_t> tracks;
  for (const Track& track : s.tracks()) {
    for (const uint64_t value : {track.first, track.last, SliceIndex{track.max_depth}})
      tracks.push_back(value);
  }
  sums.emplace_back("tracks", SumOf(tracks));
  sums.emplace_back("op", SumOf(m.op));
  sums.emplace_back("frame", SumOf(m.frame));
  sums.emplace_back("annotation", SumOf(m.annotation));
  sums.emplace_back("launch", SumOf(m.launch));
  sums.emplace_back("launched", SumOf(m.launched.items));
  sums.emplace_back("forward", SumOf(m.forward));
  sums.emplace_back("repeats", SumOf(m.repeats));
  sums.emplace_back("pass", SumOf(m.pass));
  sums.emplace_back("step", SumOf(m.step));
  sums.emplace_back("host self", SumOf(m.host_self));
  sums.emplace_back("host api", SumOf(m.host_api));
  sums.emplace_back("device self", SumOf(m.device_self));
  sums.emplace_back("device total", SumOf(m.device_total));
  return sums;
}

}  // namespace

TEST_CASE("one core and many give the same model", "[cores]") {
  const std::string events = ManyEvents(25'000);
  const auto load = [&](size_t cores) {
    const CoreShare share(cores);
    return LoadEvents(events);
  };
  const auto one = load(1);
  REQUIRE(one->store().slice_count() > kManyRows);
  REQUIRE(one->steps.size() == 5);
  // Nothing of what is compared is empty.
  CHECK(Differ(one->op));
  CHECK(Differ(one->launch));
  CHECK(Differ(one->forward));
  CHECK(Differ(one->step));
  CHECK(Differ(one->host_api));
  CHECK(Differ(one->device_total));
  CheckOnCores({2, 3, 4, 8}, [&](size_t cores) { return SumsOf(*load(cores)); });
}

TEST_CASE("one core and many leave the same misplaced time out", "[cores]") {
  const std::string events = ManyEvents(25'000);
  const size_t middle = events.find(",\n", events.size() / 2);
  const auto lost_slices = [&](int ts_us, size_t cores) {
    const CoreShare share(cores);
    std::string with = events;
    with.insert(middle, ",\n" + HostSlice("cpu_op", "lost", ts_us, 1));
    const auto model = LoadEvents(with);
    const TraceStore& s = model->store();
    size_t found = 0;
    for (SliceIndex i = 0; i < s.slice_count(); ++i) found += s.name(i) == "lost" ? 1 : 0;
    return found;
  };
  for (const size_t cores : {1, 2, 3, 4}) {
    CHECK(lost_slices(1'250'000, cores) == 1);
    CHECK(lost_slices(2'000'000'000, cores) == 0);
  }
}

}  // namespace emberline::drawn
