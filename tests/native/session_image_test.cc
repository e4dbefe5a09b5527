// Traces that are kept on the disk: what comes back is what was kept, or nothing.
#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/image_file.h"
#include "ingest/read_trace.h"
#include "model/model.h"
#include "session/image_cache.h"
#include "session/session.h"
#include "temporary_folder.h"

using namespace emberline;
namespace fs = std::filesystem;

namespace {

constexpr auto kPatience = std::chrono::minutes(5);

class ImageFolder : public TemporaryFolder {
 public:
  fs::path images() const { return path() / "images"; }
  std::vector<fs::path> Kept() const {
    std::vector<fs::path> files;
    std::error_code none;
    for (fs::directory_iterator at(images(), none), end; !none && at != end; ++at) {
      files.push_back(at->path());
    }
    return files;
  }
  // A trace with what a store can hold: stacks, launches, flows, memory, counters, damage.
  fs::path Trace(const std::string& name, int rounds) const {
    const fs::path file = path() / name;
    std::ofstream out(file);
    out << R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"G","numSms":3}],)"
        << R"("distributedInfo":{"backend":"nccl","rank":0,"world_size":2},"with_stack":1,)"
        << R"("traceEvents":[)";
    for (int i = 0; i < rounds; ++i) {
      const std::string at = std::to_string(i * 100);
      const std::string id = std::to_string(i + 1);
      out << R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" << i
          << R"(","pid":1,"tid":1,"ts":)" << at << R"(,"dur":99},)"
          << R"({"ph":"X","cat":"python_function","name":"a.py(3): f)" << i % 3
          << R"(","pid":1,"tid":1,"ts":)" << at << R"(.5,"dur":90,"args":{"Python id":1}},)"
          << R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":)" << at
          << R"(.75,"dur":50,"args":{"External id":)" << id << R"(,"Input Dims":[[2,)" << id
          << R"(]],"Concrete":0.5,"x":null,"y":true}},)"
          << R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)"
          << i * 100 + 5 << R"(,"dur":5,"args":{"correlation":)" << id << R"(,"External id":)" << id
          << "}},"
          << R"({"ph":"s","id":)" << id << R"(,"pid":1,"tid":1,"ts":)" << i * 100 + 5
          << R"(,"cat":"ac2g","name":"ac2g"},)"
          << R"({"ph":"X","cat":"kernel","name":"k)" << i % 7 << R"(","pid":0,"tid":7,"ts":)"
          << i * 100 + 20 << R"(,"dur":30,"args":{"correlation":)" << id
          << R"(,"device":0,"stream":7}},)"
          << R"({"ph":"f","id":)" << id << R"(,"pid":0,"tid":7,"ts":)" << i * 100 + 20
          << R"(,"cat":"ac2g","name":"ac2g","bp":"e"},)"
          << R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":)" << at
          << R"(,"s":"t","args":{"Device Type":1,"Device Id":0,"Addr":)" << id
          << R"(,"Bytes":64,"Total Allocated":)" << 64 * (i + 1) << "}},"
          << R"({"ph":"C","name":"load","pid":1,"ts":)" << at << R"(,"args":{"a":)" << i << "}},"
          << R"({"ph":"b","cat":"net","id":)" << id << R"(,"name":"send","pid":1,"tid":1,"ts":)"
          << at << R"(},{"ph":"e","cat":"net","id":)" << id
          << R"(,"name":"send","pid":1,"tid":1,"ts":)" << i * 100 + 9 << "},"
          << R"({"ph":"X","cat":"cpu_op","name":"late","pid":1,"tid":1,"ts":1,"dur":-5},)";
    }
    out << R"({"ph":"i","name":"end","pid":1,"tid":1,"ts":1,"s":"g"}]})";
    return file;
  }
};

ImageCacheOptions Options(const ImageFolder& folder) {
  ImageCacheOptions options;
  options.folder = folder.images();
  options.least_text_bytes = 0;
  return options;
}

std::shared_ptr<const LoadedTrace> Load(Session& session, const fs::path& path) {
  const auto profile = session.Open(path);
  REQUIRE(profile.ok());
  const auto trace = session.Load(profile->id, {}, {});
  REQUIRE(trace.ok());
  return *trace;
}

// Loads in a session of its own and waits until what it keeps is written.
std::shared_ptr<const LoadedTrace> LoadOnce(const ImageCacheOptions& options,
                                            const fs::path& path) {
  const auto images = std::make_shared<ImageCache>(options);
  Session session(0, images);
  auto trace = Load(session, path);
  images->Finish(kPatience);
  return trace;
}

bool Reopened(const LoadedTrace& trace) { return trace.stages.front().name == "reopen"; }

