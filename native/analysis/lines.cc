#include "analysis/lines.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <unordered_map>

#include "analysis/gap_cover.h"
#include "analysis/host_nesting.h"
#include "analysis/stack_of.h"
#include "base/cores.h"
#include "base/distinct.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/sort_runs.h"
#include "base/text.h"
#include "model/host_place.h"
#include "model/names.h"

namespace emberline {
namespace {

constexpr size_t kOperatorsPerLine = 3;
constexpr size_t kMaxName = 160;

// Contexts of work: where the stack says it ran, whom it is blamed on, who waits for it, which call
// of forward it is part of.
struct PairKey {
  uint32_t context, blamed, caller, origin;
  Pass pass;
  bool operator==(const PairKey&) const = default;
};
struct PairHash {
  size_t operator()(const PairKey& k) const {
    const uint64_t stacks = HashPair(k.context, k.blamed), calls = HashPair(k.caller, k.origin);
    return HashPair(HashPair(stacks, calls), static_cast<uint64_t>(k.pass));
  }
};
struct PairCost {
  Ns device = 0, host = 0;
};
// Times summed up by what they belong to, each in the order in which it first came.
template <typename Key, typename Hash>
class TimesBy {
 public:
  Ns& Of(const Key& key) {
    const uint32_t number = keys_.NumberOf(key);
    if (number == times_.size()) times_.push_back(0);
    return times_[number];
  }
  // each(key, time)
  template <typename Each>
  void ForEach(Each&& each) const {
    for (size_t i = 0; i < times_.size(); ++i) each(keys_.values()[i], times_[i]);
  }

 private:
  Distinct<Key, Hash> keys_;
  std::vector<Ns> times_;
};
using PairTimes = TimesBy<PairKey, PairHash>;
// By location and operator.
struct PartKey {
  uint32_t location;
  StringId name;
  bool operator==(const PartKey&) const = default;
};
struct PartHash {
  size_t operator()(const PartKey& k) const { return HashPair(k.location, k.name); }
};
using PartTimes = TimesBy<PartKey, PartHash>;

class Analysis {
 public:
  Analysis(const Model& model, const LineAttribution& at, const StepSelection& steps,
           const CancelToken& cancel)
      : model_(model), s_(model.store()), at_(at), steps_(steps), cancel_(cancel) {}

  // Of device work alone, with a figure per slice.
  Result<LinesResult> RunOver(const std::vector<Ns>& figures) {
    Begin();
    AddDeviceWork([&](SliceIndex i) { return figures[i]; });
    return End();
  }

  Result<LinesResult> Run() {
    Begin();
    // None touches what another one adds up.
    RunAll(
        s_.slice_count() >= kManyRows, [&] { AddHostWork(); }, [&] { AddIdle(); },
        [&] { AddDeviceWork([&](SliceIndex i) { return s_.duration(i); }); });
    AddMemory();
    return End();
  }

 private:
  Result<LinesResult> End() {
    if (cancel_.cancelled()) return Cancelled();
    Join();
    AddTotals();
    Finish();
    return std::move(result_);
  }

  bool Counted(SliceIndex i) const { return IsHostWork(s_.kind(i)); }
  uint32_t LocationOf(uint32_t context) const {
    return context == kNone ? kNone : at_.contexts[context].location;
  }

  void AddHostWork() {
    const auto end =
        static_cast<SliceIndex>(std::min<size_t>(s_.slice_count(), at_.user_frame.size()));
    ForEachHostWork(s_, cancel_, [&](SliceIndex i, Ns exclusive) {
      if (i < end && steps_.Contains(model_.step[i])) AddHost(i, exclusive);
    });
  }

  // `time_of`: what counts of a piece of work, ns.
  template <typename TimeOf>
  void AddDeviceWork(TimeOf&& time_of) {
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return;
      if (IsDeviceWork(s_.kind(i)) && steps_.Contains(model_.step[i])) AddDevice(i, time_of(i));
    }
  }

  // What the name of a slice says, looked at once for each name.
  struct NameSays {
    bool looked = false, library = false, collective = false, synchronizes = false;
  };
  const NameSays& SaysOf(SliceIndex i) {
    NameSays& says = names_[s_.name_id(i)];
    if (!says.looked) {
      const std::string_view name = s_.name(i);
      const bool library = !CollectiveLibrary(name).empty();
      says = {true, library, library || name == "record_param_comms", IsSynchronizingCall(name)};
    }
    return says;
  }

  void Begin() {
    costs_.resize(at_.locations.size());
    names_.resize(s_.strings().size());
    for (uint32_t i = 0; i < costs_.size(); ++i) costs_[i].location = i;
    device_.lines.resize(at_.locations.size());
    idle_.resize(at_.locations.size(), 0);
  }

