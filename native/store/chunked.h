// Columns that grow without copying more than their first rows, so that a builder's peak memory
// stays near the size of its data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/heap.h"

namespace emberline {

// Rows of several columns. They stand in blocks that take a large page each, and all columns share
// a block: a page of its own for the end of each column would leave half a page of each unused,
// and small pages take long to come (base/heap.h). The first rows stand on small pages, so that a
// short table takes little; they move once when there are more.
template <typename... Columns>
class ChunkedTable {
 public:
  template <size_t kColumn>
  using Value = std::tuple_element_t<kColumn, std::tuple<Columns...>>;

  ChunkedTable() = default;
  ChunkedTable(const ChunkedTable&) = delete;
  ChunkedTable& operator=(const ChunkedTable&) = delete;
  // Exchanges the rows.
  ChunkedTable& operator=(ChunkedTable&& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(block_, other.block_);
    std::swap(first_, other.first_);
    std::swap(room_, other.room_);
    std::swap(size_, other.size_);
    std::swap(on_small_pages_, other.on_small_pages_);
    return *this;
  }

  void Push(Columns... values) {
    const size_t row = size_;
    if (row == room_) MakeRoom();
    Put(std::index_sequence_for<Columns...>(), block_, row - first_, values...);
    size_ = row + 1;
  }
  template <size_t kColumn>
  Value<kColumn>& At(size_t row) {
    return ColumnOf<kColumn>(blocks_[row / kRows].get())[row % kRows];
  }
  template <size_t kColumn>
  const Value<kColumn>& At(size_t row) const {
    return ColumnOf<kColumn>(blocks_[row / kRows].get())[row % kRows];
  }
  size_t size() const { return size_; }

  // Calls `visit(from, to)` for stretches of the rows [first, last). Values of a column that belong
  // to a stretch stand one behind the other, so that `&At<k>(from)` is an array of them.
  template <typename Visit>
  static void EachStretch(size_t first, size_t last, Visit&& visit) {
    while (first < last) {
      const size_t stop = std::min(last, (first / kRows + 1) * kRows);
      visit(first, stop);
      first = stop;
    }
  }

  // Writes all that the row `from` holds to the row `to`.
  void Copy(size_t from, size_t to) {
    CopyColumns(std::index_sequence_for<Columns...>(), from, to);
  }

  // Leaves the first `size` rows.
  void Shrink(size_t size) { size_ = room_ = size; }

  // Gives the memory back: of all rows, or of those before `row` whose blocks hold no later ones,
  // which must not be asked for any more.
  void Free() {
    blocks_.clear();
    blocks_.shrink_to_fit();
    Shrink(0);
  }
  void FreeBefore(size_t row) {
    for (size_t block = row / kRows; block-- > 0 && blocks_[block] != nullptr;) {
      blocks_[block].reset();
    }
  }

 private:
  static_assert((std::is_trivially_copyable_v<Columns> && ...));
  static_assert((std::is_trivially_destructible_v<Columns> && ...));
  static constexpr size_t kBlockBytes = size_t{2} << 20;
  static constexpr size_t kRowBytes = (sizeof(Columns) + ...);
  // Of a block. Whole cache lines, so that each column begins where its values may stand.
  static constexpr size_t kRows = kBlockBytes / kRowBytes / 64 * 64;
  // So many rows stand on small pages.
  static constexpr size_t kFirstRows = kRows / 16;

  using Block = OwnedBlock<std::byte>;

  // Bytes of a row in the columns before this one.
  template <size_t kColumn>
  static constexpr size_t BytesBefore() {
    constexpr size_t kSizes[] = {sizeof(Columns)...};
    size_t bytes = 0;
    for (size_t k = 0; k < kColumn; ++k) bytes += kSizes[k];
    return bytes;
  }
  template <size_t kColumn>
  static Value<kColumn>* ColumnOf(std::byte* block) {
    return reinterpret_cast<Value<kColumn>*>(block + BytesBefore<kColumn>() * kRows);
  }
  template <size_t... kColumn>
  static void Put(std::index_sequence<kColumn...>, std::byte* block, size_t row,
                  const Columns&... values) {
    (std::construct_at(ColumnOf<kColumn>(block) + row, values), ...);
  }
  template <size_t... kColumn>
  void CopyColumns(std::index_sequence<kColumn...>, size_t from, size_t to) {
    ((At<kColumn>(to) = At<kColumn>(from)), ...);
  }
  template <size_t... kColumn>
  static void CopyFirst(std::index_sequence<kColumn...>, std::byte* from, std::byte* to) {
    (std::memcpy(ColumnOf<kColumn>(to), ColumnOf<kColumn>(from), kFirstRows * sizeof(Columns)),
     ...);
  }

  static Block OnLargePage() {
    Block block = Owned<std::byte>(AllocateScratch(kBlockBytes));
    // Where the system has no large page for it, many small ones at once.
    TakePages(block.get(), kBlockBytes);
    return block;
  }

  // Room for the row behind the last one.
  void MakeRoom() {
    const size_t number = size_ / kRows;
    if (blocks_.empty()) {
      blocks_.push_back(Owned<std::byte>(std::malloc(kBlockBytes)));
      on_small_pages_ = true;
    } else if (on_small_pages_ && size_ >= kFirstRows) {
      Block large = OnLargePage();
      CopyFirst(std::index_sequence_for<Columns...>(), blocks_[0].get(), large.get());
      blocks_[0] = std::move(large);
      on_small_pages_ = false;
    }
    if (number == blocks_.size()) blocks_.push_back(OnLargePage());
    block_ = blocks_[number].get();
    first_ = number * kRows;
    room_ = first_ + (on_small_pages_ ? kFirstRows : kRows);
  }

  std::vector<Block> blocks_;
  // The block that the next row goes to, which row is its first, and how many rows there may be
  // without making room.
  std::byte* block_ = nullptr;
  size_t first_ = 0;
  size_t room_ = 0;
  size_t size_ = 0;
  bool on_small_pages_ = false;  // the first block, of which only kFirstRows are used
};

// One column.
template <typename T>
class ChunkedColumn : public ChunkedTable<T> {
 public:
  T& operator[](size_t row) { return this->template At<0>(row); }
  const T& operator[](size_t row) const { return this->template At<0>(row); }
};

}  // namespace emberline
