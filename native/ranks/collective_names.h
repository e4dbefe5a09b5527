// What names and types tell about a collective: the conventions of PyTorch's recorders and of the
// libraries that communicate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace emberline {

enum class CollectiveOp : uint8_t {
  kUnknown,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kSend,
  kRecv,
  kSendRecv,  // a kernel that does both, or one of which only that is known
  kBarrier,
};
inline constexpr int kCollectiveOpCount = static_cast<int>(CollectiveOp::kBarrier) + 1;
const char* CollectiveOpName(CollectiveOp op);  // "allReduce", ..., "unknown"

// True where every rank of the group leaves when all have come: such calls tell which clock is off,
// and who was late.
bool IsSymmetric(CollectiveOp op);
// True where two ranks talk to each other and the rest of the group takes no part.
bool IsPointToPoint(CollectiveOp op);

// The operation that a kernel, a range ("nccl:_all_gather_base"), an operator or a recorded
// collective name ("_allgather_base", "reduce_scatter_tensor_coalesced") stands for.
CollectiveOp CollectiveOpOf(std::string_view name);

// Who runs a kernel or range: "nccl", "rccl", "gloo", "mpi", "hccl", "oneccl", "nvshmem", "msccl",
// "custom" for kernels of inference servers; "" when the name does not tell. Kernels of RCCL are
// named as NCCL's: `amd` tells them apart.
std::string_view CollectiveLibraryOf(std::string_view name, bool amd);

// The two ranks of "nccl:send 0->1" and "nccl:recv 1<-0", numbered within the group: who calls, and
// its peer. Nothing where the name says no such thing.
struct NamedPair {
  int64_t own = -1, peer = -1;
};
std::optional<NamedPair> PairOfName(std::string_view name);

// Bytes of an element by the name of its type, as any recorder spells it ("BFloat16",
// "c10::BFloat16", "BFP16", "bf16"); 0 when it is not known.
int64_t ElementBytes(std::string_view type);

// What bandwidth on the bus is to that of the algorithm, with `ranks` in the group:
// 2(n-1)/n for all-reduce; (n-1)/n for all-gather, reduce-scatter and all-to-all; else 1. The
// formulas are those of nccl-tests.
double BusFactor(CollectiveOp op, int64_t ranks);

}  // namespace emberline