  void AddDevice(SliceIndex i, Ns time) {
    device_.any = true;
    device_.totals.device += time;
    const DevicePlace place = DevicePlaceOf(model_, at_, i);
    const uint32_t location = LocationOf(place.blamed);
    if (location == kNone) return;
    DeviceSums::OfLine& line = device_.lines[location];
    line.self += time;
    if (model_.is_communication[i]) line.collective += time;
    device_.pairs.Of({place.context, place.blamed, place.caller, place.origin, place.pass}) += time;
    device_.AddPart(location, place.op != kNone ? s_.name_id(place.op) : s_.name_id(i), time);
    (at_.locations[location].confidence == LineConfidence::kFunction
         ? device_.totals.function_device
         : device_.totals.line_device) += time;
  }

  // `time`: without what runs inside it.
  void AddHost(SliceIndex i, Ns time) {
    host_.totals.host += time;
    if (at_.user_frame[i]) {
      LineCost& function = costs_[LocationOf(at_.context[i])];
      ++function.calls;
      ++function.runs;
    }
    const uint32_t call = LocationOf(at_.CalledFrom(i));
    // What could not be placed is no call of the function whose row takes its time.
    if (call != kNone && at_.locations[call].confidence != LineConfidence::kFunction) {
      ++costs_[call].calls;
      if (at_.begins_run[i]) ++costs_[call].runs;
    }
    const uint32_t blamed = at_.blamed[i];
    const uint32_t location = LocationOf(blamed);
    if (location == kNone) return;
    LineCost& c = costs_[location];
    c.host_self += time;
    const bool op = s_.kind(i) == SliceKind::kCpuOp;
    if (op && SaysOf(i).collective) {
      const SliceIndex outer = model_.op[i];
      if (outer == kNone || !SaysOf(outer).library) ++c.collectives;
    }
    if (IsLaunchApi(s_.kind(i)) && SaysOf(i).synchronizes) c.synchronization += time;
    const uint32_t origin = at_.origin.empty() ? kNone : at_.origin[i];
    host_.pairs.Of({at_.context[i], blamed, kNone, origin, at_.pass[i]}) += time;
    if (op) host_.AddPart(location, s_.name_id(i), time);
    (at_.locations[location].confidence == LineConfidence::kFunction ? host_.totals.function_host
                                                                     : host_.totals.line_host) +=
        time;
  }

  // Brings together what was added up apart.
  void Join() {
    for (size_t i = 0; i < costs_.size(); ++i) {
      costs_[i].device_self = device_.lines[i].self;
      costs_[i].collective = device_.lines[i].collective;
      costs_[i].idle = idle_[i];
    }
    result_.has_device_work = device_.any;
    result_.totals = host_.totals;
    result_.totals.device = device_.totals.device;
    result_.totals.line_device = device_.totals.line_device;
    result_.totals.function_device = device_.totals.function_device;
  }

  void AddMemory() {
    const auto& memory = s_.memory();
    for (size_t i = 0; i < memory.size() && i < at_.memory_slice.size(); ++i) {
      if (memory.At<&MemoryRecord::bytes>(i) <= 0 || at_.memory_slice[i] == kNone) continue;
      if (!steps_.Contains(model_.step[at_.memory_slice[i]])) continue;
      const uint32_t location = LocationOf(at_.blamed[at_.memory_slice[i]]);
      if (location != kNone) costs_[location].allocated_bytes += memory.At<&MemoryRecord::bytes>(i);
    }
  }

  // Time during which a device has nothing to do and the host has not yet launched what comes next
  // is charged to what the launching thread did meanwhile, line by line.
  void AddIdle() {
    struct Work {
      Ns start;
      SliceIndex slice;
      bool operator<(const Work& other) const {
        return start != other.start ? start < other.start : slice < other.slice;
      }
    };
    std::unordered_map<int64_t, std::vector<Work>, NumberHash> work;  // by device
    for (const Track& t : s_.tracks()) {
      if (t.kind != TrackKind::kDeviceStream) continue;
      auto& list = work[t.device];
      for (SliceIndex i = t.first; i < t.last; ++i) {
        if (IsDeviceWork(s_.kind(i))) list.push_back({s_.start(i), i});
      }
    }
    std::unordered_map<TrackIndex, GapCover> threads;
    for (auto& [device, list] : work) {
      if (cancel_.cancelled()) return;
      // A stream is in order; several are not.
      SortRuns(std::span(list), std::less<>());
      Ns busy_until = list.empty() ? 0 : s_.end(list[0].slice);
      for (const auto& [gap_end, i] : list) {
        const SliceIndex launch = model_.launch[i];
        if (gap_end > busy_until && launch != kNone && steps_.Contains(model_.step[i])) {
          const Ns until = std::min(gap_end, s_.end(launch));
          if (until > busy_until) threads[s_.track(launch)].Add({busy_until, until});
        }
        busy_until = std::max(busy_until, s_.end(i));
      }
    }
    for (auto& [track, gaps] : threads) ChargeIdle(s_.tracks()[track], &gaps);
  }

