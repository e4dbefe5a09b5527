// A column of integers in few bytes that any row is read from at once. Rows stand in blocks; a
// block holds its least value, and for each row the distance from it in as many bytes as the
// largest distance takes. What rows have in common (a track, a step, the upper digits of a time) is
// kept once, and a value is exact however far it lies from the others: its block takes more bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/heap.h"
#include "base/kept_vector.h"
#include "base/packed_bytes.h"
#include "base/row_iterator.h"
#include "base/scratch_vector.h"
#include "base/types.h"

namespace emberline {

// Begins as a draft: rows of full width that are written in any order. Pack() ends that. Reading a
// constant column is the same in both states. Like FlatColumn, it may show what lies elsewhere.
template <typename T>
class PackedColumn {
  static_assert((std::is_integral_v<T> || std::is_enum_v<T>)&&sizeof(T) <= sizeof(uint64_t));

 public:
  using value_type = T;
  // As it lies in an image. Behind the blocks of rows stands one whose `base` is their number.
  struct Block {
    uint64_t base = 0;   // what is added to the distances
    uint64_t place = 0;  // where these begin, in bytes, << 8; | kHasNone; | bytes of each
  };
  static constexpr size_t kBlockRows = kPackedRows;

  PackedColumn() = default;
  PackedColumn(PackedColumn&& other) noexcept { *this = std::move(other); }
  PackedColumn& operator=(PackedColumn&& other) noexcept {
    blocks_ = std::exchange(other.blocks_, {});
    bytes_ = std::exchange(other.bytes_, {});
    size_ = std::exchange(other.size_, 0);
    owned_blocks_ = std::exchange(other.owned_blocks_, {});
    owned_bytes_ = std::exchange(other.owned_bytes_, {});
    draft_ = std::exchange(other.draft_, {});
    return *this;
  }
  PackedColumn(const PackedColumn&) = delete;
  PackedColumn& operator=(const PackedColumn&) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T operator[](size_t i) const {
    // As the containers of the library do in releases, too: what lies beyond is never read.
    if (i >= size_) [[unlikely]]
      __builtin_trap();
    const Block block = blocks_.data()[i / kBlockRows];
    const size_t width = block.place & kWidthBits;
    // Reads beyond the row, which kPackedSlack bytes behind the last one allow.
    const uint64_t distance = ReadPacked(
        bytes_.data() + (block.place >> 8) + i % kBlockRows * width, kLargestPacked[width]);
    if constexpr (kKnowsNone) {
      if ((block.place & kHasNone) != 0 && distance == kLargestPacked[width])
        return static_cast<T>(kNone);
    }
    return static_cast<T>(block.base + distance);
  }

