#include "ranks/collectives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_set>

#include "analysis/tensor_cores.h"
#include "model/graphs.h"
#include "model/names.h"
#include "ranks/coalesced.h"
#include "ranks/collective_records.h"

namespace emberline {
namespace {

// Ranges and records around a call are looked for this far out; recorders put three of them there.
constexpr int kClimb = 24;

class Finder {
 public:
  Finder(const Model& model, const CancelToken& cancel)
      : m_(model),
        s_(model.store()),
        cancel_(cancel),
        recorded_(RecordedGroups(s_)),
        amd_(VendorOf(model) == Vendor::kAmd) {}

  Result<CollectiveList> Find() {
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return Cancelled();
      if (m_.is_communication[i]) AddDeviceWork(i);
    }
    JoinQueued();
    ShareRecords();
    const bool on_device = !list_.calls.empty();
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return Cancelled();
      AddHostCall(i, on_device);
    }
    std::stable_sort(
        list_.calls.begin(), list_.calls.end(), [&](const Collective& a, const Collective& b) {
          return std::pair(s_.start(a.slice), a.slice) < std::pair(s_.start(b.slice), b.slice);
        });
    return std::move(list_);
  }

 private:
  void AddDeviceWork(SliceIndex i) {
    Collective c;
    c.slice = i;
    c.end = s_.end(i);
    c.launch = m_.launch[i];
    c.step = m_.step[i];
    c.device = s_.tracks()[s_.track(i)].device;
    c.op = CollectiveOpOf(s_.name(i));
    c.library = CollectiveLibraryOf(s_.name(i), amd_);
    Describe(&c);
    list_.calls.push_back(std::move(c));
  }

  // A range or record of the host is a call of its own where no device work stands for it.
  void AddHostCall(SliceIndex i, bool on_device) {
    const SliceKind kind = s_.kind(i);
    if (kind != SliceKind::kCpuOp && kind != SliceKind::kUserAnnotation &&
        kind != SliceKind::kCollective) {
      return;
    }
    const std::string_view library = CollectiveLibrary(s_.name(i));
    const bool hosted = library == "gloo" || library == "mpi" || library == "ucc";
    if (library.empty() && kind != SliceKind::kCollective) return;
    if (on_device && !hosted) return;
    Collective c;
    c.op = CollectiveOpOf(s_.name(i));
    if (c.op == CollectiveOp::kUnknown) return;
    // The same call seen twice: an operator and a range of one name.
    const SliceIndex parent = s_.parent(i);
    if (parent != kNone && s_.name_id(parent) == s_.name_id(i)) return;
    c.slice = c.call = i;
    c.end = s_.end(i);
    c.step = m_.step[i];
    c.host_only = true;
    c.library = std::string(CollectiveLibraryOf(s_.name(i), amd_));
    Describe(&c);
    list_.calls.push_back(std::move(c));
  }

  // Sources of what a call says about itself: the work, and what is around its launch.
  std::vector<SliceIndex> SourcesOf(const Collective& c) const {
    std::vector<SliceIndex> sources = {c.slice};
    SliceIndex around = c.launch != kNone ? s_.parent(c.launch)
                        : c.call != kNone ? s_.parent(c.call)
                                          : m_.op[c.slice];
    if (m_.CapturedCall(c.slice) != kNone) around = s_.parent(m_.CapturedCall(c.slice));
    for (int i = 0; i < kClimb && around != kNone; ++i, around = s_.parent(around)) {
      const SliceKind kind = s_.kind(around);
      if (kind == SliceKind::kCpuOp || kind == SliceKind::kUserAnnotation ||
          kind == SliceKind::kCollective) {
        sources.push_back(around);
      }
    }
    return sources;
  }

