#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "store/builder.h"

namespace emberline {
namespace {

RecordedId Number(int64_t number) {
  RecordedId id;
  id.number = number;
  return id;
}

// Draws slices of one host thread and finishes.
struct Drawing {
  TraceBuilder builder;
  Domain domain = Domain::kHost;
  uint32_t count = 0;

  Drawing() { builder.SetFractionalTimes(); }
  void Slice(const std::string& name, Ns start, Ns duration, SliceKind kind = SliceKind::kCpuOp,
             int64_t pid = 100, int64_t tid = 1) {
    const uint32_t thread = builder.Thread(Number(pid), Number(tid));
    builder.AddSlice(
        builder.TrackOf(thread, domain),
        builder.Category(builder.strings().Intern("c" + std::to_string(static_cast<int>(kind))),
                         kind),
        builder.strings().Intern(name), start, duration, 0, count++);
  }
  std::shared_ptr<const TraceStore> Done() {
    auto store = builder.Finalize();
    REQUIRE(store.ok());
    return *store;
  }
};

SliceIndex At(const TraceStore& store, std::string_view name) {
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    if (store.name(i) == name) return i;
  }
  return kNone;
}

std::string ParentOf(const TraceStore& store, std::string_view name) {
  const SliceIndex parent = store.parent(At(store, name));
  return parent == kNone ? "-" : std::string(store.name(parent));
}

// No two slices of one track and depth overlap.
void CheckLanes(const TraceStore& store) {
  for (const Track& track : store.tracks()) {
    std::vector<Ns> end(track.max_depth + size_t{1}, std::numeric_limits<Ns>::min());
    for (SliceIndex i = track.first; i < track.last; ++i) {
      REQUIRE(store.depth(i) <= track.max_depth);
      REQUIRE(store.start(i) >= end[store.depth(i)]);
      end[store.depth(i)] = std::max(store.end(i), store.start(i) + 1);
      if (store.parent(i) != kNone) REQUIRE(store.depth(store.parent(i)) < store.depth(i));
    }
  }
}

}  // namespace

TEST_CASE("slices nest by containment, in any order of the file") {
  //  outer      [0          100)
  //    inner      [10   50)
  //      leaf       [20 30)
  //    second            [60 90)
  Drawing d;
  d.Slice("leaf", 1020, 10);
  d.Slice("second", 1060, 30);
  d.Slice("inner", 1010, 40);
  d.Slice("outer", 1000, 100);
  const auto store = d.Done();
  CHECK(store->name(0) == "outer");
  CHECK(store->start(0) == 0);
  CHECK(store->base_ns() == 1000);
  CHECK(ParentOf(*store, "outer") == "-");
  CHECK(ParentOf(*store, "inner") == "outer");
  CHECK(ParentOf(*store, "leaf") == "inner");
  CHECK(ParentOf(*store, "second") == "outer");
  CHECK(store->depth(At(*store, "leaf")) == 2);
  CHECK(store->tracks()[0].max_depth == 2);
  CHECK(store->event_index(At(*store, "leaf")) == 0);
  CHECK(store->extent() == Interval{0, 100});
  CheckLanes(*store);
}

TEST_CASE("equal intervals nest in the order of the file, slices that touch do not nest") {
  Drawing d;
  d.Slice("first", 10, 10);
  d.Slice("same", 10, 10);
  d.Slice("next", 20, 10);
  const auto store = d.Done();
  CHECK(ParentOf(*store, "same") == "first");
  CHECK(ParentOf(*store, "next") == "-");
  CHECK(store->depth(At(*store, "next")) == 0);
}

TEST_CASE("of slices that cross the longer one stands next to their parent") {
  //  main    [0                                     100)
  //  enter     [1   4)                                     lane 2, below the step
  //    inner     [2  4)                                    lane 3
  //  step 1       [3                  50)                  lane 1
  //    work           [5           48)                     lane 2
  //  leave                         [49   54)               lane 2: step 1 is still there
  //  step 2                            [52          98)    lane 1
  Drawing d;
  d.Slice("main", 0, 100);
  d.Slice("enter", 1, 3);
  d.Slice("inner", 2, 2);
  d.Slice("step 1", 3, 47);
  d.Slice("work", 5, 43);
  d.Slice("leave", 49, 5);
  d.Slice("step 2", 52, 46);
  d.Slice("more", 60, 10);
  const auto store = d.Done();
  const auto depth = [&](const char* name) { return store->depth(At(*store, name)); };
  CHECK(ParentOf(*store, "enter") == "main");
  CHECK(ParentOf(*store, "step 1") == "main");
  CHECK(depth("step 1") == 1);
  CHECK(depth("step 2") == 1);
  CHECK(depth("enter") == 2);
  CHECK(depth("inner") == 3);
  CHECK(depth("work") == 2);
  CHECK(depth("leave") == 2);
  CHECK(depth("more") == 2);
  CHECK(store->tracks()[0].max_depth == 3);
  CheckLanes(*store);
}

