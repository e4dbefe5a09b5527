#include "model/model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "model/graphs.h"
#include "model/host_place.h"
#include "model/names.h"
#include "model/passes.h"

namespace emberline {
namespace {

constexpr uint32_t kCancelStride = 8192;

// Id -> slice. Ids of one trace are nearly dense, so they index a vector; a hostile or merged file
// with sparse ids falls back to binary search. The first slice of an id wins.
class IdIndex {
 public:
  void Add(int64_t id, SliceIndex slice) {
    if (id < 0) return;
    entries_.push_back({id, slice});
    if (id > max_) max_ = id;
  }
  void Finish() {
    if (entries_.empty()) return;
    if (static_cast<uint64_t>(max_) < entries_.size() * 8 + 4096) {
      dense_.assign(static_cast<size_t>(max_) + 1, kNone);
      for (const auto& [id, slice] : entries_) {
        uint32_t& at = dense_[static_cast<size_t>(id)];
        if (at == kNone) at = slice;
      }
      entries_ = {};
      return;
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.id < b.id; });
  }
  SliceIndex Find(int64_t id) const {
    if (id < 0 || id > max_) return kNone;
    if (!dense_.empty()) return dense_[static_cast<size_t>(id)];
    auto it = std::lower_bound(entries_.begin(), entries_.end(), id,
                               [](const Entry& e, int64_t value) { return e.id < value; });
    return it != entries_.end() && it->id == id ? it->slice : kNone;
  }

 private:
  struct Entry {
    int64_t id;
    SliceIndex slice;
  };
  std::vector<Entry> entries_;
  std::vector<uint32_t> dense_;
  int64_t max_ = -1;
};

// Ids of the arg keys that the model reads; kNone for keys that the trace does not have.
struct Keys {
  explicit Keys(const StringPool& pool)
      : correlation(pool.Find("correlation")),
        external(pool.Find("External id")),
        external_old(pool.Find("external id")),
        sequence(pool.Find("Sequence number")),
        forward_thread(pool.Find("Fwd thread id")),
        collective(pool.Find("Collective name")) {}
  StringId correlation, external, external_old, sequence, forward_thread, collective;
};

bool EqualsNoCase(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const char c = a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] + 32) : a[i];
    if (c != lower[i]) return false;
  }
  return true;
}

class Builder {
 public:
  Builder(std::shared_ptr<const TraceStore> store, const CancelToken& cancel)
      : model_(std::make_shared<Model>()),
        s_(*store),
        n_(store->slice_count()),
        all_(store->all_slice_count()),
        keys_(store->strings()),
        cancel_(cancel) {
    model_->store_ = std::move(store);
  }

  Result<std::shared_ptr<const Model>> Run() {
    using Stage = bool (Builder::*)();
    constexpr std::array<Stage, 10> kStages = {&Builder::Classify,       &Builder::Enclose,
                                               &Builder::LinkLaunches,   &Builder::LinkOps,
                                               &Builder::InvertLaunches, &Builder::LinkCaptures,
                                               &Builder::PairForward,    &Builder::BuildSteps,
                                               &Builder::AddTimes,       &Builder::ListDevices};
    for (Stage stage : kStages) {
      if (!(this->*stage)())
        return Error{ErrorKind::kCancelled, "Building the model was cancelled.", ""};
    }
    return std::shared_ptr<const Model>(std::move(model_));
  }

 private:
  bool Stop(uint32_t i) const { return i % kCancelStride == 0 && cancel_.cancelled(); }
  bool OnHost(SliceIndex i) const {
    return s_.tracks()[s_.track(i)].kind == TrackKind::kHostThread;
  }
  std::optional<int64_t> Int(SliceIndex i, StringId key) const {
    return key == kNone ? std::nullopt : s_.ArgInt(i, key);
  }
  std::optional<int64_t> ExternalId(SliceIndex i) const {
    if (auto id = Int(i, keys_.external)) return id;
    return Int(i, keys_.external_old);
  }

  // What each slice is, by kind and name; names are classified once each.
  bool Classify() {
    Model& m = *model_;
    m.is_op.assign(all_, false);
    m.is_communication.assign(all_, false);
    range_.assign(s_.strings().size(), 0xff);
    std::vector<uint8_t> communication(s_.strings().size(), 0xff);
    for (SliceIndex i = 0; i < all_; ++i) {
      if (Stop(i)) return false;
      const SliceKind kind = s_.kind(i);
      const StringId name = s_.name_id(i);
      if (kind == SliceKind::kCpuOp || kind == SliceKind::kUserAnnotation) {
        if (range_[name] == 0xff) {
          range_[name] = static_cast<uint8_t>(ClassifyRange(s_.strings().Get(name)));
        }
        const auto range = static_cast<RangeKind>(range_[name]);
        m.is_op[i] = kind == SliceKind::kCpuOp && range != RangeKind::kStep &&
                     range != RangeKind::kDataLoader && range != RangeKind::kOptimizer;
      } else if (IsDeviceWork(kind) && kind != SliceKind::kMemcpy && kind != SliceKind::kMemset) {
        if (communication[name] == 0xff) {
          communication[name] = IsCommunicationKernelName(s_.strings().Get(name));
        }
        m.is_communication[i] =
            kind == SliceKind::kCommunication || communication[name] != 0 ||
            (keys_.collective != kNone && !s_.ArgText(i, keys_.collective).empty());
      }
    }
    return true;
  }

