#include "attribution/frames.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/stack_of.h"

namespace emberline {
namespace {

bool IsModuleCall(std::string_view function) {
  return function == "_call_impl" || function == "_wrapped_call_impl";
}

bool RunsUnseen(std::string_view function) {
  return function == "__getattr__" || function == "__getattribute__" || function == "__hash__" ||
         function == "__get__";
}

// All inputs of a console have the same name.
bool IsConsole(std::string_view file) {
  return file.starts_with("<stdin>") || file.starts_with("<console>");
}

}  // namespace

std::string BuiltinName(std::string_view repr) {
  // "<built-in method NAME of X object>", "<built-in function NAME>", "<method 'NAME' of 'X'
  // objects>",
  // "<slot wrapper 'NAME' of ...>".
  for (const std::string_view prefix : {"<built-in method ", "<built-in function "}) {
    if (!repr.starts_with(prefix)) continue;
    repr.remove_prefix(prefix.size());
    std::string_view name = repr.substr(0, repr.find_first_of(" >"));
    const size_t dot = name.rfind('.');
    if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
    return std::string(name);
  }
  const size_t open = repr.find('\'');
  if (open != std::string_view::npos) {
    const size_t close = repr.find('\'', open + 1);
    if (close != std::string_view::npos)
      return std::string(repr.substr(open + 1, close - open - 1));
  }
  return std::string(repr.substr(0, 80));
}

std::string OperatorName(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon != std::string_view::npos) name.remove_prefix(colon + 1);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  // Overloads: "aten::add.Tensor".
  const size_t dot = name.find('.');
  if (dot != std::string_view::npos && dot > 0) name = name.substr(0, dot);
  return std::string(name.substr(0, 80));
}

int RecordedCallLine(const TraceStore& store, SliceIndex call) {
  const int64_t line = CallLine(store.ArgText(call, ArgRole::kCallSite));
  return line <= std::numeric_limits<int>::max() ? static_cast<int>(line) : 0;
}

uint32_t Frames::FileIndex(const std::string& path) {
  const auto [it, fresh] = file_ids_.emplace(path, static_cast<uint32_t>(files_.size()));
  if (fresh) {
    FrameFile f;
    f.file.recorded = path;
    f.file.resolved = mapper_.Resolve(path);
    f.file.user = path == focus_ || f.file.resolved.user_code || !IsLibraryPath(path);
    files_.push_back(std::move(f));
  }
  return it->second;
}

const PythonFunction* Frames::FunctionOf(SliceIndex frame) const {
  const FrameName& info = Name(s_.name_id(frame));
  if (info.kind != FrameName::kFrame || info.function < 0) return nullptr;
  return &files_[info.file].file.module->functions[info.function];
}

bool Frames::Read(const CancelToken& cancel, LineAttribution* attribution) {
  name_ids_.assign(s_.strings().size(), kNone);
  for (SliceIndex i = 0; i < s_.all_slice_count(); ++i) {
    if (i % kCancelStride == 0 && cancel.cancelled()) return false;
    if (s_.kind(i) != SliceKind::kPythonFunction) continue;
    attribution->has_stacks = true;
    uint32_t& id = name_ids_[s_.name_id(i)];
    if (id == kNone) {
      id = static_cast<uint32_t>(names_.size());
      names_.emplace_back();
    }
    FrameName& info = names_[id];
    if (info.kind == FrameName::kUnread) ReadName(s_.name_id(i), &info);
    attribution->user_frame[i] = info.kind == FrameName::kFrame && files_[info.file].file.user;
  }
  return true;
}

void Frames::ReadName(StringId id, FrameName* info) {
  const std::string_view text = s_.strings().Get(id);
  if (const auto module = ModuleName(text)) {
    info->kind = FrameName::kModule;
    const size_t number = module->rfind('_');
    info->name =
        std::string(module->substr(0, number == std::string_view::npos ? module->size() : number));
    return;
  }
  const Frame frame = ParseFrameName(text);
  if (frame.file.empty()) {
    info->kind = FrameName::kBuiltin;
    info->name = BuiltinName(text);
    return;
  }
  info->kind = FrameName::kFrame;
  info->name = frame.function;
  info->line = static_cast<int>(std::clamp<int64_t>(frame.line, 0, 1 << 30));
  info->file = FileIndex(frame.file);
  info->module_call = IsModuleCall(info->name);
  info->unseen = RunsUnseen(info->name);
  RecordedFunction r;
  r.name = info->name;
  r.line = info->line;
  files_[info->file].functions.push_back(r);
  files_[info->file].names.push_back(id);
  if (info->name == "<module>" && IsCellPath(frame.file) && !IsConsole(frame.file)) {
    statements_.insert(static_cast<uint64_t>(info->file) << 32 | static_cast<uint32_t>(info->line));
  }
}

}  // namespace emberline
