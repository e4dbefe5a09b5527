#include "session/session.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>

#include "session/captures.h"

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

size_t BytesOf(const LoadedTrace& trace) {
  // The model keeps about 56 bytes per slice in its parallel columns (model/model.h).
  return trace.store->MemoryBytes() + size_t{56} * trace.store->slice_count();
}

std::string Known(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 8; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > 8) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

Result<const SpanFile*> Select(const Discovery& discovery, const TraceSelection& selection) {
  const RunFiles* run = nullptr;
  std::vector<std::string> names;
  for (const RunFiles& candidate : discovery.runs) {
    names.push_back(candidate.name);
    if (!run && (selection.run.empty() || candidate.name == selection.run)) run = &candidate;
  }
  if (!run) {
    return Error{ErrorKind::kNotFound,
                 "There is no run \"" + selection.run + "\".",
                 "Runs found: " + Known(names) + ".",
                 {}};
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
    return Error{ErrorKind::kNotFound,
                 "There is no worker \"" + selection.worker + "\".",
                 "Workers of this run: " + Known(names) + ".",
                 {}};
  }
  names.clear();
  for (const SpanFile& candidate : worker->spans) {
    names.push_back(candidate.span.empty() ? "(the only one)" : candidate.span);
    if (selection.span.empty() || candidate.span == selection.span) return &candidate;
  }
  return Error{ErrorKind::kNotFound,
               "There is no capture span \"" + selection.span + "\".",
               "Spans of this worker: " + Known(names) + ".",
               {}};
}

}  // namespace

struct Session::Impl {
  // A load that runs: the thread that began it does the work, the others wait for `done`.
  struct Loading {
    bool done = false;
    std::vector<ProgressFn> listeners;  // guarded by Impl::mutex
    std::optional<Result<std::shared_ptr<const LoadedTrace>>> outcome;
  };
  struct Held {
    std::string key;
    std::shared_ptr<const LoadedTrace> trace;
    size_t bytes = 0;
  };

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Profile> profiles;
  // Profile and path -> key of the content that the profile shows.
  std::map<std::pair<std::string, fs::path>, std::string> shown;
  uint64_t next_id = 1;
  std::list<Held> held;  // most recently used first
  std::map<std::string, std::shared_ptr<Loading>> loading;
  const size_t budget = MemoryBudget();

  std::shared_ptr<const LoadedTrace> Touch(const std::string& key) {
    for (auto it = held.begin(); it != held.end(); ++it) {
      if (it->key != key) continue;
      held.splice(held.begin(), held, it);
      return held.front().trace;
    }
    return nullptr;
  }

  // Keeps `trace` and lets the least recently used ones go; the newest always stays.
  void Keep(const std::string& key, std::shared_ptr<const LoadedTrace> trace) {
    const size_t bytes = BytesOf(*trace);
    held.push_front({key, std::move(trace), bytes});
    size_t sum = 0;
    for (auto it = held.begin(); it != held.end();) {
      sum += it->bytes;
      it = sum > budget && it != held.begin() ? held.erase(it) : std::next(it);
    }
  }
};

Session::Session() : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;

Result<Profile> Session::Open(const fs::path& path) {
  Result<Discovery> discovery = DiscoverRuns(path);
  if (!discovery.ok()) return discovery.error();
  Profile profile;
  profile.path = path;
  profile.discovery = std::move(discovery.value());
  std::lock_guard lock(impl_->mutex);
  profile.id = "p" + std::to_string(impl_->next_id++);
  impl_->profiles[profile.id] = profile;
  return profile;
}

Result<Profile> Session::Find(const std::string& profile_id) const {
  std::lock_guard lock(impl_->mutex);
  const auto it = impl_->profiles.find(profile_id);
  if (it == impl_->profiles.end()) {
    return Error{ErrorKind::kNotFound,
                 "There is no open profile \"" + profile_id + "\".",
                 "Open it again.",
                 {}};
  }
  return it->second;
}

Result<bool> Session::Close(const std::string& profile_id) {
  std::lock_guard lock(impl_->mutex);
  if (impl_->profiles.erase(profile_id) == 0) {
    return Error{ErrorKind::kNotFound, "There is no open profile \"" + profile_id + "\".", "", {}};
  }
  std::erase_if(impl_->shown, [&](const auto& entry) { return entry.first.first == profile_id; });
  // Traces that only this profile showed are let go at once.
  for (auto it = impl_->held.begin(); it != impl_->held.end();) {
    bool wanted = false;
    for (const auto& [id, profile] : impl_->profiles) {
      for (const RunFiles& run : profile.discovery.runs) {
        for (const WorkerFiles& worker : run.workers) {
          for (const SpanFile& span : worker.spans) {
            // Thousands of ranks: the disk is asked only where the names agree.
            std::error_code ignored;
            wanted = wanted || span.path == it->trace->path ||
                     (span.path.filename() == it->trace->path.filename() &&
                      fs::equivalent(span.path, it->trace->path, ignored));
          }
        }
      }
    }
    it = wanted ? std::next(it) : impl_->held.erase(it);
  }
  return true;
}

