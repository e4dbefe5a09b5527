// Steps, and which slices belong to them.
#include <algorithm>

#include "model/errors.h"
#include "model/host_place.h"
#include "model/model_builder.h"
#include "model/names.h"

namespace emberline {

bool ModelBuilder::BuildSteps() {
  Model& m = *model_;
  struct Found {
    int64_t number;
    SliceIndex slice;
  };
  std::vector<Found> found;
  for (SliceIndex i = 0; i < n_; ++i) {
    if (Stop(i)) return false;
    // Device-side annotations repeat the names; only the host's are steps (B2).
    const SliceKind kind = Kind(i);
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
    step.host = RangeOf(f.slice);
    m.steps.push_back(std::move(step));
  }
  m.has_recorded_steps = !m.steps.empty();
  if (m.steps.empty()) {
    if (n_ == 0) {
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
      if (IsDeviceWork(Kind(i)) && LaunchOf(i) == kNone) {
        m.step[i] = StepAt(s_.start(i), &Step::time);
      }
    }
  }
  return true;
}

Interval ModelBuilder::WholeTrace() const {
  auto extent = [&](auto&& wanted) -> std::optional<Interval> {
    std::optional<Interval> all;
    for (SliceIndex i = 0; i < n_; ++i) {
      if (!wanted(i)) continue;
      const Interval range = RangeOf(i);
      if (!all) all = range;
      all->begin = std::min(all->begin, range.begin);
      all->end = std::max(all->end, range.end);
    }
    return all;
  };
  if (auto ops = extent([&](SliceIndex i) { return Kind(i) == SliceKind::kCpuOp; });
      ops && ops->Length() > 0) {
    return *ops;
  }
  if (auto work = extent([&](SliceIndex i) {
        return IsDeviceWork(Kind(i)) || IsLaunchApi(Kind(i)) ||
               Kind(i) == SliceKind::kUserAnnotation;
      })) {
    return *work;
  }
  return s_.extent();
}

uint32_t ModelBuilder::StepAt(Ns time, Interval Step::*range) const {
  const auto& steps = model_->steps;
  auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                [&](Ns t, const Step& s) { return t < (s.*range).begin; });
  if (after == steps.begin()) return kNone;
  --after;
  return time < ((*after).*range).end ? static_cast<uint32_t>(after - steps.begin()) : kNone;
}

void ModelBuilder::AssignSteps() {
  Model& m = *model_;
  m.step.assign(all_, kNone);
  if (!m.has_recorded_steps) {
    const auto steps = m.step.Draft().first(n_);
    std::fill(steps.begin(), steps.end(), 0u);
    return;
  }
  for (SliceIndex i = 0; i < n_; ++i) {
    if (!IsDeviceWork(Kind(i))) m.step[i] = StepAt(s_.start(i), &Step::host);
  }
  for (const Step& step : m.steps) {
    // A step of zero length still holds its own annotation.
    m.step[step.slice] = static_cast<uint32_t>(&step - m.steps.data());
  }
  for (SliceIndex i = 0; i < n_; ++i) {
    if (!IsDeviceWork(Kind(i)) || LaunchOf(i) == kNone) continue;
    // A launch on a thread of its own comes later than the operator that asked for it.
    m.step[i] = m.step[LaunchPlaceOf(m, i)];
  }
}

void ModelBuilder::ExtendSteps() {
  Model& m = *model_;
  struct Work {
    Ns first = 0, last = 0;
    uint64_t count = 0;
  };
  std::vector<Work> work(m.steps.size());
  std::vector<Ns> orphan_ends;
  // Without recorded steps, only work launched inside the one step counts as its own.
  auto owner = [&](SliceIndex i) -> uint32_t {
    if (LaunchOf(i) == kNone) return kNone;
    return m.has_recorded_steps ? m.step[i] : StepAt(s_.start(LaunchOf(i)), &Step::host);
  };
  bool any = false;
  for (SliceIndex i = 0; i < n_; ++i) {
    if (!IsDeviceWork(Kind(i))) continue;
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

Result<StepSelection> ParseSteps(const Model& model, const std::string& text) {
  StepSelection selection;
  if (text.empty() || text == "all") return selection;
  auto wrong = [&]() -> Error {
    std::string names;
    for (size_t i = 0; i < model.steps.size() && i < 40; ++i) {
      names += (i ? ", " : "") + model.steps[i].name;
    }
    if (model.steps.size() > 40) names += ", ...";
    return MakeError(model.steps.empty() ? errors::kNoSteps : errors::kNoSuchStep,
                     {{"step", text}, {"steps", names}});
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
