// Tables that have a row for each item of every rank's digest.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/table_columns.h"

namespace emberline {

// An item of a rank's digest.
template <typename T>
struct Of {
  int64_t rank;
  const T* item;
};

// Those of all ranks.
template <typename T>
std::vector<Of<T>> All(const Job& job, std::vector<T> RankDigest::*list) {
  std::vector<Of<T>> rows;
  for (const JobRank& rank : job.ranks) {
    for (const T& item : rank.digest->*list) rows.push_back({rank.rank, &item});
  }
  return rows;
}

// Columns that say of which rank and device.
template <typename T>
TableBuilder<Of<T>>& AddKeys(TableBuilder<Of<T>>& table) {
  return table.Add(RankKey(), [](const Of<T>& r) { return Cell(r.rank); })
      .Add(DeviceKey(), [](const Of<T>& r) { return Cell(r.item->device); });
}

// Cells from a member.
template <typename T, typename M>
auto Item(M T::*member) {
  return [member](const Of<T>& r) { return Cell(static_cast<int64_t>(r.item->*member)); };
}
template <typename T>
auto TimeItem(Ns T::*member) {
  return [member](const Of<T>& r) { return TimeCell(r.item->*member); };
}

// Mean and standard deviation of durations, of rows that hold their number, their sum and the sum
// of their squares, in ns: in us.
template <typename T>
auto MeanItem(Ns T::*sum) {
  return [sum](const Of<T>& r) {
    const T& item = *r.item;
    return item.count > 0 ? Cell(Micros(item.*sum) / static_cast<double>(item.count)) : Cell();
  };
}
template <typename T>
auto DeviationItem(Ns T::*sum) {
  return [sum](const Of<T>& r) {
    return DeviationCell(r.item->squares.Deviation(r.item->count, r.item->*sum));
  };
}

}  // namespace emberline