std::vector<Profile> Session::Profiles() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<Profile> all;
  for (const auto& [id, profile] : impl_->profiles) all.push_back(profile);
  return all;
}

namespace {

Result<std::shared_ptr<const LoadedTrace>> ReadAndModel(const fs::path& path,
                                                        const ReadOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  // Reading is most of the work; building the model takes the last tenth of the bar.
  ReadOptions inner = options;
  inner.progress = [&](std::string_view stage, double fraction) {
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

  auto trace = std::make_shared<LoadedTrace>();
  trace->path = path;
  trace->store = read->store;
  trace->model = model.value();
  trace->stages = read->stages;
  trace->stages.push_back({"model", std::chrono::duration<double>(end - model_begin).count()});
  trace->total_seconds = std::chrono::duration<double>(end - begin).count();
  if (options.progress) options.progress("done", 1.0);
  return std::shared_ptr<const LoadedTrace>(std::move(trace));
}

}  // namespace

Result<std::shared_ptr<const LoadedTrace>> Session::Load(const std::string& profile_id,
                                                         const TraceSelection& selection,
                                                         const ReadOptions& options, bool renew) {
  Result<Profile> profile = Find(profile_id);
  if (!profile.ok()) return profile.error();
  Result<const SpanFile*> span = Select(profile->discovery, selection);
  if (!span.ok()) return span.error();
  const fs::path path = span.value()->path;
  const std::string key = FileKey(path);
  const std::pair place(profile_id, path);

  std::unique_lock lock(impl_->mutex);
  if (!renew) {
    const auto before = impl_->shown.find(place);
    if (before != impl_->shown.end()) {
      if (std::shared_ptr<const LoadedTrace> trace = impl_->Touch(before->second)) return trace;
    }
  }
  const auto show = [&] {
    if (impl_->profiles.contains(profile_id)) impl_->shown[place] = key;
  };
  while (true) {
    if (std::shared_ptr<const LoadedTrace> trace = impl_->Touch(key)) {
      show();
      return trace;
    }
    const auto running = impl_->loading.find(key);
    if (running == impl_->loading.end()) break;

    const std::shared_ptr<Impl::Loading> other = running->second;
    if (options.progress) other->listeners.push_back(options.progress);
    while (!other->done) {
      // Waiting in slices: a cancelled waiter leaves although the load goes on for the others.
      impl_->changed.wait_for(lock, std::chrono::milliseconds(20));
      if (options.cancel.cancelled()) {
        return Error{ErrorKind::kCancelled, "Loading was cancelled.", "", {}};
      }
    }
    // When the one who loaded was cancelled, the next in line loads; other outcomes are shared.
    if (!other->outcome->ok() && other->outcome->error().kind == ErrorKind::kCancelled) continue;
    if (other->outcome->ok()) show();
    return *other->outcome;
  }

  const auto mine = std::make_shared<Impl::Loading>();
  if (options.progress) mine->listeners.push_back(options.progress);
  impl_->loading[key] = mine;
  lock.unlock();

  ReadOptions shared = options;
  shared.progress = [this, mine](std::string_view stage, double fraction) {
    std::vector<ProgressFn> listeners;
    {
      std::lock_guard guard(impl_->mutex);
      if (!mine->done) listeners = mine->listeners;
    }
    for (const ProgressFn& listener : listeners) listener(stage, fraction);
  };
  Result<std::shared_ptr<const LoadedTrace>> outcome =
      Error{ErrorKind::kInternal, "Loading failed unexpectedly.", "", {}};
  try {
    outcome = ReadAndModel(path, shared);
  } catch (const std::bad_alloc&) {
    outcome = Error{ErrorKind::kUnreadable,
                    "There is not enough memory to load this trace.",
                    "Close other profiles, or record fewer steps.",
                    {}};
  } catch (const std::exception& e) {
    outcome = Error{ErrorKind::kInternal, std::string("Loading failed: ") + e.what(), "", {}};
  }

  lock.lock();
  if (outcome.ok()) {
    impl_->Keep(key, outcome.value());
    show();
  }
  mine->outcome = outcome;
  mine->done = true;
  impl_->loading.erase(key);
  impl_->changed.notify_all();
  return outcome;
}

}  // namespace emberline
