// CONTRACT. The facade: open profiles, load traces, hand out frozen results. Usable without RPC.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "ingest/read_trace.h"
#include "model/model.h"

namespace emberline {

// One loaded trace: everything an adapter of a view needs.
struct LoadedTrace {
  std::filesystem::path path;
  std::shared_ptr<const TraceStore> store;
  std::shared_ptr<const Model> model;
  std::vector<StageTime> stages;
  double total_seconds = 0;

  // Results that are costly and asked for again (pyramids, line alignments, tables) are kept with
  // the trace: returns the value under `key`, making it once; concurrent callers wait for the
  // maker.
  template <typename T, typename Make>
  std::shared_ptr<const T> Cached(const std::string& key, Make&& make) const {
    return std::static_pointer_cast<const T>(CachedAny(
        key, [&]() -> std::shared_ptr<const void> { return std::make_shared<const T>(make()); }));
  }
  std::shared_ptr<const void> CachedAny(
      const std::string& key, const std::function<std::shared_ptr<const void>()>& make) const;

  LoadedTrace();
  ~LoadedTrace();

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

// Which trace of a profile; empty strings mean the first.
struct TraceSelection {
  std::string run;
  std::string worker;
  std::string span;
};

struct Profile {
  std::string id;
  std::filesystem::path path;
  Discovery discovery;
};

class Session {
 public:
  Session();
  ~Session();
  // Discovers what PATH holds; loads nothing. The same path opened twice gives two ids.
  Result<Profile> Open(const std::filesystem::path& path);
  Result<Profile> Find(const std::string& profile_id) const;
  Result<bool> Close(const std::string& profile_id);
  std::vector<Profile> Profiles() const;
  // The loaded trace; loads it on first demand (concurrent callers share one load). The least
  // recently used traces are let go beyond a memory budget. A profile goes on with what it has
  // loaded when the file is deleted or written again, so that its views agree; `renew` looks at the
  // file, and reads it again where it is another one.
  Result<std::shared_ptr<const LoadedTrace>> Load(const std::string& profile_id,
                                                  const TraceSelection& selection,
                                                  const ReadOptions& options, bool renew = false);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace emberline
