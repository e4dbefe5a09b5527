#include "ingest/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(EMBERLINE_HAVE_ISAL)
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#else
#include <libdeflate.h>
#endif

namespace emberline {
namespace {

// Both libraries count in 32 bits.
template <typename Byte>
unsigned CountOf(std::span<Byte> bytes) {
  return static_cast<unsigned>(
      std::min<size_t>(bytes.size(), std::numeric_limits<unsigned>::max()));
}

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() { ready_ = inflateInit2(&stream_, kRaw) == Z_OK; }
  ~ZlibInflater() override { inflateEnd(&stream_); }
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;

  bool ready() const { return ready_; }

  void Reset() override { inflateReset2(&stream_, kRaw); }

  Status Run(std::span<const unsigned char>* in, std::span<unsigned char>* out) override {
    // zlib does not write to what it reads; older versions do not say so.
    stream_.next_in = const_cast<unsigned char*>(in->data());
    stream_.avail_in = CountOf(*in);
    stream_.next_out = out->data();
    stream_.avail_out = CountOf(*out);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    *in = in->subspan(static_cast<size_t>(stream_.next_in - in->data()));
    *out = out->subspan(static_cast<size_t>(stream_.next_out - out->data()));
    if (status == Z_STREAM_END) return Status::kEnd;
    return status == Z_OK || status == Z_BUF_ERROR ? Status::kMore : Status::kDamaged;
  }

 private:
  static constexpr int kRaw = -15;  // zlib's number for raw deflate with the largest window

  z_stream stream_{};
  bool ready_ = false;
};

#if defined(EMBERLINE_HAVE_ISAL)
class IsalInflater final : public Inflater {
 public:
  IsalInflater() { Reset(); }

  void Reset() override {
    isal_inflate_init(&state_);
    damaged_ = false;
  }

  Status Run(std::span<const unsigned char>* in, std::span<unsigned char>* out) override {
    if (!damaged_) {
      // ISA-L does not write to what it reads; it does not say so.
      state_.next_in = const_cast<unsigned char*>(in->data());
      state_.avail_in = CountOf(*in);
      state_.next_out = out->data();
      state_.avail_out = CountOf(*out);
      damaged_ = isal_inflate(&state_) != ISAL_DECOMP_OK;
      const bool ended = !damaged_ && state_.block_state == ISAL_BLOCK_FINISH;
      // What it holds of the bytes behind the stream.
      const unsigned char* const next =
          state_.next_in - (ended ? static_cast<size_t>(state_.read_in_length) / 8 : 0);
      *in = {next, in->data() + in->size()};
      *out = out->subspan(static_cast<size_t>(state_.next_out - out->data()));
      if (!damaged_) return ended ? Status::kEnd : Status::kMore;
    }
    // It keeps what it had inflated beyond the last `out`.
    const auto kept = static_cast<size_t>(state_.tmp_out_valid - state_.tmp_out_processed);
    const size_t given = std::min(kept, out->size());
    std::memcpy(out->data(), state_.tmp_out_buffer + state_.tmp_out_processed, given);
    state_.tmp_out_processed += static_cast<int32_t>(given);
    *out = out->subspan(given);
    return given < kept ? Status::kMore : Status::kDamaged;
  }

 private:
  inflate_state state_{};
  bool damaged_ = false;  // but not told before all is given that came before it
};
#endif

}  // namespace

std::unique_ptr<Inflater> MakeZlibInflater() {
  auto made = std::make_unique<ZlibInflater>();
  if (!made->ready()) return nullptr;
  return made;
}

std::unique_ptr<Inflater> MakeIsalInflater() {
#if defined(EMBERLINE_HAVE_ISAL)
  return std::make_unique<IsalInflater>();
#else
  return nullptr;
#endif
}

std::unique_ptr<Inflater> MakeInflater() {
  std::unique_ptr<Inflater> fast = MakeIsalInflater();
  return fast != nullptr ? std::move(fast) : MakeZlibInflater();
}

uint32_t GzipSum(uint32_t sum, std::span<const unsigned char> bytes) {
#if defined(EMBERLINE_HAVE_ISAL)
  return crc32_gzip_refl(sum, bytes.data(), bytes.size());
#else
  return libdeflate_crc32(sum, bytes.data(), bytes.size());
#endif
}

}  // namespace emberline
