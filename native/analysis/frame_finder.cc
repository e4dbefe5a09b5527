#include "analysis/frame_finder.h"

#include <algorithm>
#include <utility>

#include "analysis/stack_of_internal.h"
#include "model/names.h"

namespace emberline {
namespace {

std::optional<Frame> FirstOfUser(const std::vector<Frame>& frames) {
  const auto user =
      std::find_if(frames.begin(), frames.end(), [](const Frame& f) { return !f.library; });
  return user == frames.end() ? std::nullopt : std::optional(*user);
}

}  // namespace

FrameFinder::FrameFinder(const Model& model)
    : model_(&model),
      around_of_(model.store().all_slice_count()),
      module_of_(model.store().all_slice_count()) {}

FrameFinder::NameKind FrameFinder::KindOf(SliceIndex frame) {
  const TraceStore& s = model_->store();
  if (kinds_.empty()) kinds_.assign(s.strings().size(), NameKind::kUnknown);
  NameKind& kind = kinds_[s.name_id(frame)];
  if (kind != NameKind::kUnknown) return kind;
  const std::string_view name = s.name(frame);
  if (name.starts_with(kModulePrefix)) return kind = NameKind::kModule;
  Frame parsed = ParseFrameName(name);
  if (parsed.library) return kind = parsed.file.empty() ? NameKind::kNoFile : NameKind::kLibrary;
  parsed_.emplace(s.name_id(frame), std::move(parsed));
  return kind = NameKind::kUser;
}

void FrameFinder::ByFrame::Set(SliceIndex frame, uint32_t number) {
  std::unique_ptr<Block>& block = blocks_[frame / kBlock];
  if (block == nullptr) {
    block = std::make_unique_for_overwrite<Block>();
    block->fill(kNone);
  }
  (*block)[frame % kBlock] = number;
}

const FrameFinder::Around& FrameFinder::AroundOf(SliceIndex frame) {
  const TraceStore& s = model_->store();
  climbed_.clear();
  uint32_t known = kNone;
  for (SliceIndex at = frame; at != kNone; at = model_->frame[at]) {
    known = around_of_.Get(at);
    if (known != kNone) break;
    climbed_.push_back(at);
  }
  for (size_t k = climbed_.size(); k-- > 0;) {
    const SliceIndex at = climbed_[k];
    Around around = known == kNone ? Around() : around_[known];
    const NameKind kind = KindOf(at);
    around.any = around.any || kind != NameKind::kModule;
    if (kind == NameKind::kUser) {
      around.user = at;
      around.frame = &parsed_.at(s.name_id(at));
      around.line = 0;
      around.passes = true;
    } else if (around.passes) {
      // A module call stands between caller and callee; the calling line passes through it.
      const int64_t line = CallLine(s.ArgText(at, ArgRole::kCallSite));
      around.line = line;
      around.passes = line == 0 && kind != NameKind::kLibrary;
    }
    // Calls inside a library say what the call of the library said.
    if (known == kNone || !(around == around_[known])) {
      known = static_cast<uint32_t>(around_.size());
      around_.push_back(around);
    }
    around_of_.Set(at, known);
  }
  return around_[known];
}

// Apart from AroundOf(), which reads what the frames on its way were recorded with.
SliceIndex FrameFinder::ModuleAround(SliceIndex frame) {
  constexpr SliceIndex kNoModule = kNone - 1;  // looked for, and there is none
  climbed_.clear();
  SliceIndex module = kNoModule;
  for (SliceIndex at = frame; at != kNone; at = model_->frame[at]) {
    if (KindOf(at) == NameKind::kModule) {
      module = at;
      break;
    }
    const SliceIndex known = module_of_.Get(at);
    if (known != kNone) {
      module = known;
      break;
    }
    climbed_.push_back(at);
  }
  for (const SliceIndex at : climbed_) module_of_.Set(at, module);
  return module == kNoModule ? kNone : module;
}

const FrameFinder::Found& FrameFinder::OfText(std::string_view stack) {
  const auto [known, added] = texts_.try_emplace(stack.data());
  if (added) {
    const std::vector<Frame> frames = ParseCallStack(stack);
    known->second = {!frames.empty(), FirstOfUser(frames)};
  }
  return known->second;
}

FrameFinder::Place FrameFinder::PlaceOf(const Found& found) {
  if (!found.frame) return {};
  const Frame& frame = *found.frame;
  return {&frame, frame.line, frame.line_is_definition, frame.slice};
}

FrameFinder::Own FrameFinder::OwnPlace(SliceIndex host) {
  const Model& m = *model_;
  const bool is_frame = m.store().kind(host) == SliceKind::kPythonFunction;
  if (!is_frame) {
    const SliceIndex op = m.IsOp(host) ? host : m.op[host];
    const std::string_view recorded = RecordedStack(m, op);
    if (!recorded.empty()) {
      const Found& found = OfText(recorded);
      return {found.known, PlaceOf(found)};
    }
  }
  const SliceIndex innermost = is_frame ? host : m.frame[host];
  if (innermost == kNone) return {};
  const Around& around = AroundOf(innermost);
  if (around.user == kNone) return {around.any, {}};
  Place place{around.frame, around.frame->line, around.frame->line_is_definition, around.user};
  if (around.line > 0) {
    place.line = around.line;
    place.line_is_definition = false;
  }
  return {true, place};
}

FrameFinder::Place FrameFinder::UserPlace(SliceIndex slice) {
  const Model& m = *model_;
  if (IsDeviceWork(m.store().kind(slice))) {
    const std::string_view captured = CaptureStack(m.store(), slice);
    if (!captured.empty()) {
      const auto [known, added] = captures_.try_emplace(captured.data());
      if (added) {
        const std::vector<Frame> frames = FramesOfCapture(captured);
        known->second = {!frames.empty(), FirstOfUser(frames)};
      }
      if (known->second.known) return PlaceOf(known->second);
    }
  }
  const SliceIndex host = StackHost(m, slice);
  if (host == kNone) return {};
  const Own own = OwnPlace(host);
  if (own.known) return own.place;
  const SliceIndex forward = StackForward(m, host);
  return forward == kNone ? Place() : OwnPlace(forward).place;
}

std::optional<Frame> FrameFinder::UserFrame(SliceIndex slice) {
  const Place place = UserPlace(slice);
  if (!place) return std::nullopt;
  Frame frame = *place.frame;
  frame.line = place.line;
  frame.line_is_definition = place.line_is_definition;
  frame.slice = place.slice;
  return frame;
}

SliceIndex FrameFinder::Module(SliceIndex slice) {
  const Model& m = *model_;
  const SliceIndex host = StackHost(m, slice);
  if (host == kNone) return kNone;
  const auto find = [&](SliceIndex from) -> SliceIndex {
    const bool is_frame = m.store().kind(from) == SliceKind::kPythonFunction;
    const SliceIndex innermost = is_frame ? from : m.frame[from];
    return innermost == kNone ? kNone : ModuleAround(innermost);
  };
  const SliceIndex own = find(host);
  if (own != kNone) return own;
  const SliceIndex forward = StackForward(m, host);
  return forward == kNone ? kNone : find(forward);
}

std::string_view FrameFinder::ModuleText(SliceIndex slice) {
  const TraceStore& s = model_->store();
  const SliceIndex module = Module(slice);
  if (module != kNone) return emberline::ModuleName(s.name(module)).value_or("");
  const SliceIndex op = model_->IsOp(slice) ? slice : model_->op[slice];
  return op == kNone ? std::string_view() : s.ArgText(op, ArgRole::kModule);
}

std::string FrameFinder::ModuleName(SliceIndex slice) { return std::string(ModuleText(slice)); }

}  // namespace emberline
