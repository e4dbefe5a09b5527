#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/frame_finder.h"
#include "analysis/timeline.h"
#include "base/case.h"
#include "base/mangled.h"
#include "base/pattern.h"

namespace emberline {
namespace {

// Longer names are matched in their beginning only, and each match asks whether to go on.
constexpr size_t kMaxMatched = 4000;
constexpr uint32_t kCancelEvery = 1 << 14;

// Decides once per interned string.
template <typename Test>
class PerString {
 public:
  PerString(const StringPool& strings, Test test)
      : strings_(strings), test_(std::move(test)), known_(strings.size(), -1) {}
  bool operator()(StringId id) {
    if (known_[id] < 0) known_[id] = test_(strings_.Get(id)) ? 1 : 0;
    return known_[id] == 1;
  }

 private:
  const StringPool& strings_;
  Test test_;
  std::vector<signed char> known_;
};

// Which slices lie inside a call of a module whose name holds the text.
std::vector<bool> InsideModules(const Model& model, const std::string& lowered) {
  const TraceStore& store = model.store();
  std::vector<bool> inside(store.all_slice_count(), false);
  auto matches = PerString(store.strings(), [&](std::string_view name) {
    const auto module = ModuleName(name);
    return module && ContainsLower(*module, lowered);
  });
  // A parent stands before its children, so one pass is enough; device work follows its launch.
  for (SliceIndex i = 0; i < store.all_slice_count(); ++i) {
    const SliceIndex parent = store.parent(i);
    bool hit = parent != kNone && parent < i && inside[parent];
    if (!hit && store.kind(i) == SliceKind::kPythonFunction) hit = matches(store.name_id(i));
    if (!hit && store.HasArg(ArgRole::kModule) && store.kind(i) == SliceKind::kCpuOp) {
      hit = ContainsLower(store.ArgText(i, ArgRole::kModule), lowered);
    }
    inside[i] = hit;
  }
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    // Backward work runs on behalf of the module that ran its forward op.
    const SliceIndex forward = model.forward[i];
    if (!inside[i] && forward != kNone && inside[forward]) inside[i] = true;
  }
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    const SliceIndex call = model.CapturedCall(i);
    const SliceIndex launch = call != kNone ? call : model.launch[i];
    if (inside[i] || launch == kNone) continue;
    inside[i] = inside[launch] || (model.op[launch] != kNone && inside[model.op[launch]]);
  }
  return inside;
}

}  // namespace

Result<TimelineHits> SearchTimeline(const Model& model, const TimelineSearch& search,
                                    const CancelToken& cancel) {
  const TraceStore& store = model.store();
  const std::string lowered = LowerText(search.text);
  std::optional<Pattern> pattern;
  if (search.regex && !search.text.empty()) {
    Result<Pattern> parsed = Pattern::Parse(search.text);
    if (!parsed.ok()) return parsed.error();
    pattern = std::move(parsed.value());
  }
  MatchBudget budget;
  auto name_matches = PerString(store.strings(), [&](std::string_view name) {
    const auto matches = [&](std::string_view form) {
      return pattern ? pattern->Matches(form.substr(0, kMaxMatched), &budget)
                     : ContainsLower(form, lowered);
    };
    if (matches(name)) return true;
    const std::string readable = ReadableName(name);
    return !readable.empty() && matches(readable);
  });
  std::vector<bool> inside;
  if (!search.module.empty()) inside = InsideModules(model, LowerText(search.module));
  StringId exact = kNone;
  if (!search.name.empty()) exact = store.strings().Find(search.name);
  StringId category = kNone;
  if (!search.category.empty()) category = store.strings().Find(search.category);
  const bool impossible =
      (!search.name.empty() && exact == kNone) || (!search.category.empty() && category == kNone);

  // Slices of one stack share their frame, so each stack is taken apart once.
  std::optional<StackIds> stacks;
  if (!search.file.empty()) stacks.emplace(model);
  std::unordered_map<uint64_t, bool> on_line;
  FrameFinder frames(model);
  const auto is_on_line = [&](SliceIndex i) {
    const uint64_t id = stacks->Of(i).id;
    if (id == 0) return false;
    const auto known = on_line.find(id);
    if (known != on_line.end()) return known->second;
    const std::optional<Frame> frame = frames.UserFrame(i);
    const bool hit =
        frame && frame->file == search.file && (search.line == 0 || frame->line == search.line);
    on_line.emplace(id, hit);
    return hit;
  };

  TimelineHits hits;
  std::vector<SliceIndex> found;
  std::map<TrackIndex, uint64_t> by_track;
  std::unordered_map<StringId, TimelineHits::Name> by_name;
  for (SliceIndex i = 0; i < store.slice_count() && !impossible; ++i) {
    if ((pattern || i % kCancelEvery == 0) && cancel.cancelled()) {
      return Cancelled();
    }
    if (search.kind && store.kind(i) != *search.kind) continue;
    if (exact != kNone && store.name_id(i) != exact) continue;
    if (category != kNone && store.categories()[store.category(i)].raw != category) continue;
    if (!inside.empty() && !inside[i]) continue;
    if (!search.text.empty() && !name_matches(store.name_id(i))) {
      if (budget.spent()) return budget.error();
      continue;
    }
    if (stacks && !is_on_line(i)) continue;
    found.push_back(i);
    ++by_track[store.track(i)];
    TimelineHits::Name& named = by_name[store.name_id(i)];
    ++named.count;
    named.sum += store.duration(i);
    hits.sum += store.duration(i);
  }
  hits.total = found.size();
  hits.by_track.assign(by_track.begin(), by_track.end());
  hits.names = by_name.size();
  hits.by_name.reserve(by_name.size());
  for (auto& [name, sums] : by_name) {
    sums.name = name;
    hits.by_name.push_back(sums);
  }
  std::sort(hits.by_name.begin(), hits.by_name.end(), [](const auto& a, const auto& b) {
    return a.sum != b.sum ? a.sum > b.sum : a.name < b.name;
  });
  hits.by_name.resize(std::min(hits.by_name.size(), TimelineHits::kMostNames));
  const size_t first = std::min<size_t>(search.offset, found.size());
  const size_t last = std::min<size_t>(first + search.limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<ptrdiff_t>(last), found.end(),
                    [&](SliceIndex a, SliceIndex b) {
                      return store.start(a) != store.start(b) ? store.start(a) < store.start(b)
                                                              : a < b;
                    });
  hits.page.assign(found.begin() + static_cast<ptrdiff_t>(first),
                   found.begin() + static_cast<ptrdiff_t>(last));
  return hits;
}

