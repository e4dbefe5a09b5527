#include "session/captures.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "model/graph_captures.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

// A server captures a graph per batch size and rank; more files than this are not read.
constexpr size_t kMaxFiles = 256;
constexpr uint64_t kMaxBytes = uint64_t{4} << 30;

// The number after the last "rank" in a name: "bs_32_rank0.json.gz", "capture_rank_1.17.json".
std::optional<int64_t> RankOf(const std::string& name) {
  size_t at = name.rfind("rank");
  if (at == std::string::npos) return std::nullopt;
  at += 4;
  while (at < name.size() && (name[at] == '_' || name[at] == '-')) ++at;
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(name.data() + at, name.data() + name.size(), rank);
  if (error != std::errc()) return std::nullopt;
  return rank;
}

struct File {
  fs::path path;
  std::string name;
  uint64_t size = 0;
  bool other_rank = false;
};

// Files of the folder, those of the same rank first. Links are not followed out of the folder.
std::vector<File> CaptureFiles(const fs::path& folder, std::optional<int64_t> rank) {
  std::vector<File> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_symlink(ignored) || !it->is_regular_file(ignored)) continue;
    File file{it->path(), it->path().filename().string(), it->file_size(ignored)};
    if (!file.name.ends_with(".json") && !file.name.ends_with(".json.gz")) continue;
    const auto its = RankOf(file.name);
    file.other_rank = rank && its && *rank != *its;
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return a.other_rank != b.other_rank ? !a.other_rank : a.name < b.name;
  });
  // Ranks run the same graphs; others serve where the own one was not captured.
  if (!files.empty() && !files.front().other_rank) {
    std::erase_if(files, [](const File& f) { return f.other_rank; });
  }
  uint64_t bytes = 0;
  size_t count = 0;
  while (count < files.size() && count < kMaxFiles && bytes + files[count].size <= kMaxBytes) {
    bytes += files[count++].size;
  }
  files.resize(count);
  return files;
}

std::optional<int64_t> RankOfTrace(const fs::path& trace, const TraceStore& store) {
  const auto& distributed = store.metadata().distributed;
  if (distributed && distributed->rank >= 0) return distributed->rank;
  return RankOf(trace.filename().string());
}

// What `file` says about the graphs; Errors: kCancelled.
Result<CaptureSource> LookInto(const File& file, CaptureMatcher& matcher,
                               const ReadOptions& options) {
  ReadOptions quiet = options;
  quiet.progress = nullptr;
  CaptureSource source;
  source.file = file.name;
  const Result<ReadResult> read = ReadTrace(file.path, quiet);
  if (!read.ok()) {
    if (read.error().kind == ErrorKind::kCancelled) return read.error();
    source.reason = read.error().message;
    return source;
  }
  const auto model = BuildModel(read->store, options.cancel);
  if (!model.ok()) return model.error();
  return matcher.Look(**model, file.name, options.cancel);
}

// The folder of captures beside a trace; empty when there is none.
fs::path CaptureFolder(const fs::path& trace) {
  const fs::path folder = trace.parent_path() / "capture_traces";
  std::error_code ignored;
  const bool there = !fs::is_symlink(folder, ignored) && fs::is_directory(folder, ignored);
  return there ? folder : fs::path();
}

}  // namespace

std::string CaptureState(const fs::path& trace) {
  const fs::path folder = CaptureFolder(trace);
  if (folder.empty()) return "";
  std::string state;
  for (const File& file : CaptureFiles(folder, std::nullopt)) {
    std::error_code ignored;
    const auto time = fs::last_write_time(file.path, ignored).time_since_epoch().count();
    state += file.name + '\0' + std::to_string(file.size) + '\0' + std::to_string(time) + '\0';
  }
  return state;
}

Result<std::shared_ptr<const Model>> AddCaptures(const fs::path& trace,
                                                 std::shared_ptr<const Model> model,
                                                 const ReadOptions& options) {
  const fs::path folder = CaptureFolder(trace);
  if (folder.empty()) return model;
  CaptureMatcher matcher(*model);
  if (!matcher.Wanted()) return model;
  const std::vector<File> files = CaptureFiles(folder, RankOfTrace(trace, model->store()));
  std::vector<CaptureSource> sources;
  for (const File& file : files) {
    if (!matcher.Wanted()) break;
    if (options.progress) options.progress("captures", 0.9);
    Result<CaptureSource> source = LookInto(file, matcher, options);
    if (!source.ok()) return source.error();
    sources.push_back(std::move(*source));
  }
  const std::vector<CaptureMatcher::Match> matches = matcher.Take();
  // The store was made as a changeable object, and the model that is let go here was its only user.
  const auto store = std::const_pointer_cast<TraceStore>(model->store_ptr());
  model.reset();
  for (const CaptureMatcher::Match& match : matches) store->AddCapture(match.tree, match.work);
  store->SetCaptureSources(std::move(sources));
  return BuildModel(store, options.cancel);
}

}  // namespace emberline
