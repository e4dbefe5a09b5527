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
// large page goes back to the system when nothing on it is needed any more: what shares pages
// should go at about the same time. A block goes to the smallest room that holds it. Thread-safe.
class SharedPages {
 public:
  static constexpr size_t kLargePage = size_t{2} << 20;
  static constexpr size_t kSmallPage = 4096;

  SharedPages() = default;
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  // A block of whole small pages, with room for `bytes`; its pages come when they are touched. Null
  // where the system gives no memory, or gives none this way.
  void* Allocate(size_t bytes);
  // Leaves of a block the small pages of its first `bytes`, at least one. False where it is not one
  // of these.
  bool Shrink(void* block, size_t bytes);
  // Takes a block back. False where it is not one of these.
  bool Free(void* block);
  // Gives all that is free back to the system: the page that stays for the next block otherwise,
  // and small pages between blocks.
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
  void AddRoom(uintptr_t from, size_t bytes);
  // Makes room of what was taken, and gives the pages back that are free now.
  void Return(uintptr_t from, size_t bytes);

  std::mutex mutex_;
  // All below: guarded by mutex_. In whole small pages.
  Stretches blocks_, room_;
  std::set<std::pair<size_t, uintptr_t>, std::less<>, PoolAllocator<std::pair<size_t, uintptr_t>>>
      room_by_size_;
  uintptr_t spare_ = 0;  // a page that is free, and still there
};

}  // namespace emberline
