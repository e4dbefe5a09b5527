// Blocks of text on their way from the thread that makes them to the one that reads them.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

namespace emberline {

// One thread makes blocks, another reads them; whoever is ahead waits. The owner stops the ring and
// joins the maker's thread before the ring goes.
class BlockRing {
 public:
  static constexpr size_t kBlockBytes = 1 << 18;

  BlockRing() {
    for (Block& block : ring_) block.data.resize(kBlockBytes);
  }

  // For the maker: a free block of kBlockBytes, or null when the reader is gone.
  char* Acquire() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_ || filled_ < kBlocks; });
    return stop_ ? nullptr : ring_[head_].data.data();
  }
  // For the maker: hands over the block that was acquired, of which `size` bytes were written.
  void Publish(size_t size) {
    if (size == 0) return;
    const std::lock_guard lock(mutex_);
    ring_[head_].size = size;
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
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return filled_ > 0 || done_; });
    if (filled_ == 0) return {};
    holding_ = true;
    return {ring_[tail_].data.data(), ring_[tail_].size};
  }
  // For the reader: it wants no more.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr size_t kBlocks = 6;
  struct Block {
    std::vector<char> data;
    size_t size = 0;
  };

  std::array<Block, kBlocks> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t head_ = 0, tail_ = 0, filled_ = 0;
  bool holding_ = false, done_ = false, stop_ = false;
};

}  // namespace emberline
