// UserFrameOf() and ModuleOf() for many slices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/stack_of.h"
#include "base/hash.h"
#include "model/model.h"

namespace emberline {

// Remembers what is around each frame that it visited: a stack below which many slices lie is
// climbed once, however deep it is. Not thread-safe.
class FrameFinder {
 public:
  explicit FrameFinder(const Model& model);
  FrameFinder(const FrameFinder&) = delete;
  FrameFinder& operator=(const FrameFinder&) = delete;

  // A frame of the user's code without a copy of its texts.
  struct Place {
    const Frame* frame = nullptr;  // whose texts they are; null where there is no such frame. The
                                   // finder keeps it: equal pointers have equal texts
    int64_t line = 0;
    bool line_is_definition = false;
    SliceIndex slice = kNone;  // as in Frame
    explicit operator bool() const { return frame != nullptr; }
  };
  // What UserFrameOf() gives, but of stacks of any depth.
  Place UserPlace(SliceIndex slice);
  // The same with the texts.
  std::optional<Frame> UserFrame(SliceIndex slice);
  // As ModuleOf() and ModuleNameOf().
  SliceIndex Module(SliceIndex slice);
  std::string ModuleName(SliceIndex slice);
  // The same text where the trace keeps it: texts at one place are equal.
  std::string_view ModuleText(SliceIndex slice);

 private:
  enum class NameKind : uint8_t { kUnknown, kModule, kUser, kLibrary, kNoFile };
  // What a frame and those around it say.
  struct Around {
    const Frame* frame = nullptr;  // the parsed name of `user`
    // The calling line that `user` gets when the climb begins here; 0 for none.
    int64_t line = 0;
    SliceIndex user = kNone;  // the innermost frame of the user's code
    bool any = false;         // some of them is a function
    // A calling line known further inside reaches `user`: nothing between takes it or has another.
    bool passes = true;
    bool operator==(const Around&) const = default;
  };
  // What one stack gives; `known` is false where it is empty and the forward op's is asked.
  struct Found {
    bool known = false;
    std::optional<Frame> frame;
  };
  struct Own {
    bool known = false;
    Place place;
  };

  // A number for each frame that was looked at. Frames of a thread stand together, so blocks of
  // them are made where one is needed: a page costs what it shows, and a whole trace no search.
  class ByFrame {
   public:
    explicit ByFrame(uint32_t slices) : blocks_((slices + kBlock - 1) / kBlock) {}
    // kNone where none was set.
    uint32_t Get(SliceIndex frame) const {
      const std::unique_ptr<Block>& block = blocks_[frame / kBlock];
      return block == nullptr ? kNone : (*block)[frame % kBlock];
    }
    void Set(SliceIndex frame, uint32_t number);

   private:
    static constexpr uint32_t kBlock = 1024;
    using Block = std::array<uint32_t, kBlock>;
    std::vector<std::unique_ptr<Block>> blocks_;
  };

  NameKind KindOf(SliceIndex frame);
  const Around& AroundOf(SliceIndex frame);
  SliceIndex ModuleAround(SliceIndex frame);
  Own OwnPlace(SliceIndex host);
  const Found& OfText(std::string_view stack);
  static Place PlaceOf(const Found& found);

  const Model* model_;
  std::vector<NameKind> kinds_;                             // by name
  std::unordered_map<StringId, Frame, NumberHash> parsed_;  // names of kind kUser
  std::vector<Around> around_;
  ByFrame around_of_;                                // from a frame to its entry of `around_`
  ByFrame module_of_;                                // from a frame to the module around it
  std::unordered_map<const char*, Found> texts_;     // by the interned text
  std::unordered_map<const char*, Found> captures_;  // the same of stacks of captured graphs
  std::vector<SliceIndex> climbed_;                  // kept for its memory
};

}  // namespace emberline
