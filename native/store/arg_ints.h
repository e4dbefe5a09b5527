// Integers of the args of many slices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "base/types.h"
#include "store/arg_roles.h"
#include "store/trace_store.h"

namespace emberline {

// Reads up to three integers of each slice in one pass over its args. Where they stand is looked up
// once for each layout, and not by key for each slice. Used by one thread; the store outlives it.
class ArgInts {
 public:
  static constexpr size_t kMost = 3;
  using Values = std::array<std::optional<int64_t>, kMost>;

  // `roles`: at most kMost, of which any number is possible (RangeOf).
  ArgInts(const TraceStore& store, std::initializer_list<ArgRole> roles);

  // What TraceStore::ArgInt() says of each role, in their order. Quickest where slices are asked
  // for one after the other.
  Values Of(SliceIndex slice);

 private:
  // Where the integers of a layout stand.
  struct Plan {
    bool made = false;
    bool simple = false;  // all of them are integers; others are asked of the store
    uint8_t count = 0;
    std::array<uint8_t, kMost> role{};    // place in `roles_`, in the order of fields
    std::array<uint32_t, kMost> field{};  // ascending
  };
  const Plan& PlanOf(uint64_t layout);

  const TraceStore& store_;
  std::vector<ArgRole> roles_;
  std::vector<Plan> plans_;  // by layout
};

}  // namespace emberline
