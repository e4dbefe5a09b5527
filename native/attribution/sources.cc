// The texts of the user's files, and the functions in them that the trace names.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "attribution/observe.h"
#include "attribution/stages.h"
#include "base/release.h"
#include "source/source_text.h"

namespace emberline {
namespace {

constexpr size_t kMaxEvidence = 24;  // different calls that tell which function a frame is of

// By name of the user's frames, some of what they called.
using CalledByName = std::unordered_map<StringId, std::vector<Observed>>;

// Frames that were open when recording began name the line they stood at, and so do those of
// generators that are resumed; others name the first line of their function.
// `first_line`: the first that is recorded of each name.
bool NamesInside(const PythonModule& module, const RecordedFunction& r, bool cut,
                 const std::map<std::string, int>& first_line) {
  if (module.FindFunction(r.name, r.line) >= 0) return false;
  if (cut) return true;
  const int around = module.FunctionAround(r.name, r.line);
  if (around >= 0) return !module.functions[around].resumptions.empty();
  // In a text that was changed, generators begin above the lines where they go on.
  return first_line.at(r.name) < r.line &&
         std::any_of(
             module.functions.begin(), module.functions.end(),
             [&](const PythonFunction& g) { return g.name == r.name && !g.resumptions.empty(); });
}

// Some of what the frames of each name called, to know their functions by.
bool ReadCalled(Attributing& a, CalledByName* called) {
  std::unordered_set<uint64_t> known;  // caller and called
  for (SliceIndex i = 0; i < a.store.all_slice_count(); ++i) {
    if (a.Stop(i)) return false;
    SliceIndex caller = a.parent[i];
    if (caller == kNone || a.RunsUnseen(i)) continue;
    // A module is called through _call_impl.
    for (int level = 0; level < kMaxCallLevels && caller != kNone && a.IsFrame(caller) &&
                        a.NameOf(caller).module_call;
         ++level) {
      caller = a.parent[caller];
    }
    if (caller == kNone || !a.at.user_frame[caller]) continue;
    if (a.IsFrame(i) && a.NameOf(i).module_call) continue;
    const StringId name = a.store.name_id(caller);
    if (a.frames.files()[a.frames.Name(name).file].file.module == nullptr) continue;
    std::vector<Observed>& list = (*called)[name];
    if (list.size() >= kMaxEvidence ||
        !known.emplace(static_cast<uint64_t>(name) << 32 | a.store.name_id(i)).second)
      continue;
    const Observed o = Observe(a, i, {}, a.frames.Name(name));
    if (o.kind != ObservedKind::kRuntime) list.push_back(o);
  }
  return true;
}

// The classes of which frames ran as methods, where the trace tells: a module's frame around them.
std::unordered_map<StringId, std::string> ClassHints(const Attributing& a) {
  std::unordered_map<StringId, std::string> hints;
  for (SliceIndex i = 0; i < a.store.all_slice_count(); ++i) {
    if (!a.at.user_frame[i] || a.parent[i] == kNone || !a.IsFrame(a.parent[i])) continue;
    const FrameName& outer = a.NameOf(a.parent[i]);
    if (outer.kind == FrameName::kModule) hints.emplace(a.store.name_id(i), outer.name);
  }
  return hints;
}

// Finds the functions of a file in its text.
void Locate(Attributing& a, FrameFile* f) {
  const std::vector<LocatedFunction> located =
      LocateFunctions(f->functions, *f->file.module, &f->file.exact);
  for (size_t k = 0; k < f->functions.size(); ++k) {
    FrameName& info = a.frames.Name(f->names[k]);
    info.function = located[k].function;
    info.moved = located[k].moved;
    info.goes_on = located[k].line;
    info.inside = f->functions[k].line_inside || (info.name == "<module>" && info.line > 1);
    Release(f->functions[k].called);  // nobody asks again
  }
}

}  // namespace

std::shared_ptr<const PythonModule> Attributing::ReadText(const SourceFile& file) const {
  const auto given = texts.find(file.recorded);
  if (given != texts.end()) return given->second;
  const std::string text = SourceText(file.resolved);
  return text.empty() ? nullptr : ParseSource(text);
}

bool ReadTexts(Attributing& a) {
  for (FrameFile& f : a.frames.files()) {
    if (a.cancel.cancelled()) return false;
    if (f.file.user) f.file.module = a.ReadText(f.file);
  }
  return true;
}

bool FindFunctions(Attributing& a) {
  std::vector<bool> cut_name(a.store.strings().size(), false);
  for (SliceIndex i = 0; i < a.store.all_slice_count(); ++i) {
    if (a.cut[i]) cut_name[a.store.name_id(i)] = true;
  }
  const std::unordered_map<StringId, std::string> class_hints = ClassHints(a);
  CalledByName called;
  if (!ReadCalled(a, &called)) return false;
  for (FrameFile& f : a.frames.files()) {
    if (f.file.module == nullptr) continue;
    std::map<std::string, int> first_line;
    for (const RecordedFunction& r : f.functions) {
      int& line = first_line.try_emplace(r.name, r.line).first->second;
      line = std::min(line, r.line);
    }
    for (size_t k = 0; k < f.functions.size(); ++k) {
      RecordedFunction& r = f.functions[k];
      const StringId name = f.names[k];
      r.line_inside = NamesInside(*f.file.module, r, cut_name[name], first_line);
      const auto hint = class_hints.find(name);
      if (hint != class_hints.end()) r.class_hint = hint->second;
      const auto known = called.find(name);
      if (known != called.end()) r.called = std::move(known->second);
    }
    Locate(a, &f);
  }
  return true;
}

}  // namespace emberline
