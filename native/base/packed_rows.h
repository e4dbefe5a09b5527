// Rows of plain integers that are appended and take few bytes, so that what a trace says takes
// little memory while it is read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/heap.h"
#include "base/packed_bytes.h"
#include "base/scratch_vector.h"

namespace emberline {

// Rows of several columns. The last few stand as they are; as soon as there are enough for a block,
// each of its columns keeps its least value, and for each row the distance from that in as few
// bytes as the largest distance takes (as in base/packed_column.h). Any row is read at once, and
// may be written later.
//
// One thread at a time may append rows, or write to them. Others may read columns meanwhile to
// which nothing is written, but not while rows are appended.
template <typename... Columns>
class PackedRows {
  static_assert(((std::is_integral_v<Columns> || std::is_enum_v<Columns>)&&...));
  static_assert((!std::is_same_v<Columns, bool> && ...));

 public:
  template <size_t kColumn>
  using Value = std::tuple_element_t<kColumn, std::tuple<Columns...>>;
  static constexpr size_t kBlockRows = kPackedRows;

  PackedRows() = default;
  PackedRows(PackedRows&& other) noexcept { *this = std::move(other); }
  PackedRows& operator=(PackedRows&& other) noexcept {
    blocks_ = std::exchange(other.blocks_, {});
    pieces_ = std::exchange(other.pieces_, {});
    next_ = std::exchange(other.next_, nullptr);
    left_ = std::exchange(other.left_, 0);
    piece_bytes_ = std::exchange(other.piece_bytes_, kFirstPieceBytes);
    open_ = other.open_;
    open_rows_ = std::exchange(other.open_rows_, 0);
    packed_ = std::exchange(other.packed_, 0);
    return *this;
  }
  PackedRows(const PackedRows&) = delete;
  PackedRows& operator=(const PackedRows&) = delete;

  void Push(Columns... values) {
    if (open_rows_ == kBlockRows) [[unlikely]]
      PackOpen(std::index_sequence_for<Columns...>());
    PutOpen(std::index_sequence_for<Columns...>(), values...);
    ++open_rows_;
  }
  // The row `row` of `other`.
  void PushFrom(const PackedRows& other, size_t row) {
    PushFrom(std::index_sequence_for<Columns...>(), other, row);
  }

  size_t size() const { return packed_ + open_rows_; }

  template <size_t kColumn>
  Value<kColumn> At(size_t row) const {
    if (row >= packed_) [[unlikely]] {
      assert(row < size());
      return std::get<kColumn>(open_)[row - packed_];
    }
    const Block& block = blocks_.data()[row / kBlockRows];
    return Unpacked<kColumn>(block, row % kBlockRows);
  }

  template <size_t kColumn>
  void Set(size_t row, Value<kColumn> value) {
    assert(row < size());
    if (row >= packed_) {
      std::get<kColumn>(open_)[row - packed_] = value;
      return;
    }
    Block& block = blocks_.data()[row / kBlockRows];
    // With all bytes of its type, any value has a distance.
    const uint64_t distance =
        (static_cast<uint64_t>(value) - block.base[kColumn]) & kLargestPacked[sizeof(value)];
    if (distance > kLargestPacked[block.width[kColumn]]) Widen<kColumn>(&block);
    const size_t width = block.width[kColumn];
    std::memcpy(block.bytes[kColumn] + row % kBlockRows * width, &distance, width);
  }

  // Calls `visit(from, to)` for the rows [first, last), those of a block at once: at most
  // kBlockRows.
  template <typename Visit>
  static void EachBlock(size_t first, size_t last, Visit&& visit) {
    while (first < last) {
      const size_t stop = std::min(last, (first / kBlockRows + 1) * kBlockRows);
      visit(first, stop);
      first = stop;
    }
  }
  template <size_t kColumn>
  using BlockOf = std::array<Value<kColumn>, kBlockRows>;
  // The values of rows that EachBlock() visits. What lies behind them is undefined.
  template <size_t kColumn>
  BlockOf<kColumn> Read(size_t from, size_t to) const {
    BlockOf<kColumn> values;
    if (from >= packed_) {
      const auto& open = std::get<kColumn>(open_);
      std::copy(open.begin() + (from - packed_), open.begin() + (to - packed_), values.begin());
      return values;
    }
    const Block& block = blocks_.data()[from / kBlockRows];
    const uint64_t base = block.base[kColumn];
    const size_t width = block.width[kColumn];
    const uint64_t largest = kLargestPacked[width];
    const uint8_t* at = block.bytes[kColumn] + from % kBlockRows * width;
    const size_t count = to - from;
    for (size_t k = 0; k < count; ++k, at += width) {
      values[k] = static_cast<Value<kColumn>>(base + ReadPacked(at, largest));
    }
    return values;
  }

