// The seam of importers: a format of its own, with its own words for everything, gives the same
// model as Trace Event JSON, and neither knows of the other.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ingest/importer.h"
#include "ingest/trace_event/importer.h"
#include "ingest_fixture.h"
#include "model/model.h"
#include "store/builder.h"

namespace emberline {
namespace {

using fixture::Find;

// Lines of words, behind a line that says what they are:
//   op PROCESS THREAD START LENGTH NAME SIZES
//   call PROCESS THREAD START LENGTH NAME TICKET
//   work DEVICE QUEUE START LENGTH NAME TICKET
constexpr std::string_view kMagic = "ledger 1\n";

constexpr Sentence kNoLedger{"noLedger", "{file} is no ledger."};

class LedgerImporter : public Importer {
 public:
  const ImporterSpec& spec() const override {
    static const ImporterSpec spec = {"ledger", "Ledger", {".ledger"}, ""};
    return spec;
  }
  Recognition Recognize(std::string_view head) const override {
    Recognition said;
    said.claim = head.starts_with(kMagic) ? Recognition::Claim::kSure : Recognition::Claim::kNone;
    said.why = &kNoLedger;
    return said;
  }
  Result<ReadResult> Read(ByteSource& source, const TraceFile&,
                          const ReadOptions& options) const override {
    std::string text;
    for (std::string_view block = source.Next(); !block.empty(); block = source.Next()) {
      text += block;
    }
    TraceBuilder builder;
    builder.NameArg(ArgRole::kCorrelation, "ticket");
    builder.NameArg(ArgRole::kInputShapes, "sizes");
    std::istringstream lines(text.substr(kMagic.size()));
    std::string what, name, last;
    int64_t where = 0, lane = 0, start = 0, length = 0;
    while (lines >> what >> where >> lane >> start >> length >> name >> last) {
      ArgItem item;
      item.key = builder.strings().Intern(what == "op" ? "sizes" : "ticket");
      item.type = what == "op" ? ArgType::kJson : ArgType::kInt;
      if (what == "op") {
        item.text = builder.strings().Intern(last);
      } else {
        item.number = std::stoll(last);
      }
      const SliceKind kind = what == "op"     ? SliceKind::kCpuOp
                             : what == "call" ? SliceKind::kRuntime
                                              : SliceKind::kKernel;
      const TrackIndex track =
          what == "work" ? builder.DeviceTrack(where, lane) : builder.HostTrack(where, lane);
      builder.AddSlice(track, builder.Category(builder.strings().Intern(what), kind),
                       builder.strings().Intern(name), start, length, builder.args().Add(&item, 1),
                       builder.slice_count());
      ++builder.counts().events;
      ++builder.counts().slices;
    }
    auto store = builder.Finalize(options.cancel);
    if (!store.ok()) return store.error();
    ReadResult result;
    result.store = *store;
    return result;
  }
};

const ImporterList& Both() {
  static const LedgerImporter ledger;
  static const ImporterList list = {&TraceEventImporter(), &ledger};
  return list;
}

ReadOptions WithBoth() {
  ReadOptions options;
  options.importers = &Both();
  return options;
}

constexpr const char* kLedger =
    "ledger 1\n"
    "op 7 1 1000 9000 aten::mm [[4,8],[8,2]]\n"
    "call 7 1 2000 1000 enqueue 42\n"
    "work 3 11 5000 3000 matmul_kernel 42\n";

constexpr const char* kEvents = R"({"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 1, "ts": 1, "dur": 9,
     "args": {"Input Dims": [[4,8],[8,2]]}},
    {"ph": "X", "cat": "cuda_runtime", "name": "enqueue", "pid": 7, "tid": 1, "ts": 2, "dur": 1,
     "args": {"correlation": 42}},
    {"ph": "X", "cat": "kernel", "name": "matmul_kernel", "pid": 3, "tid": 11, "ts": 5, "dur": 3,
     "args": {"correlation": 42, "device": 3, "stream": 11}}]})";

