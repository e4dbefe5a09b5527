#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <system_error>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/natural_order.h"
#include "ingest/ascend_folder.h"
#include "ingest/byte_source.h"
#include "ingest/errors.h"
#include "ingest/importer.h"
#include "ingest/read_trace.h"

namespace emberline {
namespace fs = std::filesystem;
namespace {

// A folder may be anything, a home directory included: the walk is bounded.
constexpr int kMaxDepth = 12;
constexpr size_t kMaxEntries = 200'000;
constexpr size_t kMaxSniffed = 2'000;
constexpr size_t kMaxSkipped = 100;

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

struct TraceName {
  std::string worker;
  std::string stamp;              // digits, "" when the name holds none
  bool is_recorder_name = false;  // <worker>[.<digits>]<recorder's suffix>[.gz]
  bool is_trace_name = false;     // ends as an importer's files do
};

// "rank#.json" of rank12.json: files of one recording differ in their numbers alone.
std::string Shape(std::string_view name) {
  if (EndsWith(name, ".gz")) name.remove_suffix(3);
  std::string shape;
  for (const char c : name) {
    if (!IsDigit(c)) {
      shape += c;
    } else if (shape.empty() || shape.back() != '#') {
      shape += '#';
    }
  }
  return shape;
}

// Takes the timestamp off the end of a recorder's name.
std::string TakeStamp(std::string_view* name) {
  const size_t dot = name->rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name->size()) return "";
  const std::string_view digits = name->substr(dot + 1);
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return "";
  name->remove_suffix(digits.size() + 1);
  return std::string(digits);
}

TraceName ParseName(std::string_view name, const ImporterList& importers) {
  TraceName out;
  if (EndsWith(name, ".gz")) name.remove_suffix(3);
  for (const Importer* importer : importers) {
    const std::string_view suffix = importer->spec().recorder_suffix;
    if (suffix.empty() || !EndsWith(name, suffix)) continue;
    name.remove_suffix(suffix.size());
    out.is_recorder_name = out.is_trace_name = true;
    out.stamp = TakeStamp(&name);
    out.worker = Escaped(name);
    return out;
  }
  std::string_view longest;
  for (const Importer* importer : importers) {
    for (const std::string_view suffix : importer->spec().suffixes) {
      if (EndsWith(name, suffix) && suffix.size() > longest.size()) longest = suffix;
    }
  }
  out.is_trace_name = !longest.empty();
  name.remove_suffix(longest.size());
  out.worker = Escaped(name);
  return out;
}

// Stamps are milliseconds in old recorders and nanoseconds in newer ones: brought to one unit, they
// compare as numbers of any length.
std::string ComparableStamp(std::string stamp) {
  stamp.erase(0, stamp.find_first_not_of('0'));
  if (stamp.size() == 13) stamp += "000000";
  return stamp;
}

bool StampLess(const std::string& a, const std::string& b) {
  const std::string x = ComparableStamp(a), y = ComparableStamp(b);
  return x.size() != y.size() ? x.size() < y.size() : x < y;
}

// Whether a folder is named after a part of a job: "rank_0", "worker-12", "node3".
bool NamesPartOfJob(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && IsDigit(name[end - 1])) --end;
  if (end == name.size()) return false;
  while (end > 0 && (name[end - 1] == '_' || name[end - 1] == '-' || name[end - 1] == '.')) --end;
  std::string word;
  while (end > 0 && std::isalpha(static_cast<unsigned char>(name[end - 1])) != 0) {
    word.insert(word.begin(),
                static_cast<char>(std::tolower(static_cast<unsigned char>(name[--end]))));
  }
  for (const std::string_view part : {"rank", "worker", "node", "proc", "process"}) {
    if (word == part) return true;
  }
  return false;
}

class Walk {
 public:
  Walk(fs::path root, const ImporterList& importers, const CancelToken& cancel)
      : root_(std::move(root)), importers_(importers), cancel_(cancel) {
    std::error_code error;
    real_root_ = fs::canonical(root_, error);
  }