  void Describe(Collective* c) {
    const std::vector<SliceIndex> sources = SourcesOf(*c);
    // What communicates by name: others around it compute too, and their inputs are not its bytes.
    const auto named = [&](SliceIndex i) {
      return i == c->slice || s_.name(i) == kCallRecord ||
             CollectiveOpOf(s_.name(i)) != CollectiveOp::kUnknown;
    };
    CollectiveGroup group;
    for (const SliceIndex i : sources) {
      if (!named(i)) continue;
      if (c->call == kNone && i != c->slice) c->call = i;
      if (!c->host_only) taken_.insert(i);
      ReadRecord(i, c, &group);
    }
    for (const SliceIndex i : sources) {
      if (c->bytes >= 0 || c->in_elements >= 0) break;
      if (named(i)) ReadShapes(i, c);
    }
    if (c->op == CollectiveOp::kUnknown) c->op = CollectiveOpOf(c->recorded);
    for (const SliceIndex i : sources) {
      if (c->op == CollectiveOp::kUnknown) c->op = CollectiveOpOf(s_.name(i));
    }
    // NCCL runs all-to-all, gathers and scatters as sends and receives.
    const CollectiveOp recorded = CollectiveOpOf(c->recorded);
    if (recorded != CollectiveOp::kUnknown) c->op = recorded;
    if (c->op == CollectiveOp::kSendRecv && c->call != kNone) {
      const CollectiveOp around = CollectiveOpOf(s_.name(c->call));
      if (around != CollectiveOp::kUnknown) c->op = around;
    }
    c->coalesced = c->recorded.find("coalesced") != std::string::npos;
    NameGroup(*c, &group);
    for (const SliceIndex i : sources) {
      if (c->peer < 0 && IsPointToPoint(c->op)) ReadPeer(i, group, c);
    }
    Complete(c, group);
    c->group = GroupIndex(group);
  }

  void ReadRecord(SliceIndex i, Collective* c, CollectiveGroup* group) {
    const auto text = [&](ArgRole role) { return std::string(s_.ArgText(i, role)); };
    const auto fill = [&](std::string* into, ArgRole role) {
      if (into->empty()) *into = text(role);
    };
    fill(&c->recorded, ArgRole::kCollective);
    fill(&c->dtype, ArgRole::kElementType);
    fill(&group->name, ArgRole::kGroupName);
    fill(&group->description, ArgRole::kGroupDescription);
    const auto number = [&](int64_t* into, ArgRole role) {
      if (*into >= 0) return;
      const auto value = s_.ArgInt(i, role);
      if (value && *value >= 0) *into = *value;
    };
    number(&c->in_elements, ArgRole::kInElements);
    number(&c->out_elements, ArgRole::kOutElements);
    number(&c->sequence, ArgRole::kCollectiveNumber);
    number(&group->size, ArgRole::kGroupSize);
    number(&c->peer, c->op == CollectiveOp::kRecv ? ArgRole::kSourceRank : ArgRole::kTargetRank);
    number(&c->peer, ArgRole::kSourceRank);
    if (group->ranks.empty()) group->ranks = RanksOf(text(ArgRole::kGroupRanks), &group->complete);
    c->parts_cut = c->parts_cut || text(ArgRole::kInSplits).find("...") != std::string::npos;
    if (c->sent.empty()) c->sent = ReadParts(i, ArgRole::kInSplits, c->in_elements, *c);
    if (c->received.empty()) c->received = ReadParts(i, ArgRole::kOutSplits, c->out_elements, *c);
  }
  std::vector<int64_t> ReadParts(SliceIndex i, ArgRole role, int64_t elements,
                                 const Collective& c) const {
    const std::string_view splits = s_.ArgText(i, role);
    const int64_t size = ElementBytes(c.dtype);
    if (splits.size() < 3 || size <= 0 || elements < 0) return {};
    return PartsOf(splits, Times(elements, size));
  }

  // --- Calls that were made one by one and run as one.

  // The host's call that put work into a queue; kNone where a graph's launch stands for it.
  SliceIndex AskedAt(const Collective& c) const {
    const SliceIndex captured = m_.CapturedCall(c.slice);
    if (captured != kNone || c.launch == kNone) return captured;
    return IsGraphLaunch(s_.name(c.launch)) ? kNone : c.launch;
  }

  void JoinQueued() {
    const auto open = [](const Collective& c) {
      const bool recorder = c.library != "custom" && c.library != "nvshmem";
      return recorder && c.recorded.empty() && c.in_elements < 0 && c.peer < 0;
    };
    if (std::none_of(list_.calls.begin(), list_.calls.end(), open)) return;
    std::unordered_set<SliceIndex> launches;
    for (const Collective& c : list_.calls) {
      if (AskedAt(c) != kNone) launches.insert(AskedAt(c));
    }
    const QueuedWork queued = QueuedCalls(s_, launches, taken_);
    std::unordered_map<SliceIndex, size_t> batches;  // what a launch began, in list_.calls
    std::vector<size_t> later;
    for (size_t i = 0; i < list_.calls.size(); ++i) {
      Collective& c = list_.calls[i];
      if (!open(c)) continue;
      const auto calls = queued.calls.find(AskedAt(c));
      if (calls != queued.calls.end()) {
        batches.try_emplace(AskedAt(c), i);
        Join(calls->second, &c);
      } else if (queued.goes_on.count(AskedAt(c)) > 0) {
        later.push_back(i);
      }
    }
    GoOn(queued, batches, later);
  }

