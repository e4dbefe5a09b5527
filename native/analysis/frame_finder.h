// UserFrameOf() and ModuleOf() for many slices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/stack_of.h"
#include "base/hash.h"
#include "model/model.h"

namespace emberline {

// Remembers what is around each frame that it came by: a stack below which many slices lie is
// climbed once, however deep it is. Of one thread.
class FrameFinder {
 public:
  explicit FrameFinder(const Model& model);
  // As UserFrameOf(), but of stacks of any depth.
  std::optional<Frame> UserFrame(SliceIndex slice);
  // As ModuleOf() and ModuleNameOf().
  SliceIndex Module(SliceIndex slice);
  std::string ModuleName(SliceIndex slice);

 private:
  enum class NameKind : uint8_t { kUnknown, kModule, kUser, kLibrary, kNoFile };
  // What a frame and those around it say.
  struct Around {
    SliceIndex user = kNone;    // the innermost frame of the user's code
    SliceIndex module = kNone;  // the innermost module call
    bool any = false;           // some of them is a function
    // The calling line that `user` gets when the climb begins here; 0 for none.
    int64_t line = 0;
    // A calling line known further inside reaches `user`: nothing between takes it or has another.
    bool passes = true;
  };
  // What one stack gives; `known` is false where it is empty and the forward op's is asked.
  struct Found {
    bool known = false;
    std::optional<Frame> frame;
  };

  NameKind KindOf(SliceIndex frame);
  const Around& AroundOf(SliceIndex frame);
  Found Own(SliceIndex host);
  const Found& OfText(std::string_view stack);

  const Model* model_;
  std::vector<NameKind> kinds_;  // by name
  std::unordered_map<SliceIndex, Around, NumberHash> around_;
  std::unordered_map<const char*, Found> texts_;  // by the interned text
  std::vector<SliceIndex> climbed_;               // kept for its memory
};

}  // namespace emberline
