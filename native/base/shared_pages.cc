#include "base/shared_pages.h"

#include <algorithm>
#include <array>
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
  return at == MAP_FAILED ? 0 : reinterpret_cast<uintptr_t>(at);
}

void AskForLargePages([[maybe_unused]] uintptr_t from, [[maybe_unused]] uintptr_t to) {
#if defined(MADV_HUGEPAGE)
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
}

// The system's own pages may be larger than kSmallPage: of those that lie wholly within.
void GiveToSystem(uintptr_t from, uintptr_t to) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  from = RoundUp(from, page);
  to = RoundDown(to, page);
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

// Whether the system holds memory for any of the large page: what no block has touched is not there
// to be used again or given back.
bool IsThere(uintptr_t large_page) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::array<unsigned char, SharedPages::kLargePage / SharedPages::kSmallPage> resident = {};
  if (page > SharedPages::kLargePage ||
      mincore(reinterpret_cast<void*>(large_page), SharedPages::kLargePage, resident.data()) != 0) {
    return true;
  }
  return std::any_of(resident.begin(), resident.end(),
                     [](unsigned char c) { return (c & 1) != 0; });
}

#else

uintptr_t Map(size_t /*bytes*/) { return 0; }
void AskForLargePages(uintptr_t /*from*/, uintptr_t /*to*/) {}
void GiveToSystem(uintptr_t /*from*/, uintptr_t /*to*/) {}
bool IsThere(uintptr_t /*large_page*/) { return true; }

#endif

}  // namespace

void* SharedPages::Allocate(size_t bytes, size_t* missing) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const size_t size = SizeOfBlock(bytes);
  const std::lock_guard lock(mutex_);
  auto fit = room_by_size_.lower_bound({size, 0});
  if (fit == room_by_size_.end()) {
    if (!Reserve(size)) return nullptr;
    fit = room_by_size_.lower_bound({size, 0});
  }
  const size_t room = fit->first;
  const uintptr_t at = fit->second;
  blocks_[at] = size;
  room_by_size_.erase(fit);
  room_.erase(at);
  if (room > size) AddRoom(at + size, room - size);
  const size_t not_there = TakeSpares(at, size, room);
  if (missing != nullptr) *missing = not_there;
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

size_t SharedPages::GiveBackSpare(size_t most) {
  const std::lock_guard lock(mutex_);
  size_t given = 0;
  for (; !spares_.empty() && given < most; ++given) {
    const auto last = std::prev(spares_.end());
    GiveToSystem(*last, *last + kLargePage);
    spares_.erase(last);
  }
  // For less it is not worth looking.
  constexpr size_t kFewBytes = size_t{64} << 10;
  if (freed_small_ < kFewBytes) return given;
  freed_small_ = 0;
  for (auto room = room_.lower_bound(small_begin_); room != room_.end(); ++room) {
    const auto [at, bytes] = *room;
    if (at >= small_end_) break;
    GiveToSystem(at, std::min(at + bytes, small_end_));
  }
  return given;
}

void SharedPages::GiveBack() {
  const std::lock_guard lock(mutex_);
  for (const auto& [at, bytes] : room_) GiveToSystem(at, at + bytes);
  spares_.clear();
  freed_small_ = 0;
}

bool SharedPages::Reserve(size_t bytes) {
  const size_t stretch = std::max(kStretch, RoundUp(bytes, kLargePage));
  const uintptr_t mapped = Map(stretch + kLargePage);
  if (mapped == 0) return false;
  const uintptr_t at = RoundUp(mapped, kLargePage);
  size_t small = 0;
  if (small_end_ == 0) {
    small = std::min(small_bytes_, stretch);
    small_begin_ = at;
    small_end_ = at + small;
  }
  AskForLargePages(at + small, at + stretch);
  AddRoom(at, stretch);
  return true;
}

size_t SharedPages::TakeSpares(uintptr_t at, size_t bytes, size_t room) {
  const auto first = spares_.lower_bound(RoundDown(at, kLargePage));
  auto last = first;
  while (last != spares_.end() && *last < at + bytes) ++last;
  const auto there = static_cast<size_t>(std::distance(first, last));
  spares_.erase(first, last);
  // What lies before or behind the room has its pages already.
  uintptr_t begin = RoundUp(at, kLargePage);
  if (at < small_end_ && at >= small_begin_) begin = std::max(begin, small_end_);
  const uintptr_t end = std::min(RoundUp(at + bytes, kLargePage), RoundDown(at + room, kLargePage));
  const size_t needed = begin < end ? (end - begin) / kLargePage : 0;
  return needed > there ? needed - there : 0;
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
  const bool small = from < small_end_ && from >= small_begin_;
  if (small) freed_small_ += bytes;
  // Large pages on which something was needed until now, and nothing is any more.
  uintptr_t page = std::max(RoundUp(begin, kLargePage), RoundDown(from, kLargePage));
  if (small) page = std::max(page, small_end_);
  const uintptr_t last = std::min(RoundDown(end, kLargePage), RoundUp(from + bytes, kLargePage));
  for (; page < last; page += kLargePage) {
    if (IsThere(page)) spares_.insert(page);
  }
}

}  // namespace emberline
