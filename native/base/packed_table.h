// Structs that are kept as packed columns of their members (base/packed_column.h).
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/byte_size.h"
#include "base/packed_column.h"
#include "base/row_iterator.h"

namespace emberline {

// Keeps the members `kMembers` of each `Row`; what is read has defaults for its others. Rows
// come by value: nothing can point to one.
template <typename Row, auto... kMembers>
class PackedTable {
  template <auto kMember>
  using Column = PackedColumn<std::remove_reference_t<decltype(std::declval<Row&>().*kMember)>>;
  using Numbers = std::index_sequence_for<decltype(kMembers)...>;

 public:
  using value_type = Row;
  using const_iterator = RowIterator<PackedTable, Row>;

  // Which of the columns keeps a member.
  template <auto kMember>
  static constexpr size_t NumberOf() {
    static_assert((IsSame<kMember, kMembers>() || ...));
    size_t number = 0;
    (void)((IsSame<kMember, kMembers>() || (++number, false)) || ...);
    return number;
  }

  size_t size() const { return std::get<0>(columns_).size(); }
  bool empty() const { return size() == 0; }
  Row operator[](size_t row) const {
    return std::apply(
        [&](const auto&... columns) {
          Row value;
          ((value.*kMembers = columns[row]), ...);
          return value;
        },
        columns_);
  }
  // One member of a row. Reads its column alone, where operator[] reads all.
  template <auto kMember>
  auto At(size_t row) const {
    return std::get<NumberOf<kMember>()>(columns_)[row];
  }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

  // Becomes a table of `rows` rows. Asks `of(std::integral_constant<size_t, C>(), row)` for member
  // C of each row, one member after the other.
  template <typename Of>
  void Pack(size_t rows, Of&& of) {
    EachColumn([&](auto number, auto& column) {
      column.Pack(rows, [&](size_t row) { return of(number, row); });
    });
  }

  // Calls `visit(std::integral_constant<size_t, C>(), column)` for each column.
  template <typename Visit>
  void EachColumn(Visit&& visit) {
    Each(Numbers(), columns_, visit);
  }
  template <typename Visit>
  void EachColumn(Visit&& visit) const {
    Each(Numbers(), columns_, visit);
  }

  size_t MemoryBytes() const {
    return std::apply([](const auto&... columns) { return HeapBytesOf(columns...); }, columns_);
  }

 private:
  template <auto kOne, auto kOther>
  static constexpr bool IsSame() {
    if constexpr (std::is_same_v<decltype(kOne), decltype(kOther)>) {
      return kOne == kOther;
    } else {
      return false;
    }
  }
  template <size_t... kNumber, typename Columns, typename Visit>
  static void Each(std::index_sequence<kNumber...>, Columns& columns, Visit& visit) {
    (visit(std::integral_constant<size_t, kNumber>(), std::get<kNumber>(columns)), ...);
  }

  std::tuple<Column<kMembers>...> columns_;
};

}  // namespace emberline
