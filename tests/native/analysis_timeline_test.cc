// The timeline's parts on drawn traces: pyramids, series, gaps, search.
#include <random>
#include <set>

#include "analysis/timeline.h"
#include "analysis/timeline_gaps.h"
#include "analysis/timeline_lanes.h"
#include "drawn.h"

using namespace emberline;
using drawn::Drawing;
using drawn::kUs;

namespace {

uint64_t Sum(const std::vector<TimelineBox>& boxes) {
  uint64_t sum = 0;
  for (const TimelineBox& box : boxes) sum += box.count;
  return sum;
}

// A thread with nested and neighboring operators of many lengths, from a fixed sequence.
Drawing Busy(int count, unsigned seed) {
  Drawing drawing;
  std::mt19937 random(seed);
  double at = 0;
  for (int i = 0; i < count; ++i) {
    const double length = static_cast<double>(random() % 1000 == 0 ? 5000 : 1 + random() % 40);
    drawing.Op("op" + std::to_string(random() % 9), at, length);
    if (length > 4) drawing.Op("in", at + 1, 2);
    at += length + static_cast<double>(random() % 30);
  }
  return drawing;
}

}  // namespace

TEST_CASE("lanes: boxes of any window hold exactly the slices that touch it") {
  const auto trace = drawn::Load(Busy(4000, 1));
  const TraceStore& store = trace->store();
  const Track& track = store.tracks()[0];
  const TimelineTrackLanes lanes(store, track);
  REQUIRE(lanes.lanes().size() == 2);
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const Ns whole = store.extent().end;
    const Ns begin = static_cast<Ns>(random() % static_cast<uint64_t>(whole));
    const Ns length = 1 + static_cast<Ns>(random() % static_cast<uint64_t>(whole));
    const Interval window{begin, begin + length};
    uint64_t expected = 0;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      expected += store.start(i) < window.end && store.end(i) > window.begin;
    }
    REQUIRE(lanes.CountTouching(store, window) == expected);
    REQUIRE(lanes.Touching(store, window).size() == expected);
    for (const Ns pixels : {1, 10, 1000}) {
      const Ns resolution = std::max<Ns>(1, length / pixels);
      std::vector<TimelineBox> boxes;
      for (uint16_t lane = 0; lane < 2; ++lane) {
        const size_t before = boxes.size();
        lanes.lanes()[lane].Query(store, window, resolution, lane, &boxes);
        // Two neighbors never fit into one pixel, so boxes follow the pixels.
        REQUIRE(boxes.size() - before <= static_cast<size_t>(2 * (length / resolution) + 4));
      }
      REQUIRE(Sum(boxes) == expected);
      for (const TimelineBox& box : boxes) {
        REQUIRE(store.start(box.slice) >= box.start);
        REQUIRE(store.end(box.slice) <= box.end);
        if (box.count > 1) REQUIRE(box.end - box.start < resolution);
      }
    }
  }
}

TEST_CASE("lanes: slices of at least a pixel stand alone") {
  const auto trace = drawn::Load(Busy(4000, 3));
  const TraceStore& store = trace->store();
  const TimelineTrackLanes lanes(store, store.tracks()[0]);
  const Ns resolution = 2000 * kUs;
  std::vector<TimelineBox> boxes;
  lanes.lanes()[0].Query(store, store.extent(), resolution, 0, &boxes);
  std::set<SliceIndex> alone;
  for (const TimelineBox& box : boxes) {
    if (box.count == 1) alone.insert(box.slice);
  }
  int large = 0;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (store.duration(i) < resolution) continue;
    ++large;
    REQUIRE(alone.contains(i));
  }
  REQUIRE(large > 0);
}

TEST_CASE("lanes: slices without length at the edges of the trace are there") {
  Drawing drawing;
  drawing.Op("first", 0, 0);
  drawing.Op("middle", 5, 2);
  drawing.Op("last", 10, 0);
  const auto trace = drawn::Load(drawing);
  const TimelineTrackLanes lanes(trace->store(), trace->store().tracks()[0]);
  REQUIRE(lanes.CountTouching(trace->store(), trace->store().extent()) == 3);
}

