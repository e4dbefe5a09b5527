#include "attribution/recorded_stacks.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/stack_of.h"

namespace emberline {
namespace {

int LineOf(const Frame& frame) {
  return static_cast<int>(std::clamp<int64_t>(frame.line, 0, 1 << 30));
}

int OnlyFunction(const PythonModule& module, const std::string& name) {
  int found = -1;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].name != name) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(f);
  }
  return found;
}

}  // namespace

// The text of a file that recorded stacks name.
const PythonModule* RecordedStacks::ModuleOf(uint32_t file) {
  SourceFile& info = a_.frames.files()[file].file;
  if (info.module == nullptr && !text_tried_[file]) {
    text_tried_[file] = true;
    info.module = a_.ReadText(info);
    info.exact = info.module != nullptr;  // until a line says otherwise
  }
  return info.module.get();
}

bool RecordedStacks::CollectTexts(std::map<std::string_view, std::set<StringId>>* texts) const {
  const TraceStore& s = a_.store;
  const bool stacks = !a_.at.has_stacks && s.HasArg(ArgRole::kCallStack);
  for (SliceIndex i = 0; i < s.all_slice_count(); ++i) {
    if (a_.Stop(i)) return false;
    if (IsDeviceWork(s.kind(i))) {
      const std::string_view text = CaptureStack(s, i);
      if (!text.empty()) texts->try_emplace(text);
    } else if (stacks && s.kind(i) == SliceKind::kCpuOp) {
      const std::string_view text = s.ArgText(i, ArgRole::kCallStack);
      if (text.empty()) continue;
      std::set<StringId>& called = (*texts)[text];
      const SliceIndex p = a_.parent[i];
      const bool outermost =
          p == kNone || s.kind(p) != SliceKind::kCpuOp || s.ArgText(p, ArgRole::kCallStack) != text;
      if (outermost && called.size() < kMaxCalled) called.insert(s.name_id(i));
    }
  }
  return true;
}

void RecordedStacks::CollectCalled(std::string_view text, const std::set<StringId>& ops,
                                   Called* called) {
  const std::vector<Frame> frames = ParseCallStack(text);
  for (size_t k = 0; k < frames.size(); ++k) {
    if (frames[k].file.empty()) continue;
    const uint32_t file = a_.frames.FileIndex(frames[k].file);
    if (!a_.frames.files()[file].file.user || ModuleOf(file) == nullptr) continue;
    auto& here = (*called)[{file, frames[k].function}][LineOf(frames[k])];
    if (k == 0) {
      for (const StringId op : ops) {
        Observed o;
        o.kind = ObservedKind::kOperator;
        o.name = OperatorName(a_.store.strings().Get(op));
        if (here.size() < kMaxCalled) here.emplace("o" + o.name, o);
      }
      continue;
    }
    Observed o;
    o.kind = frames[k - 1].file.empty() ? ObservedKind::kBuiltin : ObservedKind::kFrame;
    o.name = o.kind == ObservedKind::kBuiltin ? BuiltinName(frames[k - 1].function)
                                              : frames[k - 1].function;
    if (here.size() < kMaxCalled) here.emplace("f" + o.name, o);
  }
}

void RecordedStacks::FollowFunction(uint32_t file, const std::string& name,
                                    const std::map<int, std::map<std::string, Observed>>& by_line) {
  const PythonModule& module = *ModuleOf(file);
  std::vector<int> functions;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].name == name) functions.push_back(static_cast<int>(f));
  }
  std::vector<RecordedLine> lines;
  for (const auto& [line, called] : by_line) {
    lines.push_back({line, {}});
    for (const auto& [key, observed] : called) lines.back().called.push_back(observed);
  }
  const std::vector<FollowedLine> now = FollowRecordedLines(module, functions, lines);
  for (size_t k = 0; k < lines.size(); ++k) {
    lines_[{file, name, lines[k].line}] = now[k];
    if (now[k].line != lines[k].line) a_.frames.files()[file].file.exact = false;
  }
}

bool RecordedStacks::Follow() {
  std::map<std::string_view, std::set<StringId>> texts;
  if (!CollectTexts(&texts)) return false;
  Called called;
  for (const auto& [text, ops] : texts) {
    if (a_.cancel.cancelled()) return false;
    CollectCalled(text, ops, &called);
  }
  for (const auto& [function, by_line] : called) {
    if (a_.cancel.cancelled()) return false;
    FollowFunction(function.first, function.second, by_line);
  }
  return true;
}

uint32_t RecordedStacks::LocationOf(const Place& place) {
  const auto known = locations_.find(place);
  if (known != locations_.end()) return known->second;
  const auto& [file, name, line] = place;
  const PythonModule* module = ModuleOf(file);
  std::string function = name, class_name;
  int first = 0;
  FollowedLine at{-1, line};
  if (module != nullptr) {
    const auto followed = lines_.find(place);
    at = followed != lines_.end() ? followed->second
                                  : FollowedLine{module->FunctionAround(name, line), line};
    // The statement is gone: its cost stays with the function, where that is still known.
    const int f = at.function >= 0 ? at.function : OnlyFunction(*module, name);
    if (f >= 0) {
      function = module->functions[f].qualified;
      first = module->functions[f].first_line;
      const int c = module->functions[f].class_index;
      if (c >= 0) class_name = module->classes[c].qualified;
    }
  }
  const bool lost = module != nullptr && at.function < 0;
  const uint32_t location =
      a_.locations.At(file, function, first, lost ? (first > 0 ? first : line) : at.line,
                      lost              ? LineConfidence::kFunction
                      : at.line == line ? LineConfidence::kExact
                                        : LineConfidence::kAligned,
                      class_name, lost);
  locations_.emplace(place, location);
  return location;
}

uint32_t RecordedStacks::ContextOf(std::string_view text) {
  const auto it = contexts_.find(text);
  if (it != contexts_.end()) return it->second;
  uint32_t context = kNone;
  const std::vector<Frame> frames = ParseCallStack(text);
  for (size_t k = frames.size(); k-- > 0;) {
    const Frame& frame = frames[k];
    if (frame.file.empty()) continue;
    const uint32_t file = a_.frames.FileIndex(frame.file);
    if (!a_.frames.files()[file].file.user) continue;
    context = a_.locations.Context(context, LocationOf({file, frame.function, LineOf(frame)}));
  }
  contexts_.emplace(text, context);
  return context;
}

}  // namespace emberline
