#include "analysis/stack_of.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "analysis/stack_of_internal.h"
#include "analysis/standard_library.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/user_packages.h"
#include "model/host_place.h"
#include "model/names.h"

namespace emberline {
namespace {

// Recursion in Python is bounded by its own limit (1000 by default); a hostile file is not.
constexpr size_t kMaxFrames = 4096;

std::string StripAddress(std::string_view name) {
  // "<built-in method randn of type object at 0x7f2a...>": the address differs in each process.
  std::string out;
  size_t from = 0;
  for (size_t at = name.find(" at 0x"); at != std::string_view::npos;
       at = name.find(" at 0x", from)) {
    out.append(name.substr(from, at - from));
    from = at + 6;
    while (from < name.size() && (IsDigit(name[from]) || (name[from] >= 'a' && name[from] <= 'f') ||
                                  (name[from] >= 'A' && name[from] <= 'F'))) {
      ++from;
    }
  }
  out.append(name.substr(from));
  return out;
}

// Installed packages that profiles show. Recorders cut the longest entry of sys.path off a path, so
// that it may begin with the package's name.
bool IsKnownPackage(std::string_view head) {
  static constexpr std::array kNames = {
      std::string_view("accelerate"), std::string_view("apex"),
      std::string_view("datasets"),   std::string_view("deepspeed"),
      std::string_view("diffusers"),  std::string_view("einops"),
      std::string_view("fairscale"),  std::string_view("flash_attn"),
      std::string_view("lightning"),  std::string_view("numpy"),
      std::string_view("pandas"),     std::string_view("pytorch_lightning"),
      std::string_view("sglang"),     std::string_view("timm"),
      std::string_view("torch"),      std::string_view("torch_npu"),
      std::string_view("torch_xla"),  std::string_view("torchaudio"),
      std::string_view("torchtext"),  std::string_view("torchvision"),
      std::string_view("tqdm"),       std::string_view("transformers"),
      std::string_view("triton"),     std::string_view("vllm"),
      std::string_view("xformers")};
  return std::find(kNames.begin(), kNames.end(), head) != kNames.end();
}

// "/lib/python3.10/", "lib\python3.9\", "\Python39\Lib\".
bool InPythonLib(std::string_view path) {
  for (size_t at = path.find("python"); at != std::string_view::npos;
       at = path.find("python", at + 1)) {
    if (at == 0 || path[at - 1] != '/' || at + 7 >= path.size()) continue;
    size_t end = at + 6;
    while (end < path.size() && (IsDigit(path[end]) || path[end] == '.')) ++end;
    if (end == at + 6 || end >= path.size() || path[end] != '/') continue;
    if (at >= 4 && path.substr(at - 4, 4) == "lib/") return true;
    if (path.substr(end).starts_with("/lib/")) return true;
  }
  return false;
}

}  // namespace

int64_t CallLine(std::string_view call_from) {
  const size_t colon = call_from.rfind(':');
  if (colon == std::string_view::npos) return 0;
  int64_t line = 0;
  const char* end = call_from.data() + call_from.size();
  const auto [at, error] = std::from_chars(call_from.data() + colon + 1, end, line);
  return error == std::errc() && at == end && line > 0 ? line : 0;
}

std::string_view RecordedStack(const Model& model, SliceIndex op) {
  const TraceStore& s = model.store();
  if (!s.HasArg(ArgRole::kCallStack)) return {};
  for (uint32_t depth = 0; op != kNone && depth < kMaxOpsAround; op = model.op[op], ++depth) {
    const std::string_view text = s.ArgText(op, ArgRole::kCallStack);
    if (!text.empty()) return text;
  }
  return {};
}

SliceIndex StackHost(const Model& model, SliceIndex slice) {
  if (IsDeviceWork(model.store().kind(slice))) return HostPlaceOf(model, slice);
  return model.launch[slice] != kNone ? model.launch[slice] : slice;
}

SliceIndex StackForward(const Model& model, SliceIndex slice) {
  const SliceIndex op = model.IsOp(slice) ? slice : model.op[slice];
  return op == kNone ? kNone : model.forward[op];
}

namespace {

// "file:line:function", from the right.
void ParseLaunchFrame(std::string_view text, Frame* frame) {
  const size_t name = text.rfind(':');
  if (name == std::string_view::npos || name == 0) return;
  const size_t number = text.rfind(':', name - 1);
  if (number == std::string_view::npos || number == 0) return;
  int64_t line = 0;
  const char* end = text.data() + name;
  const auto [at, error] = std::from_chars(text.data() + number + 1, end, line);
  if (error != std::errc() || at != end) return;
  frame->file = std::string(text.substr(0, number));
  frame->line = line;
  frame->function = std::string(text.substr(name + 1));
  frame->library = IsLibraryPath(frame->file);
}

bool IsFrameSlice(const Model& model, SliceIndex slice) {
  return model.store().kind(slice) == SliceKind::kPythonFunction;
}

std::vector<Frame> OwnStack(const Model& model, SliceIndex slice) {
  const TraceStore& s = model.store();
  const SliceIndex op = model.IsOp(slice) ? slice : model.op[slice];
  const std::string_view recorded = RecordedStack(model, op);
  if (!recorded.empty() && !IsFrameSlice(model, slice)) return ParseCallStack(recorded);
  std::vector<Frame> frames;
  int64_t called_at = 0;
  SliceIndex at = IsFrameSlice(model, slice) ? slice : model.frame[slice];
  for (; at != kNone && frames.size() < kMaxFrames; at = model.frame[at]) {
    const std::string_view name = s.name(at);
    if (!name.starts_with(kModulePrefix)) {
      Frame frame = ParseFrameName(name);
      frame.slice = at;
      if (called_at > 0 && !frame.file.empty()) {
        frame.line = called_at;
        frame.line_is_definition = false;
        called_at = 0;
      }
      frames.push_back(std::move(frame));
    }
    // A module call stands between caller and callee; the calling line passes through it.
    const int64_t line = CallLine(s.ArgText(at, ArgRole::kCallSite));
    if (line > 0) called_at = line;
  }
  return frames;
}

}  // namespace

Frame ParseFrameName(std::string_view name) {
  Frame frame;
  // From the right: paths and function names may hold brackets themselves.
  for (size_t at = name.rfind("): "); at != std::string_view::npos && at > 0;
       at = name.rfind("): ", at - 1)) {
    size_t open = at;
    while (open > 0 && IsDigit(name[open - 1])) --open;
    if (open < at && open > 0 && name[open - 1] == '(') {
      int64_t line = 0;
      const auto [end, error] = std::from_chars(name.data() + open, name.data() + at, line);
      if (error == std::errc() && end == name.data() + at) {
        frame.file = std::string(name.substr(0, open - 1));
        frame.line = line;
        frame.function = StripAddress(name.substr(at + 3));
        frame.line_is_definition =
            !(frame.function == "<module>" && line > 1 && IsCellPath(frame.file));
        frame.library = IsLibraryPath(frame.file);
        return frame;
      }
    }
  }
  frame.function = StripAddress(name);
  frame.library = true;
  return frame;
}

std::string_view CaptureStack(const TraceStore& store, SliceIndex device_slice) {
  return store.ArgText(device_slice, ArgRole::kCaptureStack);
}

std::vector<Frame> ParseCallStack(std::string_view text) {
  std::vector<Frame> frames;
  while (!text.empty() && frames.size() < kMaxFrames) {
    const size_t separator = text.find_first_of(";\n");
    std::string_view part = text.substr(0, separator);
    text = separator == std::string_view::npos ? std::string_view() : text.substr(separator + 1);
    // torch_npu ends each frame with ";\r\n".
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r'; };
    while (!part.empty() && blank(part.front())) part.remove_prefix(1);
    while (!part.empty() && blank(part.back())) part.remove_suffix(1);
    if (part.empty() || part.starts_with(kModulePrefix)) continue;
    Frame frame = ParseFrameName(part);
    if (frame.file.empty()) ParseLaunchFrame(part, &frame);
    frame.line_is_definition = false;  // these strings name the line that ran
    frames.push_back(std::move(frame));
  }
  return frames;
}

bool IsCellPath(std::string_view file) {
  for (const std::string_view start : {"<ipython-input", "<stdin>", "<console>", "<command-"}) {
    if (file.starts_with(start)) return true;
  }
  // ".../ipykernel_123/456.py", with either slash.
  const size_t at = file.rfind("ipykernel_");
  return at != std::string_view::npos && file.ends_with(".py") &&
         (at == 0 || file[at - 1] == '/' || file[at - 1] == '\\');
}

bool IsLibraryPath(std::string_view file) {
  if (file.empty()) return true;
  if (IsCellPath(file)) return false;
  // "<frozen importlib._bootstrap>", "<string>", "<eval_with_key>.7".
  if (file.front() == '<') return true;
  std::string path(file);
  std::replace(path.begin(), path.end(), '\\', '/');
  for (char& c : path) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (IsOfUserPackage(path)) return false;
  if (Contains(path, "site-packages/") || Contains(path, "dist-packages/") ||
      Contains(path, "/torch/nn/") || Contains(path, "torchinductor_")) {
    return true;
  }
  if (InPythonLib(path)) return true;
  if (path.front() == '/' || (path.size() > 1 && path[1] == ':')) return false;
  if (IsStandardLibraryFile(path)) return true;
  const size_t slash = path.find('/');
  std::string_view head = std::string_view(path).substr(0, slash);
  if (slash == std::string::npos && head.ends_with(".py")) head.remove_suffix(3);
  return IsKnownPackage(head);
}

std::optional<std::string_view> ModuleName(std::string_view python_function_name) {
  if (!python_function_name.starts_with(kModulePrefix)) return std::nullopt;
  return python_function_name.substr(kModulePrefix.size());
}

std::vector<Frame> FramesOfCapture(std::string_view text) {
  std::vector<Frame> frames = ParseCallStack(text);
  const bool any = std::any_of(frames.begin(), frames.end(),
                               [](const Frame& frame) { return !frame.file.empty(); });
  if (!any) frames.clear();
  return frames;
}

std::vector<Frame> StackOf(const Model& model, SliceIndex slice) {
  if (IsDeviceWork(model.store().kind(slice))) {
    std::vector<Frame> captured = FramesOfCapture(CaptureStack(model.store(), slice));
    if (!captured.empty()) return captured;
  }
  const SliceIndex host = StackHost(model, slice);
  if (host == kNone) return {};
  std::vector<Frame> frames = OwnStack(model, host);
  if (!frames.empty()) return frames;
  const SliceIndex forward = StackForward(model, host);
  return forward == kNone ? frames : OwnStack(model, forward);
}

std::optional<Frame> UserFrameOf(const Model& model, SliceIndex slice) {
  for (Frame& frame : StackOf(model, slice)) {
    if (!frame.library) return std::move(frame);
  }
  return std::nullopt;
}

SliceIndex ModuleOf(const Model& model, SliceIndex slice) {
  const TraceStore& s = model.store();
  const SliceIndex host = StackHost(model, slice);
  if (host == kNone) return kNone;
  auto find = [&](SliceIndex from) -> SliceIndex {
    SliceIndex at = IsFrameSlice(model, from) ? from : model.frame[from];
    while (at != kNone && !s.name(at).starts_with(kModulePrefix)) at = model.frame[at];
    return at;
  };
  const SliceIndex own = find(host);
  if (own != kNone) return own;
  const SliceIndex forward = StackForward(model, host);
  return forward == kNone ? kNone : find(forward);
}

StackIds::StackIds(const Model& model) : model_(&model) {
  const TraceStore& s = model.store();
  const uint32_t n = s.all_slice_count();
  // (stack of the caller, name, calling line) -> stack. Module pseudo frames are transparent, as in
  // StackOf().
  struct Key {
    uint32_t parent;
    StringId name;
    int64_t line;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      return HashPair(static_cast<uint64_t>(k.parent) << 32 | k.name,
                      static_cast<uint64_t>(k.line));
    }
  };
  std::unordered_map<Key, uint32_t, Hash> ids;
  std::vector<uint8_t> is_module;
  for (SliceIndex i = 0; i < n; ++i) {
    if (s.kind(i) != SliceKind::kPythonFunction) continue;
    if (by_frame_.empty()) {
      by_frame_.assign(n, 0);
      is_module.assign(s.strings().size(), 2);
    }
    const SliceIndex p = model.frame[i];
    uint32_t id = p == kNone ? 0 : by_frame_[p];
    uint8_t& module = is_module[s.name_id(i)];
    if (module == 2) module = s.name(i).starts_with(kModulePrefix) ? 1 : 0;
    const int64_t line = CallLine(s.ArgText(i, ArgRole::kCallSite));
    // The line that a module was called at is one of the caller's: without a caller, of nobody's.
    if (module == 0 || (line > 0 && id != 0)) {
      const Key key{id, module == 0 ? s.name_id(i) : 0, line};
      id = ids.try_emplace(key, static_cast<uint32_t>(ids.size() + 1)).first->second;
    }
    by_frame_.Set(i, id);
  }
  by_frame_.Pack();
  if (!s.HasArg(ArgRole::kCaptureStack)) return;
  std::unordered_set<const char*> looked_at;
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsDeviceWork(s.kind(i))) continue;
    const std::string_view text = CaptureStack(s, i);
    if (text.empty() || !looked_at.insert(text.data()).second) continue;
    if (!FramesOfCapture(text).empty()) captures_.insert(text.data());
  }
}