  // Leaves no rows, and gives the memory back.
  void Free() { *this = PackedRows(); }

 private:
  static constexpr size_t kColumns = sizeof...(Columns);
  // Few rows take little, and the memory of many seldom ends in a piece that is hardly used.
  static constexpr size_t kFirstPieceBytes = size_t{4} << 10;
  static constexpr size_t kMostPieceBytes = size_t{256} << 10;

  // Of each column: what is added to the distances, where these begin, and bytes of each.
  struct Block {
    std::array<uint64_t, kColumns> base = {};
    std::array<uint8_t*, kColumns> bytes = {};
    std::array<uint8_t, kColumns> width = {};
  };

  template <size_t kColumn>
  static Value<kColumn> Unpacked(const Block& block, size_t row) {
    const size_t width = block.width[kColumn] & size_t{0x0f};
    const uint8_t* const at = block.bytes[kColumn] + row * width;
    return static_cast<Value<kColumn>>(block.base[kColumn] + ReadPacked(at, kLargestPacked[width]));
  }

  template <size_t... kColumn>
  void PutOpen(std::index_sequence<kColumn...>, const Columns&... values) {
    ((std::get<kColumn>(open_)[open_rows_] = values), ...);
  }
  template <size_t... kColumn>
  void PushFrom(std::index_sequence<kColumn...>, const PackedRows& other, size_t row) {
    Push(other.template At<kColumn>(row)...);
  }

  template <size_t... kColumn>
  void PackOpen(std::index_sequence<kColumn...>) {
    Block block;
    (Measure<kColumn>(&block), ...);
    size_t bytes = 0;
    ((bytes += kBlockRows * block.width[kColumn]), ...);
    uint8_t* at = Room(bytes);
    ((at = Write<kColumn>(&block, at)), ...);
    blocks_.push_back(block);
    packed_ += kBlockRows;
    open_rows_ = 0;
  }
  template <size_t kColumn>
  void Measure(Block* block) const {
    const auto& rows = std::get<kColumn>(open_);
    Value<kColumn> least = rows[0], most = rows[0];
    for (const Value<kColumn> row : rows) {
      least = std::min(least, row);
      most = std::max(most, row);
    }
    block->base[kColumn] = static_cast<uint64_t>(least);
    const uint64_t distance = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
    block->width[kColumn] = static_cast<uint8_t>((std::bit_width(distance) + 7) / 8);
  }
  // Returns where the next column begins. Writes up to kPackedSlack bytes behind its own.
  template <size_t kColumn>
  uint8_t* Write(Block* block, uint8_t* at) const {
    block->bytes[kColumn] = at;
    const size_t width = block->width[kColumn];
    if (width == 0) return at;
    for (const Value<kColumn> row : std::get<kColumn>(open_)) {
      const uint64_t distance = static_cast<uint64_t>(row) - block->base[kColumn];
      std::memcpy(at, &distance, sizeof(distance));
      at += width;
    }
    return at;
  }

  // Lets the column take all bytes of its type in the block. What it took before stays unused.
  template <size_t kColumn>
  void Widen(Block* block) {
    using T = Value<kColumn>;
    uint8_t* const bytes = Room(kBlockRows * sizeof(T));
    for (size_t row = 0; row < kBlockRows; ++row) {
      const uint64_t distance =
          static_cast<uint64_t>(Unpacked<kColumn>(*block, row)) - block->base[kColumn];
      std::memcpy(bytes + row * sizeof(T), &distance, sizeof(T));
    }
    block->bytes[kColumn] = bytes;
    block->width[kColumn] = sizeof(T);
  }

  // Room for so many bytes, with kPackedSlack behind them that nobody else writes to.
  uint8_t* Room(size_t bytes) {
    bytes += kPackedSlack;
    if (bytes > left_) {
      left_ = std::max(bytes, piece_bytes_);
      pieces_.push_back(Owned<uint8_t>(AllocateScratch(left_)));
      next_ = pieces_.back().get();
      piece_bytes_ = std::min(piece_bytes_ * 2, kMostPieceBytes);
    }
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
  }

  ScratchVector<Block> blocks_;
  std::vector<OwnedBlock<uint8_t>> pieces_;
  uint8_t* next_ = nullptr;  // where the last piece is free, and how many bytes of it are
  size_t left_ = 0;
  size_t piece_bytes_ = kFirstPieceBytes;  // of the next piece
  // Rows behind those of all blocks.
  std::tuple<std::array<Columns, kBlockRows>...> open_;
  size_t open_rows_ = 0;
  size_t packed_ = 0;  // rows in blocks
};

}  // namespace emberline
