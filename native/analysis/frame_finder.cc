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

FrameFinder::FrameFinder(const Model& model) : model_(&model) {}

FrameFinder::NameKind FrameFinder::KindOf(SliceIndex frame) {
  const TraceStore& s = model_->store();
  if (kinds_.empty()) kinds_.assign(s.strings().size(), NameKind::kUnknown);
  NameKind& kind = kinds_[s.name_id(frame)];
  if (kind != NameKind::kUnknown) return kind;
  const std::string_view name = s.name(frame);
  if (name.starts_with(kModulePrefix)) return kind = NameKind::kModule;
  const Frame parsed = ParseFrameName(name);
  if (!parsed.library) return kind = NameKind::kUser;
  return kind = parsed.file.empty() ? NameKind::kNoFile : NameKind::kLibrary;
}

const FrameFinder::Around& FrameFinder::AroundOf(SliceIndex frame) {
  const TraceStore& s = model_->store();
  climbed_.clear();
  for (SliceIndex at = frame; at != kNone && !around_.contains(at); at = model_->frame[at]) {
    climbed_.push_back(at);
  }
  for (size_t k = climbed_.size(); k-- > 0;) {
    const SliceIndex at = climbed_[k];
    const SliceIndex outer = model_->frame[at];
    Around around = outer == kNone ? Around() : around_.at(outer);
    const NameKind kind = KindOf(at);
    around.any = around.any || kind != NameKind::kModule;
    if (kind == NameKind::kModule) around.module = at;
    if (kind == NameKind::kUser) {
      around.user = at;
      around.line = 0;
      around.passes = true;
    } else if (around.passes) {
      // A module call stands between caller and callee; the calling line passes through it.
      const int64_t line = CallLine(s.ArgText(at, ArgRole::kCallSite));
      around.line = line;
      around.passes = line == 0 && kind != NameKind::kLibrary;
    }
    around_.emplace(at, around);
  }
  return around_.at(frame);
}

const FrameFinder::Found& FrameFinder::OfText(std::string_view stack) {
  const auto [known, added] = texts_.try_emplace(stack.data());
  if (added) {
    const std::vector<Frame> frames = ParseCallStack(stack);
    known->second = {!frames.empty(), FirstOfUser(frames)};
  }
  return known->second;
}

FrameFinder::Found FrameFinder::Own(SliceIndex host) {
  const Model& m = *model_;
  const bool is_frame = m.store().kind(host) == SliceKind::kPythonFunction;
  if (!is_frame) {
    const SliceIndex op = m.IsOp(host) ? host : m.op[host];
    const std::string_view recorded = RecordedStack(m, op);
    if (!recorded.empty()) return OfText(recorded);
  }
  const SliceIndex innermost = is_frame ? host : m.frame[host];
  if (innermost == kNone) return {};
  const Around& around = AroundOf(innermost);
  if (around.user == kNone) return {around.any, std::nullopt};
  Frame frame = ParseFrameName(m.store().name(around.user));
  frame.slice = around.user;
  if (around.line > 0) {
    frame.line = around.line;
    frame.line_is_definition = false;
  }
  return {true, std::move(frame)};
}

std::optional<Frame> FrameFinder::UserFrame(SliceIndex slice) {
  const Model& m = *model_;
  if (IsDeviceWork(m.store().kind(slice)) && !CaptureStack(m.store(), slice).empty()) {
    return UserFrameOf(m, slice);
  }
  const SliceIndex host = StackHost(m, slice);
  if (host == kNone) return std::nullopt;
  Found own = Own(host);
  if (own.known) return std::move(own.frame);
  const SliceIndex forward = StackForward(m, host);
  return forward == kNone ? std::nullopt : Own(forward).frame;
}

SliceIndex FrameFinder::Module(SliceIndex slice) {
  const Model& m = *model_;
  const SliceIndex host = StackHost(m, slice);
  if (host == kNone) return kNone;
  const auto find = [&](SliceIndex from) -> SliceIndex {
    const bool is_frame = m.store().kind(from) == SliceKind::kPythonFunction;
    const SliceIndex innermost = is_frame ? from : m.frame[from];
    return innermost == kNone ? kNone : AroundOf(innermost).module;
  };
  const SliceIndex own = find(host);
  if (own != kNone) return own;
  const SliceIndex forward = StackForward(m, host);
  return forward == kNone ? kNone : find(forward);
}

std::string FrameFinder::ModuleName(SliceIndex slice) {
  const TraceStore& s = model_->store();
  const SliceIndex module = Module(slice);
  if (module != kNone) return std::string(emberline::ModuleName(s.name(module)).value_or(""));
  const SliceIndex op = model_->IsOp(slice) ? slice : model_->op[slice];
  return op == kNone ? std::string() : std::string(s.ArgText(op, ArgRole::kModule));
}

}  // namespace emberline
