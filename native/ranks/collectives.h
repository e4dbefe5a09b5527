// The collectives of one trace: every call by which its rank talked to others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"
#include "ranks/collective_names.h"
#include "ranks/rank_set.h"

namespace emberline {

// Ranks that communicate. Without recorded metadata, the calls of one stream are taken as those of
// one group whose members are not known.
struct CollectiveGroup {
  std::string name;         // of the process group: "0", "12"; "" when it was not recorded
  std::string description;  // "default_pg", "mesh_tp"
  RankSet ranks;            // global ranks; empty when they are not known
  bool complete = false;    // `ranks` holds all of them; recorders cut long lists
  int64_t size = -1;        // -1 unknown
  int64_t lane = 0;         // of groups without a name: which of the device's communicating streams
  bool operator==(const CollectiveGroup&) const = default;
  auto operator<=>(const CollectiveGroup&) const = default;
};

// A send or receive of a group of them that runs as one.
struct ExchangePart {
  bool sends = false;
  int64_t peer = -1;   // global rank; -1 unknown
  int64_t bytes = -1;  // -1 unknown
  template <typename A>
  void Members(A& a) {
    a(sends, peer, bytes);
  }
};

struct Collective {
  // The device's work; where none was recorded (Gloo, MPI, a trace of the host), the host's call.
  SliceIndex slice = kNone;
  std::vector<SliceIndex> more;  // further kernels, where a library runs a batch as several
  Ns end = 0;                    // of the last of them
  SliceIndex call = kNone;       // the host's range or record around the launch; kNone without one
  SliceIndex launch = kNone;     // runtime call that launched it
  CollectiveOp op = CollectiveOp::kUnknown;
  std::string library;   // CollectiveLibraryOf()
  std::string recorded;  // collective name as recorded; "" when only the kernel's name tells
  bool host_only = false;
  bool coalesced = false;  // several calls at once
  uint32_t group = 0;      // in CollectiveList::groups
  int64_t sequence = -1;   // recorded number within the group; -1 when none was
  std::string dtype;       // as recorded
  int64_t in_elements = -1, out_elements = -1;  // of this rank; -1 unknown
  int64_t bytes = -1;  // the larger of input and output of this rank; -1 unknown
  // Of all-to-all with uneven parts: bytes to and from each rank of the group, in its order; empty
  // where the parts are equal or not all recorded.
  std::vector<int64_t> sent, received;
  bool parts_cut = false;           // the recorder cut the list of parts
  int64_t peer = -1;                // of send and receive: the other rank
  std::vector<ExchangePart> parts;  // of several sends and receives at once
  int64_t device = -1;              // ordinal; -1 on the host
  uint32_t step = kNone;            // index into Model::steps
};

struct CollectiveList {
  std::vector<Collective> calls;  // by start, then slice
  std::vector<CollectiveGroup> groups;
};

// Finds them by kernel name, by recorded metadata and by host ranges. Calls of a library that ran
// on the device are counted there alone; its host ranges lend them what they know. Linear in the
// slices. Errors: kCancelled.
Result<CollectiveList> FindCollectives(const Model& model, const CancelToken& cancel = {});

// The operator by which the program asked for it: the outermost around the call that is named after
// a collective ("c10d::allreduce_"), else the innermost; kNone without one.
SliceIndex OperatorOf(const Model& model, const Collective& collective);

}  // namespace emberline
