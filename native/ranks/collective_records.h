// Reads what recorders write about collectives: lists, shapes, groups.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/collectives.h"
#include "store/trace_store.h"

namespace emberline {

// Groups of a job of any size; a file with more is made up.
inline constexpr size_t kMaxGroups = 65536;

// Members of "[0, 1, 2, ...]"; `complete` is false where the recorder cut the list.
std::vector<int64_t> RanksOf(std::string_view text, bool* complete);

// What the header says of process groups, by name.
std::map<std::string, CollectiveGroup> RecordedGroups(const TraceStore& store);

// Elements of all shapes of "[[8, 4], [2]]", and of the first alone; -1 where there are none.
struct Shapes {
  int64_t first = -1, sum = -1;
};
Shapes ShapesOf(std::string_view dims);

// The first type of "["float", "Scalar"]".
std::string FirstType(std::string_view types);

// Bytes of each part of "[3, 1, 2]", which share `bytes` out; empty where the recorder cut the list
// or the parts are equal. Parts are rounded so that they add up.
std::vector<int64_t> PartsOf(std::string_view splits, int64_t bytes);

// Their product and sum; -1 unless both are known.
int64_t Times(int64_t a, int64_t b);
int64_t Plus(int64_t a, int64_t b);

}  // namespace emberline
