// The columns of the list of launches: PyProf2's, and what the cost model adds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/table.h"
#include "cost/launches.h"

namespace emberline {

// Makes cells of the rows that are asked for, and no others. Belongs to one thread; what it is made
// of must outlive it.
class LaunchCells {
 public:
  LaunchCells(const CostContext& context, const LaunchRows& rows, CostMode mode);
  ~LaunchCells();
  LaunchCells(const LaunchCells&) = delete;
  LaunchCells& operator=(const LaunchCells&) = delete;

  // The cells of rows `begin` to `end`, of `order` where there is one; those of columns that are
  // not `wanted` stay empty.
  Table Of(size_t begin, size_t end, const std::vector<uint32_t>* order,
           const std::vector<bool>& wanted = {}) const;
  // The columns without any row.
  Table Columns() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace emberline
