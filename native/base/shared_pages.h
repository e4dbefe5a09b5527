// Memory on large pages that blocks share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>

namespace emberline {

// A large page takes a thirtieth of the time that as much memory in small pages takes to come
// (base/heap.h), but few blocks end where one does. So blocks stand one behind the other, and a
// large page goes back to the system when nothing on it is needed any more: what shares pages
// should go at about the same time. A block goes to the smallest room that holds it. Thread-safe.
//
// Of what is free, a few large pages stay, and small pages do: little traces, one after the other,
// need as much again and again. Whoever needs more than there is gives these back first.
class SharedPages {
 public:
  static constexpr size_t kLargePage = size_t{2} << 20;
  static constexpr size_t kSmallPage = 4096;

  // The first `small_bytes`, whole large pages, come as small ones, which go back one by one. That
  // is for blocks that may stay for any time: few of them would keep a large page each.
  explicit SharedPages(size_t small_bytes = 0) : small_bytes_(small_bytes) {}
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  // A block of whole small pages, with room for `bytes`; its pages come when they are touched. Null
  // where the system gives no memory, or gives none this way. `*grows`: it will take a large page
  // that is not there yet.
  void* Allocate(size_t bytes, bool* grows = nullptr);
  // Leaves of a block the small pages of its first `bytes`, at least one. False where it is not one
  // of these.
  bool Shrink(void* block, size_t bytes);
  // Takes a block back. False where it is not one of these.
  bool Free(void* block);
  // Gives back to the system what stays for the next blocks otherwise: large pages, and what is
  // free of the first `small_bytes`.
  void GiveBackSpare();
  // Gives back all that is free, also the small pages between blocks on large pages.
  void GiveBack();

 private:
  // operator new may ask for shared pages, so what tells blocks and room apart comes from the C
  // library.
  template <typename T>
  struct PoolAllocator {
    using value_type = T;
    PoolAllocator() = default;
    template <typename U>
    PoolAllocator(const PoolAllocator<U>&) {}
    T* allocate(size_t count) {
      void* const block = std::malloc(count * sizeof(T));
      if (block == nullptr) throw std::bad_alloc();
      return static_cast<T*>(block);
    }
    void deallocate(T* block, size_t) { std::free(block); }
    friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
  };
  // Bytes by address.
  using Stretches =
      std::map<uintptr_t, size_t, std::less<>, PoolAllocator<std::pair<const uintptr_t, size_t>>>;

  // Makes more room, for at least so many bytes.
  bool Reserve(size_t bytes);
  // Whether the first `bytes` of room at `at`, which ends after `room`, need a large page that is
  // not there.
  bool Grows(uintptr_t at, size_t bytes, size_t room) const;
  void AddRoom(uintptr_t from, size_t bytes);
  // Makes room of what was taken, and gives the pages back that are free now.
  void Return(uintptr_t from, size_t bytes);

  const size_t small_bytes_;
  std::mutex mutex_;
  // All below: guarded by mutex_. In whole small pages.
  Stretches blocks_, room_;
  std::set<std::pair<size_t, uintptr_t>, std::less<>, PoolAllocator<std::pair<size_t, uintptr_t>>>
      room_by_size_;
  std::array<uintptr_t, 4> spares_ = {};  // large pages that are free, and still there
  size_t spare_count_ = 0;
  uintptr_t small_begin_ = 0, small_end_ = 0;  // where the first small_bytes_ lie
  size_t freed_small_ = 0;                     // freed there since it was given back
};

}  // namespace emberline
