// A gzip file's text, inflated by ISA-L on a thread of its own: the fastest inflater that
// distributions have. For the floor alone.
#pragma once

#include <isa-l/igzip_lib.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "base/file.h"
#include "ingest/block_ring.h"
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
    ring_.Stop();
    thread_.join();
  }

  std::string_view Next() override { return ring_.Next(); }
  double Fraction() const override { return 0; }     // nobody asks for it here
  uint64_t TextBytes() const override { return 0; }  // nor for this
  uint64_t InputBytes() const override { return size_; }

 private:
  static constexpr size_t kBlockBytes = BlockRing::kBlockBytes;

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
      char* const block = ring_.Acquire();
      if (block == nullptr) return;
      state->next_out = reinterpret_cast<unsigned char*>(block);
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
      ring_.Publish(kBlockBytes - state->avail_out);
    }
    ring_.Finish();
  }

  const FilePtr file_;
  const uint64_t size_;
  BlockRing ring_;
  std::thread thread_;
};

}  // namespace emberline
