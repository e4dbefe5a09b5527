#include "ranks/load_job.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/cores.h"
#include "base/errors.h"
#include "base/parallel.h"
#include "ingest/errors.h"
#include "ingest/read_trace.h"
#include "ranks/digest_file.h"
#include "ranks/errors.h"
#include "ranks/job_tables.h"
#include "ranks/make_digest.h"
#include "ranks/messages.h"
#include "ranks/sequences.h"
#include "ranks/trace_paths.h"
#include "session/image_cache.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 200'000;
// Of more ranks the digests tell what views show, and a rank that somebody looks at is read again.
constexpr size_t kKeptTraces = 16;

std::vector<fs::path> DigestFiles(const fs::path& path) {
  std::vector<fs::path> files;
  std::error_code fault;
  if (fs::is_regular_file(path, fault)) return {path};
  for (fs::directory_iterator at(path, fault), end; !fault && at != end; at.increment(fault)) {
    if (at->path().extension() == kDigestExtension && files.size() < kMaxFiles) {
      files.push_back(at->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A key that changes with the file.
std::string ContentKey(const fs::path& path) {
  std::error_code ignored;
  const auto size = fs::file_size(path, ignored);
  const auto time = fs::last_write_time(path, ignored).time_since_epoch().count();
  return path.string() + "|" + std::to_string(size) + "|" + std::to_string(time);
}

// A key that changes when a file comes into the folder or one below it, or leaves: traces beside
// digests are named. Of a file: "".
std::string FoldersKey(const fs::path& folder) {
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) return "";
  std::string key = ContentKey(folder) + "\n";
  size_t seen = 0;
  for (fs::recursive_directory_iterator
           at(folder, fs::directory_options::skip_permission_denied, fault),
       end;
       !fault && at != end && seen < kMaxFiles; at.increment(fault), ++seen) {
    std::error_code ignored;
    if (at->is_directory(ignored)) key += ContentKey(at->path()) + "\n";
  }
  return key;
}

// Joins parts pairwise, so that no rank is moved more often than the logarithm of their number.
// Empty of no parts.
std::optional<JobDigest> MergeAll(std::vector<JobDigest> parts) {
  if (parts.empty()) return std::nullopt;
  while (parts.size() > 1) {
    std::vector<JobDigest> next;
    for (size_t i = 0; i < parts.size(); i += 2) {
      next.push_back(std::move(parts[i]));
      if (i + 1 < parts.size()) MergeDigests(&next.back(), std::move(parts[i + 1]));
    }
    parts = std::move(next);
  }
  return std::move(parts[0]);
}

// Where the disk keeps the digest of a trace.
struct DigestPlace {
  fs::path file;
  std::string file_id;           // of the trace
  ImageCache* images = nullptr;  // whose folder and limit it shares; else it is in the user's
  bool operator==(const DigestPlace&) const = default;
};

std::optional<DigestPlace> PlaceOf(const Session& session, const fs::path& trace) {
  const char* folder = std::getenv("EMBERLINE_DIGEST_CACHE");
  const bool own = folder != nullptr && *folder != 0;
  ImageCache* images = own ? nullptr : session.images();
  if (!own && images == nullptr) return std::nullopt;
  Result<std::string> id = FileId(trace);
  if (!id.ok()) return std::nullopt;
  const fs::path file =
      own ? fs::path(folder) / (*id + kDigestExtension) : images->DigestFileOf(trace);
  if (file.empty()) return std::nullopt;
  return DigestPlace{file, std::move(*id), images};
}

// The digest of the disk, where that is kept. What is not of this content under this name is not
// taken: machines and ranks may be read from names, and files may have been put there.
std::optional<JobDigest> Cached(const std::optional<DigestPlace>& place, const fs::path& trace,
                                const std::string& worker) {
  if (!place) return std::nullopt;
  Result<JobDigest> kept = ReadDigestFile(place->file);
  if (!kept.ok() || kept->ranks.size() != 1) return std::nullopt;
  RankDigest& rank = kept->ranks[0];
  if (rank.file_id != place->file_id || rank.worker != worker) return std::nullopt;
  rank.path = trace.string();
  // Its time says when it was used last.
  std::error_code ignored;
  fs::last_write_time(place->file, fs::file_time_type::clock::now(), ignored);
  return std::move(*kept);
}

// Keeps a digest's bytes where it can: a cache that cannot be written is none.
void KeepOnDisk(const DigestPlace& place, const LoadedTrace& trace, std::string_view digest) {
  if (place.images == nullptr) {
    std::error_code ignored;
    fs::create_directories(place.file.parent_path(), ignored);
  } else if (!place.images->WantsDigest(*trace.store) ||
             !place.images->HasRoomFor(trace.path, digest.size())) {
    return;
  }
  if (!WriteDigestFile(place.file, digest, /*lasting=*/false).ok() || place.images == nullptr) {
    return;
  }
  std::error_code ignored;  // as images, it is nobody else's
  fs::permissions(place.file, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

// The digest that the session or the disk keeps, else the bytes that `make(place)` gives: `place`
// is where the disk would keep them. The session keeps bytes, too, a tenth of what digests take
// when they are read: a job holds what it shows, and many that are kept beside it would be there
// twice.
template <typename Make>
Result<JobDigest> KeptDigestOr(Session& session, const TraceRef& ref, const CancelToken& cancel,
                               Make&& make) {
  const Result<fs::path> path = session.PathOf(ref.profile_id, ref.selection);
  if (!path.ok()) return path.error();
  std::optional<JobDigest> read;
  const auto kept = session.results().Get<std::string>(
      "digest/" + ContentKey(*path), cancel, [&]() -> Result<std::string> {
        const std::optional<DigestPlace> place = PlaceOf(session, *path);
        read = Cached(place, *path, ref.selection.worker);
        Result<std::string> bytes = read ? EncodeDigest(*read) : make(place);
        if (bytes.ok()) bytes->shrink_to_fit();
        return bytes;
      });
  if (!kept.ok()) return kept.error();
  if (read) return std::move(*read);
  return DecodeDigest(**kept, /*own=*/true);
}

// Nothing where the trace has to be read: `place` is then where the disk would keep its digest.
std::optional<JobDigest> KeptDigest(Session& session, const TraceRef& ref,
                                    std::optional<DigestPlace>* place) {
  Result<JobDigest> kept =
      KeptDigestOr(session, ref, CancelToken(),
                   [&](const std::optional<DigestPlace>& now) -> Result<std::string> {
                     *place = now;
                     return MakeError(errors::kNoCachedDigest);
                   });
  return kept.ok() ? std::optional(std::move(*kept)) : std::nullopt;
}

// The digest of a trace, which is loaded where the session does not have it. `before` is where the
// disk would have kept it before it was read: a file that changed since is neither what it was nor
// what it is.
Result<JobDigest> DigestOf(Session& session, const TraceRef& ref,
                           const std::optional<DigestPlace>& before, const ReadOptions& options) {
  return KeptDigestOr(session, ref, options.cancel,
                      [&](const std::optional<DigestPlace>& place) -> Result<std::string> {
                        const auto trace = session.Load(ref.profile_id, ref.selection, options);
                        if (!trace.ok()) return trace.error();
                        const Result<JobDigest> made =
                            MakeDigest(**trace, ref.selection.worker, options.cancel);
                        if (!made.ok()) return made.error();
                        std::string bytes = EncodeDigest(*made);
                        if (before && place && *before == *place)
                          KeepOnDisk(*place, **trace, bytes);
                        return bytes;
                      });
}

// What reading and putting together a run needs of its refs.
std::vector<TraceRef> RefsOf(const Profile& profile, const JobSource& source) {
  std::vector<TraceRef> refs = WorkersOfRun(profile, source.run);
  for (TraceRef& ref : refs) {
    if (source.span.empty()) continue;
    ref.selection.span = source.span;
  }
  if (source.max_ranks > 0 && refs.size() > source.max_ranks) refs.resize(source.max_ranks);
  return refs;
}

// What the files of the traces are at this moment.
std::string StateOf(Session& session, const std::vector<TraceRef>& refs) {
  std::string state;
  for (const TraceRef& ref : refs) {
    const Result<fs::path> path = session.PathOf(ref.profile_id, ref.selection);
    if (path.ok()) state += ContentKey(*path) + "\n";
  }
  return state;
}

bool IsOther(const LoadedTrace& trace, const RankDigest& digest) {
  return trace.store->counts().events != digest.events ||
         trace.store->counts().file_bytes != digest.file_bytes ||
         trace.store->base_ns() != digest.base_ns;
}

// The trace of a rank, or an error where its file is another than the one that the job tells of.
Result<std::shared_ptr<const LoadedTrace>> TraceOfDigest(Session& session, const TraceRef& ref,
                                                         const RankDigest& digest,
                                                         const ReadOptions& options) {
  // What the session keeps was loaded for the job, or has been since it was.
  if (!session.Keeps(ref.profile_id, ref.selection)) {
    const Result<fs::path> path = session.PathOf(ref.profile_id, ref.selection);
    if (!path.ok()) return path.error();
    const Result<std::string> id = FileId(*path);
    if (!id.ok()) return id.error();
    if (*id != digest.file_id) return MakeError(errors::kRankChanged, {{"path", path->string()}});
  }
  auto trace = session.Load(ref.profile_id, ref.selection, options);
  if (!trace.ok()) return trace.error();
  if (IsOther(**trace, digest)) {
    return MakeError(errors::kRankChanged, {{"path", (*trace)->path.string()}});
  }
  return trace;
}

// Files that are the same as another of the folder, byte by byte.
struct Copies {
  int64_t rank;
  std::string kept, first;  // paths
  size_t count = 0;
};

// Traces of a folder that are there twice stay once, and are said to be. (Digests that are there
// twice are not worth a word: who makes some again makes the same.)
std::vector<Copies> LeaveOutCopies(std::vector<JobDigest>* parts) {
  std::map<std::string, size_t> of_node;
  for (const JobDigest& part : *parts) {
    if (part.ranks.size() == 1) ++of_node[part.ranks[0].node];
  }
  // The one that is named like most others stays: names of copies would make machines of their own.
  const auto before = [&](const RankDigest& a, const RankDigest& b) {
    const size_t like_a = of_node[a.node], like_b = of_node[b.node];
    return like_a != like_b ? like_a > like_b : a.path.size() < b.path.size();
  };
  std::map<std::pair<int64_t, std::string>, size_t> kept;  // by identity, the index in `parts`
  for (size_t i = 0; i < parts->size(); ++i) {
    if ((*parts)[i].ranks.size() != 1) continue;
    const RankDigest& rank = (*parts)[i].ranks[0];
    const auto [at, added] = kept.try_emplace({rank.rank, rank.file_id}, i);
    if (!added && before(rank, (*parts)[at->second].ranks[0])) at->second = i;
  }
  std::map<std::pair<int64_t, std::string>, Copies> found;
  std::vector<bool> left_out(parts->size(), false);
  for (size_t i = 0; i < parts->size(); ++i) {
    if ((*parts)[i].ranks.size() != 1) continue;
    const RankDigest& rank = (*parts)[i].ranks[0];
    const std::pair id(rank.rank, rank.file_id);
    if (kept[id] == i) continue;
    left_out[i] = true;
    const std::string& path = (*parts)[kept[id]].ranks[0].path;
    ++found.try_emplace(id, Copies{rank.rank, path, rank.path}).first->second.count;
  }
  size_t next = 0;
  std::erase_if(*parts, [&](const JobDigest&) { return left_out[next++]; });
  std::vector<Copies> copies;
  for (auto& [id, one] : found) copies.push_back(std::move(one));
  return copies;
}

// Traces that lie beside digests, and of which none is.
void NoteTracesWithoutDigest(const fs::path& folder, const CancelToken& cancel, Job* job) {
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) return;
  std::set<std::string> known;
  for (const RankDigest& rank : job->digest->ranks) {
    known.insert(fs::path(rank.path).filename().string());
  }
  // Only where something may be one the folder is looked through.
  bool any = false;
  size_t seen = 0;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end && seen < kMaxFiles;
       at.increment(fault), ++seen) {
    const fs::path name = at->path().filename();
    const fs::path inner = name.extension() == ".gz" ? name.stem() : name;
    std::error_code ignored;
    any = any || at->is_directory(ignored) ||
          (inner.extension() == ".json" && known.count(name.string()) == 0);
  }
  if (!any) return;
  const Result<Discovery> found = DiscoverRuns(folder, cancel);
  if (!found.ok()) return;
  std::vector<std::string> paths;
  for (const RunFiles& run : found->runs) {
    for (const WorkerFiles& worker : run.workers) {
      for (const SpanFile& span : worker.spans) paths.push_back(span.path.string());
    }
  }
  const std::vector<bool> there = HaveDigests(paths, job->digest->ranks);
  const auto count = static_cast<size_t>(std::count(there.begin(), there.end(), false));
  if (count == 0) return;
  const size_t first =
      static_cast<size_t>(std::find(there.begin(), there.end(), false) - there.begin());
  AddNote(job, messages::kTracesWithoutDigest, {{"count", count}, {"path", paths[first]}});
  // Ranks may be missing for this.
  std::rotate(job->notes.begin(), job->notes.end() - 1, job->notes.end());
}

// Workers that were recorded more than once, of which a job shows one recording.
void NoteSpans(const Profile& profile, const JobSource& source, Job* job) {
  std::map<std::string, size_t> spans;  // by worker
  for (const RunFiles& run : profile.discovery.runs) {
    if (!source.run.empty() && run.name != source.run) continue;
    for (const WorkerFiles& worker : run.workers) spans[worker.name] = worker.spans.size();
    break;
  }
  std::map<size_t, std::vector<int64_t>> ranks;  // by recordings
  for (const JobRank& rank : job->ranks) {
    const size_t count = spans[rank.digest->worker];
    if (count > 1) ranks[count].push_back(rank.rank);
  }
  for (auto& [count, list] : ranks) {
    AddNote(job, messages::kMoreSpans,
            {{"count", list.size()},
             {"ranks", RankList(list)},
             {"spans", count},
             {"span", source.span.empty() ? "1" : source.span}},
            list);
    // Nothing else may be read before it.
    std::rotate(job->notes.begin(), job->notes.end() - 1, job->notes.end());
  }
}

Result<LoadedJob> FromTraces(Session& session, const JobSource& source, const ReadOptions& options,
                             SetLimits limits) {
  const Result<Profile> profile = session.Find(source.profile_id);
  if (!profile.ok()) return profile.error();
  JobSource all = source;
  all.max_ranks = 0;
  LoadedJob loaded;
  loaded.files = RefsOf(*profile, all).size();
  for (BrokenSpan& file : BrokenOfRun(*profile, source.run)) {
    loaded.broken.push_back({file.path.string(), std::move(file.why)});
    ++loaded.files;
  }
  for (BrokenSpan& file : StrangersOfRun(*profile, source.run)) {
    loaded.broken.push_back({file.path.string(), std::move(file.why)});
  }
  const std::vector<TraceRef> refs = RefsOf(*profile, source);
  loaded.state = StateOf(session, refs);
  // Digests that are kept need no trace.
  std::vector<std::optional<Result<JobDigest>>> digests(refs.size());
  std::vector<TraceRef> wanted;
  std::vector<size_t> indices;                     // in `refs`
  std::vector<std::optional<DigestPlace>> places;  // before they are read
  for (size_t i = 0; i < refs.size(); ++i) {
    if (options.cancel.cancelled()) return Cancelled();
    std::optional<DigestPlace> place;
    if (auto kept = KeptDigest(session, refs[i], &place)) {
      digests[i] = std::move(*kept);
    } else {
      wanted.push_back(refs[i]);
      indices.push_back(i);
      places.push_back(std::move(place));
    }
  }
  limits.visit_side_by_side = true;
  limits.kept_traces = kKeptTraces;
  limits.renew = true;
  std::mutex mutex;
  const Result<bool> done = ForEachTrace(
      session, wanted, options,
      [&](size_t index, SetMember member) {
        Result<JobDigest> digest = member.trace.ok()
                                       ? DigestOf(session, member.ref, places[index], options)
                                       : Result<JobDigest>(member.trace.error());
        const std::lock_guard lock(mutex);
        digests[indices[index]] = std::move(digest);
      },
      limits);
  if (session.images() != nullptr && !wanted.empty()) session.images()->Tidy();
  if (!done.ok()) return done.error();
  std::vector<JobDigest> parts;
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!digests[i]) continue;
    if (digests[i]->ok()) {
      parts.push_back(std::move(**digests[i]));
      continue;
    }
    const Error& error = digests[i]->error();
    if (error.kind == ErrorKind::kCancelled) return Cancelled();
    const Result<fs::path> path = session.PathOf(refs[i].profile_id, refs[i].selection);
    loaded.broken.push_back({path.ok() ? path->string() : refs[i].selection.worker, error.message});
  }
  loaded.loaded = parts.size();
  std::vector<Copies> copies = LeaveOutCopies(&parts);
  std::optional<JobDigest> merged = MergeAll(std::move(parts));
  if (!merged) {
    const bool known = !loaded.broken.empty();
    return MakeError(errors::kNoReadableRank,
                     {{"known", known ? "yes" : "no"},
                      {"reason", known ? loaded.broken[0].message : std::string()}});
  }
  loaded.job = BuildJob(
      std::make_shared<const JobDigest>(std::move(*merged)), loaded.broken,
      refs.size() == RefsOf(*profile, all).size() ? JobOrigin::kTraces : JobOrigin::kFirstTraces);
  for (Copies& copy : copies) {
    // A trace that does not say its rank has the number that it is shown with.
    const auto shown =
        std::find_if(loaded.job.ranks.begin(), loaded.job.ranks.end(),
                     [&](const JobRank& rank) { return rank.digest->path == copy.kept; });
    const int64_t rank = shown != loaded.job.ranks.end() ? shown->rank : copy.rank;
    AddNote(&loaded.job, messages::kCopiedRank,
            {{"count", copy.count},
             {"known", rank < 0 ? "no" : "yes"},
             {"rank", rank},
             {"kept", std::move(copy.kept)},
             {"other", std::move(copy.first)}},
            {rank});
  }
  NoteSpans(*profile, source, &loaded.job);
  return loaded;
}

Result<LoadedJob> FromDigests(const JobSource& source, const CancelToken& cancel) {
  LoadedJob loaded;
  Result<JobDigest> merged = ReadDigests(source.digests, &loaded.broken, &loaded.files, cancel);
  if (!merged.ok()) return merged.error();
  loaded.loaded = merged->ranks.size();
  loaded.files = std::max(loaded.files, loaded.loaded);
  loaded.job = BuildJob(std::make_shared<const JobDigest>(std::move(*merged)), loaded.broken,
                        JobOrigin::kDigests);
  NoteTracesWithoutDigest(source.digests, cancel, &loaded.job);
  return loaded;
}

}  // namespace

