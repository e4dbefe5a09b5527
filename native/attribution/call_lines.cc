#include "attribution/call_lines.h"

#include "attribution/recorded_lines.h"

namespace emberline {

CalledAt CallLines::Recorded(SliceIndex child) const {
  if (s_.kind(child) != SliceKind::kPythonFunction || !recorded_) return {};
  const int line = RecordedCallLine(s_, child);
  if (line <= 0) return {};
  const PythonFunction* function = frames_.FunctionOf(parent_[child]);
  if (function == nullptr) return {line, LineConfidence::kExact};
  const auto followed = followed_.find({function, line});
  return followed == followed_.end() ? CalledAt{line, LineConfidence::kExact} : followed->second;
}

void CallLines::Follow(const PythonFunction& function, SliceIndex frame,
                       const CalledByLine& recorded) {
  if (recorded.empty()) return;
  const FrameName& info = frames_.Name(s_.name_id(frame));
  SourceFile& file = frames_.files()[info.file].file;
  std::vector<RecordedLine> lines;
  for (const auto& [line, called] : recorded) {
    lines.push_back({line, {}});
    for (const auto& [id, observed] : called) lines.back().called.push_back(observed);
  }
  const int index = info.function;
  const std::vector<FollowedLine> now =
      FollowRecordedLines(*file.module, {&index, 1}, lines, info.moved);
  for (size_t k = 0; k < lines.size(); ++k) {
    const bool stays = now[k].line == lines[k].line + info.moved;
    followed_[{&function, lines[k].line}] = {
        now[k].line, stays ? LineConfidence::kExact : LineConfidence::kAligned,
        now[k].function < 0};
    if (now[k].line != lines[k].line) file.exact = false;
  }
}

}  // namespace emberline