  // True unless it was cancelled, or the root cannot be looked through.
  Result<bool> Run() {
    Visit(root_, 0);
    if (cancel_.cancelled()) return Cancelled();
    if (root_fault_) {
      return MakeError(errors::kCannotLookAt,
                       {{"path", Escaped(root_.string())}, {"reason", root_fault_.message()}});
    }
    if (entries_ >= kMaxEntries) {
      skipped_.push_back(Say(errors::kManyEntries, {{"limit", kMaxEntries}}));
    }
    return true;
  }

  Discovery Take() {
    JoinParts();
    Discovery out;
    for (auto& [name, files] : runs_) out.runs.push_back(MakeRun(name, std::move(files)));
    std::sort(out.runs.begin(), out.runs.end(),
              [](const RunFiles& a, const RunFiles& b) { return a.name < b.name; });
    // Folders list their files in any order.
    std::sort(skipped_.begin(), skipped_.end(),
              [](const Message& a, const Message& b) { return a.text < b.text; });
    out.skipped = std::move(skipped_);
    return out;
  }

 private:
  struct Found {
    fs::path path;
    TraceName name;
    uint64_t size = 0;
    std::string why;  // of one that is no trace
  };

  void Skip(Message why) {
    if (skipped_.size() < kMaxSkipped) skipped_.push_back(std::move(why));
  }
  void Skip(const fs::path& path, const Sentence& why, MessageArgs args = {}) {
    args.emplace_back("file", Shown(path));
    Skip(Say(why, std::move(args)));
  }
  std::string Shown(const fs::path& path) const {
    return path.lexically_relative(root_).generic_string();
  }

  std::string RunName(const fs::path& folder) const {
    if (folder == root_) {
      fs::path named = fs::absolute(root_).lexically_normal();
      if (!named.has_filename()) named = named.parent_path();
      const std::string name = named.filename().string();
      return name.empty() ? "/" : name;
    }
    return folder.lexically_relative(root_).generic_string();
  }

  // True for links to what lies outside of the folder that was opened: it may be anything, and was
  // not asked for.
  bool LeadsOut(const fs::directory_entry& entry) const {
    std::error_code error;
    if (!entry.is_symlink(error)) return false;
    const fs::path real = fs::canonical(entry.path(), error);
    if (error) return false;  // it leads nowhere, and is no file
    const auto [root, path] =
        std::mismatch(real_root_.begin(), real_root_.end(), real.begin(), real.end());
    return root != real_root_.end();
  }

  // What was seen in one folder.
  struct Seen {
    std::vector<Found> found;
    std::set<std::string> shapes;  // of the names of its traces
    std::vector<Found> damaged;    // what neither is a trace nor anything else
    std::vector<Found> late;       // what came after too many files had been looked at
  };

  // Whether the file begins like a trace; says why not.
  void Sniff(Found file, Seen* seen) {
    if (++sniffed_ > kMaxSniffed) {
      seen->late.push_back(std::move(file));
      return;
    }
    const Result<std::string_view> head = head_.Read(file.path, kHeadBytes);
    if (!head.ok()) {
      file.why = Say(errors::kUnreadableBeginning,
                     {{"reason", head.error().message}, {"file", Shown(file.path)}})
                     .text;
      Skip(file.path, errors::kUnreadableBeginning, {{"reason", head.error().message}});
      seen->damaged.push_back(std::move(file));
      return;
    }
    Recognition recognition;
    ChooseImporter(importers_, *head, &recognition);
    if (recognition.claim == Recognition::Claim::kSure) {
      seen->shapes.insert(Shape(file.path.filename().string()));
      seen->found.push_back(std::move(file));
      return;
    }
    Message why = recognition.Why(Shown(file.path));
    if (recognition.why == &errors::kIsEmpty || recognition.why == &errors::kIsNoJson ||
        EndsEarly(*head)) {
      file.why = why.text;
      seen->damaged.push_back(std::move(file));
    }
    Skip(std::move(why));
  }

  // Whether this is all of a file, and was cut before its last bracket.
  static bool EndsEarly(std::string_view head) {
    if (head.size() >= kHeadBytes) return false;
    const size_t last = head.find_last_not_of(" \t\r\n");
    return last == std::string_view::npos || (head[last] != '}' && head[last] != ']');
  }

