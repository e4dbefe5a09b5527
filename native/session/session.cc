#include "session/session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>

#include "base/errors.h"
#include "session/byte_size.h"
#include "session/captures.h"
#include "session/errors.h"
#include "session/first_picture.h"
#include "session/image_cache.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

// What identifies the content of a file well enough: a file that is written again is read again.
std::string FileKey(const fs::path& path) {
  std::error_code ignored;
  fs::path canonical = fs::weakly_canonical(path, ignored);
  if (canonical.empty()) canonical = path;
  const auto size = fs::file_size(path, ignored);
  const auto time = fs::last_write_time(path, ignored).time_since_epoch().count();
  return canonical.string() + '\0' + std::to_string(size) + '\0' + std::to_string(time);
}

// Half of the machine's memory, or EMBERLINE_MEMORY_MB when that is set.
size_t MemoryBudget() {
  if (const char* text = std::getenv("EMBERLINE_MEMORY_MB")) {
    const long long megabytes = std::atoll(text);
    if (megabytes > 0) return static_cast<size_t>(megabytes) << 20;
  }
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return size_t{2} << 30;
  return static_cast<size_t>(pages) * static_cast<size_t>(page) / 2;
}

std::string Known(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 8; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > 8) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

Error NotOpen(const std::string& profile_id) {
  return MakeError(errors::kProfileNotOpen, {{"profile", profile_id}});
}

Result<const SpanFile*> Select(const Discovery& discovery, const TraceSelection& selection) {
  const RunFiles* run = nullptr;
  std::vector<std::string> names;
  for (const RunFiles& candidate : discovery.runs) {
    names.push_back(candidate.name);
    if (!run && (selection.run.empty() || candidate.name == selection.run)) run = &candidate;
  }
  if (!run) {
    return MakeError(errors::kNoSuchRun, {{"run", selection.run}, {"known", Known(names)}});
  }
  const WorkerFiles* worker = nullptr;
  names.clear();
  for (const WorkerFiles& candidate : run->workers) {
    names.push_back(candidate.name);
    if (!worker && (selection.worker.empty() || candidate.name == selection.worker)) {
      worker = &candidate;
    }
  }
  if (!worker) {
    return MakeError(errors::kNoSuchWorker,
                     {{"worker", selection.worker}, {"known", Known(names)}});
  }
  names.clear();
  for (const SpanFile& candidate : worker->spans) {
    names.push_back(candidate.span.empty() ? Say(errors::kOnlySpan).text : candidate.span);
    if (selection.span.empty() || candidate.span == selection.span) return &candidate;
  }
  return MakeError(errors::kNoSuchSpan, {{"span", selection.span}, {"known", Known(names)}});
}

}  // namespace

struct Session::Impl {
  Impl(size_t limit_bytes, std::shared_ptr<ImageCache> kept)
      : memo(std::make_shared<Memo>(limit_bytes > 0 ? limit_bytes : MemoryBudget())),
        results(memo),
        images(std::move(kept)) {}

  struct Listener {
    ProgressFn progress;
    std::function<void()> first_picture;
  };
  using Listeners = std::multimap<std::string, Listener>;

  // Loaded traces are anchors of the scope 0, by FileKey; their results lie in scopes of their own.
  const std::shared_ptr<Memo> memo;
  const MemoScope results;                   // of the session itself
  const std::shared_ptr<ImageCache> images;  // may be null

  mutable std::mutex mutex;
  // All guarded by mutex.
  std::map<std::string, std::shared_ptr<const Profile>> profiles;
  std::map<std::pair<std::string, fs::path>, std::string> shown;  // profile and path -> FileKey
  std::map<std::string, fs::path> paths;                          // FileKey -> path, of what loaded
  Listeners listeners;                                            // by FileKey
  std::map<std::string, std::shared_ptr<const FirstPart>> parts;  // by FileKey, of what loads now
  std::multimap<std::string, CancelToken> work;                   // by profile
  uint64_t next_id = 1;

  std::shared_ptr<const Profile> Find(const std::string& profile_id) const {
    const std::lock_guard lock(mutex);
    const auto it = profiles.find(profile_id);
    return it == profiles.end() ? nullptr : it->second;
  }

  std::shared_ptr<const LoadedTrace> Kept(const std::string& key) const {
    return std::static_pointer_cast<const LoadedTrace>(memo->Find(0, key));
  }

  // The FileKey of what the profile shows of the file; empty where it shows nothing yet.
  std::string ShownKey(const std::string& profile_id, const fs::path& path) const {
    const std::lock_guard lock(mutex);
    const auto at = shown.find(std::pair(profile_id, path));
    return at == shown.end() ? std::string() : at->second;
  }