TEST_CASE("lanes: the keyboard walks along a lane, in and out") {
  Drawing drawing;
  const int outer = drawing.Op("outer", 0, 100);
  const int a = drawing.Op("a", 10, 20);
  const int b = drawing.Op("b", 40, 20);
  const int after = drawing.Op("after", 200, 10);
  const auto trace = drawn::Load(drawing);
  const TraceStore& store = trace->store();
  const TimelineTrackLanes lanes(store, store.tracks()[0]);
  const auto go = [&](int event, Direction direction) {
    return NeighborOf(store, lanes, trace.At(event), direction);
  };
  CHECK(go(outer, Direction::kIn) == trace.At(a));
  CHECK(go(a, Direction::kNext) == trace.At(b));
  CHECK(go(b, Direction::kPrevious) == trace.At(a));
  CHECK(go(b, Direction::kNext) == kNone);
  CHECK(go(b, Direction::kOut) == trace.At(outer));
  CHECK(go(b, Direction::kIn) == kNone);
  CHECK(go(outer, Direction::kNext) == trace.At(after));
  CHECK(go(outer, Direction::kOut) == kNone);
}

TEST_CASE("series: points while there are few, else the extremes of each pixel") {
  KeptVector<Ns> ns;
  KeptVector<double> value;
  for (int i = 0; i < 10'000; ++i) {
    ns.push_back(i);
    value.push_back(i % 100 == 50 ? 1000 : i % 100 == 70 ? -5 : 1);
  }
  const TimelineSeries series(TimelineSeries::Reduce::kExtremes, ns, value);
  CHECK(series.max_value() == 1000);
  const auto few = series.Query({49, 53}, 100);
  CHECK(few.ns == std::vector<Ns>{49, 50, 51});  // a value that stays needs no point
  CHECK(few.value == std::vector<double>{1, 1000, 1});
  const auto many = series.Query({0, 10'000}, 100);
  REQUIRE(many.ns.size() == 1);  // every pixel has the same extremes, so one point says it
  CHECK(many.value[0] == 1000);
  CHECK(many.low[0] == -5);
  // Against a plain scan, at pixels that are not aligned with the levels.
  for (const Interval window : {Interval{3, 9'990}, Interval{1'234, 7'777}}) {
    const auto points = series.Query(window, 37);
    for (size_t p = 0; p + 1 < points.ns.size(); ++p) {
      double low = 1e9, high = -1e9;
      for (Ns t = points.ns[p]; t < points.ns[p + 1]; ++t) {
        low = std::min(low, value[static_cast<size_t>(t)]);
        high = std::max(high, value[static_cast<size_t>(t)]);
      }
      CHECK(points.value[p] == high);
      CHECK(points.low[p] == low);
    }
  }
}

TEST_CASE("series: the mean counts time, not points") {
  const TimelineSeries series(TimelineSeries::Reduce::kMean, {0, 10, 30, 100}, {1, 0, 0.5, 0});
  CHECK(series.Mean({0, 100}) == Approx((10 + 35) / 100.0));
  CHECK(series.Mean({5, 20}) == Approx(5 / 15.0));
  CHECK(series.Mean({-50, 0}) == 0);
  CHECK(series.Mean({200, 300}) == 0);
}

TEST_CASE("series: the means of the pixels have the area of the series at every zoom") {
  std::mt19937 random(11);
  KeptVector<Ns> ns;
  KeptVector<double> value;
  Ns at = 1000;
  for (int i = 0; i < 5'000; ++i) {
    ns.push_back(at);
    value.push_back(i % 2 == 0 ? 1 : 0);
    at += 1 + static_cast<Ns>(random() % (i % 2 == 0 ? 20 : 200));
  }
  value.back() = 0;
  const TimelineSeries series(TimelineSeries::Reduce::kMean, ns, value);
  const auto area = [&](Interval window) {
    Ns busy = 0;
    for (size_t i = 0; i + 1 < ns.size(); i += 2) {
      busy += std::max<Ns>(0, std::min(ns[i + 1], window.end) - std::max(ns[i], window.begin));
    }
    return static_cast<double>(busy);
  };
  for (int round = 0; round < 200; ++round) {
    const Ns begin = static_cast<Ns>(random() % static_cast<uint64_t>(at));
    const Interval window{begin, begin + 1 + static_cast<Ns>(random() % (round % 2 ? 3'000 : at))};
    for (const int64_t pixels : {1, 7, 600, 3'000, 9'000}) {
      const auto points = series.Query(window, pixels);
      REQUIRE(points.ns.size() <= static_cast<size_t>(2 * pixels + 1));
      REQUIRE(points.low.empty());
      double sum = 0;
      for (size_t p = 0; p < points.ns.size(); ++p) {
        const Ns next = p + 1 < points.ns.size() ? points.ns[p + 1] : window.end;
        sum += points.value[p] * static_cast<double>(next - points.ns[p]);
      }
      REQUIRE(sum == Approx(area(window)).margin(1e-3));
    }
  }
}

TEST_CASE("series: sums of changes return to exactly zero (B41)") {
  KeptVector<Ns> ns;
  KeptVector<double> value;
  SumChanges({{0, 0.1}, {5, 0.2}, {7, -0.1}, {9, -0.2}, {9, 0.7}, {12, -0.7}}, &ns, &value);
  CHECK(ns == KeptVector<Ns>{0, 5, 7, 9, 12});
  CHECK(value.back() == 0);
}

TEST_CASE("index: rows in order, every track once, queue depth never negative") {
  Drawing drawing(drawn::kV100);
  drawing.Step(1, 0, 500);
  for (int i = 0; i < 20; ++i) {
    drawing.Op("aten::op", i * 20.0, 15);
    drawing.Launch(i, i * 20.0 + 2, 3);
    drawing.Kernel("k", i, 100 + i * 19.0, 18, "\"blocks per SM\":0.5");
  }
  drawing.Kernel("unlaunched", 999, 10, 5, "", 0, 9);
  drawing.Op("elsewhere", 5, 5, "", "77");
  const auto trace = drawn::Load(drawing);
  const auto index = BuildTimelineIndex(*trace, {});
  REQUIRE(index.ok());
  std::set<TrackIndex> tracks;
  uint64_t slices = 0;
  for (const TimelineRow& row : index->rows) {
    if (row.track == kNone) continue;
    CHECK(tracks.insert(row.track).second);
    slices += row.slices;
  }
  CHECK(slices == trace->store().slice_count());
  REQUIRE(index->rows.size() > 4);
  CHECK(index->rows[0].kind == TimelineRowKind::kSteps);
  CHECK(index->rows[1].name.text == "Stream 7");
  CHECK(index->rows[2].name.text == "Stream 9");
  for (const TimelineRow& row : index->rows) {
    if (row.series < 0) continue;
    const TimelineSeries& series = index->series[static_cast<size_t>(row.series)];
    const auto points = series.Query(trace->store().extent(), 100'000);
    for (const double low : points.low) CHECK(low >= 0);
    if (row.name.text == "Queue depth, stream 7") CHECK(series.max_value() > 1);
    if (row.name.text == "Est. SM efficiency") CHECK(series.max_value() == 0.5);
    CHECK(row.name.text != "Queue depth, stream 9");
  }
}

TEST_CASE("gaps: together with the work they fill the time up to the last work") {
  Drawing drawing;
  std::mt19937 random(5);
  double at = 50;
  for (int i = 0; i < 300; ++i) {
    drawing.Launch(i, at - 4, 2);
    const double length = static_cast<double>(1 + random() % 20);
    drawing.Kernel("k", i, at, length, "", 0, static_cast<int>(random() % 3));
    at += static_cast<double>(random() % 25);
  }
  const auto trace = drawn::Load(drawing);
  REQUIRE(trace->devices.size() == 1);
  const auto gaps = FindGaps(*trace, trace->devices[0], 1, {});
  REQUIRE(gaps.ok());
  std::vector<Interval> work;
  Ns last = 0;
  for (SliceIndex i = 0; i < trace->store().slice_count(); ++i) {
    if (trace->store().kind(i) != SliceKind::kKernel) continue;
    work.push_back({trace->store().start(i), trace->store().end(i)});
    last = std::max(last, trace->store().end(i));
  }
  Ns idle = 0;
  for (const DeviceGap& gap : *gaps) {
    idle += gap.time.Length();
    CHECK(IntervalLengths(Unite(work)).Within(gap.time) == 0);
    CHECK(trace->store().start(gap.ended_by) == gap.time.end);
  }
  CHECK(idle + LengthOf(Unite(work)) == last);
}

TEST_CASE("search: cancelling ends it") {
  const auto trace = drawn::Load(Busy(10, 4));
  CancelToken cancel;
  cancel.Cancel();
  const auto hits = SearchTimeline(*trace, {}, cancel);
  REQUIRE(!hits.ok());
  CHECK(hits.error().kind == ErrorKind::kCancelled);
}

TEST_CASE("search: device work belongs to the module that launched it, backward work too") {
  Drawing drawing;
  drawing.Python("nn.Module: Linear_0", 0, 100);
  const int forward = drawing.Op("aten::addmm", 10, 50, "\"Sequence number\":7");
  drawing.Launch(1, 20, 5);
  const int kernel = drawing.Kernel("gemm", 1, 40, 30);
  const int backward =
      drawing.Op("AddmmBackward0", 300, 50, "\"Sequence number\":7,\"Fwd thread id\":1", "11");
  drawing.Flow("s", 7, 10, "10");
  drawing.Flow("f", 7, 300, "11");
  drawing.Op("aten::relu", 500, 10);
  const auto trace = drawn::Load(drawing);
  REQUIRE(trace->forward[trace.At(backward)] == trace.At(forward));
  TimelineSearch search;
  search.module = "linear";
  const auto hits = SearchTimeline(*trace, search, {});
  REQUIRE(hits.ok());
  const std::set<SliceIndex> found(hits->page.begin(), hits->page.end());
  CHECK(found.contains(trace.At(forward)));
  CHECK(found.contains(trace.At(kernel)));
  CHECK(found.contains(trace.At(backward)));
  CHECK(hits->total == 5);
}

TEST_CASE("search: names of C++ are found as recorded, and as pages show them") {
  Drawing drawing;
  drawing.Kernel("_ZN2ck27kernel_gemm_xdl_cshuffle_v3INS_6half_tEEEvi", 0, 0, 10);
  drawing.Kernel("void at::native::fill<c10::Half>(int, c10::Half)", 0, 20, 10);
  drawing.Kernel("gemm", 0, 40, 10);
  const auto trace = drawn::Load(drawing);
  for (const auto& [text, regex] :
       std::vector<std::pair<std::string, bool>>{{"ck::kernel_gemm", false},
                                                 {"_zn2ck27kernel", false},
                                                 {"fill<half>", false},
                                                 {"native::fill<c10::half>", false},
                                                 {"^ck::kernel_\\w+$", true}}) {
    TimelineSearch search;
    search.text = text;
    search.regex = regex;
    const auto hits = SearchTimeline(*trace, search, {});
    REQUIRE(hits.ok());
    CHECK((text + " " + std::to_string(hits->total)) == (text + " 1"));
  }
}

TEST_CASE("a marked range bottom-up: self time by name, and what it ran in") {
  Drawing drawing;
  drawing.Op("outer", 0, 100);
  drawing.Op("inner", 10, 40);
  drawing.Op("leaf", 20, 20);
  drawing.Op("other", 200, 50);
  drawing.Op("leaf", 210, 30);
  drawing.Slice("Trace", "PyTorch Profiler (0)", "\"Spans\"", "\"PyTorch Profiler\"", 0, 300);
  const auto trace = drawn::Load(drawing);
  const TraceStore& store = trace->store();
  std::vector<SliceIndex> all;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) all.push_back(i);
  REQUIRE(all.size() == 6);
  // The span of the recording is no work; the range begins inside the first leaf: its parents'
  // parts before do not count.
  const RangeSums sums = SumRange(store, all, {30 * kUs, 300 * kUs}, 10);
  std::string text;
  for (const NameSum& name : sums.names) {
    text += std::string(store.strings().Get(name.name)) + " " + std::to_string(name.self / kUs) +
            " of " + std::to_string(name.sum / kUs);
    for (const auto& [caller, self] : name.callers) {
      text += ", " + std::string(store.strings().Get(caller)) + " " + std::to_string(self / kUs);
    }
    text += "\n";
  }
  CHECK(text ==
        "outer 50 of 70\n"
        "leaf 40 of 40, other 30, inner 10\n"
        "other 20 of 50\n"
        "inner 10 of 20, outer 10\n");
}

TEST_CASE("a device's row is busy while the device works, not below annotations and waits") {
  Drawing drawing(drawn::kV100);
  drawing.Op("op", 0, 100);
  drawing.Kernel("k", 1, 10, 20);
  drawing.Device("gpu_user_annotation", "range", 0, 0, 100);
  drawing.Device("cuda_sync", "Stream Synchronize", 0, 70, 25);
  drawing.Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2, 25, 10);
  const auto trace = drawn::Load(drawing);
  const TraceStore& store = trace->store();
  const auto index = BuildTimelineIndex(*trace, {});
  REQUIRE(index.ok());
  Ns busy = 0;
  for (const TimelineRow& row : index->rows) {
    if (row.kind == TimelineRowKind::kStream) busy += row.busy;
  }
  CHECK(busy == 25 * kUs);
  std::vector<SliceIndex> all;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) all.push_back(i);
  const RangeSums sums = SumRange(store, all, {20 * kUs, 100 * kUs}, 10);
  REQUIRE(sums.devices.size() == 1);
  CHECK(sums.devices[0].device == 0);
  CHECK(sums.devices[0].busy == 15 * kUs);
}
