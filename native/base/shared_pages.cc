#include "base/shared_pages.h"

#include <algorithm>
#include <iterator>

#include "base/sanitizers.h"

#if defined(__linux__) && !EMBERLINE_SANITIZED
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace emberline {
namespace {

// Addresses are taken from the system in such stretches. What is not used of them takes no memory.
constexpr size_t kStretch = size_t{64} << 20;

size_t RoundUp(size_t number, size_t unit) { return (number + unit - 1) / unit * unit; }
size_t RoundDown(size_t number, size_t unit) { return number / unit * unit; }

size_t SizeOfBlock(size_t bytes) {
  return RoundUp(std::max<size_t>(bytes, 1), SharedPages::kSmallPage);
}

#if defined(__linux__) && !EMBERLINE_SANITIZED

// 0 where there are no such addresses.
uintptr_t Map(size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 0;
#if defined(MADV_HUGEPAGE)
  madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return reinterpret_cast<uintptr_t>(at);
}

// The system's own pages may be larger than kSmallPage: of those that lie wholly within.
void GiveToSystem(uintptr_t from, uintptr_t to) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  from = RoundUp(from, page);
  to = RoundDown(to, page);
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

#else

uintptr_t Map(size_t /*bytes*/) { return 0; }
void GiveToSystem(uintptr_t /*from*/, uintptr_t /*to*/) {}

#endif

}  // namespace

void* SharedPages::Allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const size_t size = SizeOfBlock(bytes);
  const std::lock_guard lock(mutex_);
  auto fit = room_by_size_.lower_bound({size, 0});
  if (fit == room_by_size_.end()) {
    if (!Reserve(size)) return nullptr;
    fit = room_by_size_.lower_bound({size, 0});
  }
  const auto [room, at] = *fit;
  blocks_[at] = size;
  room_by_size_.erase(fit);
  room_.erase(at);
  if (room > size) AddRoom(at + size, room - size);
  if (spare_ < at + size && at < spare_ + kLargePage) spare_ = 0;
  return reinterpret_cast<void*>(at);
}

bool SharedPages::Shrink(void* block, size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<uintptr_t>(block);
  const auto found = blocks_.find(at);
  if (found == blocks_.end()) return false;
  const size_t before = found->second, size = std::min(before, SizeOfBlock(bytes));
  found->second = size;
  if (size < before) Return(at + size, before - size);
  return true;
}

bool SharedPages::Free(void* block) {
  const std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<uintptr_t>(block);
  const auto found = blocks_.find(at);
  if (found == blocks_.end()) return false;
  const size_t size = found->second;
  blocks_.erase(found);
  Return(at, size);
  return true;
}

void SharedPages::GiveBack() {
  const std::lock_guard lock(mutex_);
  for (const auto& [at, bytes] : room_) GiveToSystem(at, at + bytes);
  spare_ = 0;
}

bool SharedPages::Reserve(size_t bytes) {
  const size_t stretch = std::max(kStretch, RoundUp(bytes, kLargePage));
  const uintptr_t at = Map(stretch + kLargePage);
  if (at == 0) return false;
  AddRoom(RoundUp(at, kLargePage), stretch);
  return true;
}

void SharedPages::AddRoom(uintptr_t from, size_t bytes) {
  room_.emplace(from, bytes);
  room_by_size_.emplace(bytes, from);
}

void SharedPages::Return(uintptr_t from, size_t bytes) {
  // With the room before it and behind it.
  uintptr_t begin = from, end = from + bytes;
  const auto take = [&](Stretches::iterator room) {
    begin = std::min(begin, room->first);
    end = std::max(end, room->first + room->second);
    room_by_size_.erase({room->second, room->first});
    room_.erase(room);
  };
  if (const auto behind = room_.find(end); behind != room_.end()) take(behind);
  if (const auto at = room_.lower_bound(from); at != room_.begin()) {
    const auto before = std::prev(at);
    if (before->first + before->second == from) take(before);
  }
  AddRoom(begin, end - begin);
  // Large pages on which something was needed until now, and nothing is any more.
  uintptr_t page = std::max(RoundUp(begin, kLargePage), RoundDown(from, kLargePage));
  const uintptr_t last = std::min(RoundDown(end, kLargePage), RoundUp(from + bytes, kLargePage));
  // The one that was needed last stays: mostly a block like it comes next.
  if (page < last) {
    if (spare_ != 0) GiveToSystem(spare_, spare_ + kLargePage);
    spare_ = page;
    page += kLargePage;
  }
  GiveToSystem(page, last);
}

}  // namespace emberline