  // Notes that the profile shows this content of the file; false when it was closed meanwhile.
  bool Show(const std::string& profile_id, const fs::path& path, const std::string& key) {
    std::string before;
    {
      const std::lock_guard lock(mutex);
      paths[key] = path;
      if (!profiles.contains(profile_id)) return false;
      std::string& now = shown[{profile_id, path}];
      if (now == key) return true;
      std::swap(before, now);
      now = key;
      const auto shows = [&](const auto& entry) { return entry.second == before; };
      if (before.empty() || std::any_of(shown.begin(), shown.end(), shows)) return true;
      paths.erase(before);
    }
    memo->Forget(0, before);  // nobody shows the older content any more
    return true;
  }

  // Lets go of traces whose file is in no open profile. The disk is asked without the lock.
  void ForgetUnwanted() {
    std::vector<std::shared_ptr<const Profile>> open;
    std::map<std::string, fs::path> loaded;
    {
      const std::lock_guard lock(mutex);
      for (const auto& [id, profile] : profiles) open.push_back(profile);
      loaded = paths;
    }
    for (const auto& [key, path] : loaded) {
      const auto holds = [&, &wanted = path](const std::shared_ptr<const Profile>& profile) {
        return Holds(profile->discovery, wanted);
      };
      if (std::any_of(open.begin(), open.end(), holds)) continue;
      {
        const std::lock_guard lock(mutex);
        paths.erase(key);
      }
      memo->Forget(0, key);
    }
  }

  static bool Holds(const Discovery& discovery, const fs::path& path) {
    for (const RunFiles& run : discovery.runs) {
      for (const WorkerFiles& worker : run.workers) {
        for (const SpanFile& span : worker.spans) {
          // Thousands of ranks: the disk is asked only where the names agree.
          std::error_code ignored;
          if (span.path == path || (span.path.filename() == path.filename() &&
                                    fs::equivalent(span.path, path, ignored))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  // Takes part in the progress of whoever loads `key`, as long as the guard lives.
  std::shared_ptr<void> Listen(const std::string& key, const ReadOptions& options) {
    if (!options.progress && !options.first_picture) return nullptr;
    bool pictured = false;
    Listeners::iterator at;
    {
      const std::lock_guard lock(mutex);
      at = listeners.emplace(key, Listener{options.progress, options.first_picture});
      pictured = parts.contains(key);
    }
    if (pictured && options.first_picture) options.first_picture();
    return {nullptr, [this, at](void*) {
              const std::lock_guard again(mutex);
              listeners.erase(at);
            }};
  }

  std::vector<Listener> ListenersOf(const std::string& key) const {
    std::vector<Listener> all;
    const std::lock_guard lock(mutex);
    const auto [first, last] = listeners.equal_range(key);
    for (auto at = first; at != last; ++at) all.push_back(at->second);
    return all;
  }

  ProgressFn Report(const std::string& key) {
    return [this, key](std::string_view stage, double fraction) {
      for (const Listener& listener : ListenersOf(key)) {
        if (listener.progress) listener.progress(stage, fraction);
      }
    };
  }

  // The beginning of what is being loaded is there or, null, is shown no longer.
  void ShowPart(const std::string& key, std::shared_ptr<const FirstPart> part) {
    const bool there = part != nullptr;
    {
      const std::lock_guard lock(mutex);
      std::swap(parts[key], part);
      if (!there) parts.erase(key);
    }
    if (!there) return;
    for (const Listener& listener : ListenersOf(key)) {
      if (listener.first_picture) listener.first_picture();
    }
  }
};

Session::Session(size_t limit_bytes, std::shared_ptr<ImageCache> images)
    : impl_(std::make_unique<Impl>(limit_bytes, std::move(images))) {}
// Traces share the memo that keeps them.
Session::~Session() { impl_->memo->Clear(); }

Result<Profile> Session::Open(const fs::path& path, const CancelToken& cancel) {
  Result<Discovery> discovery = DiscoverRuns(path, cancel);
  if (!discovery.ok()) return discovery.error();
  Profile profile;
  profile.path = path;
  profile.discovery = std::move(discovery.value());
  const std::lock_guard lock(impl_->mutex);
  profile.id = "p" + std::to_string(impl_->next_id++);
  impl_->profiles[profile.id] = std::make_shared<const Profile>(profile);
  return profile;
}

Result<Profile> Session::Find(const std::string& profile_id) const {
  const std::shared_ptr<const Profile> profile = impl_->Find(profile_id);
  if (profile != nullptr) return *profile;
  return NotOpen(profile_id);
}

Result<bool> Session::Close(const std::string& profile_id) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->profiles.erase(profile_id) == 0) {
      return MakeError(errors::kProfileNotOpenToClose, {{"profile", profile_id}});
    }
    std::erase_if(impl_->shown, [&](const auto& entry) { return entry.first.first == profile_id; });
    const auto [first, last] = impl_->work.equal_range(profile_id);
    for (auto at = first; at != last; ++at) at->second.Cancel();
  }
  impl_->ForgetUnwanted();
  return true;
}

std::vector<Profile> Session::Profiles() const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<Profile> all;
  for (const auto& [id, profile] : impl_->profiles) all.push_back(*profile);
  return all;
}

std::shared_ptr<void> Session::BeginWork(const std::string& profile_id, const CancelToken& cancel) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->profiles.contains(profile_id)) cancel.Cancel();
  const auto at = impl_->work.emplace(profile_id, cancel);
  return {nullptr, [impl = impl_.get(), at](void*) {
            const std::lock_guard again(impl->mutex);
            impl->work.erase(at);
          }};
}