  // Where a library runs a batch as several kernels, they are one exchange of sends and receives:
  // which of them ran in which kernel is not recorded, and differs on the other side. Collectives
  // are matched kernel by kernel, and share what the batch moved.
  void GoOn(const QueuedWork& queued, const std::unordered_map<SliceIndex, size_t>& batches,
            const std::vector<size_t>& later) {
    std::unordered_set<size_t> taken;
    for (const size_t i : later) {
      Collective& c = list_.calls[i];
      const auto first = queued.goes_on.at(AskedAt(c));
      const auto batch = batches.find(first);
      if (batch == batches.end()) continue;
      Collective& whole = list_.calls[batch->second];
      // Nothing that the records told, or another kind of work.
      if (whole.call == kNone || whole.device != c.device) continue;
      const bool pairs = IsPointToPoint(whole.op);
      if (CollectiveOpOf(s_.name(c.slice)) != CollectiveOpOf(s_.name(whole.slice))) continue;
      if (!pairs) {
        Join(queued.calls.at(first), &c);
        continue;
      }
      SliceIndex slice = c.slice;
      if (s_.start(slice) < s_.start(whole.slice)) std::swap(slice, whole.slice);
      whole.more.push_back(slice);
      whole.end = std::max(whole.end, c.end);
      taken.insert(i);
    }
    size_t at = 0;
    std::erase_if(list_.calls, [&](const Collective&) { return taken.count(at++) > 0; });
  }