  // What is named like a trace and cannot be opened as a file.
  void Refuse(const fs::path& path, const Sentence& why, Seen* seen, MessageArgs args = {}) {
    args.emplace_back("file", Shown(path));
    Message said = Say(why, std::move(args));
    std::string text = said.text;
    Skip(std::move(said));
    TraceName name = ParseName(path.filename().string(), importers_);
    if (!name.is_trace_name) return;
    seen->damaged.push_back({path, std::move(name), 0, std::move(text)});
  }

  // A folder that cannot be looked through: ranks may be in it, and are if it is named after some.
  void RefuseFolder(const fs::path& folder, const std::error_code& fault) {
    if (fault == std::errc::no_such_file_or_directory) return;  // it went away meanwhile
    if (folder == root_) {
      root_fault_ = fault;
      return;
    }
    Message why = Say(errors::kNoAccess, {{"reason", fault.message()}, {"file", Shown(folder)}});
    BrokenSpan broken{folder, why.text};
    Skip(std::move(why));
    if (NamesPartOfJob(folder.filename().string())) {
      closed_parts_[PartOf(folder).rest].push_back(std::move(broken));
    } else {
      alone_[folder.parent_path()].push_back(std::move(broken));
    }
  }

  // Ranks of one recording have names of one shape: one that is empty or damaged is a broken rank,
  // and one that was not looked at is a trace. A job may have more ranks than may be looked at.
  void Settle(const fs::path& folder, Seen* seen) {
    for (Found& file : seen->late) {
      if (seen->shapes.count(Shape(file.path.filename().string())) > 0) {
        seen->found.push_back(std::move(file));
      } else {
        Skip(file.path, errors::kNotLookedAt);
      }
    }
    for (Found& file : seen->damaged) {
      const bool rank = file.name.is_recorder_name ||
                        seen->shapes.count(Shape(file.path.filename().string())) > 0;
      (rank ? broken_ : alone_)[folder].push_back({std::move(file.path), std::move(file.why)});
    }
  }

  void Visit(const fs::path& folder, int depth) {
    std::error_code error;
    // Links may lead in circles.
    const fs::path real = fs::canonical(folder, error);
    if (error) return RefuseFolder(folder, error);
    if (!visited_.insert(real.string()).second) return;
    std::vector<fs::path> folders;
    Seen seen;
    for (fs::directory_iterator it(folder, error), end;
         !error && it != end && entries_ < kMaxEntries && !cancel_.cancelled();
         it.increment(error)) {
      ++entries_;
      const std::string name = it->path().filename().string();
      std::error_code status_error;
      if (LeadsOut(*it)) {
        Refuse(it->path(), errors::kLeadsOut, &seen);
        continue;
      }
      if (it->is_directory(status_error)) {
        if (name != "node_modules" && name != ".git") folders.push_back(it->path());
        continue;
      }
      if (!it->is_regular_file(status_error)) {
        if (!ParseName(name, importers_).is_trace_name) continue;
        const bool nowhere = it->status(status_error).type() == fs::file_type::not_found;
        const bool link = it->is_symlink(status_error);
        if (nowhere && !link) continue;  // it went away meanwhile
        Refuse(it->path(), nowhere ? errors::kLeadsNowhere : errors::kIsNoFile, &seen);
        continue;
      }
      if (EndsWith(name, ".json.tmp")) {
        Skip(it->path(), errors::kUnfinishedRecording);
        continue;
      }
      TraceName parsed = ParseName(name, importers_);
      if (!parsed.is_trace_name) continue;
      const uint64_t size = it->file_size(status_error);
      if (status_error == std::errc::no_such_file_or_directory) continue;  // it went away meanwhile
      if (status_error) {
        Refuse(it->path(), errors::kNoAccess, &seen, {{"reason", status_error.message()}});
        continue;
      }
      if (parsed.is_recorder_name) {
        seen.found.push_back({it->path(), std::move(parsed), size, ""});
      } else {
        Sniff({it->path(), std::move(parsed), size, ""}, &seen);
      }
    }
    if (error) RefuseFolder(folder, error);
    Settle(folder, &seen);
    Keep(folder, std::move(seen.found));
    if (depth >= kMaxDepth) return;
    // Beside an Ascend recorder's output lie the raw files that it was made of.
    const auto output = std::find(folders.begin(), folders.end(), folder / kAscendOutput);
    if (output != folders.end()) folders = {folder / kAscendOutput};
    std::sort(folders.begin(), folders.end());
    for (const fs::path& next : folders) {
      if (cancel_.cancelled()) return;
      Visit(next, depth + 1);
    }
  }