  using const_iterator = RowIterator<PackedColumn, T>;
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size_}; }

  // --- Only of a draft.
  void assign(size_t size, T value) {
    *this = {};
    draft_.assign(size + kSlackRows, value);
    UseDraft(size);
  }
  T& operator[](size_t i) { return draft_[i]; }
  std::span<T> Draft() { return std::span(draft_).first(draft_.empty() ? 0 : size_); }

  void Pack() {
    if (draft_.empty()) return;
    const ScratchVector<T> rows = std::exchange(draft_, {});
    const size_t size = size_;
    *this = {};
    Append(std::span(rows).first(size));
  }

  // Becomes a packed column of `size` rows, each of(its number), which is asked for once and in
  // their order.
  template <typename Of>
  void Pack(size_t size, Of&& of) {
    *this = {};
    owned_blocks_.reserve(size / kBlockRows + 2);
    Pieces pieces(size * sizeof(T));
    size_t end = 0;
    std::array<T, kBlockRows> rows;
    for (size_t first = 0; first < size; first += kBlockRows) {
      const size_t count = std::min(kBlockRows, size - first);
      for (size_t i = 0; i < count; ++i) rows[i] = static_cast<T>(of(first + i));
      const std::span<const T> block(rows.data(), count);
      owned_blocks_.push_back(Measure(block, end));
      const size_t bytes = count * (owned_blocks_.back().place & kWidthBits);
      Write(block, owned_blocks_.back(), pieces.Room(bytes));
      end += bytes;
    }
    size_ = size;
    EndBlocks(end);
    pieces.MoveTo(owned_bytes_.data());
  }

  // --- Only of a column that is packed, or empty.
  void Append(std::span<const T> values) {
    assert(draft_.empty());
    // The last block is made anew with what comes behind its rows.
    std::vector<T> last;
    for (size_t i = size_ / kBlockRows * kBlockRows; i < size_; ++i) {
      last.push_back(std::as_const(*this)[i]);
    }
    size_t end = 0;
    if (!owned_blocks_.empty()) {
      const size_t whole = size_ / kBlockRows;
      end = owned_blocks_[whole].place >> 8;
      owned_blocks_.resize(whole);
      size_ -= last.size();
    }
    if (!last.empty()) {
      const size_t more = std::min(values.size(), kBlockRows - last.size());
      last.insert(last.end(), values.begin(), values.begin() + static_cast<ptrdiff_t>(more));
      values = values.subspan(more);
    }
    const size_t first = owned_blocks_.size();
    if (first == 0) owned_blocks_.reserve(values.size() / kBlockRows + 3);
    const auto each = [&](auto&& visit) {
      if (!last.empty()) visit(std::span<const T>(last));
      for (size_t at = 0; at < values.size(); at += kBlockRows) {
        visit(values.subspan(at, std::min(kBlockRows, values.size() - at)));
      }
    };
    each([&](std::span<const T> rows) {
      owned_blocks_.push_back(Measure(rows, end));
      end += rows.size() * (owned_blocks_.back().place & kWidthBits);
      size_ += rows.size();
    });
    EndBlocks(end);
    const Block* block = owned_blocks_.data() + first;
    each([&](std::span<const T> rows) {
      Write(rows, *block, owned_bytes_.data() + (block->place >> 8));
      ++block;
    });
  }

  // --- Images.
  std::span<const Block> blocks() const { return blocks_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // Shows what lies elsewhere, and has to stay there. False, and an empty column, where these are
  // no rows.
  bool Show(std::span<const Block> blocks, std::span<const uint8_t> bytes) {
    *this = {};
    if (blocks.empty()) return bytes.empty();
    const uint64_t size = blocks.back().base;
    if (size / kBlockRows + (size % kBlockRows != 0) != blocks.size() - 1) return false;
    for (size_t b = 0; b + 1 < blocks.size(); ++b) {
      const uint64_t width = blocks[b].place & kWidthBits, begin = blocks[b].place >> 8;
      const uint64_t rows = std::min<uint64_t>(kBlockRows, size - b * kBlockRows);
      if (width > sizeof(uint64_t) || begin + rows * width + kPackedSlack > bytes.size())
        return false;
    }
    blocks_ = blocks;
    bytes_ = bytes;
    size_ = size;
    return true;
  }

  size_t MemoryBytes() const {
    const size_t owned = HeapBytesOf(owned_blocks_, owned_bytes_, draft_);
    return owned > 0 ? owned : blocks_.size_bytes() + bytes_.size();
  }

 private:
  // kNone lies far from all indexes. Where some rows of a block have it, the largest distance that
  // their bytes can say stands for it.
  static constexpr bool kKnowsNone = std::is_same_v<T, uint32_t>;
  static constexpr uint64_t kHasNone = 0x10;
  static constexpr uint64_t kWidthBits = 0x0f;
  static constexpr size_t kSlackRows = kPackedSlack / sizeof(T);

  // How `rows` are kept whose bytes begin at `begin`.
  static Block Measure(std::span<const T> rows, size_t begin) {
    T least = rows[0], most = rows[0];
    bool has_none = false;
    if constexpr (kKnowsNone) {
      least = kNone;
      most = 0;
      for (const T row : rows) {
        least = std::min(least, row);
        most = std::max(most, row == kNone ? 0 : row);
        has_none = has_none || row == kNone;
      }
      if (least == kNone) return {kNone, uint64_t{begin} << 8};
    } else {
      for (const T row : rows) {
        least = std::min(least, row);
        most = std::max(most, row);
      }
    }
    const uint64_t distance = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
    uint64_t width = 0;
    while (kLargestPacked[width] < distance || (has_none && kLargestPacked[width] == distance))
      ++width;
    return {static_cast<uint64_t>(least), uint64_t{begin} << 8 | (has_none ? kHasNone : 0) | width};
  }
  // Behind the blocks of all rows, whose bytes end at `end`: makes the room for these, to be
  // written.
  void EndBlocks(size_t end) {
    owned_blocks_.push_back({size_, uint64_t{end} << 8});
    owned_bytes_.resize(end + kPackedSlack);
    std::memset(owned_bytes_.data() + end, 0, kPackedSlack);
    blocks_ = owned_blocks_;
    bytes_ = owned_bytes_;
  }
  // To `at` on. Writes up to kPackedSlack bytes behind the rows.
  static void Write(std::span<const T> rows, const Block& block, uint8_t* at) {
    const size_t width = block.place & kWidthBits;
    if (width == 0) return;
    for (const T row : rows) {
      uint64_t distance = static_cast<uint64_t>(row) - block.base;
      if constexpr (kKnowsNone) {
        if (row == kNone) distance = kLargestPacked[width];
      }
      std::memcpy(at, &distance, sizeof(distance));
      at += width;
    }
  }
  // Bytes whose number is not known before they are written.
  class Pieces {
   public:
    // At most so many.
    explicit Pieces(size_t most) : bytes_(std::min(most + kPackedSlack, kPieceBytes)) {}
    // Room for `bytes`, at most a block's, and for kPackedSlack behind them, behind what there is.
    uint8_t* Room(size_t bytes) {
      if (pieces_.empty() || pieces_.back().used + bytes + kPackedSlack > bytes_) {
        pieces_.push_back({Owned<uint8_t>(AllocateScratch(bytes_))});
      }
      Piece& piece = pieces_.back();
      uint8_t* const at = piece.bytes.get() + piece.used;
      piece.used += bytes;
      return at;
    }
    // Gives each piece back as soon as it is copied.
    void MoveTo(uint8_t* to) {
      for (Piece& piece : pieces_) {
        to = std::copy_n(piece.bytes.get(), piece.used, to);
        piece.bytes.reset();
      }
    }

   private:
    static constexpr size_t kPieceBytes = size_t{256} << 10;
    struct Piece {
      OwnedBlock<uint8_t> bytes;
      size_t used = 0;
    };
    size_t bytes_;  // of each piece
    std::vector<Piece> pieces_;
  };

  // A draft is read as blocks that take the full width.
  void UseDraft(size_t size) {
    size_ = size;
    const size_t blocks = (size + kBlockRows - 1) / kBlockRows;
    owned_blocks_.reserve(blocks + 1);
    for (size_t b = 0; b < blocks; ++b) {
      owned_blocks_.push_back({0, uint64_t{b * kBlockRows * sizeof(T)} << 8 | sizeof(T)});
    }
    owned_blocks_.push_back({size, 0});
    blocks_ = owned_blocks_;
    bytes_ = {reinterpret_cast<const uint8_t*>(draft_.data()), draft_.size() * sizeof(T)};
  }

  std::span<const Block> blocks_;
  std::span<const uint8_t> bytes_;
  size_t size_ = 0;
  KeptVector<Block> owned_blocks_;
  UnfilledVector<uint8_t> owned_bytes_;
  ScratchVector<T> draft_;  // kSlackRows more than there are rows
};

}  // namespace emberline
