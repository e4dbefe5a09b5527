// Traces that were read, kept on the disk as images (base/image_file.h), so that opening them again
// maps a file instead of reading one; digests of ranks lie beside them. Nothing depends on it: what
// cannot be kept or is not whole is read from the trace again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/cancel.h"
#include "model/model.h"

namespace emberline {

struct ImageCacheOptions {
  std::filesystem::path folder;  // of this user alone; made when something is kept
  // All images together; the least recently used ones go.
  uint64_t limit_bytes = uint64_t{4} << 30;
  // Traces whose text is shorter are read about as fast as they are mapped.
  uint64_t least_text_bytes = uint64_t{8} << 20;
  // What people who look for a reason should find. May be called from any thread.
  std::function<void(std::string_view)> log;
};

// What the environment says: EMBERLINE_TRACE_CACHE names the folder ("off": none),
// EMBERLINE_TRACE_CACHE_MB how many megabytes may lie in it, EMBERLINE_TRACE_CACHE_LEAST_KB which
// traces are worth it. Else the folder of caches of the user's desktop; empty where there is none.
ImageCacheOptions ImageCacheOfEnvironment();

class ImageCache {
 public:
  explicit ImageCache(ImageCacheOptions options);
  // Waits until what is being kept is written.
  ~ImageCache();
  ImageCache(const ImageCache&) = delete;
  ImageCache& operator=(const ImageCache&) = delete;

  // Tells what a trace says now from all else that may come to lie at its path: where it lies, its
  // size, times and number, its first and last bytes, and the same of captures beside it. "" when
  // that cannot be known.
  std::string KeyOf(const std::filesystem::path& trace) const;
  // What was kept under this key, with its store; null when there is nothing.
  std::shared_ptr<const Model> Open(const std::filesystem::path& trace,
                                    const std::string& key) const;
  // Whether a trace is worth its room, and whether its digest is: that takes a small part of it.
  bool Wants(const TraceStore& store) const;
  bool WantsDigest(const TraceStore& store) const;
  // Writes it on a thread of its own, in place of what was kept of the same path. Never fails: what
  // goes wrong is logged, and nothing is left behind.
  void Keep(const std::filesystem::path& trace, const std::string& key,
            std::shared_ptr<const Model> model);
  // Where the digest of a trace (ranks/digest.h) lies among the images: another place whenever the
  // trace says something else, and for each build. "" when that cannot be known.
  std::filesystem::path DigestFileOf(const std::filesystem::path& trace) const;
  // Whether so much can be written: makes the folder, and leaves others room on the disk.
  bool HasRoomFor(const std::filesystem::path& trace, uint64_t bytes) const;
  // Deletes what was used longest ago, beyond the limit.
  void Tidy() const { Evict({}); }
  // Returns when everything is written or the time is over; what is not written then is given up.
  void Finish(std::chrono::milliseconds patience);

 private:
  struct Job {
    std::filesystem::path trace;
    std::string key;
    std::shared_ptr<const Model> model;
  };
  std::filesystem::path FileOf(const std::filesystem::path& trace) const;
  void Work();
  void Write(const Job& job);
  bool MakeFolder() const;
  // Deletes what is beyond the limit, but not `newest`, and drafts that nobody finished.
  void Evict(const std::filesystem::path& newest) const;
  void Log(const std::string& text) const;

  const ImageCacheOptions options_;
  const CancelToken cancel_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<Job> jobs_;
  bool working_ = false;
  bool ending_ = false;
  std::thread worker_;  // started by the first job
};

}  // namespace emberline
