#include "attribution/locations.h"

namespace emberline {
namespace {

// Lines on a stack: Python's own limit on recursion.
constexpr uint32_t kMaxStack = 1000;

}  // namespace

uint32_t Locations::At(uint32_t file, const std::string& function, int function_line, int line,
                       LineConfidence confidence, const std::string& class_name, bool stale) {
  std::string key = std::to_string(file) + '\n' + function + '\n' + std::to_string(function_line) +
                    '\n' + std::to_string(line) +
                    (stale                                     ? "s"
                     : confidence == LineConfidence::kFunction ? "f"
                                                               : "l");
  const auto [it, fresh] =
      location_ids_.emplace(std::move(key), static_cast<uint32_t>(at_.locations.size()));
  if (fresh) {
    at_.locations.push_back({frames_.files()[file].file.recorded, line, function, function_line,
                             class_name, confidence, stale});
  } else if (confidence < at_.locations[it->second].confidence) {
    at_.locations[it->second].confidence = confidence;
  }
  return it->second;
}

uint32_t Locations::Context(uint32_t parent, uint32_t location) {
  uint32_t depth = parent == kNone ? 0 : context_depth_[parent] + 1;
  if (depth >= kMaxStack) {
    parent = kNone;
    depth = 0;
  }
  const uint64_t key = static_cast<uint64_t>(parent) << 32 | location;
  const auto [it, fresh] = context_ids_.emplace(key, static_cast<uint32_t>(at_.contexts.size()));
  if (fresh) {
    at_.contexts.push_back({parent, location});
    context_depth_.push_back(depth);
  }
  return it->second;
}

uint32_t Locations::OfFrame(StringId name, int line, LineConfidence confidence, bool lost) {
  const uint64_t key = static_cast<uint64_t>(name) << 32 | static_cast<uint32_t>(line) << 3 |
                       static_cast<uint32_t>(lost) << 2 | static_cast<uint32_t>(confidence);
  const auto it = frame_locations_.find(key);
  if (it != frame_locations_.end()) return it->second;
  const FrameName& info = frames_.Name(name);
  std::string function = info.name, class_name;
  int first = info.line;
  if (info.function >= 0) {
    const PythonModule& module = *frames_.files()[info.file].file.module;
    const PythonFunction& f = module.functions[info.function];
    function = f.qualified;
    first = f.first_line;
    for (int g = info.function; g >= 0 && class_name.empty(); g = module.functions[g].parent) {
      if (module.functions[g].kind == FunctionKind::kFunction &&
          module.functions[g].class_index >= 0) {
        class_name = module.classes[module.functions[g].class_index].qualified;
      }
    }
  }
  const bool gone = info.function < 0 && frames_.files()[info.file].file.module != nullptr;
  const uint32_t location = At(info.file, function, first, line == 0 ? first : line, confidence,
                               class_name, lost || gone);
  frame_locations_.emplace(key, location);
  return location;
}

uint32_t Locations::CommonContext(uint32_t a, uint32_t b) const {
  while (a != b && a != kNone && b != kNone) {
    if (context_depth_[a] >= context_depth_[b]) {
      a = at_.contexts[a].parent;
    } else {
      b = at_.contexts[b].parent;
    }
  }
  return a == b ? a : kNone;
}

}  // namespace emberline