void CheckScene(const char* text) {
  const auto read = ReadTraceText(text, WithBoth());
  REQUIRE(read.ok());
  const TraceStore& store = *read->store;
  CHECK(store.problems().empty());
  const auto made = BuildModel(read->store);
  REQUIRE(made.ok());
  const Model& model = **made;
  const SliceIndex op = Find(store, "aten::mm"), call = Find(store, "enqueue"),
                   work = Find(store, "matmul_kernel");
  REQUIRE(work != kNone);
  CHECK(store.duration(op) == 9000);
  CHECK(store.start(work) - store.start(op) == 4000);
  CHECK(store.parent(call) == op);
  CHECK(model.launch[work] == call);
  CHECK(model.SourceOp(work) == op);
  CHECK(store.ArgText(op, ArgRole::kInputShapes) == "[[4,8],[8,2]]");
  REQUIRE(model.devices.size() == 1);
  CHECK(store.tracks()[store.track(work)].device == 3);
  CHECK(store.tracks()[store.track(work)].stream == 11);
}

TEST_CASE("two formats of one scene give one model", "[importer]") {
  CheckScene(kEvents);
  CheckScene(kLedger);
}

TEST_CASE("a format is told by its content, in blocks of any size", "[importer]") {
  for (const size_t block : {size_t{1}, size_t{5}, size_t{1000}}) {
    for (const char* text : {kLedger, kEvents}) {
      const auto source = MakeTextSource(text, block);
      const auto read = ReadTraceFrom(*source, {"The text", {}}, WithBoth());
      REQUIRE(read.ok());
      CHECK(read->store->slice_count() == 3);
    }
  }
}

TEST_CASE("what nobody recognizes goes to who mends damage, or is refused", "[importer]") {
  // Its first half is lost, but events follow.
  const std::string damaged = std::string("?? ") + std::string(kEvents).substr(20);
  const auto mended = ReadTraceText(damaged, WithBoth());
  REQUIRE(mended.ok());
  CHECK(mended->store->slice_count() == 3);

  const ImporterList alone = {Both()[1]};
  ReadOptions options;
  options.importers = &alone;
  const auto refused = ReadTraceText(kEvents, options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::kUnreadable);
  CHECK(refused.error().message == "The text is no ledger.");
  const auto archive = ReadTraceText("PK\x03\x04 and so on", options);
  REQUIRE_FALSE(archive.ok());
  CHECK(archive.error().message == "The text is not a trace: it is a zip archive.");
}

TEST_CASE("the beginning of a source can be looked at before it is read", "[importer]") {
  const std::string text = "0123456789";
  for (const size_t block : {size_t{1}, size_t{3}, size_t{100}}) {
    for (const size_t head : {size_t{0}, size_t{4}, size_t{10}, size_t{50}}) {
      const auto source = MakeTextSource(text, block);
      PeekedSource peeked(source.get());
      CHECK(peeked.Head(head) == text.substr(0, head));
      std::string all;
      for (std::string_view part = peeked.Next(); !part.empty(); part = peeked.Next()) all += part;
      CHECK(all == text);
    }
  }
}

TEST_CASE("folders are searched for the files of every importer", "[importer]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "emberline-importers";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "first.ledger") << kLedger;
  std::ofstream(folder / "second.json") << kEvents;
  std::ofstream(folder / "third.ledger") << "something else\n";
  std::ofstream(folder / "fourth.json") << kLedger;  // told by content
  const auto both = DiscoverRuns(folder, {}, &Both());
  REQUIRE(both.ok());
  REQUIRE(both->runs.size() == 1);
  std::vector<std::string> names;
  for (const WorkerFiles& worker : both->runs[0].workers) names.push_back(worker.name);
  CHECK(names == std::vector<std::string>{"first", "fourth", "second"});
  CHECK(both->skipped.size() == 1);
  const auto alone = DiscoverRuns(folder);
  REQUIRE(alone.ok());
  REQUIRE(alone->runs[0].workers.size() == 1);
  CHECK(alone->runs[0].workers[0].name == "second");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace emberline
