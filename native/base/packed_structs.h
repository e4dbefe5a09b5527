// Packed rows (base/packed_rows.h) whose columns are members of a struct.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/packed_rows.h"

namespace emberline {

// Keeps the members `kMembers` of each `Row`; what is read has defaults for its others.
template <typename Row, auto... kMembers>
class PackedStructs {
  template <typename Member>
  using Kept = std::conditional_t<std::is_same_v<Member, bool>, uint8_t, Member>;
  using Rows =
      PackedRows<Kept<std::remove_reference_t<decltype(std::declval<Row&>().*kMembers)>>...>;
  using Columns = std::index_sequence_for<decltype(kMembers)...>;

 public:
  static constexpr size_t kBlockRows = Rows::kBlockRows;
  using Block = std::array<Row, kBlockRows>;

  void Push(const Row& row) { rows_.Push(row.*kMembers...); }
  void PushFrom(const PackedStructs& other, size_t row) { rows_.PushFrom(other.rows_, row); }
  size_t size() const { return rows_.size(); }
  Row operator[](size_t row) const { return Get(Columns(), row); }
  // One member of a row.
  template <size_t kColumn>
  auto At(size_t row) const {
    return rows_.template At<kColumn>(row);
  }
  void Set(size_t row, const Row& value) { Set(Columns(), row, value); }
  void Free() { rows_.Free(); }

  // As those of PackedRows.
  template <typename Visit>
  static void EachBlock(size_t first, size_t last, Visit&& visit) {
    Rows::EachBlock(first, last, visit);
  }
  Block Read(size_t from, size_t to) const { return Read(Columns(), from, to); }

 private:
  template <size_t... kColumn>
  Row Get(std::index_sequence<kColumn...>, size_t row) const {
    Row value;
    ((value.*kMembers = rows_.template At<kColumn>(row)), ...);
    return value;
  }
  template <size_t... kColumn>
  void Set(std::index_sequence<kColumn...>, size_t row, const Row& value) {
    (rows_.template Set<kColumn>(row, value.*kMembers), ...);
  }
  template <size_t... kColumn>
  Block Read(std::index_sequence<kColumn...>, size_t from, size_t to) const {
    Block block;
    const auto read = [&](auto member, const auto& values) {
      for (size_t k = 0; k < to - from; ++k) block[k].*member = values[k];
    };
    (read(kMembers, rows_.template Read<kColumn>(from, to)), ...);
    return block;
  }

  Rows rows_;
};

}  // namespace emberline
