// The places and contexts of an attribution, each kept once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/lines.h"
#include "attribution/frames.h"

namespace emberline {

// Fills LineAttribution::locations and contexts; of one thread.
class Locations {
 public:
  Locations(const Frames& frames, LineAttribution* at) : frames_(frames), at_(*at) {}

  // `stale`: a line was recorded, but the text at hand has no such line.
  uint32_t At(uint32_t file, const std::string& function, int function_line, int line,
              LineConfidence confidence, const std::string& class_name, bool stale = false);
  // A line in the function of a frame's name; line 0: the function itself. `lost`: as `stale`.
  uint32_t OfFrame(StringId name, int line, LineConfidence confidence, bool lost = false);

  // A location and what called it; a stack that is deeper than Python allows begins anew.
  uint32_t Context(uint32_t parent, uint32_t location);
  // What two contexts have in common; kNone where they have nothing.
  uint32_t CommonContext(uint32_t a, uint32_t b) const;

 private:
  const Frames& frames_;
  LineAttribution& at_;
  std::unordered_map<std::string, uint32_t> location_ids_;
  std::unordered_map<uint64_t, uint32_t> frame_locations_, context_ids_;
  std::vector<uint32_t> context_depth_;
};

}  // namespace emberline
