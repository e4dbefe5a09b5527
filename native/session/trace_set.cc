#include "session/trace_set.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>

#include "base/cores.h"
#include "base/parallel.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

// A store takes about half of a trace's text, and text compresses to a tenth or less.
constexpr size_t kBytesPerCompressedByte = 6;

size_t EstimatedBytes(const Session& session, const TraceRef& ref) {
  const Result<fs::path> path = session.PathOf(ref.profile_id, ref.selection);
  if (!path.ok()) return 0;  // loading tells what is wrong
  std::error_code ignored;
  const auto size = fs::file_size(*path, ignored);
  if (ignored) return 0;
  const bool compressed = path->extension() == ".gz";
  return compressed ? size * kBytesPerCompressedByte : size;
}

// Deals out the traces of a set to threads, within the limits.
class SetLoader : public std::enable_shared_from_this<SetLoader> {
 public:
  // `options`: as every trace of the set is read.
  SetLoader(Session& session, const std::vector<TraceRef>& refs, const ReadOptions& options,
            const std::function<void(size_t, SetMember)>& visit, size_t memory_bytes,
            const SetLimits& limits)
      : session_(session),
        refs_(refs),
        options_(options),
        visit_(visit),
        memory_bytes_(memory_bytes),
        kept_traces_(limits.kept_traces),
        side_by_side_(limits.visit_side_by_side),
        renew_(limits.renew),
        fractions_(refs.size(), 0) {}

  // What each thread does until nothing is left, or one of them has thrown.
  void Work() {
    while (const std::optional<Turn> turn = Take()) {
      try {
        LoadAndVisit(turn->index);
      } catch (...) {
        GiveBack(*turn, true);
        throw;
      }
      GiveBack(*turn, false);
    }
  }

 private:
  struct Turn {
    size_t index = 0;
    size_t bytes = 0;
  };

  void LoadAndVisit(size_t index) {
    ReadOptions options = options_;
    // A shared load may report late, when nobody waits for this set any more.
    options.progress = [self = shared_from_this(), index](std::string_view stage, double fraction) {
      self->Report(index, stage, fraction);
    };
    const TraceRef& ref = refs_[index];
    const bool keeps = index < kept_traces_ || session_.Keeps(ref.profile_id, ref.selection);
    SetMember member{ref, session_.Load(ref.profile_id, ref.selection, options, renew_)};
    if (!options_.cancel.cancelled()) {
      std::unique_lock lock(visiting_, std::defer_lock);
      if (!side_by_side_) lock.lock();
      visit_(index, std::move(member));
    }
    if (!keeps) session_.LetGo(ref.profile_id, ref.selection);
    Report(index, "load", 1);
  }

  // The next trace, as soon as there is room for it.
  std::optional<Turn> Take() {
    std::unique_lock lock(mutex_);
    if (next_ >= refs_.size() || Ended()) return std::nullopt;
    Turn turn{next_++, 0};
    lock.unlock();
    turn.bytes = EstimatedBytes(session_, refs_[turn.index]);
    lock.lock();
    room_.wait(lock, [&] { return loading_ == 0 || used_ + turn.bytes <= memory_bytes_; });
    if (Ended()) return std::nullopt;
    ++loading_;
    used_ += turn.bytes;
    return turn;
  }
  bool Ended() const { return failed_ || options_.cancel.cancelled(); }

  void GiveBack(const Turn& turn, bool failed) {
    {
      const std::lock_guard lock(mutex_);
      failed_ |= failed;
      --loading_;
      used_ -= turn.bytes;
    }
    room_.notify_all();
  }

  void Report(size_t index, std::string_view stage, double fraction) {
    if (!options_.progress) return;
    double sum = 0;
    {
      const std::lock_guard lock(mutex_);
      const double more = std::max(0.0, fraction - fractions_[index]);
      fractions_[index] += more;
      sum = done_ += more;
    }
    options_.progress(stage, sum / static_cast<double>(refs_.size()));
  }

