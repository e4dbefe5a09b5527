// Both inflaters give the same, also for what is damaged or cut, and whatever pieces it comes in.
#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>

#include "ingest/gzip_stream.h"
#include "ingest/inflater.h"

namespace emberline {
namespace {

std::string Gzip(const std::string& text, int level, int strategy) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, strategy) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Inflated {
  std::string text;
  bool truncated = false, damaged = false, trailing = false;
  bool sound() const { return !truncated && !damaged && !trailing; }
};

// Reads `packed`, at most `read` bytes at a time, in pieces of `piece` bytes of text.
Inflated Inflate(const std::string& packed, std::unique_ptr<Inflater> inflater, size_t read,
                 size_t piece) {
  size_t at = 0;
  GzipStream stream(
      [&](char* to, size_t size) {
        const size_t got = std::min({size, read, packed.size() - at});
        std::copy_n(packed.data() + at, got, to);
        at += got;
        return got;
      },
      std::move(inflater));
  Inflated out;
  std::string buffer(piece, '\0');
  while (!stream.at_end()) {
    const size_t got = stream.Read(buffer.data(), piece);
    REQUIRE(got <= piece);
    REQUIRE((got == piece || stream.at_end()));
    out.text.append(buffer, 0, got);
  }
  out.truncated = stream.truncated();
  out.damaged = stream.damaged();
  out.trailing = stream.trailing();
  return out;
}

class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}
  size_t Below(size_t n) { return random_() % n; }

  std::string Next() {
    std::string text;
    const size_t wanted = Below(Below(4) == 0 ? 400'000 : 3000);
    const bool noise = Below(8) == 0;
    while (text.size() < wanted) {
      if (noise) {
        text += static_cast<char>(random_());
      } else {
        text += "{\"ph\": \"X\", \"name\": \"aten::op" + std::to_string(Below(40)) +
                "\", \"ts\": " + std::to_string(random_()) + "},\n";
        // Far references and long ones.
        if (Below(50) == 0) text += std::string(Below(2000), ' ');
        if (Below(200) == 0) text += text.substr(0, std::min<size_t>(text.size(), 30'000));
      }
    }
    return text;
  }

  std::string Packed(const std::string& text) {
    constexpr int kLevels[] = {0, 1, 6, 9};
    constexpr int kStrategies[] = {Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY,
                                   Z_RLE};
    return Gzip(text, kLevels[Below(4)], kStrategies[Below(5)]);
  }

  // Sizes of pieces: small ones are slow, so they are for small texts.
  size_t Piece(size_t bytes) {
    if (bytes < 5000 && Below(2) == 0) return 1 + Below(40);
    return 1 + Below(Below(2) == 0 ? 70'000 : 300'000);
  }

 private:
  std::mt19937 random_;
};

TEST_CASE("what was packed is inflated by each library, in any pieces") {
  Texts texts(3);
  for (int round = 0; round < 400; ++round) {
    const std::string text = texts.Next(), second = texts.Below(3) == 0 ? texts.Next() : "";
    std::string packed = texts.Packed(text);
    if (!second.empty()) packed += texts.Packed(second);
    packed.append(texts.Below(12), '\0');
    const size_t read = texts.Piece(packed.size()), piece = texts.Piece(packed.size());
    INFO(round << ", read " << read << ", piece " << piece);
    for (const bool fast : {false, true}) {
      std::unique_ptr<Inflater> inflater = fast ? MakeIsalInflater() : MakeZlibInflater();
      if (inflater == nullptr) continue;
      const Inflated out = Inflate(packed, std::move(inflater), read, piece);
      CHECK(out.sound());
      REQUIRE(out.text == text + second);
    }
  }
}

TEST_CASE("of what is damaged or cut each library gives the same text up to the damage") {
  if (MakeIsalInflater() == nullptr) {
    WARN("this build has no ISA-L");
    return;
  }
  Texts texts(5);
  size_t damaged = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = texts.Next();
    std::string packed = texts.Packed(text);
    if (texts.Below(3) == 0) {
      packed.resize(texts.Below(packed.size()));
    } else {
      for (size_t flips = 1 + texts.Below(3); flips > 0; --flips) {
        // Also in the header, the first table and the sums.
        const size_t within =
            texts.Below(2) == 0 ? packed.size() : std::min<size_t>(packed.size(), 90);
        const size_t at =
            texts.Below(2) == 0 ? texts.Below(within) : packed.size() - 1 - texts.Below(within);
        packed[at] = static_cast<char>(texts.Below(256));
      }
    }
    const size_t read = texts.Piece(packed.size()), piece = texts.Piece(packed.size());
    INFO(round << ", read " << read << ", piece " << piece);
    const Inflated slow = Inflate(packed, MakeZlibInflater(), read, piece);
    const Inflated fast = Inflate(packed, MakeIsalInflater(), read, piece);
    CHECK(slow.sound() == fast.sound());
    // A library drops what it has decoded and not written yet: up to two of the longest matches.
    const size_t common = std::min(slow.text.size(), fast.text.size());
    CHECK(slow.text.compare(0, common, fast.text, 0, common) == 0);
    CHECK(slow.text.size() - common + fast.text.size() - common <= 600);
    if (!slow.sound()) ++damaged;
  }
  CHECK(damaged > 1000);
}

}  // namespace
}  // namespace emberline
