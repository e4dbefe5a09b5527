// The cost of each kernel of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_size.h"
#include "base/distinct.h"
#include "base/packed_column.h"
#include "base/row_iterator.h"
#include "base/types.h"
#include "cost/amount.h"
#include "cost/op_cost.h"

namespace emberline {

struct KernelCost {
  SliceIndex kernel = kNone;
  SliceIndex owner = kNone;      // the operator; kNone where none has a formula
  const OpCost* cost = nullptr;  // of the whole call; null without an owner
  uint32_t call = 0;             // kernels of one call share it; counted from 0
  bool helper = false;           // only prepares: its share is nothing
  bool matrix_call = false;      // a kernel of the call names units for TF32 or FP64 products
  Amount flops = Amount::Unknown(reasons::kNoCostedLaunch);
  Amount read_bytes = flops, written_bytes = flops;
  Amount bytes() const { return read_bytes + written_bytes; }
};

// Packed column by column: they stay as long as the trace does, and there are as many as kernels.
class KernelCosts {
 public:
  using const_iterator = RowIterator<KernelCosts, KernelCost>;

  size_t size() const { return kernel_.size(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  // Single members, where a loop needs no others.
  SliceIndex kernel(size_t i) const { return kernel_[i]; }
  SliceIndex owner(size_t i) const { return owner_[i]; }
  const OpCost* cost(size_t i) const { return kinds_[kind_[i]].cost; }
  // Kernels of one kind differ in nothing but numbers.
  uint32_t kind(size_t i) const { return kind_[i]; }
  KernelCost operator[](size_t i) const;

  // Of empty ones.
  void Pack(std::span<const KernelCost> kernels);

  size_t MemoryBytes() const {
    return HeapBytesOf(kernel_, owner_, call_, kind_, flops_, read_, written_, kinds_);
  }

 private:
  // What many kernels have in common.
  struct Kind {
    const OpCost* cost = nullptr;
    bool helper = false, matrix_call = false;
    // Null where the amount is known.
    const Sentence *no_flops = nullptr, *no_read = nullptr, *no_written = nullptr;
    bool operator==(const Kind&) const = default;
  };
  struct KindHash {
    size_t operator()(const Kind& kind) const;
  };
  PackedColumn<SliceIndex> kernel_, owner_;
  PackedColumn<uint32_t> call_, kind_;
  PackedColumn<int64_t> flops_, read_, written_;  // 0 where they are not known
  std::vector<Kind> kinds_;
};

}  // namespace emberline
