#include "ranks/collectives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "analysis/tensor_cores.h"
#include "base/errors.h"
#include "base/parse_integer.h"
#include "json/json.h"
#include "model/names.h"

namespace emberline {
namespace {

// Ranges and records around a call are looked for this far out; recorders put three of them there.
constexpr int kClimb = 24;
// Groups of a job of any size; a file with more is made up.
constexpr size_t kMaxGroups = 65536;

// Members of "[0, 1, 2, ...]"; `complete` is false where the recorder cut the list.
std::vector<int64_t> RanksOf(std::string_view text, bool* complete) {
  std::vector<int64_t> ranks;
  *complete = text.find("...") == std::string_view::npos;
  size_t at = text.find_first_of("0123456789");
  while (at != std::string_view::npos) {
    const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (const auto rank = ParseInteger(text.substr(at, end - at))) ranks.push_back(*rank);
    at = text.find_first_of("0123456789", end);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  *complete = *complete && !ranks.empty();
  return ranks;
}

// What the header says of process groups, by name.
std::map<std::string, CollectiveGroup> RecordedGroups(const TraceStore& store) {
  std::map<std::string, CollectiveGroup> groups;
  if (!store.metadata().distributed) return groups;
  const Result<Json> info = ParseJson(store.metadata().distributed->raw);
  if (!info.ok() || !info->is_object() || !info->contains("pg_config")) return groups;
  const Json& configs = (*info)["pg_config"];
  if (!configs.is_array()) return groups;
  for (const Json& config : configs) {
    if (!config.is_object() || groups.size() >= kMaxGroups) continue;
    CollectiveGroup group;
    const auto text = [&](const char* key) {
      return config.contains(key) && config[key].is_string() ? config[key].get<std::string>() : "";
    };
    group.name = text("pg_name");
    group.description = text("pg_desc");
    if (config.contains("pg_size") && config["pg_size"].is_number_integer()) {
      group.size = config["pg_size"];
    }
    if (config.contains("ranks")) {
      const Json& ranks = config["ranks"];
      group.ranks =
          RanksOf(ranks.is_string() ? ranks.get<std::string>() : DumpJson(ranks), &group.complete);
    }
    if (group.size < 0 && group.complete) group.size = static_cast<int64_t>(group.ranks.size());
    if (!group.name.empty()) groups[group.name] = group;
  }
  return groups;
}

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0) return -1;
  return __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

// Elements of all shapes of "[[8, 4], [2]]", and of the first alone; -1 where there are none.
struct Shapes {
  int64_t first = -1, sum = -1;
};
Shapes ShapesOf(std::string_view dims) {
  Shapes shapes;
  const Result<Json> parsed = ParseJson(dims);
  if (!parsed.ok() || !parsed->is_array()) return shapes;
  const auto elements = [](const Json& shape, auto&& self) -> int64_t {
    if (!shape.is_array() || shape.empty()) return -1;
    if (shape[0].is_array()) {  // a list of tensors
      int64_t sum = -1;
      for (const Json& inner : shape) {
        const int64_t count = self(inner, self);
        if (count >= 0 && sum < (int64_t{1} << 60)) sum = std::max<int64_t>(sum, 0) + count;
      }
      return sum;
    }
    int64_t product = 1;
    for (const Json& size : shape) {
      if (!size.is_number_integer()) return -1;
      product = Times(product, size.get<int64_t>());
    }
    return product < (int64_t{1} << 60) ? product : -1;
  };
  for (const Json& shape : *parsed) {
    const int64_t count = elements(shape, elements);
    if (count < 0) continue;
    if (shapes.first < 0) shapes.first = count;
    shapes.sum = std::min<int64_t>(std::max<int64_t>(shapes.sum, 0) + count, int64_t{1} << 60);
  }
  return shapes;
}

// The first type of "["float", "Scalar"]".
std::string FirstType(std::string_view types) {
  const Result<Json> parsed = ParseJson(types);
  if (!parsed.ok() || !parsed->is_array()) return "";
  for (const Json& type : *parsed) {
    if (type.is_string() && ElementBytes(type.get<std::string>()) > 0) return type;
  }
  return "";
}

// The peer of "nccl:send 0->1" and "nccl:recv 1<-0", which number ranks within the group. `own` is
// who calls. Nothing where the name says no such thing.
struct NamedPair {
  int64_t own = -1, peer = -1;
};
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
  static Error Cancelled() { return MakeError(errors::kCancelled); }

  void AddDeviceWork(SliceIndex i) {
    Collective c;
    c.slice = i;
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
      return i == c->slice || s_.name(i) == "record_param_comms" ||
             CollectiveOpOf(s_.name(i)) != CollectiveOp::kUnknown;
    };
    CollectiveGroup group;
    for (const SliceIndex i : sources) {
      if (!named(i)) continue;
      if (c->call == kNone && i != c->slice) c->call = i;
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
    fill(&c->in_splits, ArgRole::kInSplits);
    fill(&c->out_splits, ArgRole::kOutSplits);
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
    const Shapes shapes = ShapesOf(dims);
    const std::string type = FirstType(types);
    // Ranges list the tensors that are sent; operators list outputs and options too.
    const bool range = !CollectiveLibrary(s_.name(i)).empty();
    const int64_t elements = range ? shapes.sum : shapes.first;
    if (elements < 0 || type.empty()) return;
    if (c->dtype.empty()) c->dtype = type;
    c->in_elements = elements;
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
    const int64_t n = group.size > 0 ? group.size : WorldSize();
    if (c->out_elements < 0 && c->in_elements >= 0) {
      c->out_elements = c->in_elements;
      if (c->op == CollectiveOp::kAllGather)
        c->out_elements = n > 0 ? Times(c->in_elements, n) : -1;
      if (c->op == CollectiveOp::kReduceScatter && n > 0) c->out_elements = c->in_elements / n;
    }
    const int64_t size = ElementBytes(c->dtype);
    const int64_t elements = std::max(c->in_elements, c->out_elements);
    if (size > 0 && elements >= 0) c->bytes = Times(elements, size);
    if (c->op == CollectiveOp::kBarrier) c->bytes = 0;
    if (!IsPointToPoint(c->op)) c->peer = -1;
  }

  int64_t WorldSize() const {
    const auto& info = s_.metadata().distributed;
    return info && info->world_size > 0 ? info->world_size : -1;
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
};

}  // namespace

Result<CollectiveList> FindCollectives(const Model& model, const CancelToken& cancel) {
  return Finder(model, cancel).Find();
}

SliceIndex OperatorOf(const Model& model, const Collective& collective) {
  const TraceStore& s = model.store();
  SliceIndex around =
      collective.host_only ? model.op[collective.slice] : model.SourceOp(collective.slice);
  SliceIndex found = around;
  for (int i = 0; i < kClimb && around != kNone; ++i, around = model.op[around]) {
    if (CollectiveOpOf(s.name(around)) != CollectiveOp::kUnknown) found = around;
  }
  return found;
}

}  // namespace emberline
