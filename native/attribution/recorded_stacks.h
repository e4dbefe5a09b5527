// Stacks that a recorder wrote as text ("Call stack", and those of captured graphs). Their lines
// are true, but of the text that ran.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "attribution/recorded_lines.h"
#include "attribution/stages.h"

namespace emberline {

// Not thread-safe.
class RecordedStacks {
 public:
  explicit RecordedStacks(Attributing& a) : a_(a) {}

  // Finds where the lines are in the texts at hand, by what was called from them. False when
  // cancelled.
  bool Follow();

  // The context of a stack, made once; kNone where nothing in it is the user's.
  uint32_t ContextOf(std::string_view text);

 private:
  using Place = std::tuple<uint32_t, std::string, int>;  // file, function, line
  // By function (file, name) and line: what was called from there, by kind and name.
  using Called =
      std::map<std::pair<uint32_t, std::string>, std::map<int, std::map<std::string, Observed>>>;

  // Each text, and the operators that were called from its innermost line. False when cancelled.
  bool CollectTexts(std::map<std::string_view, std::set<StringId>>* texts) const;
  void CollectCalled(std::string_view text, const std::set<StringId>& ops, Called* called);
  void FollowFunction(uint32_t file, const std::string& name,
                      const std::map<int, std::map<std::string, Observed>>& by_line);
  const PythonModule* ModuleOf(uint32_t file);
  uint32_t LocationOf(const Place& place);

  Attributing& a_;
  std::map<Place, uint32_t> locations_;
  std::map<Place, FollowedLine> lines_;
  std::unordered_map<std::string_view, uint32_t> contexts_;
  std::unordered_map<uint32_t, bool> text_tried_;
};

}  // namespace emberline
