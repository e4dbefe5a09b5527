// Files on disk: plain, compressed, cut, several members; discovery of runs.
#include <zlib.h>

#include <cstdio>
#include <filesystem>

#include "ingest/byte_source.h"
#include "ingest_fixture.h"
#include "temporary_folder.h"

namespace emberline {

namespace fs = std::filesystem;
using namespace fixture;  // NOLINT: helpers of these tests

namespace {

std::string Gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Trace(int events) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int i = 0; i < events; ++i) {
    text +=
        (i ? ",\n  " : "") + X("cpu_op", "op " + std::to_string(i % 50), i * 10, 5, 1, 1 + i % 3,
                               "{\"External id\": " + std::to_string(i * 7919) + "}");
  }
  return text + "], \"traceName\": \"t\"}";
}

std::shared_ptr<const TraceStore> Load(const fs::path& path) {
  auto result = ReadTrace(path, {});
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.ok());
  CheckCounts(*result->store);
  return result->store;
}

}  // namespace

TEST_CASE("plain and compressed files give the same, whatever their names") {
  const TemporaryFolder folder;
  const std::string text = Trace(5000);
  const std::string packed = Gzip(text);
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"a.pt.trace.json", text},
                                                        {"a.pt.trace.json.gz", packed},
                                                        {"b.json", packed},
                                                        {"b.json.gz", text}}) {
    INFO(name);
    const auto store = Load(folder.Write(name, bytes));
    CHECK(store->slice_count() == 5000);
    CHECK(store->problems().empty());
    CHECK(store->counts().file_bytes == bytes.size());
    CHECK(store->counts().text_bytes == text.size());
    CHECK(store->metadata().trace_name == "t");
  }
}

TEST_CASE(
    "several gzip members are one text, zeros behind them are padding, other bytes are counted") {
  const TemporaryFolder folder;
  const std::string text = Trace(3000);
  const std::string two = Gzip(text.substr(0, 70'001)) + Gzip(text.substr(70'001));
  CHECK(Load(folder.Write("two.json.gz", two))->slice_count() == 3000);
  CHECK(Load(folder.Write("padded.json.gz", two + std::string(1000, '\0')))->problems().empty());
  const auto store = Load(folder.Write("trailing.json.gz", two + "garbage"));
  CHECK(store->slice_count() == 3000);
  CHECK(ProblemCount(*store, "trailingBytes") == 1);
}

TEST_CASE("a compressed file that is cut or damaged opens to what can be read") {
  const TemporaryFolder folder;
  const std::string packed = Gzip(Trace(5000));
  const auto cut = Load(folder.Write("cut.json.gz", packed.substr(0, packed.size() / 2)));
  CHECK(cut->slice_count() > 0);
  CHECK(cut->slice_count() < 5000);
  CHECK(ProblemCount(*cut, "truncatedGzip") == 1);
  CHECK(ProblemCount(*cut, "truncated") == 0);  // one problem and not two
  // Where the text ends.
  CHECK(cut->problems().back().first_offset == cut->counts().text_bytes);
  std::string damaged = packed;
  for (size_t i = packed.size() / 2; i < packed.size() / 2 + 64; ++i) damaged[i] = '\xFF';
  const auto broken = ReadTrace(folder.Write("damaged.json.gz", damaged), {});
  REQUIRE(broken.ok());
  CheckCounts(*broken->store);
  CHECK(broken->store->slice_count() < 5000);
  CHECK(ProblemCount(*broken->store, "damagedGzip") +
            ProblemCount(*broken->store, "truncatedGzip") ==
        1);
  // Only the check sum at the end is wrong.
  std::string sum = packed;
  sum[sum.size() - 6] ^= 1;
  const auto store = Load(folder.Write("sum.json.gz", sum));
  CHECK(store->slice_count() == 5000);
  CHECK(ProblemCount(*store, "damagedGzip") == 1);
  CHECK(store->problems().back().first_offset == store->counts().text_bytes);
}