  // Goes through what a host thread did, from each moment to the next at the location of the
  // innermost slice, and charges what lies in gaps: in one pass, however deep its stack is and
  // however many devices wait for it.
  void ChargeIdle(const Track& track, GapCover* gaps) {
    gaps->Sort();
    struct Open {
      Ns end;
      uint32_t location;
    };
    std::vector<Open> open;
    uint32_t location = kNone;  // kNone where it does nothing that counts
    uint64_t before = 0;
    const auto change = [&](Ns at) {
      const uint32_t next = open.empty() ? kNone : open.back().location;
      if (next == location) return;
      const uint64_t until = gaps->Before(at);
      if (location != kNone) idle_[location] += static_cast<Ns>(until - before);
      before = until;
      location = next;
    };
    const auto close_until = [&](Ns until) {
      while (!open.empty() && open.back().end <= until) {
        const Ns end = open.back().end;
        while (!open.empty() && open.back().end <= end) open.pop_back();
        change(end);
      }
    };
    for (SliceIndex i = track.first; i < track.last; ++i) {
      if (i % kCancelStride == 0 && cancel_.cancelled()) return;
      if (!Counted(i)) continue;
      const Ns start = s_.start(i);
      close_until(start);
      if (s_.duration(i) <= 0) continue;
      open.push_back({s_.end(i), LocationOf(at_.blamed[i])});
      change(start);
    }
    close_until(std::numeric_limits<Ns>::max());
  }

  // The parts of a total: a line's or a function's.
  template <class Sum>
  static void AddPass(Pass pass, const PairCost& cost, Sum* sum) {
    if (pass == Pass::kBackward) {
      sum->backward_device += cost.device;
      sum->backward_host += cost.host;
    } else if (pass == Pass::kRecompute) {
      sum->recompute_device += cost.device;
      sum->recompute_host += cost.host;
    }
  }

  // A pair's cost counts once at each location on any of its stacks, and once at each function:
  // recursion does not count twice.
  void AddTotals() {
    std::unordered_map<std::string, uint32_t> ids;
    function_of_.assign(at_.locations.size(), kNone);
    class_of_.assign(at_.locations.size(), kNone);
    const auto group = [&](const std::string& key, const LineLocation& l, const std::string& name,
                           int line) {
      const auto [it, fresh] = ids.emplace(key, static_cast<uint32_t>(groups_.size()));
      if (fresh) {
        LineGroup g;
        g.file = l.file;
        g.function = name;
        g.line = line;
        groups_.push_back(std::move(g));
        is_class_.push_back(line == 0 && key.front() == 'c');
      }
      return it->second;
    };
    for (uint32_t i = 0; i < at_.locations.size(); ++i) {
      const LineLocation& l = at_.locations[i];
      function_of_[i] = group("f" + LineFunctionKey(l), l, l.function, l.function_line);
      if (!l.class_name.empty())
        class_of_[i] = group("c" + l.file + '\n' + l.class_name, l, l.class_name, 0);
    }
    std::vector<uint32_t> seen_line(at_.locations.size(), kNone), seen_group(groups_.size(), kNone);
    uint32_t stamp = 0;
    const auto add = [&](const PairKey& key, const PairCost& cost) {
      ++stamp;
      for (const uint32_t start : {key.context, key.blamed, key.caller, key.origin}) {
        for (uint32_t c = start; c != kNone; c = at_.contexts[c].parent) {
          const uint32_t l = at_.contexts[c].location;
          if (seen_line[l] != stamp) {
            seen_line[l] = stamp;
            costs_[l].device_total += cost.device;
            costs_[l].host_total += cost.host;
            AddPass(key.pass, cost, &costs_[l]);
          }
          for (const uint32_t g : {function_of_[l], class_of_[l]}) {
            if (g == kNone || seen_group[g] == stamp) continue;
            seen_group[g] = stamp;
            groups_[g].device += cost.device;
            groups_[g].host += cost.host;
            AddPass(key.pass, cost, &groups_[g]);
          }
        }
        if (key.context == key.blamed && key.caller == kNone && key.origin == kNone) break;
      }
    };
    device_.pairs.ForEach(
        [&](const PairKey& key, Ns time) { add(key, {.device = time, .host = 0}); });
    host_.pairs.ForEach(
        [&](const PairKey& key, Ns time) { add(key, {.device = 0, .host = time}); });
  }

  static std::vector<std::string> Hottest(std::vector<std::pair<Ns, std::string>> list) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::string> out;
    for (const auto& [cost, name] : list) {
      if (out.size() == kOperatorsPerLine) break;
      // Template kernels have names of thousands of characters.
      out.push_back(Shortened(name, kMaxName));
    }
    return out;
  }

