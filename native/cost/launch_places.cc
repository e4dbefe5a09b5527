#include "cost/launch_places.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "cost/arguments.h"
#include "model/names.h"

namespace emberline {
namespace {

// The numbers of a recorded "[512, 1, 1]".
std::optional<std::vector<int64_t>> NumbersOf(std::string_view recorded) {
  const std::string values = "[\"" + std::string(recorded) + "\"]";
  return Arguments({.dims = "[[]]", .values = values}).Integers(0);
}

// "Linear_3": the class without the number of the instance.
std::string_view ModuleClass(std::string_view module) {
  const size_t at = module.rfind('_');
  const bool numbered =
      at != std::string::npos && at > 0 && at + 1 < module.size() &&
      std::all_of(module.begin() + static_cast<long>(at) + 1, module.end(), IsDigit);
  return numbered ? module.substr(0, at) : module;
}

}  // namespace

LaunchPlaces::LaunchPlaces(const Model& model, const StackIds* stacks, CallChain& chain,
                           FrameFinder& frames)
    : model_(model),
      store_(model.store()),
      chain_(chain),
      frames_(frames),
      own_stacks_(stacks == nullptr ? std::optional<StackIds>(model) : std::nullopt),
      stacks_(stacks == nullptr ? *own_stacks_ : *stacks) {}

SliceIndex LaunchPlaces::Listed(SliceIndex kernel) {
  return chain_.Listed(model_.SourceOp(kernel), model_.pass[kernel] == Pass::kBackward);
}

Cell LaunchPlaces::Geometry(SliceIndex kernel, ArgRole key) const {
  const SliceIndex launch = model_.launch[kernel];
  const auto recorded = [&](ArgRole role, bool& on_call) {
    const std::string_view text = store_.ArgText(kernel, role);
    on_call = text.empty() && launch != kNone;
    return on_call ? store_.ArgText(launch, role) : text;
  };
  bool on_call = false;
  const auto list = NumbersOf(recorded(key, on_call));
  if (!list || list->empty()) return Cell();
  std::vector<int64_t> shown = *list;
  // ROCm's extended launches count threads where others count blocks.
  if (key == ArgRole::kGrid && launch != kNone &&
      store_.name(launch) == "hipExtModuleLaunchKernel") {
    const auto threads = NumbersOf(recorded(ArgRole::kBlock, on_call));
    for (size_t i = 0; threads && i < shown.size() && i < threads->size(); ++i) {
      const int64_t each = (*threads)[i];
      if (each > 0 && shown[i] > 0) shown[i] = (shown[i] - 1) / each + 1;
    }
  }
  const std::string bracketed = ShapeText(shown);
  return TextCell(std::string_view(bracketed).substr(1, bracketed.size() - 2));
}

Alike LaunchPlaces::GeometryAlike(SliceIndex kernel, ArgRole key) const {
  const SliceIndex launch = model_.launch[kernel];
  const auto recorded = [&](ArgRole role) {
    const StringId own = store_.ArgTextId(kernel, role);
    const bool on_call = store_.strings().Get(own).empty() && launch != kNone;
    return on_call ? store_.ArgTextId(launch, role) : own;
  };
  const bool counts_threads =
      key == ArgRole::kGrid && launch != kNone && store_.name(launch) == "hipExtModuleLaunchKernel";
  constexpr uint64_t kThreads = uint64_t{1} << 32;
  return {recorded(key), counts_threads ? kThreads | recorded(ArgRole::kBlock) : 0};
}

std::string LaunchPlaces::LayerText(SliceIndex slice) const {
  std::vector<std::string_view> parts;  // innermost first
  SliceIndex at = model_.annotation[slice];
  for (int level = 0; at != kNone && level < 32; at = model_.annotation[at], ++level) {
    const std::string_view name = store_.name(at);
    const size_t from = name.find("layer:");
    if (from == std::string_view::npos) continue;
    const std::string_view rest = name.substr(from + 6);
    parts.push_back(rest.substr(0, rest.find(':')));
  }
  std::string text;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!text.empty()) text += ":";
    text += *part;
  }
  return text;
}

Cell LaunchPlaces::Layer(SliceIndex kernel) {
  std::string text = LayerText(kernel);
  if (text.empty() && model_.pass[kernel] == Pass::kBackward) {
    const SliceIndex forward = chain_.Forward(chain_.Node(model_.SourceOp(kernel)));
    if (forward != kNone) text = LayerText(forward);
  }
  return TextOrEmpty(text);
}

std::string LaunchPlaces::TraceText(SliceIndex kernel) {
  constexpr int kMaxClimbed = 256;
  constexpr size_t kMaxFrames = 64;
  std::vector<Frame> frames;  // innermost first
  const std::optional<Frame> innermost = frames_.UserFrame(kernel);
  if (!innermost) return "";
  if (innermost->slice == kNone) {
    frames = StackOf(model_, kernel);
  } else {
    frames.push_back(*innermost);
    SliceIndex at = model_.frame[innermost->slice];
    for (int i = 0; at != kNone && i < kMaxClimbed; at = model_.frame[at], ++i) {
      if (ModuleName(store_.name(at))) continue;
      frames.push_back(ParseFrameName(store_.name(at)));
    }
  }
  std::erase_if(frames, [](const Frame& f) { return f.library || f.file.empty(); });
  if (frames.size() > kMaxFrames) frames.resize(kMaxFrames);
  std::string text;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    text += (text.empty() ? "" : ",") + frame->file + ":" + std::to_string(frame->line);
  }
  return text;
}

Cell LaunchPlaces::Trace(SliceIndex kernel) {
  const StackIds::Id id = stacks_.Of(kernel);
  if (id.id == 0) return Cell();
  const auto known = traces_.find(id.id);
  if (known != traces_.end()) return TextOrEmpty(known->second);
  constexpr size_t kMaxKept = 4096;
  if (traces_.size() >= kMaxKept) traces_.clear();
  return TextOrEmpty(traces_[id.id] = TraceText(kernel));
}

Alike LaunchPlaces::TraceAlike(SliceIndex kernel) const { return {stacks_.Of(kernel).id, 0}; }

FrameFinder::Place LaunchPlaces::UserPlace(SliceIndex kernel) {
  const uint64_t id = stacks_.Of(kernel).id;
  if (id == 0) return {};
  const auto [it, added] = places_.try_emplace(id);
  if (added) {
    it->second = frames_.UserPlace(kernel);
    it->second.slice = kNone;
  }
  return it->second;
}

Cell LaunchPlaces::Mod(SliceIndex kernel) {
  const std::string_view module = frames_.ModuleText(kernel);
  if (!module.empty()) return TextCell(ModuleClass(module));
  const SliceIndex op = Listed(kernel);
  if (op == kNone) return Cell();
  const std::string_view name = store_.name(op);
  const size_t colons = name.find("::");
  return colons == std::string_view::npos ? Cell() : TextCell(name.substr(0, colons));
}

Alike LaunchPlaces::ModAlike(SliceIndex kernel) {
  const std::string_view module = frames_.ModuleText(kernel);
  if (!module.empty()) return {reinterpret_cast<uintptr_t>(module.data()), 1};
  const SliceIndex op = Listed(kernel);
  return {op == kNone ? kNone : store_.name_id(op), 0};
}

}  // namespace emberline