TEST_CASE("slices that cross are siblings on lanes of their own, and their children find them") {
  //  a [0    10)
  //  b    [5    15)
  //  c      [6 9)         in both: the later one is the parent
  //  d            [11 14) in b alone
  Drawing d;
  d.Slice("a", 0, 10);
  d.Slice("b", 5, 10);
  d.Slice("c", 6, 3);
  d.Slice("d", 11, 3);
  const auto store = d.Done();
  CHECK(ParentOf(*store, "b") == "-");
  CHECK(store->depth(At(*store, "b")) == 1);
  CHECK(ParentOf(*store, "c") == "b");
  CHECK(ParentOf(*store, "d") == "b");
  CheckLanes(*store);
}

TEST_CASE("a parent that ended hides no longer one") {
  //  long [0                100)
  //  x      [10    40)
  //  y        [20       60)       crosses x
  //  z                [50 55)     in y; x is over
  Drawing d;
  d.Slice("long", 0, 100);
  d.Slice("x", 10, 30);
  d.Slice("y", 20, 40);
  d.Slice("z", 50, 5);
  const auto store = d.Done();
  CHECK(ParentOf(*store, "y") == "long");
  CHECK(ParentOf(*store, "z") == "y");
  CheckLanes(*store);
}

TEST_CASE("with times cut to microseconds a child may end 1 us late, with exact times it may not") {
  for (const bool exact : {false, true}) {
    Drawing d;
    TraceBuilder cut;
    TraceBuilder& builder = exact ? d.builder : cut;
    const uint32_t thread = builder.Thread(Number(1), Number(1));
    const auto category = builder.Category(builder.strings().Intern("cpu_op"), SliceKind::kCpuOp);
    const TrackIndex track = builder.TrackOf(thread, Domain::kHost);
    builder.AddSlice(track, category, builder.strings().Intern("parent"), 0, 10'000, 0, 0);
    builder.AddSlice(track, category, builder.strings().Intern("child"), 1'000, 10'000, 0, 1);
    const auto store = *builder.Finalize();
    CHECK(ParentOf(*store, "child") == (exact ? "-" : "parent"));
    CheckLanes(*store);
  }
}

TEST_CASE("kernels that overlap on a stream lie side by side") {
  Drawing d;
  d.domain = Domain::kDevice;
  for (int i = 0; i < 5; ++i)
    d.Slice("k" + std::to_string(i), i * 10, 35, SliceKind::kKernel, 0, 7);
  const auto store = d.Done();
  REQUIRE(store->slice_count() == 5);
  CHECK(store->tracks()[0].kind == TrackKind::kDeviceStream);
  CHECK(store->tracks()[0].device == 0);
  CHECK(store->tracks()[0].stream == 7);
  for (SliceIndex i = 0; i < 5; ++i) CHECK(store->parent(i) == kNone);
  CheckLanes(*store);
}

TEST_CASE("points at one time do not hide each other") {
  Drawing d;
  for (int i = 0; i < 3; ++i) d.Slice("p" + std::to_string(i), 10, 0);
  d.Slice("later", 20, 5);
  CheckLanes(*d.Done());
}

TEST_CASE("random slices: parents are the innermost around, lanes never overlap") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Drawing d;
    const int n = 60;
    for (int i = 0; i < n; ++i) {
      d.Slice("s" + std::to_string(i), 1 + static_cast<Ns>(random() % 100),
              static_cast<Ns>(random() % 40), SliceKind::kCpuOp, 1,
              1 + static_cast<int>(random() % 2));
    }
    const auto store = d.Done();
    REQUIRE(store->slice_count() == n);
    CheckLanes(*store);
    for (SliceIndex i = 0; i < store->slice_count(); ++i) {
      // The naive answer: the last row before i that contains it.
      SliceIndex expected = kNone;
      for (SliceIndex k = 0; k < i; ++k) {
        if (store->track(k) == store->track(i) && store->start(k) <= store->start(i) &&
            store->end(k) >= store->end(i) && store->end(k) > store->start(i)) {
          expected = k;
        }
      }
      REQUIRE(store->parent(i) == expected);
      if (i > 0 && store->track(i) == store->track(i - 1)) {
        REQUIRE(store->start(i - 1) <= store->start(i));
        if (store->start(i - 1) == store->start(i))
          REQUIRE(store->duration(i - 1) >= store->duration(i));
      }
    }
  }
}