TEST_CASE("the sum behind a member is read wherever a read from the file cuts it") {
  const TemporaryFolder folder;
  const std::string text = Trace(3000);
  const std::string first = Gzip(text.substr(0, 70'001)), second = Gzip(text.substr(70'001));
  constexpr size_t kRead = 1 << 16;
  REQUIRE(first.size() < kRead - 1);
  for (size_t behind = 0; behind <= 9; ++behind) {
    INFO(behind);
    // A name in the header moves the member's end: the last `behind` bytes of it are of the second
    // read.
    std::string moved = first;
    moved[3] = 8;
    moved.insert(10, std::string(kRead + behind - first.size() - 1, 'n') + '\0');
    REQUIRE(moved.size() == kRead + behind);
    const auto store = Load(folder.Write("two.json.gz", moved + second));
    CHECK(store->slice_count() == 3000);
    CHECK(store->problems().empty());
    for (size_t at = 1; at <= 8; ++at) {
      std::string wrong = moved;
      wrong[wrong.size() - at] ^= 1;
      const auto broken = Load(folder.Write("wrong.json.gz", wrong + second));
      CHECK(ProblemCount(*broken, "damagedGzip") == 1);
      CHECK(broken->counts().text_bytes == 70'001);
    }
  }
}

TEST_CASE("a small compressed file cut at each byte") {
  const TemporaryFolder folder;
  const std::string packed = Gzip(Trace(20));
  for (size_t cut = 0; cut < packed.size(); ++cut) {
    const auto result = ReadTrace(folder.Write("cut.json.gz", packed.substr(0, cut)), {});
    INFO(cut);
    if (result.ok()) {
      CheckCounts(*result->store);
      CHECK_FALSE(result->store->problems().empty());
    } else {
      CHECK(result.error().kind == ErrorKind::kUnreadable);
      // Only what does not even begin to be compressed can be empty.
      CHECK((result.error().code == std::string("emptyFile")) == (cut < 2));
    }
  }
}

TEST_CASE("files that are absent, folders and unreadable texts are errors of their kind") {
  const TemporaryFolder folder;
  CHECK(ReadTrace(folder.path() / "none.json", {}).error().kind == ErrorKind::kNotFound);
  CHECK(ReadTrace(folder.path(), {}).error().kind == ErrorKind::kUnreadable);
  const auto empty = ReadTrace(folder.Write("empty.json", ""), {});
  CHECK(empty.error().kind == ErrorKind::kUnreadable);
  CHECK(empty.error().message.find("empty.json") != std::string::npos);
  CHECK(ReadTrace(folder.Write("x.json.gz", Gzip("")), {}).error().kind == ErrorKind::kUnreadable);
}

TEST_CASE("a file that is not read to its end lets go what it took, and says no more") {
  const TemporaryFolder folder;
  const std::string text = Trace(100'000);  // more than the blocks that wait hold
  for (const std::string& bytes : {text, Gzip(text)}) {
    const auto source = OpenFile(folder.Write("a.json", bytes));
    REQUIRE(source.ok());
    for (size_t at = 0, blocks = 0; blocks < 3; ++blocks) {
      const std::string_view block = (*source)->Next();
      REQUIRE(!block.empty());
      CHECK(block == std::string_view(text).substr(at, block.size()));
      at += block.size();
    }
    (*source)->Finish();
    CHECK((*source)->Next().empty());
    CHECK((*source)->InputBytes() == bytes.size());
    (*source)->Finish();
    CHECK((*source)->Next().empty());
  }
}

TEST_CASE("reading a file can be cancelled in the middle") {
  const TemporaryFolder folder;
  ReadOptions options;
  const CancelToken cancel = options.cancel;
  options.progress = [cancel](std::string_view, double fraction) {
    if (fraction > 0.2) cancel.Cancel();
  };
  const auto result = ReadTrace(folder.Write("big.json.gz", Gzip(Trace(60'000))), options);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().kind == ErrorKind::kCancelled);
}

TEST_CASE("a file is a run with one worker") {
  const TemporaryFolder folder;
  const auto found =
      DiscoverRuns(folder.Write("job/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", "x"));
  REQUIRE(found.ok());
  REQUIRE(found->runs.size() == 1);
  CHECK(found->runs[0].name == "job");
  REQUIRE(found->runs[0].workers.size() == 1);
  CHECK(found->runs[0].workers[0].name == "rank-0.Apr_03_18_51_38");
  CHECK(found->runs[0].workers[0].spans[0].span.empty());
  CHECK(DiscoverRuns(folder.Write("odd.json", "x"))->runs[0].workers[0].name == "odd");
}

TEST_CASE("a log folder holds runs, a run holds workers, a worker holds spans in order of time") {
  const TemporaryFolder folder;
  for (const char* name :
       {"run b/host.domain_12.900.pt.trace.json", "run b/host.domain_12.1000.pt.trace.json.gz",
        "run b/host.domain_12.10000.pt.trace.json", "run b/rank10.pt.trace.json",
        "run b/rank2.pt.trace.json", "run a/deep/worker0.1623143089861.pt.trace.json",
        "run a/deep/worker0.1623143566756000000.pt.trace.json", "run a/deep/notes.txt",
        "run a/deep/other.pt.trace.json.bak", "w.pt.trace.json", "run c/.pt.trace.json"}) {
    folder.Write(name, "{}");
  }
  folder.Write("run d/rank0_trace.json", Trace(3));
  folder.Write("run d/et.json", "{\"schema\": \"1\", \"nodes\": []}");
  folder.Write("run d/half.pt.trace.json.tmp", "{");
  fs::create_directory_symlink(folder.path(), folder.path() / "run a" / "loop");
  const auto found = DiscoverRuns(folder.path());
  REQUIRE(found.ok());
  std::vector<std::string> runs;
  for (const RunFiles& run : found->runs) runs.push_back(run.name);
  std::vector<std::string> expected = {folder.path().filename().string(), "run a/deep", "run b",
                                       "run c", "run d"};
  CHECK(runs == expected);
  const auto& run_b = found->runs[2];
  REQUIRE(run_b.workers.size() == 3);
  CHECK(run_b.workers[0].name == "host.domain_12");
  CHECK(run_b.workers[1].name == "rank2");
  CHECK(run_b.workers[2].name == "rank10");
  REQUIRE(run_b.workers[0].spans.size() == 3);
  CHECK(run_b.workers[0].spans[0].path.filename() == "host.domain_12.900.pt.trace.json");
  CHECK(run_b.workers[0].spans[0].span == "1");
  CHECK(run_b.workers[0].spans[2].path.filename() == "host.domain_12.10000.pt.trace.json");
  CHECK(run_b.workers[0].spans[2].span == "3");
  // Milliseconds of old recorders and nanoseconds of newer ones.
  CHECK(found->runs[1].workers[0].spans[0].path.filename() ==
        "worker0.1623143089861.pt.trace.json");
  CHECK(found->runs[3].workers[0].name.empty());
  REQUIRE(found->runs[4].workers.size() == 1);
  CHECK(found->runs[4].workers[0].name == "rank0_trace");
  REQUIRE(found->skipped.size() == 2);
  CHECK(found->skipped[0].text.find("et.json is an execution trace") != std::string::npos);
  CHECK(found->skipped[1].text.find("unfinished") != std::string::npos);
}

TEST_CASE("folders of the ranks of a job are one run") {
  const TemporaryFolder folder;
  for (const char* name :
       {"job/rank_0/trace.json", "job/rank_1/trace.json", "job/rank_10/trace.json",
        // A folder for each node, with several ranks.
        "two/Node-0/rank0.json", "two/Node-0/rank1.json", "two/Node-1/rank2.json",
        // Below the ranks, one for each time of recording.
        "times/worker0/step 5/t.json", "times/worker0/step 9/t.json", "times/worker1/step 5/t.json",
        "times/worker1/step 9/t.json",
        // One alone, others that are no parts of a job, and one beside a trace of its own.
        "alone/rank0/t.json", "other/lr1/t.json", "other/lr2/t.json", "other/frank1/t.json",
        "own/t.json", "own/rank1/t.json", "own/rank2/t.json"}) {
    folder.Write(name, Trace(3));
  }
  folder.Write("job/rank_2/trace.json", "");
  const auto found = DiscoverRuns(folder.path());
  REQUIRE(found.ok());
  std::vector<std::string> runs;
  for (const RunFiles& run : found->runs) {
    std::string text = run.name + ":";
    for (const WorkerFiles& worker : run.workers) text += " " + worker.name;
    runs.push_back(text);
  }
  const std::vector<std::string> expected = {
      "alone/rank0: t",
      "job: rank_0 rank_1 rank_10",
      "other/frank1: t",
      "other/lr1: t",
      "other/lr2: t",
      "own: t",
      "own/rank1: t",
      "own/rank2: t",
      "times/step 5: worker0 worker1",
      "times/step 9: worker0 worker1",
      "two: Node-0/rank0 Node-0/rank1 Node-1/rank2",
  };
  CHECK(runs == expected);
  REQUIRE(found->runs[1].broken.size() == 1);
  CHECK(found->runs[1].broken[0].path.parent_path().filename() == "rank_2");
}

TEST_CASE("one recording both plain and packed counts once") {
  const TemporaryFolder folder;
  folder.Write("w.1.pt.trace.json", "{}");
  folder.Write("w.1.pt.trace.json.gz", "{}");
  const auto found = DiscoverRuns(folder.path());
  REQUIRE(found.ok());
  CHECK(found->runs[0].workers[0].spans.size() == 1);
  CHECK(found->skipped.size() == 1);
}

TEST_CASE("folders without traces say so, with an example of what is there") {
  const TemporaryFolder folder;
  CHECK(DiscoverRuns(folder.path() / "absent").error().kind == ErrorKind::kNotFound);
  CHECK(DiscoverRuns(folder.path()).error().kind == ErrorKind::kUnreadable);
  folder.Write("package.json", "{\"name\": \"x\"}");
  const auto found = DiscoverRuns(folder.path());
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().message.find("package.json") != std::string::npos);
}

TEST_CASE("links inside a folder are followed once, links out of it are not") {
  const TemporaryFolder folder, elsewhere;
  folder.Write("logs/run/a.pt.trace.json", "{}");
  elsewhere.Write("private/b.pt.trace.json", "{}");
  const fs::path logs = folder.path() / "logs";
  fs::create_directory_symlink(logs, logs / "run" / "up");
  fs::create_directory_symlink("..", logs / "run" / "parent");
  fs::create_directory_symlink("self", logs / "self");
  fs::create_directory_symlink(logs / "run", logs / "same");
  fs::create_directory_symlink(elsewhere.path(), logs / "out");
  fs::create_directory_symlink("../../..", logs / "run" / "far");
  fs::create_symlink(elsewhere.path() / "private/b.pt.trace.json", logs / "run/c.pt.trace.json");
  fs::create_symlink(elsewhere.path() / "absent", logs / "run/d.pt.trace.json");
  // A folder whose name only begins like the one that was opened is another one.
  folder.Write("logs2/e.pt.trace.json", "{}");
  fs::create_directory_symlink("../logs2", logs / "beside");

  const auto check = [](const Result<Discovery>& found) {
    REQUIRE(found.ok());
    std::vector<std::string> files;
    for (const RunFiles& run : found->runs) {
      for (const WorkerFiles& worker : run.workers) {
        for (const SpanFile& span : worker.spans) files.push_back(span.path.filename());
      }
    }
    CHECK(files == std::vector<std::string>{"a.pt.trace.json"});
    REQUIRE(found->skipped.size() == 5);
    CHECK(found->skipped[0].text.find("beside is a link to a place outside the folder") == 0);
    CHECK(found->skipped[1].text.find("out is a link") == 0);
    CHECK(found->skipped[2].text.find("run/c.pt.trace.json is a link") == 0);
    CHECK(found->skipped[3].text == "run/d.pt.trace.json is a link to a file that does not exist.");
    CHECK(found->skipped[4].text.find("run/far is a link") == 0);
    // Links that are named like traces are traces of the run that cannot be read.
    REQUIRE(found->runs[0].broken.size() == 2);
    CHECK(found->runs[0].broken[0].path.filename() == "c.pt.trace.json");
    CHECK(found->runs[0].broken[1].path.filename() == "d.pt.trace.json");
  };
  check(DiscoverRuns(logs));
  // The folder itself may be reached by a link.
  fs::create_directory_symlink(logs, folder.path() / "entry");
  check(DiscoverRuns(folder.path() / "entry"));
}

TEST_CASE("a folder of many files is looked through until it is cancelled") {
  const TemporaryFolder folder;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = std::to_string(i % 40) + "/" + std::to_string(i);
    folder.Write(name + ".json", i % 500 == 0 ? Trace(1) : "{\"version\": 1}");
  }
  const auto found = DiscoverRuns(folder.path());
  REQUIRE(found.ok());
  CHECK(found->skipped.size() == 100);
  const CancelToken cancel;
  cancel.Cancel();
  const auto cancelled = DiscoverRuns(folder.path(), cancel);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().kind == ErrorKind::kCancelled);
}

TEST_CASE("heads of files are read into one buffer") {
  const TemporaryFolder folder;
  HeadReader reader;
  const std::string text = Trace(1000);
  const auto plain = reader.Read(folder.Write("plain", text), 1000);
  REQUIRE(plain.ok());
  CHECK(plain.value() == std::string_view(text).substr(0, 1000));
  const char* const buffer = plain->data();
  for (const std::string& bytes :
       {Gzip(text), Gzip(text.substr(0, 300)), std::string("short"), std::string(),
        Gzip(text).substr(0, 200), Gzip(text).substr(0, 40) + std::string(100, '\xff')}) {
    const auto head = reader.Read(folder.Write("file", bytes), 1000);
    REQUIRE(head.ok());
    CHECK(head->data() == buffer);
    CHECK(head->size() <= 1000);
    if (bytes != "short") CHECK(text.starts_with(head->substr(0, 30)));
  }
  CHECK(reader.Read(folder.Write("packed", Gzip(text)), 1000)->size() == 1000);
  CHECK(reader.Read(folder.path() / "absent", 10).error().kind == ErrorKind::kNotFound);
  CHECK(reader.Read(folder.path(), 10).error().kind == ErrorKind::kUnreadable);
}

}  // namespace emberline
