#include "ranks/collective_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/case.h"
#include "base/parse_integer.h"
#include "cost/dtype.h"
#include "model/names.h"

namespace emberline {
namespace {

// Lower case without underscores, dashes and spaces: "all_to_all", "AllToAll" and "alltoall" agree.
std::string Plain(std::string_view name) {
  std::string text = LowerText(name);
  text.erase(std::remove_if(text.begin(), text.end(),
                            [](char c) { return c == '_' || c == '-' || c == ' '; }),
             text.end());
  return text;
}

// The part of a kernel's name that says what it does: template arguments and parameters name types
// and reductions.
std::string_view Head(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  size_t end = name.find_first_of("<(");
  while (end != std::string_view::npos && name.substr(end).starts_with(kAnonymous)) {
    end = name.find_first_of("<(", end + kAnonymous.size());
  }
  return name.substr(0, end);
}

}  // namespace

const char* CollectiveOpName(CollectiveOp op) {
  static constexpr const char* kNames[kCollectiveOpCount] = {
      "unknown", "allReduce", "allGather", "reduceScatter", "allToAll", "broadcast", "reduce",
      "gather",  "scatter",   "send",      "recv",          "sendRecv", "barrier"};
  return kNames[static_cast<size_t>(op)];
}

bool IsSymmetric(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kReduceScatter || op == CollectiveOp::kAllToAll ||
         op == CollectiveOp::kBarrier;
}

bool IsPointToPoint(CollectiveOp op) {
  return op == CollectiveOp::kSend || op == CollectiveOp::kRecv || op == CollectiveOp::kSendRecv;
}

CollectiveOp CollectiveOpOf(std::string_view name) {
  const std::string text = Plain(Head(name));
  // TransformerEngine's kernels for buffers of all ranks say what they add up, not that they do.
  if (text.find("userbuffers") != std::string::npos &&
      text.find("suminplace") != std::string::npos) {
    return CollectiveOp::kAllReduce;
  }
  // The longer names first: "reducescatter" holds two others. Libraries whose kernels all exchange
  // tokens have barriers too.
  static constexpr std::pair<std::string_view, CollectiveOp> kParts[] = {
      {"reducescatter", CollectiveOp::kReduceScatter},
      {"allreduce", CollectiveOp::kAllReduce},
      {"crossdevicereduce", CollectiveOp::kAllReduce},
      {"quickreduce", CollectiveOp::kAllReduce},
      {"allgather", CollectiveOp::kAllGather},
      {"alltoall", CollectiveOp::kAllToAll},
      {"all2all", CollectiveOp::kAllToAll},
      {"::barrier", CollectiveOp::kBarrier},
      {"deepep::", CollectiveOp::kAllToAll},
      {"dpsk::ep::", CollectiveOp::kAllToAll},
      {"a2adispatch", CollectiveOp::kAllToAll},
      {"a2acombine", CollectiveOp::kAllToAll},
      {"epdispatch", CollectiveOp::kAllToAll},
      {"epcombine", CollectiveOp::kAllToAll},
      {"nodedispatch", CollectiveOp::kAllToAll},
      {"nodecombine", CollectiveOp::kAllToAll},
      {"sendrecv", CollectiveOp::kSendRecv},
      {"putsignal", CollectiveOp::kSend},
      {"waitsignal", CollectiveOp::kRecv},
      {"broadcast", CollectiveOp::kBroadcast},
      {"bcast", CollectiveOp::kBroadcast},
      {"barrier", CollectiveOp::kBarrier},
      {"gather", CollectiveOp::kGather},
      {"scatter", CollectiveOp::kScatter},
      {"reduce", CollectiveOp::kReduce},
      {"recv", CollectiveOp::kRecv},
      {"receive", CollectiveOp::kRecv},
      {"send", CollectiveOp::kSend},
  };
  if (IsTokenExchangeName(name)) return CollectiveOp::kAllToAll;
  for (const auto& [part, op] : kParts) {
    if (text.find(part) != std::string::npos) return op;
  }
  return CollectiveOp::kUnknown;
}

std::string_view CollectiveLibraryOf(std::string_view name, bool amd) {
  const std::string text = Plain(Head(name));
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (has("msccl")) return "msccl";
  if (has("rccl")) return "rccl";
  if (has("oneccl") || has("xccl")) return "oneccl";
  if (has("hccl") || text.starts_with("hcom")) return "hccl";
  if (has("nccl")) return amd ? "rccl" : "nccl";
  if (has("nvshmem")) return "nvshmem";
  if (text.starts_with("gloo:")) return "gloo";
  if (text.starts_with("mpi:")) return "mpi";
  if (text.starts_with("ucc:")) return "ucc";
  return IsCommunicationKernelName(name) ? "custom" : "";
}

std::optional<NamedPair> PairOfName(std::string_view name) {
  for (const auto& [verb, arrow] : {std::pair(":send ", "->"), std::pair(":recv ", "<-")}) {
    const size_t at = name.find(verb);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = name.substr(at + std::string_view(verb).size());
    const size_t between = rest.find(arrow);
    if (between == std::string_view::npos) continue;
    const auto own = ParseInteger(rest.substr(0, between));
    const auto peer = ParseInteger(rest.substr(between + 2));
    if (own && peer && *own >= 0 && *peer >= 0) return NamedPair{*own, *peer};
  }
  return std::nullopt;
}

int64_t ElementBytes(std::string_view type) { return BytesOf(DTypeOfName(type)); }

double BusFactor(CollectiveOp op, int64_t ranks) {
  if (ranks < 2) return 1;
  const auto n = static_cast<double>(ranks);
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllToAll:
      return (n - 1) / n;
    default:
      return 1;
  }
}

}  // namespace emberline
