// Memory on large pages that blocks share.
#pragma once

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
// large page is free when nothing on it is needed any more: what shares pages should go at about
// the same time. A block goes to the smallest room that holds it. Thread-safe.
//
// What is free stays for the next blocks: a page that comes anew takes its time, on a virtual
// machine many times as long. Whoever needs pages that are not there gives as many back first, here
// or of other pools, so that together they never hold more than was needed at once.
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
  // where the system gives no memory, or gives none this way. `*missing`: how many large pages it
  // will take that are not there yet.
  void* Allocate(size_t bytes, size_t* missing = nullptr);
  // Leaves of a block the small pages of its first `bytes`, at least one. False where it is not one
  // of these.
  bool Shrink(void* block, size_t bytes);
  // Takes a block back. False where it is not one of these.
  bool Free(void* block);
  // Gives free large pages back to the system, at most `most`, and what is free of the first
  // `small_bytes`. Returns how many large pages that were.
  size_t GiveBackSpare(size_t most = SIZE_MAX);
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
  // Takes the large pages off the list of spare ones that the first `bytes` of room at `at` need,
  // which ends after `room`. Returns how many they need that are not there.
  size_t TakeSpares(uintptr_t at, size_t bytes, size_t room);
  void AddRoom(uintptr_t from, size_t bytes);
  // Makes room of what was taken.
  void Return(uintptr_t from, size_t bytes);

  const size_t small_bytes_;
  std::mutex mutex_;
  // All below: guarded by mutex_. In whole small pages.
  Stretches blocks_, room_;
  std::set<std::pair<size_t, uintptr_t>, std::less<>, PoolAllocator<std::pair<size_t, uintptr_t>>>
      room_by_size_;
  // Large pages that are free, and still there, but for those of the first small_bytes_.
  std::set<uintptr_t, std::less<>, PoolAllocator<uintptr_t>> spares_;
  uintptr_t small_begin_ = 0, small_end_ = 0;  // where the first small_bytes_ lie
  size_t freed_small_ = 0;                     // freed there since it was given back
};

}  // namespace emberline