  void Join(const std::vector<QueuedCall>& calls, Collective* c) {
    std::vector<Collective> parts;
    CollectiveGroup group;
    for (const QueuedCall& call : calls) {
      group = {};
      Collective part = ReadQueued(call, *c, &group);
      // NCCL runs all-to-all, gathers and scatters as sends and receives.
      const bool fits =
          part.op != CollectiveOp::kUnknown &&
          (c->op == part.op || c->op == CollectiveOp::kUnknown || c->op == CollectiveOp::kSendRecv);
      if (!fits) return;
      parts.push_back(std::move(part));
    }
    const bool alone = parts.size() == 1, pairs = IsPointToPoint(parts[0].op);
    for (const Collective& part : parts) {
      if (IsPointToPoint(part.op) != pairs || (!pairs && part.op != parts[0].op)) return;
    }
    Collective joined = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) {
      joined.in_elements = Plus(joined.in_elements, parts[i].in_elements);
      joined.out_elements = Plus(joined.out_elements, parts[i].out_elements);
      joined.bytes = Plus(joined.bytes, parts[i].bytes);
      if (joined.dtype != parts[i].dtype) joined.dtype.clear();
    }
    joined.slice = c->slice;
    joined.end = c->end;
    joined.launch = c->launch;
    joined.call = calls[0].record;
    joined.library = c->library;
    joined.device = c->device;
    joined.step = c->step;
    joined.coalesced = !alone;
    joined.group = GroupIndex(group);
    if (pairs && !alone) AddParts(parts, &joined);
    *c = std::move(joined);
  }

  Collective ReadQueued(const QueuedCall& call, const Collective& work, CollectiveGroup* group) {
    Collective part;
    part.slice = work.slice;
    const std::string_view range = call.range != kNone ? s_.name(call.range) : "";
    part.op = CollectiveOpOf(range);
    ReadRecord(call.record, &part, group);
    if (part.op == CollectiveOp::kUnknown) part.op = CollectiveOpOf(part.recorded);
    if (part.in_elements < 0) ReadShapes(call.record, &part);
    if (part.in_elements < 0 && call.range != kNone) ReadShapes(call.range, &part);
    NameGroup(part, group);
    if (part.peer < 0 && call.range != kNone) ReadPeer(call.range, *group, &part);
    Complete(&part, *group);
    return part;
  }

  // Sends and receives go both ways at once: the larger sum counts.
  static void AddParts(const std::vector<Collective>& parts, Collective* joined) {
    int64_t sent = 0, received = 0;
    joined->in_elements = joined->out_elements = 0;
    for (const Collective& part : parts) {
      const bool sends = part.op == CollectiveOp::kSend;
      joined->parts.push_back({sends, part.peer, part.bytes});
      int64_t& bytes = sends ? sent : received;
      int64_t& elements = sends ? joined->in_elements : joined->out_elements;
      bytes = Plus(bytes, part.bytes);
      elements = Plus(elements, part.in_elements);
    }
    joined->bytes = sent < 0 || received < 0 ? -1 : std::max(sent, received);
    joined->op = CollectiveOp::kSendRecv;
    joined->peer = -1;
    joined->recorded.clear();
  }

  // Where a library ran one recorded call as several kernels, these share what it moved.
  void ShareRecords() {
    std::map<std::pair<SliceIndex, SliceIndex>, std::vector<Collective*>> works;
    for (Collective& c : list_.calls) {
      if (c.call == kNone || s_.name(c.call) != kCallRecord) continue;
      works[{c.call, AskedAt(c) == c.launch ? kNone : c.launch}].push_back(&c);
    }
    for (const auto& [record, shares] : works) {
      const auto count = static_cast<int64_t>(shares.size());
      if (count == 1) continue;
      for (int64_t i = 0; i < count; ++i) {
        const auto share = [&](int64_t& whole) {
          if (whole >= 0) whole = whole / count + (i < whole % count ? 1 : 0);
        };
        Collective& c = *shares[static_cast<size_t>(i)];
        share(c.in_elements);
        share(c.out_elements);
        share(c.bytes);
        for (int64_t& part : c.sent) share(part);
        for (int64_t& part : c.received) share(part);
      }
    }
  }

  // Recorders before PyTorch 2.5 name the peer in the range around the call alone.
  void ReadPeer(SliceIndex i, const CollectiveGroup& group, Collective* c) const {
    const auto pair = PairOfName(s_.name(i));
    if (!pair) return;
    const auto& ranks = group.ranks;
    if (group.complete) {
      if (pair->peer < static_cast<int64_t>(ranks.size())) {
        c->peer = ranks[static_cast<size_t>(pair->peer)];
      }
      return;
    }
    // In the group of all ranks, numbers are those of the job.
    const auto& info = s_.metadata().distributed;
    const bool all = group.size < 0 || group.size == WorldSize();
    if (info && all && pair->own == info->rank) c->peer = pair->peer;
  }

  void ReadShapes(SliceIndex i, Collective* c) {
    const std::string_view dims = s_.ArgText(i, ArgRole::kInputShapes);
    const std::string_view types = s_.ArgText(i, ArgRole::kInputTypes);
    if (dims.empty() || types.empty()) return;
    // Ranges list the tensors that are sent; operators list outputs and options too.
    const bool range = !CollectiveLibrary(s_.name(i)).empty();
    Exchanged told = range ? Exchanged{ElementsOfAll(dims), -1, FirstType(types)}
                           : ExchangedBy(s_.name(i), TensorsOf(dims, types));
    if (told.type.empty()) told.type = ReducedType(s_.name(c->slice));
    if (told.in < 0 || told.type.empty()) return;
    if (c->dtype.empty()) c->dtype = told.type;
    c->in_elements = told.in;
    if (told.out >= 0) c->out_elements = told.out;
  }

  // HCCL names its work "hcom_allReduce__586_3_1": the group, and the number of the call in it.
  void NameGroup(Collective& c, CollectiveGroup* group) {
    const std::string_view name = s_.name(c.slice);
    const size_t tail = name.find("__");
    if (group->name.empty() && name.starts_with("hcom_") && tail != std::string_view::npos) {
      const std::string_view rest = name.substr(tail + 2);
      group->name = std::string(rest.substr(0, rest.find('_')));
    }
    if (group->name.empty() && group->ranks.empty()) group->name = OnlyGroupOf(group->size);
    const auto known = recorded_.find(group->name);
    if (known != recorded_.end()) {
      const CollectiveGroup& full = known->second;
      if (full.complete) {
        group->ranks = full.ranks;
        group->complete = true;
      }
      if (group->description.empty()) group->description = full.description;
      if (group->size < 0) group->size = full.size;
    }
    if (group->size < 0 && group->complete) group->size = static_cast<int64_t>(group->ranks.size());
    if (group->name.empty() && group->ranks.empty()) group->lane = LaneOf(c);
  }

  // The group that the header lists, where just one set of ranks can be meant; "" where there are
  // more.
  std::string OnlyGroupOf(int64_t size) const {
    const std::string* only = nullptr;
    for (const auto& [name, group] : recorded_) {
      if (size > 0 && group.size != size) continue;
      // Libraries make several groups of the same ranks, for devices and for hosts.
      if (only == nullptr) only = &name;
      if (recorded_.at(*only).ranks != group.ranks || !group.complete) return "";
    }
    return only == nullptr ? "" : *only;
  }

  // Which of the streams of its device that communicate, in order of first use.
  int64_t LaneOf(const Collective& c) {
    if (c.host_only) return -1;
    std::vector<TrackIndex>& lanes = lanes_[c.device];
    const TrackIndex track = s_.track(c.slice);
    auto at = std::find(lanes.begin(), lanes.end(), track);
    if (at == lanes.end() && lanes.size() < 256) at = lanes.insert(at, track);
    return at - lanes.begin();
  }

  // What follows from the rest: bytes, and the side that was not recorded.
  void Complete(Collective* c, const CollectiveGroup& group) {
    const int64_t n = group.size > 0 ? group.size : UnnamedSize();
    if (c->out_elements < 0 && c->in_elements >= 0) {
      c->out_elements = c->in_elements;
      if (c->op == CollectiveOp::kAllGather)
        c->out_elements = n > 0 ? Times(c->in_elements, n) : -1;
      if (c->op == CollectiveOp::kReduceScatter && n > 0) c->out_elements = c->in_elements / n;
    }
    const int64_t size = ElementBytes(c->dtype);
    const int64_t elements = std::max(c->in_elements, c->out_elements);
    // The larger side is what all gather.
    const bool whole = c->op != CollectiveOp::kAllGather || c->out_elements >= 0;
    if (size > 0 && elements >= 0 && whole) c->bytes = Times(elements, size);
    if (c->op == CollectiveOp::kBarrier) c->bytes = 0;
    if (!IsPointToPoint(c->op)) c->peer = -1;
  }

  int64_t WorldSize() const {
    const auto& info = s_.metadata().distributed;
    return info && info->world_size > 0 ? info->world_size : -1;
  }

  // Ranks of a call that names no group: all, unless some of them have groups of their own.
  int64_t UnnamedSize() const {
    const int64_t all = WorldSize();
    const bool parts = std::any_of(recorded_.begin(), recorded_.end(), [&](const auto& known) {
      return known.second.size > 1 && known.second.size < all;
    });
    return parts ? -1 : all;
  }

  uint32_t GroupIndex(const CollectiveGroup& group) {
    const auto [at, added] = index_.try_emplace(group, static_cast<uint32_t>(list_.groups.size()));
    if (added) {
      if (list_.groups.size() >= kMaxGroups) {
        at->second = 0;
      } else {
        list_.groups.push_back(group);
      }
    }
    return at->second;
  }

  const Model& m_;
  const TraceStore& s_;
  const CancelToken& cancel_;
  const std::map<std::string, CollectiveGroup> recorded_;
  const bool amd_;
  CollectiveList list_;
  std::map<CollectiveGroup, uint32_t> index_;
  std::map<int64_t, std::vector<TrackIndex>> lanes_;  // by device
  std::unordered_set<SliceIndex> taken_;              // what is around launches
};

}  // namespace

Result<CollectiveList> FindCollectives(const Model& model, const CancelToken& cancel) {
  return Finder(model, cancel).Find();
}

SliceIndex OperatorOf(const Model& model, const Collective& collective) {
  const TraceStore& s = model.store();
  SliceIndex around =
      collective.host_only ? model.op[collective.slice] : model.SourceOp(collective.slice);
  if (around == kNone && collective.call != kNone) around = model.op[collective.call];
  SliceIndex found = around;
  for (int i = 0; i < kClimb && around != kNone; ++i, around = model.op[around]) {
    if (CollectiveOpOf(s.name(around)) != CollectiveOp::kUnknown) found = around;
  }
  return found;
}

}  // namespace emberline