  // A folder below the root without the parts of its path that name parts of a job, and these.
  struct Part {
    fs::path folder, rest;
    std::string name;
  };
  Part PartOf(const fs::path& folder) const {
    fs::path rest = root_, part;
    if (folder == root_) return {folder, folder, ""};
    for (const fs::path& name : folder.lexically_relative(root_)) {
      (NamesPartOfJob(name.string()) ? part : rest) /= name;
    }
    return {folder, rest, part.generic_string()};
  }

  // Folders that are named after ranks and the like, and are alike beside that, hold one run: each
  // worker has the name of its own.
  void JoinParts() {
    std::map<fs::path, std::vector<Part>> joined;
    for (const auto& [folder, files] : runs_) {
      Part part = PartOf(folder);
      if (!part.name.empty()) joined[part.rest].push_back(std::move(part));
    }
    std::erase_if(joined, [&](const auto& run) {
      const auto closed = closed_parts_.find(run.first);
      const size_t more = closed == closed_parts_.end() ? 0 : closed->second.size();
      return run.second.size() + more < 2 || runs_.count(run.first) > 0;
    });
    for (auto& [run, folders] : closed_parts_) MoveFiles(&folders, &broken_[run]);
    for (const auto& [run, parts] : joined) {
      const bool one_each = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        const std::vector<Found>& files = runs_[part.folder];
        return std::all_of(files.begin(), files.end(), [&](const Found& file) {
          return file.name.worker == files[0].name.worker;
        });
      });
      std::vector<Found> all;
      for (const Part& part : parts) {
        for (Found& file : runs_[part.folder]) {
          std::string worker = Escaped(part.name);
          if (!one_each) worker += "/" + file.name.worker;
          file.name.worker = std::move(worker);
          all.push_back(std::move(file));
        }
        runs_.erase(part.folder);
        MoveFiles(&broken_[part.folder], &broken_[run]);
      }
      runs_[run] = std::move(all);
    }
    // Ranks whose only file is damaged.
    for (auto& [folder, files] : alone_) {
      const Part part = PartOf(folder);
      const auto run = part.name.empty() ? joined.end() : joined.find(part.rest);
      if (run == joined.end()) continue;
      std::set<std::string> shapes;
      for (const Found& file : runs_[run->first]) {
        shapes.insert(Shape(file.path.filename().string()));
      }
      const auto rank =
          std::stable_partition(files.begin(), files.end(), [&](const BrokenSpan& file) {
            return shapes.count(Shape(file.path.filename().string())) == 0;
          });
      std::vector<BrokenSpan> ranks(std::make_move_iterator(rank),
                                    std::make_move_iterator(files.end()));
      files.erase(rank, files.end());
      MoveFiles(&ranks, &broken_[run->first]);
      MoveFiles(&files, &alone_[run->first]);
    }
  }
  static void MoveFiles(std::vector<BrokenSpan>* from, std::vector<BrokenSpan>* to) {
    if (from == to) return;
    std::move(from->begin(), from->end(), std::back_inserter(*to));
    from->clear();
  }
  // Those of a folder, in order: folders list their files in any.
  static std::vector<BrokenSpan> TakeFiles(std::map<fs::path, std::vector<BrokenSpan>>* from,
                                           const fs::path& folder) {
    const auto found = from->find(folder);
    if (found == from->end()) return {};
    std::vector<BrokenSpan> files = std::move(found->second);
    std::sort(files.begin(), files.end(), [](const BrokenSpan& a, const BrokenSpan& b) {
      return CompareNaturally(a.path.string(), b.path.string()) < 0;
    });
    return files;
  }

  // Ranks of one run share a folder, except where the recorder gives each one its own.
  void Keep(const fs::path& folder, std::vector<Found> found) {
    for (Found& file : found) {
      fs::path run = folder;
      if (const auto recording = AscendRecordingOf(file.path)) {
        file.name.worker = Escaped(recording->worker);
        file.name.stamp = recording->stamp;
        run = folder.parent_path().parent_path();
        // The folder that was asked for may lie below that of the run.
        if (folder == root_ || folder.parent_path() == root_) run = root_;
      }
      runs_[run].push_back(std::move(file));
    }
  }

  RunFiles MakeRun(const fs::path& folder, std::vector<Found> files) {
    RunFiles run;
    run.folder = folder;
    run.name = RunName(folder);
    std::sort(files.begin(), files.end(), [](const Found& a, const Found& b) {
      if (a.name.worker != b.name.worker) return CompareNaturally(a.name.worker, b.name.worker) < 0;
      if (a.name.stamp != b.name.stamp) return StampLess(a.name.stamp, b.name.stamp);
      return a.path < b.path;
    });
    for (size_t i = 0; i < files.size(); ++i) {
      const Found& file = files[i];
      const bool same_worker = i > 0 && files[i - 1].name.worker == file.name.worker;
      if (same_worker && files[i - 1].name.stamp == file.name.stamp) {
        Skip(file.path, errors::kSameRecording, {{"other", files[i - 1].path.filename().string()}});
        continue;
      }
      if (!same_worker || run.workers.empty()) run.workers.push_back({file.name.worker, {}});
      auto& spans = run.workers.back().spans;
      spans.push_back({std::to_string(spans.size() + 1), file.path, file.size});
    }
    for (WorkerFiles& worker : run.workers) {
      if (worker.spans.size() == 1) worker.spans[0].span.clear();
    }
    run.broken = TakeFiles(&broken_, folder);
    run.strangers = TakeFiles(&alone_, folder);
    return run;
  }

  fs::path root_;
  fs::path real_root_;  // where the root really lies
  const ImporterList& importers_;
  const CancelToken& cancel_;
  HeadReader head_;
  std::map<fs::path, std::vector<Found>> runs_;
  std::map<fs::path, std::vector<BrokenSpan>> broken_;  // by folder
  std::map<fs::path, std::vector<BrokenSpan>> alone_;   // unlike the traces beside them, by folder
  // Folders of parts of a job that cannot be looked through, by what is left of their paths.
  std::map<fs::path, std::vector<BrokenSpan>> closed_parts_;
  std::error_code root_fault_;
  std::set<std::string> visited_;
  std::vector<Message> skipped_;
  size_t entries_ = 0;
  size_t sniffed_ = 0;
};

}  // namespace

