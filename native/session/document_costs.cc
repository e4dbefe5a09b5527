#include "session/document_costs.h"

#include <algorithm>
#include <map>

namespace emberline {

DocumentCosts::DocumentCosts(const DocumentLines& document, const LinesResult& sums)
    : document_(document), sums_(sums) {
  for (const std::string& file : document.files) files_.insert(file);
}

const PythonModule* DocumentCosts::Base(const std::string& file) const {
  const auto it = document_.data->files.find(file);
  return it == document_.data->files.end() || !document_.drift.count(file)
             ? nullptr
             : it->second.module.get();
}

// A class of this document that is a module itself.
bool DocumentCosts::IsModule(const std::string& name) const {
  for (const PythonClass& c : document_.now->classes) {
    if (c.name != name) continue;
    return std::find(c.bases.begin(), c.bases.end(), "Module") != c.bases.end();
  }
  return false;
}

// The function of the aligned text that a location lies in; -1 when the text does not hold it.
int DocumentCosts::BaseFunction(const PythonModule& base, const std::string& file,
                                const LineLocation& l) const {
  auto& index = functions_[file];
  if (index.empty()) {
    for (size_t i = 0; i < base.functions.size(); ++i) {
      const PythonFunction& f = base.functions[i];
      index.emplace(f.qualified + '\n' + std::to_string(f.first_line), static_cast<int>(i));
    }
  }
  const auto it = index.find(l.function + '\n' + std::to_string(l.function_line));
  return it == index.end() ? -1 : it->second;
}

bool DocumentCosts::Find(const LineLocation& l, int* line, bool* stale) const {
  const PythonModule* base = Base(l.file);
  if (base == nullptr) return false;
  const int f = BaseFunction(*base, l.file, l);
  if (f < 0) return false;
  const Drift& drift = *document_.drift.at(l.file);
  const int now = drift.function[f];
  if (now < 0) return false;
  const PythonFunction& today = document_.now->functions[now];
  *stale = l.stale;
  if (l.confidence == LineConfidence::kFunction) {
    *line = today.kind == FunctionKind::kModule ? 1 : today.def_line;
    return true;
  }
  const auto it = drift.line.find(l.line);
  if (it != drift.line.end()) {
    *line = it->second;
    return true;
  }
  *stale = true;
  *line = today.kind == FunctionKind::kModule ? 1 : today.def_line;
  return true;
}

bool DocumentCosts::IsInner(const LineCost& c) const {
  const std::string& name = document_.data->attribution.locations[c.location].function;
  return name.ends_with('>') && name != "<module>";
}

void DocumentCosts::Add(AnnotatedLine& at, const LineCost& c) const {
  LineCost& sum = at.cost;
  const auto& locations = document_.data->attribution.locations;
  // A line of its own outranks what is merely known to be in the function that begins there.
  const bool line_first = locations[sum.location].confidence == LineConfidence::kFunction &&
                          locations[c.location].confidence != LineConfidence::kFunction;
  if (line_first) {
    sum.location = c.location;
    sum.operators = c.operators;
  }
  sum.device_self += c.device_self;
  sum.host_self += c.host_self;
  sum.device_total = std::max(sum.device_total, c.device_total);
  sum.host_total = std::max(sum.host_total, c.host_total);
  sum.backward_device = std::max(sum.backward_device, c.backward_device);
  sum.backward_host = std::max(sum.backward_host, c.backward_host);
  sum.recompute_device = std::max(sum.recompute_device, c.recompute_device);
  sum.recompute_host = std::max(sum.recompute_host, c.recompute_host);
  sum.calls += c.calls;
  // The bodies of comprehensions and lambdas run more often than the line that holds them.
  const bool inner = IsInner(c);
  if (line_first || (at.inner_runs && !inner)) {
    sum.runs = c.runs;
    at.inner_runs = inner;
  } else if (inner == at.inner_runs) {
    sum.runs = std::max(sum.runs, c.runs);
  }
  sum.allocated_bytes += c.allocated_bytes;
  sum.collectives += c.collectives;
  sum.collective += c.collective;
  sum.synchronization += c.synchronization;
  sum.idle += c.idle;
}

std::vector<AnnotatedLine> DocumentCosts::Lines(size_t most) const {
  std::map<std::pair<int, bool>, AnnotatedLine> by_line;
  for (const LineCost& c : sums_.rows) {
    const LineLocation& l = document_.data->attribution.locations[c.location];
    if (!files_.count(l.file)) continue;
    AnnotatedLine a;
    if (!Find(l, &a.line, &a.stale)) continue;
    const auto [it, fresh] = by_line.try_emplace({a.line, a.stale});
    AnnotatedLine& at = it->second;
    if (fresh) {
      at = std::move(a);
      at.cost = c;
      at.inner_runs = IsInner(c);
    } else {
      Add(at, c);
    }
    at.locations.push_back(c.location);
  }
  std::vector<AnnotatedLine> out;
  for (auto& [key, a] : by_line) out.push_back(std::move(a));
  if (out.size() > most) {
    const bool device = sums_.has_device_work;
    std::stable_sort(out.begin(), out.end(), [&](const AnnotatedLine& a, const AnnotatedLine& b) {
      return device ? a.cost.device_total > b.cost.device_total
                    : a.cost.host_total > b.cost.host_total;
    });
    out.resize(most);
    std::sort(out.begin(), out.end(),
              [](const AnnotatedLine& a, const AnnotatedLine& b) { return a.line < b.line; });
  }
  return out;
}

std::vector<AnnotatedDefinition> DocumentCosts::Definitions(size_t most) const {
  using Kind = AnnotatedDefinition::Kind;
  std::vector<AnnotatedDefinition> found;
  for (const LineGroup& g : sums_.functions) {
    if (found.size() >= most || !files_.count(g.file)) continue;
    const PythonModule* base = Base(g.file);
    if (base == nullptr) continue;
    LineLocation l;
    l.function = g.function;
    l.function_line = g.line;
    const int f = BaseFunction(*base, g.file, l);
    if (f < 0 || base->functions[f].kind != FunctionKind::kFunction) continue;
    const Drift& drift = *document_.drift.at(g.file);
    const int now = drift.function[f];
    if (now < 0) continue;
    const PythonFunction& today = document_.now->functions[now];
    found.push_back(
        {today.def_line, Kind::kFunction, today.qualified, g.line, drift.changed[f], &g});
  }
  for (const LineGroup& g : sums_.classes) {
    if (found.size() >= most || !files_.count(g.file)) continue;
    for (const PythonClass& c : document_.now->classes) {
      if (c.qualified != g.function) continue;
      const bool module = std::any_of(c.bases.begin(), c.bases.end(), [&](const std::string& b) {
        return b == "Module" || b == "LightningModule" || b == "Sequential" || b == "ModuleList" ||
               IsModule(b);
      });
      found.push_back(
          {c.def_line, module ? Kind::kModule : Kind::kClass, c.qualified, c.def_line, false, &g});
      break;
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return found;
}

}  // namespace emberline
