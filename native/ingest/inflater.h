// Deflate, by the fastest library at hand.
#pragma once

#include <memory>
#include <span>

namespace emberline {

// Inflates streams of raw deflate (RFC 1951), one after the other. Not thread-safe.
class Inflater {
 public:
  enum class Status {
    kMore,     // `out` is full or `in` is used up
    kEnd,      // of the stream; what lies behind it is left in `in`
    kDamaged,  // what was inflated before the damage is in `out`
  };

  virtual ~Inflater() = default;
  // Begins another stream.
  virtual void Reset() = 0;
  // Takes bytes from the front of `in` and writes to the front of `out`; both shrink by what was
  // used. A library may have taken more than the stream has, some of it in an earlier call: at the
  // end of a stream `in` can begin up to kLookBack bytes before where it began, and its owner keeps
  // these.
  virtual Status Run(std::span<const unsigned char>* in, std::span<unsigned char>* out) = 0;

  static constexpr int kLookBack = 8;
};

// ISA-L where the build has it, else zlib. Null when memory is short.
std::unique_ptr<Inflater> MakeInflater();

// The CRC-32 of gzip over what `sum` is of (0: nothing) and these bytes behind it. Not zlib's,
// which would take a quarter of the time of inflating.
uint32_t GzipSum(uint32_t sum, std::span<const unsigned char> bytes);

// The libraries, to compare them; null where the build has no ISA-L.
std::unique_ptr<Inflater> MakeZlibInflater();
std::unique_ptr<Inflater> MakeIsalInflater();

}  // namespace emberline