Result<Discovery> DiscoverRuns(const fs::path& path, const CancelToken& cancel,
                               const ImporterList* importers) {
  const ImporterList& readers = importers == nullptr ? BuiltInImporters() : *importers;
  if (auto refused = RefusedPath(path)) return *refused;
  const std::string shown = Escaped(path.string());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return MakeError(errors::kNoSuchPath, {{"path", shown}});
  }
  if (!fs::exists(status)) {
    return MakeError(errors::kCannotLookAt, {{"path", shown}, {"reason", error.message()}});
  }
  if (!fs::is_directory(status)) {
    if (!fs::is_regular_file(status)) {
      return MakeError(errors::kNeitherFileNorFolder, {{"path", shown}});
    }
    TraceName name = ParseName(path.filename().string(), readers);
    Discovery out;
    RunFiles run;
    run.folder = fs::absolute(path).parent_path();
    if (auto recording = AscendRecordingOf(path)) {
      name.worker = Escaped(recording->worker);
      run.folder = std::move(recording->run_folder);
    }
    run.name = Escaped(run.folder.filename().string());
    if (run.name.empty()) run.name = "/";
    const uint64_t size = fs::file_size(path, error);
    run.workers.push_back({name.worker, {{"", path, error ? 0 : size}}});
    out.runs.push_back(std::move(run));
    return out;
  }
  Walk walk(path, readers, cancel);
  if (const Result<bool> walked = walk.Run(); !walked.ok()) return walked.error();
  Discovery out = walk.Take();
  if (out.runs.empty()) {
    const bool none = out.skipped.empty();
    return MakeError(errors::kNoTraceInFolder, {{"path", shown},
                                                {"skipped", none ? "no" : "yes"},
                                                {"example", none ? "" : out.skipped[0].text}});
  }
  return out;
}

}  // namespace emberline
