#include <condition_variable>
#include <map>
#include <mutex>

#include "session/session.h"

namespace emberline {

// One entry per key. An entry is either being made (by exactly one thread) or holds a value; when
// a maker throws, the entry goes back to empty and a waiter becomes the next maker.
struct LoadedTrace::Cache {
  struct Entry {
    bool making = false;
    std::shared_ptr<const void> value;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry> entries;
};

LoadedTrace::LoadedTrace() : cache_(std::make_unique<Cache>()) {}
LoadedTrace::~LoadedTrace() = default;

std::shared_ptr<const void> LoadedTrace::CachedAny(
    const std::string& key, const std::function<std::shared_ptr<const void>()>& make) const {
  std::unique_lock lock(cache_->mutex);
  Cache::Entry& entry = cache_->entries[key];  // std::map: references stay valid
  while (entry.making) cache_->changed.wait(lock);
  if (entry.value) return entry.value;
  entry.making = true;
  lock.unlock();

  std::shared_ptr<const void> value;
  try {
    value = make();
  } catch (...) {
    lock.lock();
    entry.making = false;
    cache_->changed.notify_all();
    throw;
  }
  lock.lock();
  entry.making = false;
  entry.value = value;
  cache_->changed.notify_all();
  return value;
}

}  // namespace emberline