Result<fs::path> Session::PathOf(const std::string& profile_id,
                                 const TraceSelection& selection) const {
  const std::shared_ptr<const Profile> profile = impl_->Find(profile_id);
  if (profile == nullptr) return NotOpen(profile_id);
  const Result<const SpanFile*> span = Select(profile->discovery, selection);
  if (!span.ok()) return span.error();
  return span.value()->path;
}

size_t Session::limit_bytes() const { return impl_->memo->limit_bytes(); }
size_t Session::kept_bytes() const { return impl_->memo->bytes(); }
const MemoScope& Session::results() const { return impl_->results; }
ImageCache* Session::images() const { return impl_->images.get(); }

Result<std::shared_ptr<const FirstPart>> Session::FirstPartOf(
    const std::string& profile_id, const TraceSelection& selection) const {
  const Result<fs::path> path = PathOf(profile_id, selection);
  if (!path.ok()) return path.error();
  const std::string key = FileKey(*path);
  const std::lock_guard lock(impl_->mutex);
  const auto found = impl_->parts.find(key);
  if (found == impl_->parts.end()) return MakeError(errors::kNoFirstPicture);
  return found->second;
}

namespace {

// Who is given the beginning of a trace while the whole is read, and null when reading is over; may
// be empty.
using ShowPart = std::function<void(std::shared_ptr<const FirstPart>)>;

size_t BytesOf(const LoadedTrace& trace) {
  return sizeof(trace) + trace.store->MemoryBytes() + ByteSize(*trace.model);
}

Result<std::shared_ptr<const LoadedTrace>> ReadAndModel(const fs::path& path,
                                                        const std::shared_ptr<Memo>& memo,
                                                        const ReadOptions& options,
                                                        const ShowPart& show) {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<FirstPicture> first;
  const auto withdraw = [&] {
    if (!first) return;
    first.reset();
    show(nullptr);
  };
  // However reading ends.
  const std::shared_ptr<void> end_of_reading(nullptr, [&](void*) { withdraw(); });
  if (show) first.emplace(path, memo, FirstPictureOptionsOfMachine(), show);
  // Reading is most of the work; building the model takes the last tenth of the bar.
  ReadOptions inner = options;
  inner.progress = [&](std::string_view stage, double fraction) {
    // Sorting takes the most memory of a load, and the whole is nearly there.
    if (stage == "build") withdraw();
    if (options.progress) options.progress(stage, fraction * 0.9);
  };
  Result<ReadResult> read = ReadTrace(path, inner);
  if (!read.ok()) return read.error();
  if (options.progress) options.progress("model", 0.9);
  const auto model_begin = std::chrono::steady_clock::now();
  Result<std::shared_ptr<const Model>> model = BuildModel(read->store, options.cancel);
  if (!model.ok()) return model.error();
  model = AddCaptures(path, std::move(*model), options);
  if (!model.ok()) return model.error();
  const auto end = std::chrono::steady_clock::now();

  auto trace = std::make_shared<LoadedTrace>(memo);
  trace->path = path;
  trace->store = read->store;
  trace->model = model.value();
  trace->stages = read->stages;
  trace->stages.push_back({"model", std::chrono::duration<double>(end - model_begin).count()});
  trace->total_seconds = std::chrono::duration<double>(end - begin).count();
  if (options.progress) options.progress("done", 1.0);
  return std::shared_ptr<const LoadedTrace>(std::move(trace));
}

// The trace as it was kept on the disk; null when it was not.
std::shared_ptr<const LoadedTrace> Reopen(const fs::path& path, const std::string& key,
                                          const std::shared_ptr<Memo>& memo,
                                          const ImageCache& images) {
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Model> model = images.Open(path, key);
  if (model == nullptr) return nullptr;
  auto trace = std::make_shared<LoadedTrace>(memo);
  trace->path = path;
  trace->store = model->store_ptr();
  trace->model = std::move(model);
  trace->total_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  trace->stages.push_back({"reopen", trace->total_seconds});
  return trace;
}

// The trace from the disk, or else from its file, and then kept.
Result<std::shared_ptr<const LoadedTrace>> ReopenOrRead(const fs::path& path,
                                                        const std::shared_ptr<Memo>& memo,
                                                        const ReadOptions& options,
                                                        ImageCache* images, const ShowPart& show) {
  // Other importers than the program's own may read the same file as another trace.
  if (options.importers != nullptr) return ReadAndModel(path, memo, options, nullptr);
  if (images == nullptr) return ReadAndModel(path, memo, options, show);
  const std::string key = images->KeyOf(path);
  if (auto trace = Reopen(path, key, memo, *images)) return trace;
  auto trace = ReadAndModel(path, memo, options, show);
  // A file that changed while it was read is neither what it was nor what it is.
  if (trace.ok() && options.keep_image && images->Wants(*(*trace)->store) &&
      images->KeyOf(path) == key) {
    images->Keep(path, key, (*trace)->model);
  }
  return trace;
}

// The same with its size. What fails for want of memory says so.
Result<Memo::Made> Make(const fs::path& path, const std::shared_ptr<Memo>& memo,
                        const ReadOptions& options, ImageCache* images, const ShowPart& show) {
  try {
    auto trace = ReopenOrRead(path, memo, options, images, show);
    if (!trace.ok()) return trace.error();
    const size_t bytes = BytesOf(**trace);
    return Memo::Made{std::move(trace.value()), bytes, nullptr};
  } catch (const std::bad_alloc&) {
    return MakeError(errors::kNoMemoryToLoad);
  }
}

}  // namespace