  // The innermost enclosing op, frame and annotation of host slices. A parent's index is smaller
  // than its children's, so one pass in order does, whatever the depth.
  bool Enclose() {
    Model& m = *model_;
    m.op.assign(all_, kNone);
    m.frame.assign(all_, kNone);
    m.annotation.assign(all_, kNone);
    std::vector<SliceIndex> open;  // ops of the current track that may enclose what follows
    TrackIndex track = kNone;
    for (SliceIndex i = 0; i < all_; ++i) {
      if (Stop(i)) return false;
      if (!OnHost(i) && i < n_) continue;
      if (s_.track(i) != track) {
        track = s_.track(i);
        open.clear();
      }
      const SliceIndex p = s_.parent(i);
      if (p != kNone) PlaceInside(i, p);
      const bool launch = IsLaunchApi(s_.kind(i));
      if (!launch && !m.IsOp(i)) continue;
      // A launch belongs to the innermost op around its start: whole microseconds of old recorders
      // let a call end after the op that made it, so containment of the whole call is too strict
      // (trace-format, section 10.3).
      while (!open.empty() && (s_.end(open.back()) < s_.start(i) ||
                               (s_.end(open.back()) == s_.start(i) && s_.duration(i) > 0))) {
        open.pop_back();
      }
      if (m.IsOp(i)) {
        open.push_back(i);
      } else if (!open.empty() && open.back() != m.op[i]) {
        const SliceIndex op = open.back();
        m.op[i] = op;
        m.frame[i] = Deeper(m.frame[i], m.frame[op]);
        m.annotation[i] = Deeper(m.annotation[i], m.annotation[op]);
      }
    }
    return EncloseInSameThread();
  }
  void PlaceInside(SliceIndex i, SliceIndex parent) {
    Model& m = *model_;
    const SliceKind kind = s_.kind(parent);
    m.op[i] = m.IsOp(parent) ? parent : m.op[parent];
    m.frame[i] = kind == SliceKind::kPythonFunction ? parent : m.frame[parent];
    m.annotation[i] =
        kind == SliceKind::kUserAnnotation || (kind == SliceKind::kCpuOp && !m.IsOp(parent))
            ? parent
            : m.annotation[parent];
  }
  // Rows that show more of a thread that has a row already (Track::same_thread): their slices run
  // inside what runs there at their start.
  bool EncloseInSameThread() {
    for (const Track& track : s_.tracks()) {
      if (track.kind != TrackKind::kHostThread || track.same_thread == kNone) continue;
      const Track& outer = s_.tracks()[track.same_thread];
      SliceIndex next = outer.first;
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return false;
        const SliceIndex parent = s_.parent(i);
        if (parent != kNone) {
          model_->op[i] = Deeper(model_->op[i], model_->op[parent]);
          model_->frame[i] = Deeper(model_->frame[i], model_->frame[parent]);
          model_->annotation[i] = Deeper(model_->annotation[i], model_->annotation[parent]);
          continue;
        }
        while (next < outer.last && s_.start(next) <= s_.start(i)) ++next;
        SliceIndex around = next == outer.first ? kNone : next - 1;
        while (around != kNone && s_.end(around) < s_.end(i)) around = s_.parent(around);
        if (around != kNone) PlaceInside(i, around);
      }
    }
    return true;
  }
  static SliceIndex Deeper(SliceIndex a, SliceIndex b) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    return std::max(a, b);
  }

  // Device slice -> launch by correlation. Correlations of different recorders (MTIA beside CUDA)
  // are different number spaces. 0 means "no link".
  bool LinkLaunches() {
    Model& m = *model_;
    m.launch.assign(all_, kNone);
    std::vector<uint8_t> domain(s_.categories().size(), 0);
    for (size_t c = 0; c < domain.size(); ++c) {
      const std::string_view raw = s_.strings().Get(s_.categories()[c].raw);
      domain[c] = raw.size() >= 4 && EqualsNoCase(raw.substr(0, 4), "mtia") ? 1 : 0;
    }
    struct Call {
      int64_t correlation;
      Ns start;
      SliceIndex slice;
      uint8_t domain;
    };
    std::vector<Call> calls;
    if (keys_.correlation != kNone) {
      for (SliceIndex i = 0; i < n_; ++i) {
        if (Stop(i)) return false;
        if (!IsLaunchApi(s_.kind(i))) continue;
        const auto correlation = s_.ArgInt(i, keys_.correlation);
        if (correlation && *correlation != 0) {
          calls.push_back({*correlation, s_.start(i), i, domain[s_.category(i)]});
        }
      }
      std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
        if (a.correlation != b.correlation) return a.correlation < b.correlation;
        if (a.domain != b.domain) return a.domain < b.domain;
        if (a.start != b.start) return a.start < b.start;
        return a.slice < b.slice;
      });
    }
    // The latest call of the number that had begun when the device work began, in `d`; the first
    // when none had (clocks of host and device differ a little).
    auto find = [&](int64_t correlation, uint8_t d, Ns start) -> SliceIndex {
      auto first = std::lower_bound(calls.begin(), calls.end(), std::pair{correlation, d},
                                    [](const Call& c, const std::pair<int64_t, uint8_t>& key) {
                                      if (c.correlation != key.first)
                                        return c.correlation < key.first;
                                      return c.domain < key.second;
                                    });
      if (first == calls.end() || first->correlation != correlation || first->domain != d)
        return kNone;
      auto after = std::upper_bound(first, calls.end(), start, [&](Ns value, const Call& c) {
        if (c.correlation != correlation || c.domain != d) return true;
        return value < c.start;
      });
      return (after == first ? first : std::prev(after))->slice;
    };
    bool any = false;
    if (!calls.empty()) {
      for (SliceIndex i = 0; i < n_; ++i) {
        if (Stop(i)) return false;
        if (!IsDeviceWork(s_.kind(i))) continue;
        const auto correlation = s_.ArgInt(i, keys_.correlation);
        if (!correlation || *correlation == 0) continue;
        const uint8_t d = domain[s_.category(i)];
        SliceIndex call = find(*correlation, d, s_.start(i));
        if (call == kNone) call = find(*correlation, d == 0 ? 1 : 0, s_.start(i));
        m.launch[i] = call;
        any = any || call != kNone;
      }
    }
    if (!any) LinkLaunchesByFlow();
    return true;
  }

  // For files whose args were stripped: arrows from a call to device work.
  void LinkLaunchesByFlow() {
    Model& m = *model_;
    ForEachArrow([&](SliceIndex from, SliceIndex to) {
      if (IsLaunchApi(s_.kind(from)) && m.launch[to] == kNone) m.launch[to] = from;
    });
  }

  // Arrows that end at device work, without those from forward to backward. An end goes with the
  // last start before it; with the first one where the device's clock is behind the host's.
  template <typename Visit>
  void ForEachArrow(Visit visit) {
    const auto& flows = s_.flows();
    for (size_t i = 0; i < flows.size();) {
      size_t end = i, first = flows.size();
      for (; end < flows.size() && flows[end].id == flows[i].id; ++end) {
        if (flows[end].phase == FlowPhase::kStart) first = std::min(first, end);
      }
      SliceIndex from = first < flows.size() ? flows[first].slice : kNone;
      for (; i < end; ++i) {
        const FlowPoint& point = flows[i];
        if (point.slice == kNone || IsForwardFlow(point)) continue;
        if (point.phase == FlowPhase::kStart) {
          from = point.slice;
        } else if (from != kNone && IsDeviceWork(s_.kind(point.slice))) {
          visit(from, point.slice);
        }
      }
    }
  }

  bool IsForwardFlow(const FlowPoint& point) const {
    const std::string_view category = s_.strings().Get(s_.categories()[point.category].raw);
    if (EqualsNoCase(category, "fwdbwd") || EqualsNoCase(category, "forward_backward")) return true;
    const std::string_view name = s_.strings().Get(point.name);
    return name == "fwdbwd" || name == "fwd_bwd";
  }

  // Launch -> op by external id where that can be trusted, else by containment (already in `op`);
  // then device slices follow their launch.
  bool LinkOps() {
    Model& m = *model_;
    // PyTorch 1.12 to 2.2 writes a row's own correlation into its external id: equal on every row.
    uint64_t both = 0, equal = 0, different = 0;
    if (keys_.external != kNone || keys_.external_old != kNone) {
      for (SliceIndex i = 0; i < n_; ++i) {
        if (Stop(i)) return false;
        const SliceKind kind = s_.kind(i);
        if (!IsLaunchApi(kind) && !IsDeviceWork(kind)) continue;
        const auto external = ExternalId(i);
        if (!external || *external == 0) continue;
        const auto correlation = Int(i, keys_.correlation);
        if (!correlation) {
          ++different;
          continue;
        }
        ++both;
        if (*correlation == *external) ++equal;
      }
    }
    const bool trusted =
        (both > 0 || different > 0) && equal * 100 < both * 99 + (both == 0 ? 1 : 0);
    IdIndex ops;
    if (trusted) {
      for (SliceIndex i = 0; i < n_; ++i) {
        if (Stop(i)) return false;
        if (!m.IsOp(i)) continue;
        const auto external = ExternalId(i);
        if (external && *external != 0) ops.Add(*external, i);
      }
      ops.Finish();
    }
    bool by_id = false, by_containment = false, without_op = false;
    auto find = [&](SliceIndex i) -> SliceIndex {
      if (!trusted) return kNone;
      const auto external = ExternalId(i);
      if (!external || *external == 0) return kNone;
      // A row without an op falls back to its correlation in some releases.
      if (Int(i, keys_.correlation) == external) return kNone;
      return ops.Find(*external);
    };
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!IsLaunchApi(s_.kind(i))) continue;
      const SliceIndex op = find(i);
      if (op != kNone && s_.tracks()[s_.track(op)].pid == s_.tracks()[s_.track(i)].pid) {
        if (op != m.op[i]) around_.emplace_back(i, m.op[i]);
        m.op[i] = op;
        by_id = true;
      } else if (m.op[i] != kNone) {
        by_containment = true;
      }
    }
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!IsDeviceWork(s_.kind(i))) continue;
      const SliceIndex launch = m.launch[i];
      if (launch != kNone) {
        m.op[i] = m.op[launch];
        m.frame[i] = m.frame[launch];
        m.annotation[i] = m.annotation[launch];
      }
      if (m.op[i] == kNone) {
        const SliceIndex op = find(i);
        if (op != kNone) {
          m.op[i] = op;
          by_id = true;
          if (launch == kNone) {
            m.frame[i] = m.frame[op];
            m.annotation[i] = m.annotation[op];
          }
        }
      }
      if (launch == kNone && m.op[i] == kNone) ++m.unlinked_device_slices;
      without_op = without_op || m.op[i] == kNone;
    }
    const bool by_arrow = without_op && LinkOpsByFlow();
    m.op_link = by_id            ? OpLinkMethod::kExternalId
                : by_arrow       ? OpLinkMethod::kArrow
                : by_containment ? OpLinkMethod::kContainment
                                 : OpLinkMethod::kNone;
    return true;
  }

  // Some recorders draw arrows from an operator to the work that it queued for another thread to
  // launch. True when that gave any work its operator.
  bool LinkOpsByFlow() {
    Model& m = *model_;
    bool any = false;
    ForEachArrow([&](SliceIndex from, SliceIndex to) {
      if (m.op[to] != kNone || !OnHost(from)) return;
      const SliceIndex op = m.IsOp(from) ? from : m.op[from];
      if (op == kNone) return;
      if (m.launch[to] == kNone) --m.unlinked_device_slices;
      m.op[to] = op;
      m.frame[to] = m.frame[op];
      m.annotation[to] = m.annotation[op];
      any = true;
    });
    return any;
  }

  bool InvertLaunches() {
    Model& m = *model_;
    m.launched.begin.assign(static_cast<size_t>(all_) + 1, 0);
    for (SliceIndex i = 0; i < n_; ++i) {
      if (m.launch[i] != kNone) ++m.launched.begin[m.launch[i] + 1];
    }
    for (uint32_t i = 0; i < all_; ++i) m.launched.begin[i + 1] += m.launched.begin[i];
    m.launched.items.resize(m.launched.begin[all_]);
    std::vector<uint32_t> next(m.launched.begin.begin(), m.launched.begin.end() - 1);
    for (SliceIndex i = 0; i < n_; ++i) {
      if (m.launch[i] != kNone) m.launched.items[next[m.launch[i]]++] = i;
    }
    return !cancel_.cancelled();
  }

  // Who recorded the work that graph launches ran.
  bool LinkCaptures() {
    Model& m = *model_;
    const auto here = CapturedCalls(m, cancel_);
    if (cancel_.cancelled()) return false;
    if (here.empty() && s_.captured_work().empty()) return true;
    m.captured.assign(all_, kNone);
    for (const auto& [work, call] : s_.captured_work()) m.captured[work] = call;
    for (const auto& [work, call] : here) m.captured[work] = call;
    return true;
  }

  // The autograd node that a backward op stands in: the nearest enclosing "evaluate_function", else
  // the op itself.
  SliceIndex NodeOf(SliceIndex op) const { return node_[op] == kNone ? op : node_[op]; }
  SliceIndex OpAt(SliceIndex slice) const {
    if (slice == kNone || !OnHost(slice)) return kNone;
    return model_->IsOp(slice) ? slice : model_->op[slice];
  }
  bool Encloses(SliceIndex outer, SliceIndex inner) const {
    return s_.track(outer) == s_.track(inner) && s_.start(outer) <= s_.start(inner) &&
           s_.end(outer) >= s_.end(inner);
  }

  // Forward partners: by arrow, else by (forward thread, sequence number); descendants inherit.
  bool PairForward() {
    Model& m = *model_;
    m.forward.assign(all_, kNone);
    is_backward_.assign(n_, false);
    is_node_.assign(n_, false);
    node_.assign(n_, kNone);
    std::vector<uint8_t> node_name(s_.strings().size(),
                                   0xff);  // bit 0: evaluate_function, bit 1: backward
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!m.IsOp(i)) continue;
      const StringId name = s_.name_id(i);
      if (node_name[name] == 0xff) {
        const std::string_view text = s_.strings().Get(name);
        node_name[name] =
            static_cast<uint8_t>((text.starts_with("autograd::engine::evaluate_function") ? 1 : 0) |
                                 (IsBackwardName(text) ? 2 : 0));
      }
      is_node_[i] = (node_name[name] & 1) != 0;
      // Ops around it stand before it, so each chain of them is followed once, however deep.
      node_[i] = is_node_[i] ? i : m.op[i] == kNone ? kNone : node_[m.op[i]];
      is_backward_[i] = (node_name[name] & 2) != 0;
    }

    const auto& flows = s_.flows();
    SliceIndex from = kNone;
    uint64_t id = 0;
    for (size_t k = 0; k < flows.size(); ++k) {
      if (Stop(static_cast<uint32_t>(k))) return false;
      const FlowPoint& point = flows[k];
      if (!IsForwardFlow(point)) continue;
      if (point.id != id) from = kNone;
      id = point.id;
      if (point.phase == FlowPhase::kStart) {
        from = OpAt(point.slice);
      } else if (from != kNone) {
        const SliceIndex to = OpAt(point.slice);
        if (to == kNone) continue;
        const SliceIndex node = NodeOf(to);
        if (node == from || Encloses(node, from)) continue;
        // Several arrows into one node: the forward op that starts last counts, in whatever order
        // the arrows come (B10).
        if (m.forward[node] == kNone || s_.start(m.forward[node]) < s_.start(from)) {
          m.forward[node] = from;
        }
      }
    }

    std::vector<bool> fresh(n_, false);  // records a sequence number of its own as a forward op
    if (keys_.sequence != kNone && !PairBySequence(&fresh)) return false;

    // A gradient is accumulated right after the node that made it, on the same thread; its node has
    // no forward op of its own, so it goes with that one.
    TrackIndex track = kNone;
    SliceIndex last = kNone;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!is_node_[i]) continue;
      if (s_.track(i) != track) last = kNone;
      track = s_.track(i);
      if (m.forward[i] != kNone) {
        last = i;
      } else if (last != kNone && s_.name(i).ends_with("AccumulateGrad")) {
        m.forward[i] = m.forward[last];
      }
    }

    return AssignPasses({&is_node_, &is_backward_, &fresh}, cancel_, &m);
  }

  bool PairBySequence(std::vector<bool>* fresh) {
    Model& m = *model_;
    struct Entry {
      int64_t number;
      TrackIndex track;
      SliceIndex slice;
    };
    struct Backward {
      int64_t thread;
      int64_t number;
      SliceIndex slice;
    };
    std::vector<Entry> forwards;
    std::vector<Backward> backwards;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      if (!m.IsOp(i)) continue;
      const auto number = s_.ArgInt(i, keys_.sequence);
      if (!number || *number < 0) continue;
      const int64_t thread = Int(i, keys_.forward_thread).value_or(0);
      if (thread > 0) {
        is_backward_[i] = true;
        backwards.push_back({thread, *number, i});
      } else if (!is_backward_[i]) {
        (*fresh)[i] = true;
        forwards.push_back({*number, s_.track(i), i});
      }
    }
    if (forwards.empty() || backwards.empty()) return true;
    std::stable_sort(forwards.begin(), forwards.end(), [](const Entry& a, const Entry& b) {
      return a.track != b.track ? a.track < b.track : a.number < b.number;
    });
    struct Group {
      size_t begin, end;
    };
    std::vector<Group> groups;  // one per forward thread
    for (size_t i = 0; i < forwards.size();) {
      size_t end = i;
      while (end < forwards.size() && forwards[end].track == forwards[i].track) ++end;
      groups.push_back({i, end});
      i = end;
    }
    // Only the busiest threads are candidates; more would make a hostile file quadratic.
    constexpr size_t kMaxCandidates = 32;
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
      return a.end - a.begin > b.end - b.begin;
    });
    if (groups.size() > kMaxCandidates) groups.resize(kMaxCandidates);

    // The last forward op on the group's thread with this number that had ended before `backward`.
    auto find = [&](const Group& group, int64_t number, SliceIndex backward) -> SliceIndex {
      const auto begin = forwards.begin() + static_cast<ptrdiff_t>(group.begin);
      const auto end = forwards.begin() + static_cast<ptrdiff_t>(group.end);
      auto after = std::upper_bound(begin, end, std::pair{number, s_.start(backward)},
                                    [&](const std::pair<int64_t, Ns>& key, const Entry& e) {
                                      if (e.number != key.first) return key.first < e.number;
                                      return key.second < s_.start(e.slice);
                                    });
      // Ops of one number nest a few deep; a hostile file may repeat it, so the way back is
      // bounded.
      for (int tries = 0; tries < 16 && after != begin; ++tries) {
        --after;
        if (after->number != number) break;
        if (!Encloses(after->slice, backward)) return after->slice;
      }
      return kNone;
    };

    // PyTorch numbers threads itself (1, 2, ...): the thread that has most of a number's partners
    // is the one meant.
    std::unordered_map<int64_t, std::vector<uint32_t>, NumberHash> votes;
    for (size_t i = 0; i < backwards.size(); ++i) {
      if (Stop(static_cast<uint32_t>(i))) return false;
      auto& vote = votes[backwards[i].thread];
      vote.resize(groups.size(), 0);
      for (size_t g = 0; g < groups.size(); ++g) {
        if (find(groups[g], backwards[i].number, backwards[i].slice) != kNone) ++vote[g];
      }
    }
    std::unordered_map<int64_t, size_t, NumberHash> best;
    for (const auto& [thread, vote] : votes) {
      best[thread] = static_cast<size_t>(std::max_element(vote.begin(), vote.end()) - vote.begin());
    }
    for (size_t i = 0; i < backwards.size(); ++i) {
      if (Stop(static_cast<uint32_t>(i))) return false;
      const Backward& b = backwards[i];
      const SliceIndex node = NodeOf(b.slice);
      if (m.forward[node] != kNone) continue;
      const SliceIndex partner = find(groups[best[b.thread]], b.number, b.slice);
      if (partner != kNone && partner != node && !Encloses(node, partner))
        m.forward[node] = partner;
    }
    return true;
  }

  bool BuildSteps() {
    Model& m = *model_;
    struct Found {
      int64_t number;
      SliceIndex slice;
    };
    std::vector<Found> found;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      // Device-side annotations repeat the names; only the host's are steps (B2).
      const SliceKind kind = s_.kind(i);
      if (kind != SliceKind::kUserAnnotation && kind != SliceKind::kCpuOp) continue;
      if (static_cast<RangeKind>(range_[s_.name_id(i)]) != RangeKind::kStep || !OnHost(i)) continue;
      if (const auto number = StepNumber(s_.name(i))) found.push_back({*number, i});
    }
    std::stable_sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
      return s_.start(a.slice) < s_.start(b.slice);
    });
    for (const Found& f : found) {
      // Two profilers in one process record a step twice.
      if (!m.steps.empty() && m.steps.back().number == f.number &&
          s_.start(f.slice) < m.steps.back().host.end) {
        continue;
      }
      Step step;
      step.name = std::to_string(f.number);
      step.number = f.number;
      step.slice = f.slice;
      step.host = {s_.start(f.slice), s_.end(f.slice)};
      m.steps.push_back(std::move(step));
    }
    m.has_recorded_steps = !m.steps.empty();
    if (m.steps.empty()) {
      if (n_ == 0) {
        m.step.clear();
        return true;
      }
      Step step;
      step.name = "0";
      step.host = WholeTrace();
      m.steps.push_back(std::move(step));
    }
    AssignSteps();
    ExtendSteps();
    if (m.has_recorded_steps) {
      // Work whose launch is not in the file goes by its own time.
      for (SliceIndex i = 0; i < n_; ++i) {
        if (Stop(i)) return false;
        if (IsDeviceWork(s_.kind(i)) && m.launch[i] == kNone) {
          m.step[i] = StepAt(s_.start(i), &Step::time);
        }
      }
    }
    return true;
  }

  // Without step annotations the whole trace is one step: the extent of its operators, extended by
  // their device work as any step; of everything when there is no operator (B24).
  Interval WholeTrace() const {
    auto extent = [&](auto&& wanted) -> std::optional<Interval> {
      std::optional<Interval> all;
      for (SliceIndex i = 0; i < n_; ++i) {
        if (!wanted(i)) continue;
        if (!all) all = Interval{s_.start(i), s_.end(i)};
        all->begin = std::min(all->begin, s_.start(i));
        all->end = std::max(all->end, s_.end(i));
      }
      return all;
    };
    if (auto ops = extent([&](SliceIndex i) { return s_.kind(i) == SliceKind::kCpuOp; });
        ops && ops->Length() > 0) {
      return *ops;
    }
    if (auto work = extent([&](SliceIndex i) {
          return IsDeviceWork(s_.kind(i)) || IsLaunchApi(s_.kind(i)) ||
                 s_.kind(i) == SliceKind::kUserAnnotation;
        })) {
      return *work;
    }
    return s_.extent();
  }

  uint32_t StepAt(Ns time, Interval Step::*range) const {
    const auto& steps = model_->steps;
    auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                  [&](Ns t, const Step& s) { return t < (s.*range).begin; });
    if (after == steps.begin()) return kNone;
    --after;
    return time < ((*after).*range).end ? static_cast<uint32_t>(after - steps.begin()) : kNone;
  }

  void AssignSteps() {
    Model& m = *model_;
    m.step.assign(all_, kNone);
    if (!m.has_recorded_steps) {
      std::fill(m.step.begin(), m.step.begin() + n_, 0u);
      return;
    }
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!IsDeviceWork(s_.kind(i))) m.step[i] = StepAt(s_.start(i), &Step::host);
    }
    for (const Step& step : m.steps) {
      // A step of zero length still holds its own annotation.
      m.step[step.slice] = static_cast<uint32_t>(&step - m.steps.data());
    }
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!IsDeviceWork(s_.kind(i)) || m.launch[i] == kNone) continue;
      // A launch on a thread of its own comes later than the operator that asked for it.
      m.step[i] = m.step[LaunchPlaceOf(m, i)];
    }
  }

  // Steps extended over their device work, semantics of view-semantics 3.6, with device work
  // assigned by the start of its launch (B30) and a last step that misses work shown as partial
  // instead of dropped (B66).
  void ExtendSteps() {
    Model& m = *model_;
    struct Work {
      Ns first = 0, last = 0;
      uint64_t count = 0;
    };
    std::vector<Work> work(m.steps.size());
    std::vector<Ns> orphan_ends;
    // Without recorded steps, only work launched inside the one step counts as its own.
    auto owner = [&](SliceIndex i) -> uint32_t {
      if (m.launch[i] == kNone) return kNone;
      return m.has_recorded_steps ? m.step[i] : StepAt(s_.start(m.launch[i]), &Step::host);
    };
    bool any = false;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!IsDeviceWork(s_.kind(i))) continue;
      const uint32_t step = owner(i);
      if (step == kNone) {
        orphan_ends.push_back(s_.end(i));
        continue;
      }
      Work& w = work[step];
      w.first = w.count == 0 ? s_.start(i) : std::min(w.first, s_.start(i));
      w.last = w.count == 0 ? s_.end(i) : std::max(w.last, s_.end(i));
      ++w.count;
      any = true;
    }
    for (Step& step : m.steps) step.time = step.host;
    if (!any) return;
    Ns previous = m.steps[0].host.begin;
    if (work[0].count > 0) {
      for (Ns end : orphan_ends) {
        if (end < work[0].first) previous = std::max(previous, end);
      }
    }
    for (size_t i = 0; i < m.steps.size(); ++i) {
      Step& step = m.steps[i];
      step.time.begin = std::max(previous, step.host.begin);
      step.time.end = std::max(step.host.end, work[i].count > 0 ? work[i].last : step.time.begin);
      if (step.time.end < step.time.begin) step.time.end = step.time.begin;
      previous = step.time.end;
    }
    if (m.steps.size() < 2) return;
    size_t last = m.steps.size();
    while (last > 0 && work[last - 1].count == 0) --last;
    for (size_t i = last; i < m.steps.size(); ++i) m.steps[i].partial = true;
    if (last >= 2 && work[last - 2].count * 8 > work[last - 1].count * 10) {
      m.steps[last - 1].partial = true;
    }
  }

  bool AddTimes() {
    Model& m = *model_;
    auto around = around_.begin();
    m.host_self.assign(all_, 0);
    m.host_api.assign(all_, 0);
    m.device_self.assign(all_, 0);
    m.device_total.assign(all_, 0);
    for (SliceIndex i = 0; i < n_; ++i) {
      if (Stop(i)) return false;
      SliceIndex op = m.op[i];
      // Host time goes by where the call ran, also when an id gives its work to another op.
      if (around != around_.end() && around->first == i) op = (around++)->second;
      if (m.IsOp(i)) {
        m.host_self[i] += s_.duration(i);
        if (op != kNone) m.host_self[op] -= s_.duration(i);
      } else if (op != kNone && IsLaunchApi(s_.kind(i))) {
        AddApi(i, op);
      } else if (op != kNone && IsDeviceWork(s_.kind(i))) {
        (m.SourceOp(i) == op ? m.device_self : m.device_total)[op] += s_.duration(i);
      }
    }
    // Children have larger indexes than their parents, so one pass backwards adds up whole trees.
    for (SliceIndex i = n_; i-- > 0;) {
      if (!m.IsOp(i)) continue;
      m.device_total[i] += m.device_self[i];
      if (m.op[i] != kNone) m.device_total[m.op[i]] += m.device_total[i];
    }
    return true;
  }
  // Adds a call's time to the op around it: all of it, except where whole microseconds let it
  // overhang. A driver call inside a runtime call is the same time.
  void AddApi(SliceIndex call, SliceIndex op) {
    const SliceIndex p = s_.parent(call);
    if (p != kNone && IsLaunchApi(s_.kind(p))) return;
    const Ns begin = std::max(s_.start(op), s_.start(call));
    const Ns end = std::min(s_.end(op), s_.end(call));
    if (end > begin) model_->host_api[op] += end - begin;
  }

  // "GPU 2" and "MTIA 9" label the rows of a device; a file without labels tells by its categories.
  std::string DeviceKind(const Device& device, const std::string& otherwise) const {
    constexpr size_t kLongest = 16;
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    for (TrackIndex t : device.streams) {
      const std::string_view label = s_.strings().Get(s_.tracks()[t].process_labels);
      const size_t blank = label.find(' ');
      const std::string_view word = label.substr(0, blank);
      if (word.empty() || word.size() > kLongest) continue;
      // Some recorders leave the number out.
      const bool this_one = blank == std::string_view::npos ||
                            label.substr(blank + 1) == std::to_string(device.ordinal);
      if (this_one && word != "CPU" && std::all_of(word.begin(), word.end(), letter)) {
        return std::string(word);
      }
    }
    return otherwise;
  }

  // A hostile file may have as many devices as categories, so these are looked through once.
  std::string KindByCategories() const {
    for (const CategoryInfo& category : s_.categories()) {
      const std::string_view raw = s_.strings().Get(category.raw);
      for (const auto& [prefix, kind] :
           {std::pair{"mtia", "MTIA"}, std::pair{"xpu", "XPU"}, std::pair{"hpu", "HPU"}}) {
        const std::string_view lower = prefix;
        if (raw.size() > lower.size() && EqualsNoCase(raw.substr(0, lower.size()), lower)) {
          return kind;
        }
      }
    }
    return "GPU";
  }

  bool ListDevices() {
    Model& m = *model_;
    const auto& tracks = s_.tracks();
    std::vector<Ns> load(tracks.size(), 0);
    std::vector<bool> used(tracks.size(), false);
    for (TrackIndex t = 0; t < tracks.size(); ++t) {
      if (tracks[t].kind != TrackKind::kDeviceStream) continue;
      for (SliceIndex i = tracks[t].first; i < tracks[t].last; ++i) {
        if (!IsDeviceWork(s_.kind(i))) continue;
        load[t] += s_.duration(i);
        used[t] = true;
      }
    }
    std::unordered_map<int64_t, size_t, NumberHash> by_ordinal;
    for (TrackIndex t = 0; t < tracks.size(); ++t) {
      if (!used[t]) continue;
      const auto [it, added] = by_ordinal.try_emplace(tracks[t].device, m.devices.size());
      if (added) {
        Device device;
        device.ordinal = tracks[t].device;
        m.devices.push_back(std::move(device));
      }
      m.devices[it->second].streams.push_back(t);
    }
    std::sort(m.devices.begin(), m.devices.end(),
              [](const Device& a, const Device& b) { return a.ordinal < b.ordinal; });
    const std::string otherwise = KindByCategories();
    for (Device& device : m.devices) device.kind = DeviceKind(device, otherwise);
    const auto& properties = s_.metadata().devices;
    std::unordered_map<int64_t, const DeviceProperties*, NumberHash> by_id;
    for (const DeviceProperties& p : properties) by_id[p.id] = &p;
    for (Device& device : m.devices) {
      std::stable_sort(device.streams.begin(), device.streams.end(),
                       [&](TrackIndex a, TrackIndex b) { return load[a] > load[b]; });
      const auto found = by_id.find(device.ordinal);
      if (found != by_id.end()) device.properties = found->second;
    }
    // ROCm numbers kernels by agent (the first GPU is often 2), properties by GPU: when the numbers
    // do not meet, one used device and one entry, or entries all alike, leave no doubt (B60).
    bool alike = !properties.empty();
    for (const DeviceProperties& p : properties) {
      alike = alike && p.name == properties[0].name &&
              p.total_global_mem == properties[0].total_global_mem &&
              p.num_sms == properties[0].num_sms;
    }
    for (Device& device : m.devices) {
      if (device.properties == nullptr && alike) device.properties = &properties[0];
      if (device.properties != nullptr) device.name = device.properties->name;
    }
    return !cancel_.cancelled();
  }

  std::shared_ptr<Model> model_;
  const TraceStore& s_;
  const uint32_t n_;    // slices of the file
  const uint32_t all_;  // with those of graph captures
  const Keys keys_;
  const CancelToken& cancel_;
  std::vector<uint8_t> range_;  // by name id: RangeKind, 0xff not seen
  // Launches that an id gives to another op than the one around them, in order: (launch, around).
  std::vector<std::pair<SliceIndex, SliceIndex>> around_;
  std::vector<bool> is_node_;      // "autograd::engine::evaluate_function: X"
  std::vector<SliceIndex> node_;   // of an op: the nearest such around it, or itself; else kNone
  std::vector<bool> is_backward_;  // by its own name or number
};

}  // namespace

