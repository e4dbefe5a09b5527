// Framing of the base protocol, byte by byte.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "rpc/framer.h"

using emberline::Framed;
using emberline::Framer;
using Kind = emberline::Framer::Item::Kind;

namespace {

std::vector<Framer::Item> Drain(Framer* framer) {
  std::vector<Framer::Item> items;
  for (Framer::Item item; framer->Pop(&item);) items.push_back(item);
  return items;
}

}  // namespace

TEST_CASE("framer: frames survive any cut") {
  std::string stream;
  std::vector<std::string> bodies;
  for (int i = 0; i < 50; ++i) {
    bodies.push_back(std::string(static_cast<size_t>(i * 7), static_cast<char>('a' + i % 26)));
    stream += Framed(bodies.back());
  }
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Framer framer;
    std::vector<Framer::Item> items;
    for (size_t at = 0; at < stream.size();) {
      const size_t length = 1 + random() % 40;
      framer.Feed(std::string_view(stream).substr(at, length));
      at += length;
      for (Framer::Item& item : Drain(&framer)) items.push_back(std::move(item));
    }
    REQUIRE(items.size() == bodies.size());
    for (size_t i = 0; i < items.size(); ++i) {
      CHECK(items[i].kind == Kind::kMessage);
      CHECK(items[i].text == bodies[i]);
    }
    CHECK(!framer.pending());
  }
}

TEST_CASE("framer: a bad header costs one fault, then the next frame is read") {
  for (const std::string bad : {"Content-Length: x\r\n\r\n", "Nonsense\r\n\r\n", "A: b\r\n\r\n{}",
                                "Content-Length: 99999999999999999999\r\n\r\n"}) {
    for (const bool split : {false, true}) {
      Framer framer;
      const std::string stream = bad + Framed("{\"a\":1}");
      if (split) {
        for (const char c : stream) framer.Feed(std::string_view(&c, 1));
      } else {
        framer.Feed(stream);
      }
      const auto items = Drain(&framer);
      REQUIRE(items.size() == 2);
      CHECK(items[0].kind == Kind::kBadHeader);
      CHECK(items[1].kind == Kind::kMessage);
      CHECK(items[1].text == "{\"a\":1}");
    }
  }
}

TEST_CASE("framer: an endless header holds no memory") {
  Framer framer;
  const std::string noise(64 << 10, 'x');
  for (int i = 0; i < 100; ++i) framer.Feed(noise);
  const auto items = Drain(&framer);
  REQUIRE(items.size() == 1);
  CHECK(items[0].kind == Kind::kBadHeader);
  framer.Feed(Framed("after"));
  const auto after = Drain(&framer);
  REQUIRE(after.size() == 1);
  CHECK(after[0].text == "after");
}

TEST_CASE("framer: a header that begins well and never ends is given up") {
  const std::string endless = "Content-Length: 5\r\n" + std::string(9000, 'x');
  for (const size_t block : {size_t{1}, size_t{100}, size_t{1} << 20}) {
    // Also where the end of the header comes later, in the same block.
    for (const std::string rest : {"", "\r\n\r\n"}) {
      Framer framer;
      const std::string stream = endless + rest + Framed("{}");
      for (size_t at = 0; at < stream.size(); at += block) {
        framer.Feed(std::string_view(stream).substr(at, block));
      }
      const auto items = Drain(&framer);
      REQUIRE(items.size() == 2);
      CHECK(items[0].kind == Kind::kBadHeader);
      CHECK(items[1].text == "{}");
    }
  }
}

TEST_CASE("framer: the longest header is read however it is cut") {
  const std::string name = "Content-Length: 2\r\nA: ";
  for (const size_t extra : {0, 1}) {
    const std::string header =
        name + std::string(Framer::kMaxHeaderBytes - name.size() + extra, 'a') + "\r\n\r\n";
    for (const size_t block : {size_t{1}, size_t{1} << 20}) {
      Framer framer;
      for (size_t at = 0; at < header.size(); at += block) {
        framer.Feed(std::string_view(header).substr(at, block));
      }
      framer.Feed("{}");
      const auto items = Drain(&framer);
      REQUIRE(items.size() == 1);
      CHECK(items[0].kind == (extra == 0 ? Kind::kMessage : Kind::kBadHeader));
    }
  }
}

TEST_CASE("framer: a body above the limit is skipped, not collected") {
  Framer framer;
  const size_t size = Framer::kMaxBodyBytes + 5;
  framer.Feed("Content-Length: " + std::to_string(size) + "\r\n\r\n");
  const std::string chunk(1 << 20, 'y');
  for (size_t left = size; left > 0;) {
    const size_t part = std::min(left, chunk.size());
    framer.Feed(std::string_view(chunk).substr(0, part));
    left -= part;
  }
  framer.Feed(Framed("next"));
  const auto items = Drain(&framer);
  REQUIRE(items.size() == 2);
  CHECK(items[0].kind == Kind::kOversize);
  CHECK(items[1].text == "next");
}

TEST_CASE("framer: the end inside a frame is noticed") {
  Framer framer;
  framer.Feed("Content-Length: 10\r\n\r\nabc");
  CHECK(framer.pending());
}