  Session& session_;
  const std::vector<TraceRef> refs_;
  const ReadOptions options_;
  const std::function<void(size_t, SetMember)>& visit_;
  const size_t memory_bytes_;
  const size_t kept_traces_;
  const bool side_by_side_;
  const bool renew_;

  std::mutex visiting_;  // one visit at a time
  std::mutex mutex_;
  std::condition_variable room_;
  // Guarded by mutex_.
  std::vector<double> fractions_;
  double done_ = 0;  // their sum
  size_t next_ = 0;
  size_t loading_ = 0;
  size_t used_ = 0;  // estimated bytes of those that are being loaded
  bool failed_ = false;
};

}  // namespace

Result<bool> ForEachTrace(Session& session, const std::vector<TraceRef>& refs,
                          const ReadOptions& options,
                          const std::function<void(size_t, SetMember)>& visit,
                          const SetLimits& limits) {
  const size_t cores = limits.threads > 0 ? limits.threads : UsableCores();
  const size_t threads = std::clamp<size_t>(refs.size(), 1, std::max<size_t>(1, cores));
  const size_t memory = limits.memory_bytes > 0 ? limits.memory_bytes : session.limit_bytes() / 2;
  ReadOptions each = options;
  const size_t share = std::max<size_t>(1, UsableCores() / threads);
  // Where a trace has one core, more threads would only wait for each other.
  if (share == 1) each.alone_events = std::numeric_limits<uint64_t>::max();
  // Of the ranks of a job digests are kept; two traces are a comparison's.
  each.keep_image = options.keep_image && refs.size() <= 2;
  const auto loader = std::make_shared<SetLoader>(session, refs, each, visit, memory, limits);
  RunOnThreads(threads, [&] {
    const CoreShare of_thread(share);
    loader->Work();
  });
  if (options.cancel.cancelled()) {
    return Cancelled();
  }
  return true;
}

Result<std::vector<SetMember>> LoadAll(Session& session, const std::vector<TraceRef>& refs,
                                       const ReadOptions& options, const SetLimits& limits) {
  std::vector<std::optional<SetMember>> found(refs.size());
  const Result<bool> done = ForEachTrace(
      session, refs, options,
      [&](size_t index, SetMember member) { found[index] = std::move(member); }, limits);
  if (!done.ok()) return done.error();
  std::vector<SetMember> members;
  members.reserve(found.size());
  for (std::optional<SetMember>& member : found) members.push_back(std::move(*member));
  return members;
}

std::vector<TraceRef> WorkersOfRun(const Profile& profile, const std::string& run) {
  std::vector<TraceRef> refs;
  for (const RunFiles& candidate : profile.discovery.runs) {
    if (!run.empty() && candidate.name != run) continue;
    for (const WorkerFiles& worker : candidate.workers) {
      refs.push_back({profile.id, {candidate.name, worker.name, ""}});
    }
    break;
  }
  return refs;
}

std::vector<BrokenSpan> BrokenOfRun(const Profile& profile, const std::string& run) {
  for (const RunFiles& candidate : profile.discovery.runs) {
    if (run.empty() || candidate.name == run) return candidate.broken;
  }
  return {};
}

std::vector<BrokenSpan> StrangersOfRun(const Profile& profile, const std::string& run) {
  for (const RunFiles& candidate : profile.discovery.runs) {
    if (run.empty() || candidate.name == run) return candidate.strangers;
  }
  return {};
}

std::vector<TraceRef> AllTraces(const Profile& profile) {
  std::vector<TraceRef> refs;
  for (const RunFiles& run : profile.discovery.runs) {
    for (const WorkerFiles& worker : run.workers) {
      for (const SpanFile& span : worker.spans) {
        refs.push_back({profile.id, {run.name, worker.name, span.span}});
      }
    }
  }
  return refs;
}

}  // namespace emberline