std::string ArgText(const TraceStore& s, uint64_t handle) {
  std::string text;
  for (const auto& [key, value] : s.ArgsAt(handle)) {
    text += std::string(s.strings().Get(key)) + "=" + std::to_string(value.v.index()) + ":";
    if (const auto* i = std::get_if<int64_t>(&value.v)) text += std::to_string(*i);
    if (const auto* d = std::get_if<double>(&value.v)) text += std::to_string(*d);
    if (const auto* b = std::get_if<bool>(&value.v)) text += *b ? "t" : "f";
    if (const auto* t = std::get_if<ArgValue::Text>(&value.v)) text += s.strings().Get(t->id);
    if (const auto* j = std::get_if<ArgValue::Json>(&value.v)) text += s.strings().Get(j->id);
    text += ";";
  }
  return text;
}

// All that a trace says, as text.
std::string Told(const LoadedTrace& trace) {
  const TraceStore& s = *trace.store;
  const Model& m = *trace.model;
  std::string text;
  const auto add = [&](const auto&... numbers) {
    ((text += std::to_string(static_cast<int64_t>(numbers)) + " "), ...);
    text += "\n";
  };
  for (SliceIndex i = 0; i < s.all_slice_count(); ++i) {
    text += std::string(s.name(i)) + " " + SliceKindName(s.kind(i)) + " ";
    text += std::string(s.strings().Get(s.categories()[s.category(i)].raw)) + " ";
    for (const auto& [key, value] : s.Args(i)) add(key, value.v.index());
    add(s.start(i), s.duration(i), s.track(i), s.parent(i), s.depth(i), s.event_index(i));
    add(m.launch[i], m.op[i], m.frame[i], m.annotation[i], m.forward[i], m.pass[i], m.repeats[i],
        m.step[i], m.host_self[i], m.host_api[i], m.device_self[i], m.device_total[i], m.IsOp(i),
        m.is_communication[i], m.launched[i].size());
    add(s.ArgInt(i, ArgRole::kCorrelation).value_or(-1), s.AsyncOf(i) != nullptr);
  }
  for (const Instant& i : s.instants()) {
    add(i.ts, i.name, i.category, i.track, i.scope);
    text += ArgText(s, i.args);
  }
  for (const MemoryRecord& r : s.memory()) add(r.ts, r.address, r.bytes, r.total_allocated);
  for (const CounterSample& c : s.counters()) {
    add(c.ts, c.name, c.pid.number);
    text += ArgText(s, c.args);
  }
  for (const FlowPoint& f : s.flows()) add(f.id, f.ts, f.phase, f.slice, s.FlowArgs(f));
  for (const Problem& p : s.problems()) text += p.kind + p.message + std::to_string(p.count) + "\n";
  for (const auto& [name, count] : s.counts().by_category) text += name + std::to_string(count);
  for (const Step& step : m.steps) text += step.name + std::to_string(step.time.end);
  for (const Device& d : m.devices) {
    text += DeviceLabel(d) + d.name +
            std::to_string(d.properties == nullptr ? -1 : d.properties->num_sms);
  }
  add(s.extent().begin, s.extent().end, s.base_ns(), s.strings().Find("aten::mm"),
      s.strings().Find("not there"), s.metadata().distributed->world_size, m.op_link,
      m.has_recorded_steps, m.unlinked_device_slices);
  return text;
}

std::string Bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Put(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  REQUIRE(chmod(path.c_str(), 0600) == 0);
}

}  // namespace

TEST_CASE("images: what is opened again is what was read") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 200);
  const auto read = LoadOnce(Options(folder), trace);
  CHECK_FALSE(Reopened(*read));
  REQUIRE(folder.Kept().size() == 1);
  const auto again = LoadOnce(Options(folder), trace);
  CHECK(Reopened(*again));
  const std::string told = Told(*read);
  CHECK(told.size() > 100'000);
  CHECK(Told(*again) == told);
  CHECK(again->store->memory().size() == 200);
  CHECK(again->store->flows().size() == 400);
  // It goes on when its file is deleted meanwhile.
  fs::remove_all(folder.images());
  CHECK(Told(*again) == told);
}

TEST_CASE("images: an empty trace, and one without slices") {
  const ImageFolder folder;
  for (const char* events : {"", R"({"ph":"i","name":"x","pid":1,"tid":1,"ts":1,"s":"g"})"}) {
    const fs::path trace = folder.images().parent_path() / "empty.pt.trace.json";
    std::ofstream(trace) << R"({"schemaVersion":1,"traceEvents":[)" << events << "]}";
    const auto read = LoadOnce(Options(folder), trace);
    const auto again = LoadOnce(Options(folder), trace);
    CHECK_FALSE(Reopened(*read));
    CHECK(Reopened(*again));
    CHECK(again->store->instants().size() == read->store->instants().size());
    CHECK(again->store->slice_count() == 0);
  }
}