StackIds::Id StackIds::Of(SliceIndex slice) const {
  const Model& m = *model_;
  const TraceStore& s = m.store();
  // Recorded strings are interned, so their address tells them apart; frames number from 1.
  constexpr uint64_t kTextTag = 1ull << 63;
  const auto of_text = [](std::string_view text) {
    return kTextTag | static_cast<uint64_t>(reinterpret_cast<uintptr_t>(text.data()));
  };
  if (!captures_.empty() && IsDeviceWork(s.kind(slice))) {
    const std::string_view text = CaptureStack(s, slice);
    if (captures_.contains(text.data())) return {of_text(text), false, true};
  }
  auto recorded = [&](SliceIndex host) -> Id {
    Id out;
    const SliceIndex op = m.IsOp(host) ? host : m.op[host];
    if (!IsFrameSlice(m, host)) {
      const std::string_view text = RecordedStack(m, op);
      if (!text.empty()) {
        out.id = of_text(text);
        out.own = op == host && !s.ArgText(op, ArgRole::kCallStack).empty();
        return out;
      }
    }
    if (by_frame_.empty()) return out;
    const SliceIndex frame = IsFrameSlice(m, host) ? host : m.frame[host];
    if (frame != kNone) out.id = by_frame_[frame];
    out.own = out.id != 0;
    return out;
  };
  const SliceIndex host = StackHost(m, slice);
  if (host == kNone) return {};
  Id id = recorded(host);
  if (id.id != 0) return id;
  const SliceIndex forward = StackForward(m, host);
  if (forward == kNone) return {};
  id = recorded(forward);
  id.from_forward = id.id != 0;
  id.own = false;
  return id;
}

bool IsListedOperator(const Model& model, SliceIndex slice) {
  if (!model.IsOp(slice)) return false;
  const RangeKind range = ClassifyRange(model.store().name(slice));
  return range == RangeKind::kPlain;
}

}  // namespace emberline
