// Blocks of text on their way from the thread that makes them to the one that reads them.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "base/heap.h"

namespace emberline {

// One thread makes blocks, another reads them; whoever is ahead waits. Waking a thread may take as
// long as making a block, so a maker that has filled them all sleeps until half of them were read.
// The owner stops the ring and joins the maker's thread before the ring goes.
class BlockRing {
 public:
  static constexpr size_t kBlockBytes = 1 << 18;

  // For the maker: a free block of kBlockBytes, or null when the reader is gone.
  char* Acquire() {
    std::unique_lock lock(mutex_);
    if (filled_ == kBlocks) {
      changed_.wait(lock, [this] { return stop_ || filled_ <= kFewBlocks; });
    }
    if (stop_) return nullptr;
    if (room_ == nullptr) room_ = Owned<char>(AllocateScratch(kBlocks * kBlockBytes));
    return At(head_);
  }
  // For the maker: hands over the block that was acquired, of which `size` bytes were written.
  void Publish(size_t size) {
    if (size == 0) return;
    const std::lock_guard lock(mutex_);
    sizes_[head_] = size;
    head_ = (head_ + 1) % kBlocks;
    ++filled_;
    changed_.notify_all();
  }
  // For the maker: no block follows.
  void Finish() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  // For the reader: the next block, valid until the next call; empty at the end.
  std::string_view Next() {
    std::unique_lock lock(mutex_);
    if (holding_) {
      holding_ = false;
      tail_ = (tail_ + 1) % kBlocks;
      --filled_;
      // A maker that sleeps began to when all were filled.
      if (filled_ == kFewBlocks) changed_.notify_all();
    }
    changed_.wait(lock, [this] { return filled_ > 0 || done_; });
    if (filled_ == 0) return {};
    holding_ = true;
    return {At(tail_), sizes_[tail_]};
  }
  // For the reader: it wants no more.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  // Gives the blocks back, once the reader wants no more and the maker's thread has ended. There is
  // no next one then.
  void Free() {
    const std::lock_guard lock(mutex_);
    room_.reset();
    filled_ = 0;
    holding_ = false;
    done_ = true;
  }

 private:
  // Enough that the reader goes on while the maker's core does something else for some
  // milliseconds.
  static constexpr size_t kBlocks = 16;
  static constexpr size_t kFewBlocks = kBlocks / 2;
  char* At(size_t block) const { return room_.get() + block * kBlockBytes; }

  // All blocks one behind the other, on large pages: those that are used are taken.
  OwnedBlock<char> room_;
  std::array<size_t, kBlocks> sizes_ = {};  // bytes that were made
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t head_ = 0, tail_ = 0, filled_ = 0;
  bool holding_ = false, done_ = false, stop_ = false;
};

}  // namespace emberline