Result<std::shared_ptr<const Model>> BuildModel(std::shared_ptr<const TraceStore> store,
                                                const CancelToken& cancel) {
  return Builder(std::move(store), cancel).Run();
}

Result<StepSelection> ParseSteps(const Model& model, const std::string& text) {
  StepSelection selection;
  if (text.empty() || text == "all") return selection;
  auto wrong = [&]() -> Error {
    std::string names;
    for (size_t i = 0; i < model.steps.size() && i < 40; ++i) {
      names += (i ? ", " : "") + model.steps[i].name;
    }
    if (model.steps.size() > 40) names += ", ...";
    return Error{
        ErrorKind::kInvalidArgument, "There is no step \"" + text + "\".",
        model.steps.empty() ? "The trace has no steps." : "Steps: all, or of " + names + "."};
  };
  auto find = [&](std::string_view name, bool last) -> std::optional<uint32_t> {
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < model.steps.size(); ++i) {
      if (model.steps[i].name == name) {
        found = i;
        if (!last) break;
      }
    }
    return found;
  };
  selection.all = false;
  if (const auto one = find(text, false)) {
    selection.first = *one;
    selection.last = *find(text, true);
    return selection;
  }
  // A step's number may itself begin with a minus, so the dash is looked for from the second byte.
  const size_t dash = text.find('-', 1);
  if (dash == std::string::npos) return wrong();
  const auto first = find(std::string_view(text).substr(0, dash), false);
  const auto last = find(std::string_view(text).substr(dash + 1), true);
  if (!first || !last) return wrong();
  selection.first = std::min(*first, *last);
  selection.last = std::max(*first, *last);
  return selection;
}

}  // namespace emberline
