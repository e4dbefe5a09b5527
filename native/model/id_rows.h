// The numbers by which a recorder ties slices together, as ReadLinkIds() and ReadOpIds() find them.
#pragma once

#include <cstdint>

#include "base/packed_structs.h"
#include "base/types.h"

namespace emberline {

// Of a call, or of device work.
struct LinkIds {
  SliceIndex slice = kNone;
  int64_t correlation = 0;
  int64_t external = 0;  // 0: none
  bool has_correlation = false;
};
using LinkIdRows = PackedStructs<LinkIds, &LinkIds::slice, &LinkIds::correlation,
                                 &LinkIds::external, &LinkIds::has_correlation>;

// Of an operator.
struct OpNumber {
  SliceIndex op = kNone;
  int64_t sequence = 0;
  int64_t forward_thread = 0;  // 0: none
};
using OpNumberRows =
    PackedStructs<OpNumber, &OpNumber::op, &OpNumber::sequence, &OpNumber::forward_thread>;

}  // namespace emberline