bool HoldsDigests(const fs::path& path) {
  std::error_code fault;
  if (fs::is_regular_file(path, fault)) return path.extension() == kDigestExtension;
  return fs::is_directory(path, fault) && !DigestFiles(path).empty();
}

Result<Table> SequencesByOperator(Session& session, const JobSource& source, const Job& job,
                                  const std::string& name, const ReadOptions& options) {
  if (!source.digests.empty()) {
    return MakeError(errors::kDigestsWithoutNames);
  }
  const Result<Profile> profile = session.Find(source.profile_id);
  if (!profile.ok()) return profile.error();
  std::map<std::string, size_t> ranks;  // by worker, of those that the job is made of
  for (size_t r = 0; r < job.ranks.size(); ++r) ranks[job.ranks[r].digest->worker] = r;
  std::vector<RankDigest> digests(job.ranks.size());
  SetLimits limits;
  limits.visit_side_by_side = true;
  limits.kept_traces = kKeptTraces;
  std::mutex mutex;
  std::optional<Error> fault;
  const Result<bool> done = ForEachTrace(
      session, RefsOf(*profile, source), options,
      [&](size_t, SetMember member) {
        const auto rank = ranks.find(member.ref.selection.worker);
        if (rank == ranks.end()) return;
        // The job has the rank: without it, or with what its file is now, the table would be wrong.
        const auto fail = [&](Error error) {
          const std::lock_guard lock(mutex);
          if (!fault) fault = std::move(error);
        };
        if (!member.trace.ok()) return fail(member.trace.error());
        const RankDigest& digest = *job.ranks[rank->second].digest;
        if (IsOther(**member.trace, digest)) {
          return fail(MakeError(errors::kRankChanged, {{"path", digest.path}}));
        }
        // Each worker has a digest of its own.
        digests[rank->second].sequences =
            SequencesOf(*(*member.trace)->model, name, options.cancel);
      },
      limits);
  if (!done.ok()) return done.error();
  if (options.cancel.cancelled()) return Cancelled();
  if (fault) return *fault;
  Job named;
  for (size_t r = 0; r < digests.size(); ++r)
    named.ranks.push_back({&digests[r], job.ranks[r].rank});
  return JobSequencesTable(named);
}