TEST_CASE("a device and a process with one number have tracks of their own") {
  Drawing d;
  d.Slice("op", 0, 100, SliceKind::kCpuOp, 1, 7);
  d.domain = Domain::kDevice;
  d.Slice("kernel", 10, 100, SliceKind::kKernel, 1, 7);
  d.builder.SetProcessText(Number(1), "process_labels", d.builder.strings().Intern("CPU"));
  d.builder.SetProcessText(Number(1), "process_labels", d.builder.strings().Intern("GPU 1"));
  const auto store = d.Done();
  REQUIRE(store->tracks().size() == 2);
  CHECK(store->tracks()[0].kind == TrackKind::kHostThread);
  CHECK(store->strings().Get(store->tracks()[0].process_labels) == "CPU");
  CHECK(store->tracks()[1].kind == TrackKind::kDeviceStream);
  CHECK(store->strings().Get(store->tracks()[1].process_labels) == "GPU 1");
}

TEST_CASE("a track of unknown domain joins the one of its thread, or follows its process") {
  Drawing d;
  d.Slice("op", 0, 100, SliceKind::kCpuOp, 50, 51);
  d.domain = Domain::kUnknown;
  d.Slice("same thread", 10, 10, SliceKind::kHostOther, 50, 51);
  d.Slice("same process", 10, 10, SliceKind::kHostOther, 50, 52);
  d.Slice("on a device", 10, 10, SliceKind::kHostOther, 3, 9);
  d.domain = Domain::kDevice;
  d.Slice("kernel", 10, 10, SliceKind::kKernel, 3, 8);
  const auto store = d.Done();
  CHECK(store->tracks().size() == 4);
  CHECK(ParentOf(*store, "same thread") == "op");
  CHECK(store->tracks()[store->track(At(*store, "same process"))].kind == TrackKind::kHostThread);
  const SliceIndex other = At(*store, "on a device");
  CHECK(store->tracks()[store->track(other)].kind == TrackKind::kDeviceStream);
  CHECK(store->kind(other) == SliceKind::kDeviceOther);
  CHECK(store->kind(At(*store, "same process")) == SliceKind::kHostOther);
}

TEST_CASE("tracks are sorted by kind, then as the recorder wants, then by number") {
  Drawing d;
  d.domain = Domain::kDevice;
  d.Slice("k", 0, 1, SliceKind::kKernel, 0, 7);
  d.domain = Domain::kHost;
  d.Slice("b", 0, 1, SliceKind::kCpuOp, 9, 12);
  d.Slice("a", 0, 1, SliceKind::kCpuOp, 9, 2);
  d.Slice("first", 0, 1, SliceKind::kCpuOp, 90, 1);
  d.builder.SetProcessSortIndex(Number(9), 5);
  d.builder.SetProcessSortIndex(Number(90), 1);
  const auto store = d.Done();
  std::vector<std::string> names;
  for (SliceIndex i = 0; i < store->slice_count(); ++i) names.emplace_back(store->name(i));
  CHECK(names == std::vector<std::string>{"first", "a", "b", "k"});
}

