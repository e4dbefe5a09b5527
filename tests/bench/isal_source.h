// A gzip file's text, inflated by ISA-L on a thread of its own: the fastest inflater that
// distributions have. For the floor alone.
#pragma once

#include <isa-l/igzip_lib.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/file.h"
#include "ingest/byte_source.h"

namespace emberline {

class IsalSource final : public ByteSource {
 public:
  // Null for what is no gzip file.
  static std::unique_ptr<ByteSource> Open(const std::filesystem::path& path) {
    Result<OpenedFile> opened = OpenRegularFile(path);
    if (!opened) return nullptr;
    unsigned char magic[2] = {};
    if (std::fread(magic, 1, 2, opened->file.get()) != 2 || magic[0] != 0x1f || magic[1] != 0x8b) {
      return nullptr;
    }
    std::rewind(opened->file.get());
    return std::unique_ptr<ByteSource>(new IsalSource(std::move(opened->file), opened->size_bytes));
  }
  ~IsalSource() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::string_view Next() override {
    std::unique_lock lock(mutex_);
    if (holding_) {
      holding_ = false;
      ++taken_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return made_ > taken_ || done_; });
    if (made_ == taken_) return {};
    holding_ = true;
    const Block& block = ring_[taken_ % kBlocks];
    return {block.data.data(), block.size};
  }
  double Fraction() const override { return 0; }
  uint64_t InputBytes() const override { return size_; }

 private:
  static constexpr size_t kBlocks = 6;
  static constexpr size_t kBlockBytes = 1 << 18;
  struct Block {
    std::vector<char> data = std::vector<char>(kBlockBytes);
    size_t size = 0;
  };

  IsalSource(FilePtr file, uint64_t size) : file_(std::move(file)), size_(size) {
    thread_ = std::thread([this] { Run(); });
  }

  void Run() {
    std::vector<unsigned char> input(kBlockBytes / 4);
    const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_GZIP;
    bool more = true;
    while (more) {
      Block* block = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || made_ - taken_ < kBlocks; });
        if (stop_) return;
        block = &ring_[made_ % kBlocks];
      }
      state->next_out = reinterpret_cast<unsigned char*>(block->data.data());
      state->avail_out = kBlockBytes;
      while (more && state->avail_out > 0) {
        if (state->avail_in == 0) {
          state->next_in = input.data();
          state->avail_in =
              static_cast<uint32_t>(std::fread(input.data(), 1, input.size(), file_.get()));
          more = state->avail_in > 0;
        }
        if (!more) break;
        if (state->block_state == ISAL_BLOCK_FINISH) {
          // Another member begins.
          isal_inflate_reset(state.get());
          state->crc_flag = ISAL_GZIP;
        }
        more = isal_inflate(state.get()) == ISAL_DECOMP_OK;
      }
      block->size = kBlockBytes - state->avail_out;
      const std::lock_guard lock(mutex_);
      if (block->size > 0) ++made_;
      changed_.notify_all();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  const FilePtr file_;
  const uint64_t size_;
  std::array<Block, kBlocks> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t made_ = 0, taken_ = 0;
  bool holding_ = false, stop_ = false, done_ = false;
  std::thread thread_;
};

}  // namespace emberline