  void Finish() {
    // Operators are ranked by device time where there is any, else by host time.
    const auto& parts = result_.has_device_work ? device_.parts : host_.parts;
    std::vector<std::vector<std::pair<Ns, std::string>>> by_location(costs_.size());
    std::vector<std::unordered_map<StringId, Ns>> by_group(groups_.size());
    parts.ForEach([&](const PartKey& key, Ns cost) {
      const auto [location, name] = key;
      by_location[location].emplace_back(cost, std::string(s_.strings().Get(name)));
      by_group[function_of_[location]][name] += cost;
      if (class_of_[location] != kNone) by_group[class_of_[location]][name] += cost;
    });
    for (uint32_t l = 0; l < costs_.size(); ++l) {
      LineCost& c = costs_[l];
      if (at_.locations[l].confidence == LineConfidence::kFunction) {
        groups_[function_of_[l]].calls += c.calls;
        if (class_of_[l] != kNone) groups_[class_of_[l]].calls += c.calls;
      }
      if (c.device_total == 0 && c.host_total == 0 && c.calls == 0 && c.allocated_bytes == 0 &&
          c.idle == 0)
        continue;
      c.operators = Hottest(std::move(by_location[l]));
      result_.rows.push_back(std::move(c));
    }
    const bool device = result_.has_device_work;
    std::sort(result_.rows.begin(), result_.rows.end(), [&](const LineCost& a, const LineCost& b) {
      if (device && a.device_self != b.device_self) return a.device_self > b.device_self;
      if (a.host_self != b.host_self) return a.host_self > b.host_self;
      return a.location < b.location;
    });
    for (uint32_t g = 0; g < groups_.size(); ++g) {
      std::vector<std::pair<Ns, std::string>> list;
      for (const auto& [name, cost] : by_group[g])
        list.emplace_back(cost, std::string(s_.strings().Get(name)));
      groups_[g].operators = Hottest(std::move(list));
      if (groups_[g].device == 0 && groups_[g].host == 0) continue;
      (is_class_[g] ? result_.classes : result_.functions).push_back(std::move(groups_[g]));
    }
    for (auto* list : {&result_.functions, &result_.classes}) {
      std::sort(list->begin(), list->end(), [&](const LineGroup& a, const LineGroup& b) {
        if (device && a.device != b.device) return a.device > b.device;
        if (a.host != b.host) return a.host > b.host;
        return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
      });
    }
  }

  const Model& model_;
  const TraceStore& s_;
  const LineAttribution& at_;
  const StepSelection& steps_;
  const CancelToken& cancel_;
  // What threads add up side by side stands on lines of its own in their caches.
  struct alignas(kApart) Sums {
    PairTimes pairs;
    PartTimes parts;
    LineTotals totals;

    void AddPart(uint32_t location, StringId name, Ns time) {
      if (time > 0) parts.Of({location, name}) += time;
    }
  };
  struct DeviceSums : Sums {
    struct OfLine {
      Ns self = 0, collective = 0;
    };
    std::vector<OfLine> lines;  // per location
    bool any = false;
  };
  Sums host_;
  DeviceSums device_;
  std::vector<Ns> idle_;           // per location
  std::vector<LineCost> costs_;    // per location
  std::vector<LineGroup> groups_;  // functions and classes
  std::vector<bool> is_class_;
  std::vector<uint32_t> function_of_, class_of_;  // location -> group
  std::vector<NameSays> names_;                   // by name
  LinesResult result_;
};

}  // namespace

DevicePlace DevicePlaceOf(const Model& model, const LineAttribution& at, SliceIndex slice) {
  const auto captured = at.captured.find(slice);
  if (captured != at.captured.end()) return captured->second;
  DevicePlace place;
  const SliceIndex host = LaunchPlaceOf(model, slice);
  place.op = model.op[slice];
  if (host == kNone) return place;
  place.blamed = at.blamed[host];
  place.context = at.context[host];
  if (!at.caller.empty()) place.caller = at.caller[host];
  if (!at.origin.empty()) place.origin = at.origin[host];
  place.pass = at.pass[host];
  return place;
}

Result<LinesResult> AnalyzeLines(const Model& model, const LineAttribution& attribution,
                                 const StepSelection& steps, const CancelToken& cancel) {
  return Analysis(model, attribution, steps, cancel).Run();
}

Result<LinesResult> SumOverLines(const Model& model, const LineAttribution& attribution,
                                 const StepSelection& steps, const std::vector<Ns>& figures,
                                 const CancelToken& cancel) {
  return Analysis(model, attribution, steps, cancel).RunOver(figures);
}

}  // namespace emberline
