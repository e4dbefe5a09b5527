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
RankSet RanksOf(std::string_view text, bool* complete);

// What the header says of process groups, by name.
std::map<std::string, CollectiveGroup> RecordedGroups(const TraceStore& store);

// Elements of all shapes of "[[8, 4], [2]]"; -1 where there are none.
int64_t ElementsOfAll(std::string_view dims);

// The first type of "["float", "Scalar"]".
std::string FirstType(std::string_view types);

// The tensors among an operator's arguments, in their order: those with a shape and a type. A list
// of tensors is one, whose type ("") recorders leave out.
struct TensorArgument {
  int64_t elements = -1;
  std::string type;
};
std::vector<TensorArgument> TensorsOf(std::string_view dims, std::string_view types);

// The type in which a kernel adds up, by its name: "bf16" of ncclDevKernel_AllReduce_Sum_bf16_RING,
// "float" of one_shot_all_reduce_kernel<float, 16>; "" where it does not tell. What only moves data
// is named after any type of a size.
std::string ReducedType(std::string_view kernel);

// What an operator of this name takes in and gives out, of its tensors; -1 where they do not tell.
struct Exchanged {
  int64_t in = -1, out = -1;
  std::string type;
};
Exchanged ExchangedBy(std::string_view name, const std::vector<TensorArgument>& tensors);

// Bytes of each part of "[3, 1, 2]", which share `bytes` out; empty where the recorder cut the list
// or the parts are equal. Parts are rounded so that they add up.
std::vector<int64_t> PartsOf(std::string_view splits, int64_t bytes);

// Their product and sum; -1 unless both are known.
int64_t Times(int64_t a, int64_t b);
int64_t Plus(int64_t a, int64_t b);

}  // namespace emberline