Result<RankTrace> TraceOfRank(Session& session, const JobSource& source, const Job& job,
                              int64_t rank, const ReadOptions& options) {
  if (!source.digests.empty()) return MakeError(errors::kDigestsWithoutLaunches);
  const auto found = std::find_if(job.ranks.begin(), job.ranks.end(),
                                  [&](const JobRank& one) { return rank < 0 || one.rank == rank; });
  if (found == job.ranks.end()) {
    std::vector<int64_t> known;
    for (const JobRank& one : job.ranks) known.push_back(one.rank);
    return MakeError(errors::kNoTraceOfRank, {{"rank", rank}, {"known", RankList(known)}});
  }
  const Result<Profile> profile = session.Find(source.profile_id);
  if (!profile.ok()) return profile.error();
  for (const TraceRef& ref : RefsOf(*profile, source)) {
    if (ref.selection.worker != found->digest->worker) continue;
    auto trace = TraceOfDigest(session, ref, *found->digest, options);
    if (!trace.ok()) return trace.error();
    return RankTrace{found->rank, std::move(*trace)};
  }
  return MakeError(errors::kNoTraceOfRank, {{"rank", found->rank}, {"known", ""}});
}

Result<JobDigest> ReadDigests(const fs::path& path, std::vector<BrokenFile>* broken, size_t* files,
                              const CancelToken& cancel) {
  const std::vector<fs::path> found = DigestFiles(path);
  *files = found.size();
  if (found.empty()) {
    std::error_code fault;
    const fs::file_status status = fs::status(path, fault);
    if (status.type() == fs::file_type::not_found) {
      return MakeError(errors::kNoSuchPath, {{"path", path.string()}});
    }
    if (!fault && fs::is_directory(status)) (void)fs::directory_iterator(path, fault);
    if (fault) {
      return MakeError(errors::kCannotLookAt,
                       {{"path", path.string()}, {"reason", fault.message()}});
    }
    return MakeError(errors::kNoDigest, {{"path", path.string()}});
  }
  std::vector<std::optional<Result<JobDigest>>> read(found.size());
  RunEach(UsableCores(), found.size(), [&](size_t i) {
    if (!cancel.cancelled()) read[i] = ReadDigestFile(found[i]);
  });
  if (cancel.cancelled()) return Cancelled();
  std::vector<JobDigest> parts;
  for (size_t i = 0; i < found.size(); ++i) {
    if (read[i]->ok()) {
      parts.push_back(std::move(**read[i]));
    } else {
      broken->push_back({found[i].string(), read[i]->error().message});
    }
  }
  std::optional<JobDigest> merged = MergeAll(std::move(parts));
  if (!merged) {
    return MakeError(errors::kNoReadableDigest, {{"reason", (*broken)[0].message}});
  }
  return std::move(*merged);
}

Result<std::shared_ptr<const LoadedJob>> LoadJob(Session& session, const JobSource& source,
                                                 const ReadOptions& options,
                                                 const SetLimits& limits, bool renew) {
  std::string key = "job/" + std::to_string(source.max_ranks) + "/";
  if (!source.digests.empty()) {
    for (const fs::path& file : DigestFiles(source.digests)) key += ContentKey(file) + "\n";
    key += FoldersKey(source.digests);
  } else {
    key += source.profile_id + "/" + source.run + "/" + source.span + "\n";
  }
  bool made = false;  // by this call, of what the files are now
  const auto get = [&] {
    return session.results().Get<LoadedJob>(key, options.cancel, [&] {
      made = true;
      return source.digests.empty() ? FromTraces(session, source, options, limits)
                                    : FromDigests(source, options.cancel);
    });
  };
  auto job = get();
  if (!renew || made || !job.ok() || !source.digests.empty()) return job;
  const Result<Profile> profile = session.Find(source.profile_id);
  if (!profile.ok()) return profile.error();
  if (StateOf(session, RefsOf(*profile, source)) == (*job)->state) return job;
  session.results().ForgetPrefix(key);
  return get();
}

}  // namespace emberline