TEST_CASE("images: a byte that was changed anywhere is noticed, and so is each cut") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 6);
  const std::string told = Told(*LoadOnce(Options(folder), trace));
  REQUIRE(folder.Kept().size() == 1);
  const fs::path file = folder.Kept().front();
  const std::string whole = Bytes(file);
  size_t refused = 0, same = 0;
  ImageCacheOptions only = Options(folder);
  only.limit_bytes = 0;  // nothing is written in its place
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    Put(file, bytes);
    const ImageCache images(only);
    const auto model = images.Open(trace, images.KeyOf(trace));
    if (model == nullptr) {
      ++refused;
      continue;
    }
    // Between two sections nothing is kept.
    ++same;
    LoadedTrace reopened;
    reopened.store = model->store_ptr();
    reopened.model = model;
    REQUIRE(Told(reopened) == told);
  }
  CHECK(refused > whole.size() / 2);
  CHECK(same > 0);
  for (size_t length = 0; length < whole.size(); length += 61) {
    Put(file, whole.substr(0, length));
    const ImageCache images(only);
    CHECK(images.Open(trace, images.KeyOf(trace)) == nullptr);
  }
  Put(file, whole + std::string(64, '\0'));
  CHECK_FALSE(Reopened(*LoadOnce(Options(folder), trace)));
  // It was written again.
  CHECK(Reopened(*LoadOnce(Options(folder), trace)));
}

TEST_CASE("images: another trace at the same path is read") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 20);
  LoadOnce(Options(folder), trace);
  const auto time = fs::last_write_time(trace);
  const std::string text = Bytes(trace);
  std::string other = text;
  other.replace(other.find("aten::mm", other.size() / 2), 8, "aten::nn");
  Put(trace, other);
  fs::last_write_time(trace, time);  // and the same size
  const auto read = LoadOnce(Options(folder), trace);
  CHECK_FALSE(Reopened(*read));
  CHECK(read->store->strings().Find("aten::nn") != kNone);
  CHECK(folder.Kept().size() == 1);  // in its place
}

TEST_CASE("images: a capture beside the trace that changed is read") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 20);
  LoadOnce(Options(folder), trace);
  CHECK(Reopened(*LoadOnce(Options(folder), trace)));
  fs::create_directories(trace.parent_path() / "capture_traces");
  std::ofstream(trace.parent_path() / "capture_traces" / "c.json") << "{}";
  CHECK_FALSE(Reopened(*LoadOnce(Options(folder), trace)));
  CHECK(Reopened(*LoadOnce(Options(folder), trace)));
}

TEST_CASE("images: what others can write to is not believed") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 20);
  LoadOnce(Options(folder), trace);
  const fs::path file = folder.Kept().front();
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(stat(folder.images().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  REQUIRE(chmod(file.c_str(), 0666) == 0);
  CHECK_FALSE(Reopened(*LoadOnce(Options(folder), trace)));
}

TEST_CASE("images: the ones used last stay within the limit") {
  const ImageFolder folder;
  std::vector<fs::path> traces;
  for (int i = 0; i < 4; ++i) {
    traces.push_back(folder.Trace("t" + std::to_string(i) + ".pt.trace.json", 50));
  }
  ImageCacheOptions options = Options(folder);
  LoadOnce(options, traces[0]);
  const auto size = fs::file_size(folder.Kept().front());
  options.limit_bytes = size * 5 / 2;  // room for two
  // Times of use that differ, whatever the disk's clock can tell.
  const auto age = [&](int seconds) {
    for (const fs::path& file : folder.Kept()) {
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(seconds));
    }
  };
  age(10);
  LoadOnce(options, traces[1]);
  age(10);
  CHECK(Reopened(*LoadOnce(options, traces[0])));  // now used after the second
  LoadOnce(options, traces[2]);
  CHECK(folder.Kept().size() == 2);
  options.limit_bytes = 0;  // only looks
  CHECK(Reopened(*LoadOnce(options, traces[0])));
  CHECK_FALSE(Reopened(*LoadOnce(options, traces[1])));
  CHECK(Reopened(*LoadOnce(options, traces[2])));
  // Larger than all that may be kept.
  options.limit_bytes = size / 2;
  LoadOnce(options, traces[3]);
  options.limit_bytes = 0;
  CHECK_FALSE(Reopened(*LoadOnce(options, traces[3])));
}

TEST_CASE("images: a disk that takes no more leaves nothing behind") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 200);
  ImageCacheOptions options = Options(folder);
  std::string log;
  options.log = [&](std::string_view text) { log += text; };
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto read = LoadOnce(options, trace);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(read->store->slice_count() > 0);
  CHECK(folder.Kept().empty());
  CHECK(log.find("cannot be written") != std::string::npos);
  // A folder that cannot be made is no fault either.
  options.folder = trace / "images";
  CHECK_FALSE(Reopened(*LoadOnce(options, trace)));
}

TEST_CASE("images: drafts that nobody finished go, those of others stay") {
  const ImageFolder folder;
  const fs::path trace = folder.Trace("a.pt.trace.json", 20);
  fs::create_directories(folder.images());
  const fs::path old = folder.images() / "x.trace.draft.1.1";
  const fs::path young = folder.images() / "y.trace.draft.1.1";
  const fs::path foreign = folder.images() / "notes.txt";
  for (const fs::path& file : {old, young, foreign}) Put(file, "x");
  fs::last_write_time(old, fs::last_write_time(old) - std::chrono::hours(2));
  fs::last_write_time(foreign, fs::last_write_time(foreign) - std::chrono::hours(2));
  LoadOnce(Options(folder), trace);
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(young));
  CHECK(fs::exists(foreign));
}