TEST_CASE("the extent leaves out the capture's span, markers, lost stamps and absurd durations") {
  Drawing d;
  constexpr Ns kDay = 24ll * 3600 * 1'000'000'000;
  constexpr Ns kBegin = 100 * kDay;
  d.Slice("op", kBegin, 1000);
  d.builder.SetOffset(700);
  d.Slice("absurd", kBegin + 100, 30 * kDay);
  d.builder.SetOffset(5'000'000'000);
  d.Slice("lost", 0, 10);
  d.builder.SetOffset(5'000'000'100);
  d.Slice("lost too", 0, 10);
  d.domain = Domain::kSpan;
  d.Slice("capture", kBegin - 500, 5000, SliceKind::kTraceSpan);
  Instant marker;
  marker.ts = kBegin + kDay;
  d.builder.AddInstant(marker, true);
  const auto store = d.Done();
  CHECK(store->extent() == Interval{0, 1000});
  CHECK(store->base_ns() == kBegin);
  CHECK(store->start(At(*store, "capture")) == -500);
  CHECK(store->start(At(*store, "lost")) == 0);
  CHECK(store->duration(At(*store, "absurd")) == 0);
  REQUIRE(store->problems().size() == 2);
  CHECK(store->problems()[0].kind == "lostTimestamp");
  CHECK(store->problems()[0].count == 2);
  CHECK(store->problems()[0].first_offset == 5'000'000'000);
  CHECK(store->problems()[1].kind == "absurdDuration");
  CHECK(store->problems()[1].first_offset == 700);
}

namespace {

constexpr Ns kSecond = 1'000'000'000, kDay = 24 * 3600 * kSecond;
// 2024, as recorders without a base time write it.
constexpr Ns kToday = 19'800 * kDay;

Instant At(TraceBuilder* builder, Ns ts) {
  Instant instant;
  instant.ts = ts;
  instant.track = builder->TrackOf(builder->Thread(Number(100), Number(1)), Domain::kHost);
  return instant;
}

}  // namespace

TEST_CASE("events far away from all others are left out and stretch nothing") {
  constexpr Ns kLargest = std::numeric_limits<Ns>::max(), kLeast = std::numeric_limits<Ns>::min();
  for (const Ns far : {kLargest, kLargest - 1, kLeast, kLeast + 1, Ns{1}, Ns{-1}, 30 * kSecond,
                       kToday + 9 * kDay, kToday - 9 * kDay}) {
    for (const Ns duration : {Ns{5}, 100 * 365 * kDay, kLargest, TraceBuilder::kUnfinished}) {
      for (const bool first : {false, true}) {
        INFO(far << " for " << duration << (first ? " first" : " amid"));
        Drawing d;
        ReadCounts& counts = d.builder.counts();
        const auto add_far = [&] {
          d.builder.SetOffset(5'000'000'000);
          d.Slice("far", far, duration);
          d.builder.SetOffset(5'000'000'100);
          d.builder.AddInstant(At(&d.builder, far), false);
          d.builder.SetOffset(5'000'000'200);
          MemoryRecord record;
          record.ts = far;
          record.track = At(&d.builder, far).track;
          d.builder.AddMemory(record);
          d.builder.SetOffset(5'000'000'300);
          CounterSample sample;
          sample.ts = far;
          d.builder.AddCounter(sample);
          d.builder.SetOffset(6'000'000'000);
        };
        if (first) add_far();
        d.builder.SetOffset(first ? 6'000'000'000 : 300);
        d.Slice("before", kToday, 1000);
        for (int i = 0; i < 10; ++i) {
          d.builder.AddInstant(At(&d.builder, kToday + 10 * i), false);
          if (i == 5 && !first) add_far();
        }
        MemoryRecord record;
        record.ts = kToday + 100;
        record.track = At(&d.builder, 0).track;
        d.builder.AddMemory(record);
        CounterSample sample;
        sample.ts = kToday + 200;
        d.builder.AddCounter(sample);
        d.Slice("behind", kToday + 500, 1500);
        // The rows that stay keep their offsets.
        d.builder.SetOffset(7'000'000'000);
        d.Slice("long", kToday + 100, 30 * kDay);
        counts.events = 19;
        counts.slices = 4;
        counts.instants = 11;
        counts.memory = counts.counters = 2;
        const auto store = d.Done();
        CHECK(store->extent() == Interval{0, 2000});
        CHECK(store->base_ns() == kToday);
        CHECK(At(*store, "far") == kNone);
        CHECK(store->slice_count() == 3);
        CHECK(store->duration(At(*store, "behind")) == 1500);
        CHECK(store->instants().size() == 10);
        REQUIRE(store->memory().size() == 1);
        CHECK(store->memory()[0].ts == 100);
        REQUIRE(store->counters().size() == 1);
        CHECK(store->counters()[0].ts == 200);
        CHECK(store->counts().slices == 3);
        CHECK(store->counts().instants == 10);
        CHECK(store->counts().memory == 1);
        CHECK(store->counts().counters == 1);
        CHECK(store->counts().dropped == 4);
        CHECK(store->duration(At(*store, "long")) == 0);
        REQUIRE(store->problems().size() == 2);
        CHECK(store->problems()[1].kind == "absurdDuration");
        CHECK(store->problems()[1].first_offset == 7'000'000'000);
        CHECK(store->problems()[0].kind == "farTime");
        CHECK(store->problems()[0].count == 4);
        CHECK(store->problems()[0].first_offset == 5'000'000'000);
        CHECK(store->problems()[0].notice);
      }
    }
  }
}

TEST_CASE("a time far away is told from a long recording and from clocks that differ") {
  const auto kept = [](Drawing* d, size_t slices) {
    const auto store = d->Done();
    CHECK(store->slice_count() == slices);
    CHECK(store->problems().empty());
    return store->extent().end;
  };
  SECTION("weeks in which something always happens") {
    Drawing d;
    for (int day = 0; day < 100; day += 6) d.Slice("op", kToday + day * kDay, kSecond);
    CHECK(kept(&d, 17) == 96 * kDay + kSecond);
  }
  SECTION("two processes that began days apart") {
    Drawing d;
    d.Slice("late", kToday + 7 * kDay, 10, SliceKind::kCpuOp, 7, 7);
    for (int i = 0; i < 50; ++i) d.Slice("op", kToday + i, 1);
    CHECK(kept(&d, 51) == 7 * kDay + 10);
  }
  SECTION("something that lasts until the next event") {
    Drawing d;
    for (int i = 0; i < 50; ++i) d.Slice("op", kToday + i, 6 * kDay);
    d.Slice("late", kToday + 12 * kDay, 10);
    CHECK(kept(&d, 51) == 12 * kDay + 10);
  }
  SECTION("a device whose clock counts from another moment") {
    Drawing d;
    for (int i = 0; i < 200; ++i) d.Slice("op", kToday + i * 10, 5);
    d.domain = Domain::kDevice;
    for (int i = 0; i < 20; ++i) d.Slice("k", 1000 + i * 10, 5, SliceKind::kKernel, 0, 7);
    CHECK(kept(&d, 220) == kToday + 1995 - 1000);
  }
  SECTION("two recordings in one file") {
    Drawing d;
    for (int i = 0; i < 4; ++i) d.Slice("op", kToday + i * 10, 5);
    for (int i = 0; i < 4; ++i) d.Slice("op", kToday + 30 * kDay + i * 10, 5);
    CHECK(kept(&d, 8) == 30 * kDay + 35);
  }
  SECTION("the recorder's own marks and spans count from any moment") {
    Drawing d;
    for (int i = 0; i < 50; ++i) d.Slice("op", kToday + i * 10, 5);
    d.builder.AddInstant(At(&d.builder, 5), true);
    d.domain = Domain::kSpan;
    d.Slice("capture", 5, 10, SliceKind::kTraceSpan);
    CHECK(kept(&d, 51) == 495);
  }
  SECTION("what lasts weeks, as the others do") {
    Drawing d;
    d.Slice("main", kToday, 20 * kDay);
    for (int day = 0; day < 19; ++day) d.Slice("op", kToday + day * kDay, kSecond);
    CHECK(kept(&d, 20) == 20 * kDay);
  }
}

TEST_CASE("a time nearer than a week is damaged where it contradicts its place in the file") {
  // Steps of 40 operators, and as many kernels and records of memory, each step in a tenth of a
  // second.
  struct Steps {
    Drawing d;
    std::vector<Ns> begins;
    uint32_t numbers = 0;
    // The `damaged` operator, kernel, counter and record of each step have a time that is `by` off.
    void Draw(const std::vector<int>& damaged, Ns by) {
      for (const bool device : {false, true}) {
        d.domain = device ? Domain::kDevice : Domain::kHost;
        for (const Ns begin : begins) {
          for (int i = 0; i < 40; ++i) {
            const bool off = std::find(damaged.begin(), damaged.end(), i) != damaged.end();
            const Ns ts = kToday + begin + i * kSecond / 400 + (off ? by : 0);
            d.builder.SetOffset(uint64_t{100} * ++numbers);
            d.Slice(off ? "off" : "op", ts, kSecond / 500,
                    device ? SliceKind::kKernel : SliceKind::kCpuOp, device ? 0 : 1, 7);
            if (device) continue;
            MemoryRecord record;
            record.ts = ts;
            record.track = At(&d.builder, 0).track;
            d.builder.AddMemory(record);
            CounterSample sample;
            sample.ts = ts;
            d.builder.AddCounter(sample);
            d.builder.AddInstant(At(&d.builder, ts), false);
          }
        }
      }
    }
  };
  constexpr Ns kMinute = 60 * kSecond, kHour = 60 * kMinute;
  SECTION("damage") {
    for (const Ns by : {-kDay, kMinute, -kMinute, kHour, kDay, 6 * kDay + kHour, 20 * kDay}) {
      for (const std::vector<int>& damaged :
           {std::vector<int>{5}, std::vector<int>{1, 38}, std::vector<int>{7, 9, 11}}) {
        INFO(by << " " << damaged.size());
        Steps steps;
        steps.begins = {0, kSecond, 3 * kSecond};
        steps.Draw(damaged, by);
        const auto store = steps.d.Done();
        const size_t off = 3 * damaged.size();
        CHECK(store->extent() == Interval{0, 3 * kSecond + 39 * kSecond / 400 + kSecond / 500});
        CHECK(store->base_ns() == kToday);
        CHECK(At(*store, "off") == kNone);
        CHECK(store->slice_count() == 240 - 2 * off);
        CHECK(store->instants().size() == 120 - off);
        CHECK(store->memory().size() == 120 - off);
        CHECK(store->counters().size() == 120 - off);
        REQUIRE(store->problems().size() == 1);
        CHECK(store->problems()[0].kind == "farTime");
        CHECK(store->problems()[0].count == 5 * off);
        CHECK(store->problems()[0].first_offset == 100 * (static_cast<uint64_t>(damaged[0]) + 1));
      }
    }
  }
  SECTION("damage at several distances") {
    Steps steps;
    steps.begins = {0};
    steps.Draw({3}, 5 * kDay);
    steps.Draw({3}, kMinute);
    steps.Draw({3}, -kHour);
    const auto store = steps.d.Done();
    CHECK(store->extent().end < kSecond);
    CHECK(store->problems()[0].count == 15);
  }
  const auto whole = [](Steps* steps, size_t slices) {
    const auto store = steps->d.Done();
    CHECK(store->problems().empty());
    CHECK(store->slice_count() == slices);
    return store->extent().end;
  };
  SECTION("pauses of minutes, hours and days") {
    for (const Ns pause : {kMinute, kHour, kDay}) {
      for (const int count : {2, 3, 20}) {
        Steps steps;
        for (int i = 0; i < count; ++i) steps.begins.push_back(i * pause);
        steps.Draw({}, 0);
        CHECK(whole(&steps, 80 * steps.begins.size()) > (count - 1) * pause);
      }
    }
  }
  SECTION("a call at the very end, or at the very beginning, of a recording with a pause") {
    for (const Ns by : {kDay, -kDay}) {
      Steps steps;
      steps.begins = {0, kSecond};
      const auto call = [&] {
        steps.d.Slice("synchronize", kToday + by, kSecond, SliceKind::kCpuOp, 1, 7);
      };
      if (by < 0) call();
      steps.Draw({}, 0);
      steps.d.domain = Domain::kHost;
      if (by > 0) call();
      CHECK(whole(&steps, 161) > kDay - kSecond);
    }
  }
  SECTION("a few late events, written before others") {
    Steps steps;
    steps.begins = {0, kDay, kSecond, 2 * kSecond, 3 * kSecond, 4 * kSecond};
    steps.Draw({}, 0);
    CHECK(whole(&steps, 480) > kDay);
  }
  SECTION("a file in no order") {
    Steps steps;
    std::mt19937_64 random(5);
    for (int i = 0; i < 400; ++i) {
      const Ns ts = i % 20 == 0 ? kDay : 0;
      steps.d.Slice("op", kToday + ts + static_cast<Ns>(random() % kSecond), 10, SliceKind::kCpuOp,
                    1, 7);
    }
    CHECK(whole(&steps, 400) > kDay - kSecond);
  }
  SECTION("a range that lasts as long") {
    Steps steps;
    steps.begins = {0};
    steps.d.Slice("wait", kToday, 2 * kDay, SliceKind::kCpuOp, 1, 8);
    steps.Draw({9}, kDay);
    CHECK(whole(&steps, 81) == 2 * kDay);
  }
}

TEST_CASE("few of many events have a time of their own, wherever they stand") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    Drawing d;
    uint32_t far = 0;
    for (int i = 0; i < 2000; ++i) {
      const bool is_far = random() % 50 == 0;
      far += is_far;
      // Nearly any number is more than two weeks away.
      const Ns ts = is_far ? static_cast<Ns>(random()) : kToday + static_cast<Ns>(random() % 1000);
      d.builder.SetOffset(static_cast<uint64_t>(i) * 100);
      d.Slice(is_far ? "far" : "op" + std::to_string(i), ts, 10, SliceKind::kCpuOp, 1,
              static_cast<int64_t>(random() % 3));
    }
    const auto store = d.Done();
    REQUIRE(store->slice_count() == 2000 - far);
    CHECK(At(*store, "far") == kNone);
    CHECK(store->extent().end <= 1010);
    CHECK(store->problems()[0].count == far);
    // Columns still belong together.
    for (SliceIndex i = 0; i < store->slice_count(); ++i) {
      REQUIRE(store->name(i) == "op" + std::to_string(store->event_index(i)));
    }
  }
}

TEST_CASE("flows stand by id and time, each at its slice, whatever their order in the file") {
  std::mt19937 random(3);
  // In the order of time, against it, and in none.
  for (int order = 0; order < 3; ++order) {
    constexpr int kSlices = 3000, kFlows = 5000;
    Drawing d;
    for (int i = 0; i < kSlices; ++i) d.Slice("op" + std::to_string(i), 1000 + i * 10, 6);
    const uint32_t thread = d.builder.Thread(Number(100), Number(1));
    for (int i = 0; i < kFlows; ++i) {
      FlowPoint flow;
      // Few ids, so that many flows share one.
      flow.id = (random() % 300) * 0x9E3779B97F4A7C15ull;
      flow.ts = order == 2 ? 990 + static_cast<Ns>(random() % (kSlices * 10 + 30))
                           : 990 + 6 * (order == 0 ? i : kFlows - i);
      flow.phase = random() % 2 == 0 ? FlowPhase::kStart : FlowPhase::kEnd;
      flow.role = FlowRole::kForward;
      d.builder.AddFlow(flow, thread);
    }
    const auto store = d.Done();
    REQUIRE(store->flows().size() == kFlows);
    const Ns zero = store->start(At(*store, "op0"));
    const FlowPoint* before = nullptr;
    for (const FlowPoint& flow : store->flows()) {
      if (before != nullptr) {
        REQUIRE(before->id <= flow.id);
        if (before->id == flow.id) REQUIRE(before->ts <= flow.ts);
      }
      before = &flow;
      // Slices of 6 begin every 10: a flow lies in one, at its end, or between two.
      const Ns at = flow.ts - zero;
      const bool inside = at >= 0 && at / 10 < kSlices && at % 10 <= 6;
      const std::string name = flow.slice == kNone ? "-" : std::string(store->name(flow.slice));
      REQUIRE(name == (inside ? "op" + std::to_string(at / 10) : "-"));
    }
  }
}

TEST_CASE("memory records come by time, those of one time as the file has them") {
  constexpr int64_t kRecords = 1000;
  std::mt19937_64 random(5);
  for (const bool in_order : {true, false}) {
    CAPTURE(in_order);
    Drawing d;
    d.Slice("op", 500, 10'000);
    std::vector<std::pair<Ns, int64_t>> expected;
    for (int64_t i = 0; i < kRecords; ++i) {
      MemoryRecord record;
      record.ts = 1000 + static_cast<Ns>(in_order ? i / 3 : random() % 300);
      record.bytes = i + 1;
      record.address = 0x7f00 + static_cast<uint64_t>(i);
      d.builder.AddMemory(record);
      expected.emplace_back(record.ts - 500, record.bytes);
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto store = d.Done();
    std::vector<std::pair<Ns, int64_t>> found;
    for (const MemoryRecord& record : store->memory()) {
      found.emplace_back(record.ts, record.bytes);
      CHECK(record.address == 0x7f00 + static_cast<uint64_t>(record.bytes - 1));
      CHECK(record.device_id == -1);
      CHECK(record.track == kNone);
    }
    CHECK(found == expected);
  }
}

TEST_CASE("no sum of durations or sizes overflows") {
  constexpr Ns kWeek = 7ll * 24 * 3600 * 1'000'000'000;
  constexpr int kCount = 20'000;
  Drawing d;
  for (int i = 0; i < kCount; ++i) d.Slice("op", 1000 + i, kWeek);
  d.Slice("sane", 5, 42);
  for (int i = 0; i < 3; ++i) {
    MemoryRecord record;
    record.ts = 2000 + i;
    record.bytes = i == 0 ? 4096 : std::numeric_limits<int64_t>::min();
    record.total_allocated = std::numeric_limits<int64_t>::max();
    d.builder.AddMemory(record);
  }
  const auto store = d.Done();
  Ns sum = 0;
  for (SliceIndex i = 0; i < store->slice_count(); ++i) {
    REQUIRE_FALSE(__builtin_add_overflow(sum, store->duration(i), &sum));
  }
  CHECK(store->duration(At(*store, "sane")) == 42);
  int64_t bytes = 0;
  for (const MemoryRecord& record : store->memory()) {
    REQUIRE_FALSE(__builtin_add_overflow(bytes, -record.bytes, &bytes));
    CHECK(record.total_allocated < std::numeric_limits<int64_t>::max());
  }
  CHECK(store->memory()[0].bytes == 4096);
  REQUIRE(store->problems().size() == 2);
  CHECK(store->problems()[0].kind == "absurdDuration");
  CHECK(store->problems()[0].count == kCount);
  CHECK(store->problems()[1].kind == "absurdSize");
  CHECK(store->problems()[1].count == 2);
}

TEST_CASE("time 0 is a time like any other where the trace begins there") {
  Drawing d;
  d.Slice("at zero", 0, 10);
  d.Slice("later", 500, 10);
  const auto store = d.Done();
  CHECK(store->extent() == Interval{0, 510});
  CHECK(store->problems().empty());
}

TEST_CASE("a range without an end lasts to the end of the trace") {
  Drawing d;
  d.Slice("open", 10, TraceBuilder::kUnfinished);
  d.Slice("op", 20, 70);
  const auto store = d.Done();
  CHECK(store->duration(At(*store, "open")) == 80);
  CHECK(ParentOf(*store, "op") == "open");
}

TEST_CASE("extreme times neither overflow nor vanish") {
  Drawing d;
  constexpr Ns kMost = std::numeric_limits<Ns>::max();
  d.Slice("low", -kMost + 1, 5);
  d.Slice("high", kMost - 1, kMost);
  d.Slice("mid", 1000, 10);
  const auto store = d.Done();
  CHECK(store->slice_count() == 3);
  for (SliceIndex i = 0; i < 3; ++i) CHECK(store->end(i) >= store->start(i));
}

TEST_CASE("an empty builder gives an empty store") {
  TraceBuilder builder;
  const auto store = *builder.Finalize();
  CHECK(store->slice_count() == 0);
  CHECK(store->extent() == Interval{0, 0});
}

TEST_CASE("finalizing can be cancelled") {
  Drawing d;
  for (int i = 0; i < 1000; ++i) d.Slice("s", i, 1);
  CancelToken cancel;
  cancel.Cancel();
  const auto store = d.builder.Finalize(cancel);
  REQUIRE_FALSE(store.ok());
  CHECK(store.error().kind == ErrorKind::kCancelled);
}

TEST_CASE("a staircase of crossing slices stays within its levels") {
  Drawing d;
  for (int i = 0; i < 20'000; ++i) d.Slice("s", i, 30'000);
  const auto store = d.Done();
  CHECK(store->slice_count() == 20'000);
  CHECK(store->tracks()[0].max_depth <= 300);
}

TEST_CASE("every column keeps rare values that are far from all others") {
  // Slices of threads and devices in the file's order, with times, lengths, names and args of which
  // a few take more than 32 bits.
  struct Row {
    int64_t thread;
    Ns start, duration;
    std::string name;
    SliceKind kind;
    int64_t arg;
  };
  std::mt19937_64 random(11);
  std::vector<Row> rows;
  TraceBuilder builder;
  builder.SetFractionalTimes();
  const StringId key = builder.strings().Intern("k");
  constexpr Ns kBegin = 1'700'000'000'000'000'000;
  for (uint32_t i = 0; i < 20'000; ++i) {
    Row row;
    row.thread = static_cast<int64_t>(random() % 5);
    row.start = kBegin + static_cast<Ns>(random() % 1'000'000'000'000);
    row.duration = static_cast<Ns>(random() % (random() % 100 == 0 ? 90'000'000'000 : 1000));
    row.name = "n" + std::to_string(random() % 10 == 0 ? random() % 5000 : random() % 20);
    row.kind = row.thread == 4 ? SliceKind::kKernel : SliceKind::kCpuOp;
    row.arg = random() % 50 == 0 ? std::numeric_limits<int64_t>::min() + i : i % 7;
    ArgItem arg;
    arg.key = key;
    arg.type = ArgType::kInt;
    arg.number = row.arg;
    builder.AddSlice(row.thread == 4 ? builder.DeviceTrack(0, 7) : builder.HostTrack(1, row.thread),
                     builder.Category(builder.strings().Intern("c"), row.kind),
                     builder.strings().Intern(row.name), row.start, row.duration,
                     builder.args().Add(&arg, i % 3 == 0 ? 0 : 1), i);
    rows.push_back(std::move(row));
  }
  const auto done = builder.Finalize();
  REQUIRE(done.ok());
  const TraceStore& store = **done;
  REQUIRE(store.slice_count() == rows.size());
  std::vector<bool> seen(rows.size());
  bool wide = false;
  for (const Track& track : store.tracks()) {
    std::vector<SliceIndex> open;
    for (SliceIndex i = track.first; i < track.last; ++i) {
      const uint32_t event = store.event_index(i);
      REQUIRE(!seen[event]);
      seen[event] = true;
      const Row& row = rows[event];
      REQUIRE(store.base_ns() + store.start(i) == row.start);
      REQUIRE(store.duration(i) == row.duration);
      REQUIRE(store.name(i) == row.name);
      REQUIRE(store.kind(i) == row.kind);
      REQUIRE(&store.tracks()[store.track(i)] == &track);
      REQUIRE(store.ArgInt(i, key) ==
              (event % 3 == 0 ? std::nullopt : std::optional<int64_t>(row.arg)));
      wide = wide || row.duration > Ns{1} << 32;
      // The innermost slice around it is the last one that began and has room for all of it.
      SliceIndex around = kNone;
      std::erase_if(open, [&](SliceIndex o) { return store.end(o) <= store.start(i); });
      for (const SliceIndex o : open) {
        if (store.end(o) >= store.end(i)) around = o;
      }
      if (open.size() < 200) REQUIRE(store.parent(i) == around);
      open.push_back(i);
    }
  }
  CHECK(wide);
  CheckLanes(store);
}

}  // namespace emberline