RangeSums SumRange(const TraceStore& store, const std::vector<SliceIndex>& slices, Interval range,
                   size_t names) {
  RangeSums sums;
  std::vector<KindSum> kinds(kSliceKindCount);
  std::vector<std::vector<Interval>> unions(kSliceKindCount);
  std::unordered_map<uint64_t, NameSum> by_name;
  const auto key_of = [&](SliceIndex i) {
    return static_cast<uint64_t>(store.name_id(i)) << 8 | static_cast<uint64_t>(store.kind(i));
  };
  // Self time by name and by the name of what it ran in.
  std::unordered_map<uint64_t, std::unordered_map<StringId, Ns>> by_caller;
  TrackIndex track = kNone;
  std::vector<Interval> run(kSliceKindCount);     // of the present track: fuses nested slices early
  std::map<int64_t, std::vector<Interval>> work;  // by device
  const auto flush = [&] {
    for (int k = 0; k < kSliceKindCount; ++k) {
      if (run[k].Length() > 0) unions[k].push_back(run[k]);
      run[k] = {};
    }
  };
  for (const SliceIndex i : slices) {
    // The span of the recording is no work, though it would be the longest of all.
    if (store.kind(i) == SliceKind::kTraceSpan) continue;
    if (store.track(i) != track) {
      flush();
      track = store.track(i);
    }
    const Interval part{std::max(store.start(i), range.begin), std::min(store.end(i), range.end)};
    const int k = static_cast<int>(store.kind(i));
    ++sums.total;
    ++kinds[k].slices;
    kinds[k].sum += part.Length();
    if (part.Length() > 0) {
      if (IsDeviceWork(store.kind(i)) && store.tracks()[track].kind == TrackKind::kDeviceStream) {
        work[store.tracks()[track].device].push_back(part);
      }
      if (run[k].Length() > 0 && part.begin <= run[k].end) {
        run[k].end = std::max(run[k].end, part.end);
      } else {
        if (run[k].Length() > 0) unions[k].push_back(run[k]);
        run[k] = part;
      }
    }
    NameSum& name = by_name[key_of(i)];
    name.name = store.name_id(i);
    name.kind = store.kind(i);
    ++name.calls;
    name.sum += part.Length();
    name.self += part.Length();
    const SliceIndex parent = store.parent(i);
    if (parent != kNone) {
      by_caller[key_of(i)][store.name_id(parent)] += part.Length();
      // What runs inside is no self time of what it runs in.
      by_name[key_of(parent)].self -= part.Length();
      const SliceIndex around = store.parent(parent);
      if (around != kNone) by_caller[key_of(parent)][store.name_id(around)] -= part.Length();
    }
    if (name.longest == kNone || store.duration(i) > store.duration(name.longest)) name.longest = i;
  }
  flush();
  for (int k = 0; k < kSliceKindCount; ++k) {
    if (kinds[k].slices == 0) continue;
    kinds[k].kind = static_cast<SliceKind>(k);
    kinds[k].unite = LengthOf(Unite(std::move(unions[k])));
    sums.kinds.push_back(kinds[k]);
  }
  std::stable_sort(sums.kinds.begin(), sums.kinds.end(),
                   [](const KindSum& a, const KindSum& b) { return a.sum > b.sum; });
  for (auto& [device, parts] : work) {
    sums.devices.push_back({device, LengthOf(Unite(std::move(parts)))});
  }
  for (const auto& [key, sum] : by_name) {
    if (sum.calls > 0) sums.names.push_back(sum);
  }
  std::sort(sums.names.begin(), sums.names.end(), [](const NameSum& a, const NameSum& b) {
    if (a.self != b.self) return a.self > b.self;
    return a.sum != b.sum ? a.sum > b.sum : std::pair(a.name, a.kind) < std::pair(b.name, b.kind);
  });
  if (sums.names.size() > names) sums.names.resize(names);
  for (NameSum& name : sums.names) {
    const uint64_t key = static_cast<uint64_t>(name.name) << 8 | static_cast<uint64_t>(name.kind);
    for (const auto& [caller, self] : by_caller[key]) {
      if (self > 0) name.callers.emplace_back(caller, self);
    }
    std::sort(name.callers.begin(), name.callers.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (name.callers.size() > NameSum::kMostCallers) name.callers.resize(NameSum::kMostCallers);
  }
  return sums;
}

}  // namespace emberline