Result<std::shared_ptr<const LoadedTrace>> Session::Load(const std::string& profile_id,
                                                         const TraceSelection& selection,
                                                         const ReadOptions& options, bool renew) {
  const std::shared_ptr<const Profile> profile = impl_->Find(profile_id);
  if (profile == nullptr) return NotOpen(profile_id);
  Result<const SpanFile*> span = Select(profile->discovery, selection);
  if (!span.ok()) return span.error();
  const fs::path& path = span.value()->path;
  if (!renew) {
    const std::string before = impl_->ShownKey(profile_id, path);
    if (!before.empty()) {
      if (std::shared_ptr<const LoadedTrace> trace = impl_->Kept(before)) return trace;
    }
  }

  const std::string key = FileKey(path);
  const std::shared_ptr<void> work = BeginWork(profile_id, options.cancel);
  const std::shared_ptr<void> listening = impl_->Listen(key, options);
  const Result<Memo::Value> loaded =
      impl_->memo->Get(0, key, Memo::Role::kAnchor, options.cancel, [&] {
        ReadOptions own = options;
        own.progress = impl_->Report(key);
        ShowPart show;
        if (options.first_picture) {
          show = [&](std::shared_ptr<const FirstPart> part) {
            impl_->ShowPart(key, std::move(part));
          };
        }
        return Make(path, impl_->memo, own, impl_->images.get(), show);
      });
  const Error closed = MakeError(errors::kClosedWhileLoading);
  if (!loaded.ok()) {
    const bool cancelled = loaded.error().kind == ErrorKind::kCancelled;
    return cancelled && impl_->Find(profile_id) == nullptr ? closed : loaded.error();
  }
  if (!impl_->Show(profile_id, path, key)) {
    impl_->ForgetUnwanted();
    return closed;
  }
  return std::static_pointer_cast<const LoadedTrace>(loaded.value());
}

bool Session::Keeps(const std::string& profile_id, const TraceSelection& selection) const {
  const Result<fs::path> path = PathOf(profile_id, selection);
  if (!path.ok()) return false;
  const std::string shown = impl_->ShownKey(profile_id, *path);
  return impl_->Kept(shown.empty() ? FileKey(*path) : shown) != nullptr;
}

void Session::LetGo(const std::string& profile_id, const TraceSelection& selection) {
  const Result<fs::path> path = PathOf(profile_id, selection);
  if (!path.ok()) return;
  std::string key;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto at = impl_->shown.find(std::pair(profile_id, *path));
    if (at == impl_->shown.end()) return;
    key = at->second;
    for (const auto& [where, shown] : impl_->shown) {
      if (shown == key && where != at->first) return;
    }
    // As if it had not been loaded: a file that was written again is read as it is then.
    impl_->shown.erase(at);
    impl_->paths.erase(key);
  }
  impl_->memo->Forget(0, key);
}

}  // namespace emberline
