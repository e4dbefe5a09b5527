// The numbers by which a recorder ties slices together, as ReadLinkIds() and ReadOpIds() find them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/packed_rows.h"
#include "base/types.h"

namespace emberline {

// Of a call, or of device work.
struct LinkIds {
  SliceIndex slice = kNone;
  int64_t correlation = 0;
  int64_t external = 0;  // 0: none
  bool has_correlation = false;
};

class LinkIdRows {
 public:
  void Push(const LinkIds& ids) {
    rows_.Push(ids.slice, ids.correlation, ids.external, ids.has_correlation ? 1 : 0);
  }
  LinkIds operator[](size_t row) const {
    return {rows_.At<0>(row), rows_.At<1>(row), rows_.At<2>(row), rows_.At<3>(row) != 0};
  }
  size_t size() const { return rows_.size(); }
  void Free() { rows_.Free(); }

 private:
  PackedRows<SliceIndex, int64_t, int64_t, uint8_t> rows_;
};

// Of an operator.
struct OpNumber {
  SliceIndex op = kNone;
  int64_t sequence = 0;
  int64_t forward_thread = 0;  // 0: none
};

class OpNumberRows {
 public:
  void Push(const OpNumber& number) {
    rows_.Push(number.op, number.sequence, number.forward_thread);
  }
  OpNumber operator[](size_t row) const {
    return {rows_.At<0>(row), rows_.At<1>(row), rows_.At<2>(row)};
  }
  size_t size() const { return rows_.size(); }
  void Free() { rows_.Free(); }

 private:
  PackedRows<SliceIndex, int64_t, int64_t> rows_;
};

}  // namespace emberline
