#include "session/lines.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "analysis/host_nesting.h"
#include "analysis/stack_of.h"
#include "base/file.h"
#include "model/graphs.h"
#include "session/line_data.h"
#include "source/align.h"
#include "source/match_constructor.h"
#include "source/match_wrapper.h"
#include "source/names.h"
#include "source/recorded_lines.h"

namespace emberline {
namespace fs = std::filesystem;
namespace {

// Whole microseconds of old recorders let a child end a little after its parent.
constexpr Ns kJitter = 2000;
// Below this share of placed calls a function's text is not what ran: its lines are not trusted.
constexpr double kLeastPlaced = 0.4;
constexpr int kMaxCallLevels = 3;    // frames between a call of a module and the module
constexpr size_t kMaxEvidence = 24;  // different calls that tell which function a frame is of
constexpr int kMaxWrapped = 8;       // frames inside a wrapper that are looked at
constexpr size_t kMaxCalled = 64;    // different calls of one recorded line that are looked at
constexpr size_t kMaxBases = 32;     // of one class
constexpr size_t kMaxHeirs = 64;     // classes of a text that are looked at for one constructor
// Of library files, whose texts only say which classes there are.
constexpr size_t kMaxLibraryText = 8u << 20;
// Limits against hostile files: slices that are looked through for the one that encloses another,
// lines on a stack (Python's own limit on recursion), and cells of alignment tables of one trace
// (seconds); beyond the last, calls stay with their functions.
constexpr size_t kMaxLook = 256;
constexpr uint32_t kMaxStack = 1000;
constexpr uint64_t kMaxWork = 400'000'000;

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

bool IsModuleCall(std::string_view function) {
  return function == "_call_impl" || function == "_wrapped_call_impl";
}

int CallLine(std::string_view call_from) {
  const size_t colon = call_from.rfind(':');
  if (colon == std::string_view::npos) return 0;
  int line = 0;
  const char* end = call_from.data() + call_from.size();
  const auto [at, error] = std::from_chars(call_from.data() + colon + 1, end, line);
  return error == std::errc() && at == end && line > 0 ? line : 0;
}

std::shared_ptr<const PythonModule> Parse(std::string_view text) {
  Result<PythonModule> parsed = ParsePython(text);
  if (!parsed.ok()) return nullptr;
  return std::make_shared<const PythonModule>(std::move(*parsed));
}

// The text of a source file; "" when it cannot be read or is too large to be parsed.
std::string ReadText(const std::string& path) {
  const Result<OpenedFile> opened = OpenRegularFile(path);
  if (!opened.ok() || opened->size_bytes > kMaxPythonText) return "";
  std::string text(opened->size_bytes, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), opened->file.get()));
  return text;
}

// What the name of a python_function slice says.
struct NameInfo {
  enum Kind : uint8_t { kUnread, kFrame, kModule, kBuiltin } kind = kUnread;
  uint32_t file = kNone;  // index into files
  int line = 0;
  std::string name;          // function, class of the module, builtin
  bool module_call = false;  // _call_impl of nn.Module, which stands for the module that it calls
  int function = -1;         // index in the file's module; -1 unknown
  int moved = 0;             // by how many lines the text around it has moved
  bool inside = false;       // it is named by the line where it went on
  int goes_on = 0;           // that line in the text; 0 where it can be none
  std::string owner;         // class of a constructor
  std::vector<std::string> heirs;  // and classes of its text that inherit it
  std::set<std::string> bases;  // of a module: classes that it is derived from, as far as is seen
};

struct FileInfo {
  SourceFile file;
  std::vector<RecordedFunction> functions;
  std::vector<StringId> names;  // parallel to functions
};

class AttributionBuilder {
 public:
  AttributionBuilder(const Model& model, const PathMapper& mapper,
                     const std::map<std::string, std::shared_ptr<const PythonModule>>& texts,
                     const std::string& focus, const CancelToken& cancel)
      : model_(model),
        s_(model.store()),
        mapper_(mapper),
        texts_(texts),
        focus_(focus),
        cancel_(cancel) {}

  Result<std::shared_ptr<LineData>> Run() {
    const uint32_t n = s_.all_slice_count();
    at_.context.assign(n, kNone);
    at_.blamed.assign(n, kNone);
    at_.called.assign(n, kNone);
    at_.user_frame.assign(n, false);
    at_.begins_run.assign(n, false);
    at_.pass.assign(n, Pass::kForward);
    at_.memory_slice.assign(s_.memory().size(), kNone);
    using Stage = bool (AttributionBuilder::*)();
    for (const Stage stage : {&AttributionBuilder::ReadNames, &AttributionBuilder::Nest,
                              &AttributionBuilder::ReadSources, &AttributionBuilder::ReadClasses,
                              &AttributionBuilder::Align, &AttributionBuilder::FollowStrings,
                              &AttributionBuilder::Place, &AttributionBuilder::Blame,
                              &AttributionBuilder::PlaceGraphs}) {
      if (!(this->*stage)())
        return Error{ErrorKind::kCancelled, "Finding lines was cancelled.", "", {}};
    }
    auto data = std::make_shared<LineData>();
    for (FileInfo& f : files_) {
      at_.has_sources = at_.has_sources || f.file.module != nullptr;
      f.file.functions = std::move(f.functions);
      data->files.emplace(f.file.recorded, std::move(f.file));
    }
    data->attribution = std::move(at_);
    return data;
  }

 private:
  bool Stop(uint32_t i) const { return i % kCancelStride == 0 && cancel_.cancelled(); }
  bool Counted(SliceIndex i) const { return IsHostWork(s_.kind(i)); }
  bool IsFrame(SliceIndex i) const { return s_.kind(i) == SliceKind::kPythonFunction; }

  NameInfo& Name(StringId id) { return names_[name_ids_[id]]; }
  const NameInfo& Name(StringId id) const { return names_[name_ids_[id]]; }

  uint32_t FileIndex(const std::string& path) {
    const auto [it, fresh] = file_ids_.emplace(path, static_cast<uint32_t>(files_.size()));
    if (fresh) {
      FileInfo f;
      f.file.recorded = path;
      f.file.resolved = mapper_.Resolve(path);
      f.file.user = path == focus_ || f.file.resolved.user_code || !IsLibraryPath(path);
      files_.push_back(std::move(f));
    }
    return it->second;
  }

  bool ReadNames() {
    calls_are_placed_ = s_.HasArg(ArgRole::kCallSite);
    name_ids_.assign(s_.strings().size(), kNone);
    for (SliceIndex i = 0; i < s_.all_slice_count(); ++i) {
      if (Stop(i)) return false;
      if (!IsFrame(i)) continue;
      at_.has_stacks = true;
      uint32_t& id = name_ids_[s_.name_id(i)];
      if (id == kNone) {
        id = static_cast<uint32_t>(names_.size());
        names_.emplace_back();
      }
      NameInfo& info = names_[id];
      if (info.kind == NameInfo::kUnread) {
        const std::string_view text = s_.name(i);
        if (const auto module = ModuleName(text)) {
          info.kind = NameInfo::kModule;
          const size_t number = module->rfind('_');
          info.name = std::string(
              module->substr(0, number == std::string_view::npos ? module->size() : number));
        } else {
          Frame frame = ParseFrameName(text);
          if (frame.file.empty()) {
            info.kind = NameInfo::kBuiltin;
            info.name = BuiltinName(text);
          } else {
            info.kind = NameInfo::kFrame;
            info.name = frame.function;
            info.line = static_cast<int>(std::clamp<int64_t>(frame.line, 0, 1 << 30));
            info.file = FileIndex(frame.file);
            info.module_call = IsModuleCall(info.name);
            RecordedFunction r;
            r.name = info.name;
            r.line = info.line;
            files_[info.file].functions.push_back(r);
            files_[info.file].names.push_back(s_.name_id(i));
          }
        }
      }
      at_.user_frame[i] = info.kind == NameInfo::kFrame && files_[info.file].file.user;
    }
    return true;
  }

  // Frames, ops and runtime calls that enclose each other; annotations lie across and are left out.
  bool Nest() {
    std::vector<std::vector<uint32_t>> memory(s_.tracks().size());
    for (uint32_t i = 0; i < s_.memory().size(); ++i) {
      if (s_.memory()[i].track != kNone) memory[s_.memory()[i].track].push_back(i);
    }
    cut_.assign(s_.all_slice_count(), false);
    track_end_.assign(s_.tracks().size(), 0);
    HostNesting nesting;
    HostNester nester(s_, &nesting);
    const std::vector<SliceIndex>& open = nester.open();
    for (TrackIndex t = 0; t < s_.tracks().size(); ++t) {
      const Track& track = s_.tracks()[t];
      const bool capture = track.kind == TrackKind::kGraphCapture;
      if (track.kind != TrackKind::kHostThread && !capture && memory[t].empty()) continue;
      nester.BeginTrack();
      size_t next_record = 0;
      bool beginning = true;  // still inside the frames that were open when the recording began
      const auto records_until = [&](Ns time, bool all) {
        for (; next_record < memory[t].size(); ++next_record) {
          const MemoryRecord& r = s_.memory()[memory[t][next_record]];
          if (!all && r.ts >= time) return;
          for (size_t k = open.size(), look = kMaxLook; k-- > 0 && look-- > 0;) {
            if (s_.end(open[k]) < r.ts) continue;
            at_.memory_slice[memory[t][next_record]] = open[k];
            break;
          }
        }
      };
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return false;
        if (!Counted(i)) continue;
        track_end_[t] = std::max(track_end_[t], s_.end(i));
        records_until(s_.start(i), false);
        nester.Close(i);
        if (beginning) {
          const bool first = i == track.first || open.empty() || nesting.parent[i] == open.back();
          if (IsFrame(i) && first && (open.empty() || cut_[open.back()]))
            cut_[i] = true;
          else
            beginning = false;
          if (beginning && open.size() > 1 && nesting.parent[i] != open.back()) beginning = false;
        }
        nester.Open(i);
      }
      records_until(0, true);
    }
    nester.Finish();
    at_.parent = std::move(nesting.parent);
    at_.exclusive = std::move(nesting.exclusive);
    return true;
  }

  bool ReadSources() {
    for (FileInfo& f : files_) {
      if (cancel_.cancelled()) return false;
      if (!f.file.user) continue;
      const auto given = texts_.find(f.file.recorded);
      if (given != texts_.end()) {
        f.file.module = given->second;
      } else if (f.file.resolved.status == ResolveStatus::kFound && f.file.resolved.readable) {
        const std::string text = ReadText(f.file.resolved.path);
        if (!text.empty()) f.file.module = Parse(text);
      }
    }
    std::vector<bool> cut_name(name_ids_.size(), false);
    for (SliceIndex i = 0; i < s_.all_slice_count(); ++i) {
      if (cut_[i]) cut_name[s_.name_id(i)] = true;
      if (IsFrame(i) && at_.user_frame[i] && at_.parent[i] != kNone && IsFrame(at_.parent[i])) {
        const NameInfo& outer = Name(s_.name_id(at_.parent[i]));
        if (outer.kind == NameInfo::kModule) class_hint_.emplace(s_.name_id(i), outer.name);
      }
    }
    std::unordered_map<StringId, std::vector<Observed>> called;
    if (!ReadCalled(&called)) return false;
    for (FileInfo& f : files_) {
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
        const auto hint = class_hint_.find(name);
        if (hint != class_hint_.end()) r.class_hint = hint->second;
        const auto known = called.find(name);
        if (known != called.end()) r.called = std::move(known->second);
      }
      const std::vector<LocatedFunction> located =
          LocateFunctions(f.functions, *f.file.module, &f.file.exact);
      for (size_t k = 0; k < f.functions.size(); ++k) {
        NameInfo& info = Name(f.names[k]);
        info.function = located[k].function;
        info.moved = located[k].moved;
        info.goes_on = located[k].line;
        info.inside = f.functions[k].line_inside || (info.name == "<module>" && info.line > 1);
        f.functions[k].called = {};  // nobody asks again
      }
    }
    return true;
  }

  // Frames that were open when recording began name the line they stood at, and so do those of
  // generators that are resumed; others name the first line of their function.
  // `first_line`: the first that is recorded of each name.
  static bool NamesInside(const PythonModule& module, const RecordedFunction& r, bool cut,
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
  bool ReadCalled(std::unordered_map<StringId, std::vector<Observed>>* called) {
    std::unordered_set<uint64_t> known;  // caller and called
    for (SliceIndex i = 0; i < s_.all_slice_count(); ++i) {
      if (Stop(i)) return false;
      if (!Counted(i) || RunsUnseen(i)) continue;
      SliceIndex caller = at_.parent[i];
      // A module is called through _call_impl.
      for (int level = 0; level < kMaxCallLevels && caller != kNone && IsFrame(caller) &&
                          Name(s_.name_id(caller)).module_call;
           ++level) {
        caller = at_.parent[caller];
      }
      if (caller == kNone || !at_.user_frame[caller]) continue;
      if (IsFrame(i) && Name(s_.name_id(i)).module_call) continue;
      const StringId name = s_.name_id(caller);
      if (files_[Name(name).file].file.module == nullptr) continue;
      std::vector<Observed>& list = (*called)[name];
      if (list.size() >= kMaxEvidence ||
          !known.emplace(static_cast<uint64_t>(name) << 32 | s_.name_id(i)).second)
        continue;
      const Observed o = Describe(i, {}, Name(name));
      if (o.kind != ObservedKind::kRuntime) list.push_back(o);
    }
    return true;
  }

  const PythonFunction* FunctionOf(SliceIndex frame) const {
    const NameInfo& info = Name(s_.name_id(frame));
    if (info.kind != NameInfo::kFrame || info.function < 0) return nullptr;
    return &files_[info.file].file.module->functions[info.function];
  }

  // The text of a library's file, read for its classes; null where it may not be read.
  const PythonModule* LibraryText(uint32_t file) {
    const auto [it, fresh] = library_texts_.try_emplace(file);
    const ResolvedPath& resolved = files_[file].file.resolved;
    if (fresh && resolved.status == ResolveStatus::kFound && resolved.readable) {
      const std::string text = ReadText(resolved.path);
      if (!text.empty() && library_bytes_ + text.size() <= kMaxLibraryText) {
        library_bytes_ += text.size();
        it->second = Parse(text);
      }
    }
    return it->second.get();
  }

  // The class whose method a frame runs; a library's is known by the line that defines the method.
  // Gives the text too: {null, -1} where neither is known.
  std::pair<const PythonModule*, int> ClassOfMethod(const NameInfo& info) {
    const FileInfo& file = files_[info.file];
    const PythonModule* module = file.file.user ? file.file.module.get() : LibraryText(info.file);
    if (module == nullptr) return {nullptr, -1};
    const int f = file.file.user ? info.function : module->FindFunction(info.name, info.line);
    return {module, f < 0 ? -1 : module->functions[f].class_index};
  }

  // A class and the classes of its text that it is derived from, and the names of other bases.
  static void AddFamily(const PythonModule& module, size_t of, std::set<std::string>* names) {
    std::vector<size_t> open = {of};
    names->insert(module.classes[of].name);
    while (!open.empty() && names->size() < kMaxBases) {
      const PythonClass& c = module.classes[open.back()];
      open.pop_back();
      for (const std::string& base : c.bases) {
        if (names->size() >= kMaxBases || !names->insert(base).second) continue;
        for (size_t k = 0; k < module.classes.size(); ++k) {
          if (module.classes[k].name == base) open.push_back(k);
        }
      }
    }
  }

  // The class whose method of this name objects of a class run, where the text shows it; else -1.
  static int DefinerOf(const PythonModule& module, int of, const std::string& method) {
    std::vector<int> open = {of};
    std::set<int> seen;
    while (!open.empty() && seen.size() < kMaxBases) {
      const int c = open.back();
      open.pop_back();
      if (!seen.insert(c).second) continue;
      for (const PythonFunction& f : module.functions) {
        if (f.class_index == c && f.name == method) return c;
      }
      const std::vector<std::string>& bases = module.classes[c].bases;
      for (auto base = bases.rbegin(); base != bases.rend(); ++base) {
        for (size_t k = 0; k < module.classes.size(); ++k) {
          if (module.classes[k].name == *base) open.push_back(static_cast<int>(k));
        }
      }
    }
    return -1;
  }

  // Classes of the text that inherit a constructor.
  static std::vector<std::string> HeirsOf(const PythonModule& module, int owner,
                                          const std::string& constructor) {
    std::vector<std::string> heirs;
    size_t look = kMaxHeirs;
    for (size_t k = 0; k < module.classes.size(); ++k) {
      const int c = static_cast<int>(k);
      if (c == owner || module.classes[k].bases.empty()) continue;
      if (look-- == 0) break;
      if (DefinerOf(module, c, constructor) == owner) heirs.push_back(module.classes[k].name);
    }
    return heirs;
  }

  // Whether a function of the user asks with isinstance() which class it calls.
  bool AsksForClasses() const {
    for (const FileInfo& f : files_) {
      if (!f.file.user || f.file.module == nullptr) continue;
      for (const PythonFunction& function : f.file.module->functions) {
        for (const Site& site : function.sites) {
          if (!site.is_any.empty() || !site.is_none.empty()) return true;
        }
      }
    }
    return false;
  }

  // The classes of constructors that the user's functions call, and the bases of modules.
  bool ReadClasses() {
    const bool asks = AsksForClasses();
    std::unordered_set<uint64_t> known;  // a name and the one that called it
    for (SliceIndex i = 0; i < s_.all_slice_count(); ++i) {
      if (Stop(i)) return false;
      const SliceIndex p = at_.parent[i];
      if (p == kNone || !IsFrame(i) || !IsFrame(p)) continue;
      NameInfo& info = Name(s_.name_id(i));
      NameInfo& caller = Name(s_.name_id(p));
      if (info.kind != NameInfo::kFrame) continue;
      const bool made =
          at_.user_frame[p] && FunctionOf(p) != nullptr && IsConstructorName(info.name);
      const bool runs = asks && caller.kind == NameInfo::kModule && info.name == "forward";
      if (!made && !runs) continue;
      const uint64_t key = static_cast<uint64_t>(s_.name_id(p)) << 32 | s_.name_id(i);
      if (!known.insert(key).second) continue;
      const auto [module, c] = ClassOfMethod(info);
      if (c < 0) continue;
      if (made) {
        info.owner = module->classes[c].name;
        info.heirs = HeirsOf(*module, c, info.name);
      }
      if (runs) AddFamily(*module, static_cast<size_t>(c), &caller.bases);
    }
    return true;
  }

  // True when `next`, which ran right after a constructor, enters the object in a `with`.
  bool Enters(SliceIndex constructor, SliceIndex next) const {
    if (!IsFrame(constructor) || !IsFrame(next)) return false;
    const NameInfo& made = Name(s_.name_id(constructor));
    const NameInfo& entered = Name(s_.name_id(next));
    return made.kind == NameInfo::kFrame && entered.kind == NameInfo::kFrame &&
           made.name == "__init__" && entered.name == "__enter__" && made.file == entered.file;
  }

  // What else than its name tells a thing that ran: names of slices inside it, the next one.
  struct Beside {
    StringId module = 0;  // of _call_impl: the module that it calls
    StringId inner = 0;   // of a wrapper: the function that it calls
    bool manages = false;
  };

  bool IsWrapper(const NameInfo& info) const {
    if (info.kind != NameInfo::kFrame) return false;
    if (IsWrapperName(info.name)) return true;
    return info.function >= 0 && files_[info.file].file.module->functions[info.function].wrapper;
  }

  // Of the frames that wrappers called, the first whose name occurs in the function that called
  // the wrapper; 0 when there is none.
  StringId Inner(SliceIndex wrapper, const std::set<std::string_view>& named, int& look) const {
    const auto it = wrapped_.find(wrapper);
    if (it == wrapped_.end()) return 0;
    for (const SliceIndex i : it->second) {
      if (--look < 0) return 0;
      const NameInfo& info = Name(s_.name_id(i));
      const std::string op = DunderOperator(info.name);
      if (named.count(info.name) || (!op.empty() && named.count(op))) return s_.name_id(i);
      if (const StringId deeper = Inner(i, named, look)) return deeper;
    }
    return 0;
  }

  // Names of what a function calls, and of its operators.
  static std::set<std::string_view> NamedIn(const PythonFunction& function) {
    std::set<std::string_view> out;
    for (const Site& site : function.sites) {
      if (site.kind != SiteKind::kCall && site.kind != SiteKind::kOperator) continue;
      out.insert(BaseName(site.name));
      out.insert(site.name);
      out.insert(site.aliases.begin(), site.aliases.end());
    }
    return out;
  }

  static Accessor AccessorOf(const PythonFunction& function) {
    if (function.kind != FunctionKind::kFunction || function.class_index < 0)
      return Accessor::kUnknown;
    if (function.decorators.empty()) return Accessor::kMethod;
    for (const std::string& name : function.decorators) {
      if (name == "property" || name.ends_with("_property") || name == "setter")
        return Accessor::kProperty;
    }
    return Accessor::kUnknown;
  }

  Observed Describe(SliceIndex child, const Beside& beside, const NameInfo& frame) const {
    Observed o;
    o.manages = beside.manages;
    const StringId inner_module = beside.module;
    const SliceKind kind = s_.kind(child);
    if (kind != SliceKind::kPythonFunction) {
      o.kind = IsLaunchApi(kind) ? ObservedKind::kRuntime : ObservedKind::kOperator;
      o.name = o.kind == ObservedKind::kRuntime ? std::string(s_.name(child).substr(0, 80))
                                                : OperatorName(s_.name(child));
      return o;
    }
    const NameInfo& info = Name(s_.name_id(child));
    if (info.kind == NameInfo::kModule || inner_module != 0) {
      o.kind = ObservedKind::kModule;
      const NameInfo& module = info.kind == NameInfo::kModule ? info : Name(inner_module);
      o.name = module.name;
      o.bases.assign(module.bases.begin(), module.bases.end());
      return o;
    }
    o.kind = info.kind == NameInfo::kBuiltin ? ObservedKind::kBuiltin : ObservedKind::kFrame;
    o.name = info.name;
    if (o.kind == ObservedKind::kFrame) {
      if (IsConstructorName(o.name)) {
        o.owner = info.owner;
        o.heirs = info.heirs;
        o.file = NormalizePath(files_[info.file].file.recorded);
      }
      if (info.function >= 0)
        o.accessor = AccessorOf(files_[info.file].file.module->functions[info.function]);
      o.wrapper = IsWrapper(info);
      if (beside.inner != 0) o.inner = Name(beside.inner).name;
      o.generator = info.function >= 0 && !o.name.starts_with("<") &&
                    files_[info.file].file.module->functions[info.function].generator;
      if (info.file == frame.file && o.name.starts_with("<") && info.function >= 0) {
        o.definition_line = files_[info.file].file.module->functions[info.function].first_line;
      }
    }
    return o;
  }

  bool Align() {
    // Direct children of each frame of the user with a source, in order.
    const uint32_t n = s_.all_slice_count();
    std::vector<uint32_t> begin(static_cast<size_t>(n) + 1, 0);
    const auto wanted = [&](SliceIndex i) {
      const SliceIndex p = at_.parent[i];
      return p != kNone && at_.user_frame[p] && FunctionOf(p) != nullptr && Counted(i);
    };
    std::unordered_map<SliceIndex, StringId>
        inner_module;  // of _call_impl: the module that it calls
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (wanted(i)) ++begin[at_.parent[i] + 1];
      const SliceIndex p = at_.parent[i];
      if (p != kNone && IsFrame(i) && IsFrame(p) && Name(s_.name_id(i)).kind == NameInfo::kFrame &&
          IsWrapper(Name(s_.name_id(p)))) {
        std::vector<SliceIndex>& inside = wrapped_[p];
        if (inside.size() < static_cast<size_t>(kMaxWrapped)) inside.push_back(i);
      }
      if (p != kNone && IsFrame(i) && IsFrame(p) && Name(s_.name_id(i)).kind == NameInfo::kModule) {
        // Through wrappers: _wrapped_call_impl, _call_impl, then the module.
        SliceIndex outer = p;
        for (int level = 0; level < kMaxCallLevels && outer != kNone && IsFrame(outer) &&
                            Name(s_.name_id(outer)).module_call;
             ++level) {
          inner_module.emplace(outer, s_.name_id(i));
          outer = at_.parent[outer];
        }
      }
    }
    for (uint32_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
    std::vector<SliceIndex> children(begin[n]);
    std::vector<uint32_t> fill(begin.begin(), begin.end() - 1);
    for (SliceIndex i = 0; i < n; ++i) {
      if (wanted(i)) children[fill[at_.parent[i]]++] = i;
    }

    struct Aligner {
      explicit Aligner(const PythonFunction& f) : aligner(f) {}
      FunctionAligner aligner;
      std::unordered_map<uint64_t, uint32_t> ids;
      std::map<int, std::map<uint32_t, Observed>> recorded;  // by calling line, where recorded
      uint64_t placed = 0, seen = 0, fitting = 0, judged = 0;
      std::vector<SliceIndex> frames;
      std::set<std::string_view> named;
    };
    std::map<const PythonFunction*, std::unique_ptr<Aligner>> aligners;
    std::vector<uint32_t> kind_of(children.size(), 0);
    for (SliceIndex f = 0; f < n; ++f) {
      if (Stop(f)) return false;
      if (begin[f] == begin[f + 1]) continue;
      const PythonFunction* function = FunctionOf(f);
      std::unique_ptr<Aligner>& a = aligners[function];
      if (a == nullptr) {
        a = std::make_unique<Aligner>(*function);
        a->named = NamedIn(*function);
      }
      a->frames.push_back(f);
      const NameInfo& frame = Name(s_.name_id(f));
      for (uint32_t k = begin[f]; k < begin[f + 1]; ++k) {
        const SliceIndex child = children[k];
        const auto it = inner_module.find(child);
        Beside beside;
        if (it != inner_module.end()) beside.module = it->second;
        beside.manages = k + 1 < begin[f + 1] && Enters(child, children[k + 1]);
        int look = kMaxWrapped;
        if (beside.module == 0) beside.inner = Inner(child, a->named, look);
        // Names of slices of different kinds may be equal; the kind is part of the key.
        const uint64_t key = (static_cast<uint64_t>(s_.name_id(child)) << 34) ^
                             (static_cast<uint64_t>(beside.module | beside.inner) << 2) ^
                             (beside.manages                ? 3u
                              : IsFrame(child)              ? 0u
                              : IsLaunchApi(s_.kind(child)) ? 1u
                                                            : 2u);
        const auto [id, fresh] = a->ids.emplace(key, 0);
        if (fresh) id->second = a->aligner.Describe(Describe(child, beside, frame));
        kind_of[k] = id->second;
        if (!calls_are_placed_ || !IsFrame(child)) continue;
        const int line = CallLine(s_.ArgText(child, ArgRole::kCallSite));
        if (line <= 0) continue;
        auto& called = a->recorded[line];
        if (called.size() < kMaxCalled && !called.count(id->second))
          called.emplace(id->second, Describe(child, beside, frame));
      }
    }

    placed_line_.assign(n, 0);
    std::vector<int> called_at;
    uint32_t counter = 0;
    uint64_t work = 0;
    for (auto& [function, a] : aligners) {
      FollowCallLines(*function, a->frames.front(), a->recorded);
      for (const SliceIndex f : a->frames) {
        if (Stop(counter++)) return false;
        if (work + a->aligner.work() > kMaxWork) break;
        const size_t count = begin[f + 1] - begin[f];
        const NameInfo& frame = Name(s_.name_id(f));
        const bool begun = !(cut_[f] && (frame.inside || function->kind == FunctionKind::kModule));
        // A frame that was already open names the line where it stood, one that is resumed the line
        // of its yield: there it goes on.
        const bool resumed = frame.inside && (!begun || !function->resumptions.empty());
        const Start start(begun, resumed ? frame.goes_on : 0, files_[frame.file].file.exact);
        const bool ended = s_.end(f) + kJitter < track_end_[s_.track(f)];
        called_at.clear();
        if (calls_are_placed_) {
          for (size_t k = 0; k < count; ++k)
            called_at.push_back(RecordedCallLine(children[begin[f] + k]).line);
        }
        // What was open inside it was called from there.
        if (!begun && start.line > 0 && start.certain && cut_[children[begin[f]]]) {
          called_at.resize(count, 0);
          called_at[0] = start.line;
        }
        const std::vector<Placement> placed =
            a->aligner.Align({kind_of.data() + begin[f], count}, called_at, start, ended);
        MarkRuns(*function, {children.data() + begin[f], count}, placed);
        const bool one_line =
            function->kind != FunctionKind::kModule && function->first_line == function->end_line;
        for (size_t k = 0; k < count; ++k) {
          const SliceIndex child = children[begin[f] + k];
          const bool found = placed[k].line > 0 && !placed[k].ambiguous;
          ++a->seen;
          if (found) ++a->placed;
          // Reads of attributes fit any text, so they say nothing about whether this is what ran.
          if (!RunsUnseen(child)) {
            ++a->judged;
            // Two lines that fit by name are no misfit.
            if (found || (placed[k].line > 0 && placed[k].named)) ++a->fitting;
          }
          // Several lambdas may share a line.
          placed_line_[child] = found ? placed[k].line : one_line ? function->first_line : 0;
        }
      }
      work += a->aligner.work();
      at_.placed_calls += a->placed;
      at_.unplaced_calls += a->seen - a->placed;
      if (static_cast<double>(a->fitting) >= kLeastPlaced * static_cast<double>(a->judged))
        continue;
      for (const SliceIndex f : a->frames) {
        for (uint32_t k = begin[f]; k < begin[f + 1]; ++k) placed_line_[children[k]] = 0;
      }
    }
    return true;
  }

  // One run of a line reaches its calls in the order of its sites, so a call at the site of the one
  // before, or at an earlier one, belongs to the next run.
  void MarkRuns(const PythonFunction& function, std::span<const SliceIndex> children,
                const std::vector<Placement>& placed) {
    std::unordered_map<int, uint32_t> last_site;
    int last_line = 0;
    for (size_t k = 0; k < children.size(); ++k) {
      const bool found = placed[k].line > 0 && !placed[k].ambiguous;
      const int recorded = RecordedCallLine(children[k]).line;
      const int line = recorded > 0 ? recorded : found ? placed[k].line : 0;
      if (line == 0) continue;
      if (found && placed[k].line == line) {
        const uint32_t site = placed[k].site;
        const auto [last, fresh] = last_site.try_emplace(line, site);
        at_.begins_run[children[k]] =
            fresh || site < last->second || (site == last->second && !function.sites[site].repeat);
        last->second = site;
      } else {
        at_.begins_run[children[k]] = line != last_line;
      }
      last_line = line;
    }
  }

  // A method that Python calls where the text shows no call.
  bool RunsUnseen(SliceIndex child) const {
    if (!IsFrame(child)) return false;
    const NameInfo& info = Name(s_.name_id(child));
    return info.kind == NameInfo::kFrame &&
           (info.name == "__getattr__" || info.name == "__getattribute__" ||
            info.name == "__hash__" || info.name == "__get__");
  }

  uint32_t Location(uint32_t file, const std::string& function, int function_line, int line,
                    LineConfidence confidence, const std::string& class_name, bool stale = false) {
    std::string key = std::to_string(file) + '\n' + function + '\n' +
                      std::to_string(function_line) + '\n' + std::to_string(line) +
                      (stale                                     ? "s"
                       : confidence == LineConfidence::kFunction ? "f"
                                                                 : "l");
    const auto [it, fresh] =
        location_ids_.emplace(std::move(key), static_cast<uint32_t>(at_.locations.size()));
    if (fresh) {
      at_.locations.push_back({files_[file].file.recorded, line, function, function_line,
                               class_name, confidence, stale});
    } else if (confidence < at_.locations[it->second].confidence) {
      at_.locations[it->second].confidence = confidence;
    }
    return it->second;
  }

  uint32_t Context(uint32_t parent, uint32_t location) {
    uint32_t depth = parent == kNone ? 0 : context_depth_[parent] + 1;
    if (depth >= kMaxStack) {
      parent = kNone;
      depth = 0;
    }
    const uint64_t key = static_cast<uint64_t>(parent) << 32 | location;
    const auto [it, fresh] = context_ids_.emplace(key, static_cast<uint32_t>(at_.contexts.size()));
    if (fresh) {
      at_.contexts.push_back({parent, location});
      context_depth_.push_back(depth);
    }
    return it->second;
  }

  // Location of a line in the function of a frame's name; line 0: the function itself. Remembered.
  // `lost`: a line was recorded, but the text at hand has no such line.
  uint32_t FrameLocation(StringId name, int line, LineConfidence confidence, bool lost = false) {
    const uint64_t key = static_cast<uint64_t>(name) << 32 | static_cast<uint32_t>(line) << 3 |
                         static_cast<uint32_t>(lost) << 2 | static_cast<uint32_t>(confidence);
    const auto it = frame_locations_.find(key);
    if (it != frame_locations_.end()) return it->second;
    const NameInfo& info = Name(name);
    std::string function = info.name, class_name;
    int first = info.line;
    if (info.function >= 0) {
      const PythonModule& module = *files_[info.file].file.module;
      const PythonFunction& f = module.functions[info.function];
      function = f.qualified;
      first = f.first_line;
      for (int g = info.function; g >= 0 && class_name.empty(); g = module.functions[g].parent) {
        if (module.functions[g].kind == FunctionKind::kFunction &&
            module.functions[g].class_index >= 0) {
          class_name = module.classes[module.functions[g].class_index].qualified;
        }
      }
    }
    const bool gone = info.function < 0 && files_[info.file].file.module != nullptr;
    const uint32_t location = Location(info.file, function, first, line == 0 ? first : line,
                                       confidence, class_name, lost || gone);
    frame_locations_.emplace(key, location);
    return location;
  }

  // The calling line of a frame where it was recorded (CallFrom), in the text at hand; 0 where it
  // was not, or its statement is gone.
  struct CalledAt {
    int line = 0;
    LineConfidence confidence = LineConfidence::kExact;
    bool lost = false;
  };
  CalledAt RecordedCallLine(SliceIndex child) const {
    if (!IsFrame(child) || !calls_are_placed_) return {};
    const int line = CallLine(s_.ArgText(child, ArgRole::kCallSite));
    if (line <= 0) return {};
    const PythonFunction* function = FunctionOf(at_.parent[child]);
    if (function == nullptr) return {line, LineConfidence::kExact};
    const auto followed = call_lines_.find({function, line});
    return followed == call_lines_.end() ? CalledAt{line, LineConfidence::kExact}
                                         : followed->second;
  }

  // Where the calling lines recorded in a function are in the text at hand.
  void FollowCallLines(const PythonFunction& function, SliceIndex frame,
                       const std::map<int, std::map<uint32_t, Observed>>& recorded) {
    if (recorded.empty()) return;
    const NameInfo& info = Name(s_.name_id(frame));
    const int moved = info.moved;
    std::vector<RecordedLine> lines;
    for (const auto& [line, called] : recorded) {
      lines.push_back({line, {}});
      for (const auto& [id, observed] : called) lines.back().called.push_back(observed);
    }
    const int index = info.function;
    const std::vector<FollowedLine> now =
        FollowRecordedLines(*files_[info.file].file.module, {&index, 1}, lines, moved);
    for (size_t k = 0; k < lines.size(); ++k) {
      const bool stays = now[k].line == lines[k].line + moved;
      call_lines_[{&function, lines[k].line}] = {
          now[k].line, stays ? LineConfidence::kExact : LineConfidence::kAligned,
          now[k].function < 0};
      if (now[k].line != lines[k].line) files_[info.file].file.exact = false;
    }
  }

  uint32_t CallLocation(SliceIndex child) {
    const SliceIndex f = at_.parent[child];
    const StringId name = s_.name_id(f);
    const CalledAt recorded = RecordedCallLine(child);
    if (recorded.line > 0) return FrameLocation(name, recorded.line, recorded.confidence);
    if (recorded.lost) return FrameLocation(name, 0, LineConfidence::kFunction, true);
    // A cell's text is seldom at hand, but each of its statements is compiled by itself: the name
    // of its frame has the statement's line.
    const NameInfo& info = Name(name);
    if (info.function < 0 && info.line > 1 && info.name == "<module>" &&
        IsCellPath(files_[info.file].file.recorded)) {
      return FrameLocation(name, info.line, LineConfidence::kExact);
    }
    const int line = placed_line_.empty() ? 0 : placed_line_[child];
    return FrameLocation(name, line,
                         line > 0 ? LineConfidence::kAligned : LineConfidence::kFunction);
  }

  // The text of a file that recorded strings name.
  const PythonModule* ModuleOf(uint32_t file) {
    FileInfo& info = files_[file];
    if (info.file.module == nullptr && !text_tried_[file]) {
      text_tried_[file] = true;
      const auto given = texts_.find(info.file.recorded);
      if (given != texts_.end()) {
        info.file.module = given->second;
      } else if (info.file.resolved.status == ResolveStatus::kFound &&
                 info.file.resolved.readable) {
        const std::string source = ReadText(info.file.resolved.path);
        if (!source.empty()) info.file.module = Parse(source);
      }
      info.file.exact = info.file.module != nullptr;  // until a line says otherwise
    }
    return info.file.module.get();
  }

  static int OnlyFunction(const PythonModule& module, const std::string& name) {
    int found = -1;
    for (size_t f = 0; f < module.functions.size(); ++f) {
      if (module.functions[f].name != name) continue;
      if (found >= 0) return -1;
      found = static_cast<int>(f);
    }
    return found;
  }

  // Lines in recorded strings are true, but of the text that ran. What was called from them tells
  // where they are in the text at hand.
  bool FollowStrings() {
    const bool stacks = !at_.has_stacks && s_.HasArg(ArgRole::kCallStack);
    std::map<std::string_view, std::set<StringId>> texts;  // and what was called from the innermost
    for (SliceIndex i = 0; i < s_.all_slice_count(); ++i) {
      if (Stop(i)) return false;
      if (IsDeviceWork(s_.kind(i))) {
        const std::string_view text = CaptureStack(s_, i);
        if (!text.empty()) texts.try_emplace(text);
      } else if (stacks && s_.kind(i) == SliceKind::kCpuOp) {
        const std::string_view text = s_.ArgText(i, ArgRole::kCallStack);
        if (text.empty()) continue;
        std::set<StringId>& called = texts[text];
        const SliceIndex p = at_.parent[i];
        const bool outermost = p == kNone || s_.kind(p) != SliceKind::kCpuOp ||
                               s_.ArgText(p, ArgRole::kCallStack) != text;
        if (outermost && called.size() < kMaxCalled) called.insert(s_.name_id(i));
      }
    }
    std::map<std::pair<uint32_t, std::string>, std::map<int, std::map<std::string, Observed>>> all;
    for (const auto& [text, ops] : texts) {
      if (cancel_.cancelled()) return false;
      const std::vector<Frame> frames = ParseCallStack(text);
      for (size_t k = 0; k < frames.size(); ++k) {
        if (frames[k].file.empty()) continue;
        const uint32_t file = FileIndex(frames[k].file);
        if (!files_[file].file.user || ModuleOf(file) == nullptr) continue;
        auto& called = all[{file, frames[k].function}]
                          [static_cast<int>(std::clamp<int64_t>(frames[k].line, 0, 1 << 30))];
        if (k == 0) {
          for (const StringId op : ops) {
            Observed o;
            o.kind = ObservedKind::kOperator;
            o.name = OperatorName(s_.strings().Get(op));
            if (called.size() < kMaxCalled) called.emplace("o" + o.name, o);
          }
          continue;
        }
        Observed o;
        o.kind = frames[k - 1].file.empty() ? ObservedKind::kBuiltin : ObservedKind::kFrame;
        o.name = o.kind == ObservedKind::kBuiltin ? BuiltinName(frames[k - 1].function)
                                                  : frames[k - 1].function;
        if (called.size() < kMaxCalled) called.emplace("f" + o.name, o);
      }
    }
    for (const auto& [key, by_line] : all) {
      if (cancel_.cancelled()) return false;
      const PythonModule& module = *ModuleOf(key.first);
      std::vector<int> functions;
      for (size_t f = 0; f < module.functions.size(); ++f) {
        if (module.functions[f].name == key.second) functions.push_back(static_cast<int>(f));
      }
      std::vector<RecordedLine> lines;
      for (const auto& [line, called] : by_line) {
        lines.push_back({line, {}});
        for (const auto& [name, observed] : called) lines.back().called.push_back(observed);
      }
      const std::vector<FollowedLine> now = FollowRecordedLines(module, functions, lines);
      for (size_t k = 0; k < lines.size(); ++k) {
        string_lines_[{key.first, key.second, lines[k].line}] = now[k];
        if (now[k].line != lines[k].line) files_[key.first].file.exact = false;
      }
    }
    return true;
  }

  // Context of a recorded "Call stack" string.
  uint32_t StringContext(std::string_view text) {
    const auto it = string_contexts_.find(text);
    if (it != string_contexts_.end()) return it->second;
    uint32_t context = kNone;
    const std::vector<Frame> frames = ParseCallStack(text);
    for (size_t k = frames.size(); k-- > 0;) {
      const Frame& frame = frames[k];
      if (frame.file.empty()) continue;
      const uint32_t file = FileIndex(frame.file);
      if (!files_[file].file.user) continue;
      const int line = static_cast<int>(std::clamp<int64_t>(frame.line, 0, 1 << 30));
      const RecordedPlace key{file, frame.function, line};
      const auto known = string_locations_.find(key);
      if (known != string_locations_.end()) {
        context = Context(context, known->second);
        continue;
      }
      const PythonModule* module = ModuleOf(file);
      std::string function = frame.function, class_name;
      int first = 0;
      FollowedLine at{-1, line};
      if (module != nullptr) {
        const auto followed = string_lines_.find(key);
        at = followed != string_lines_.end()
                 ? followed->second
                 : FollowedLine{module->FunctionAround(frame.function, line), line};
        // The statement is gone: its cost stays with the function, where that is still known.
        const int f = at.function >= 0 ? at.function : OnlyFunction(*module, frame.function);
        if (f >= 0) {
          function = module->functions[f].qualified;
          first = module->functions[f].first_line;
          const int c = module->functions[f].class_index;
          if (c >= 0) class_name = module->classes[c].qualified;
        }
      }
      const bool lost = module != nullptr && at.function < 0;
      const uint32_t location =
          Location(file, function, first, lost ? (first > 0 ? first : line) : at.line,
                   lost              ? LineConfidence::kFunction
                   : at.line == line ? LineConfidence::kExact
                                     : LineConfidence::kAligned,
                   class_name, lost);
      string_locations_.emplace(key, location);
      context = Context(context, location);
    }
    string_contexts_.emplace(text, context);
    return context;
  }

  bool Place() {
    const uint32_t n = s_.all_slice_count();
    // Strings beside python_function events name functions' first lines; without them, true lines.
    const bool stacks = !at_.has_stacks && s_.HasArg(ArgRole::kCallStack);
    entry_.assign(n, kNone);
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (!Counted(i)) continue;
      const SliceIndex p = at_.parent[i];
      uint32_t context = p == kNone ? kNone : at_.user_frame[p] ? entry_[p] : at_.context[p];
      if (p != kNone && at_.user_frame[p]) {
        context = Context(entry_[p], CallLocation(i));
        at_.called[i] = context;
      }
      if (stacks && s_.kind(i) == SliceKind::kCpuOp) {
        const std::string_view text = s_.ArgText(i, ArgRole::kCallStack);
        if (!text.empty()) {
          at_.has_stacks = true;
          const uint32_t own = StringContext(text);
          if (own != kNone) {
            context = own;
            if (p == kNone || at_.context[p] != own) at_.called[i] = own;
          }
        }
      }
      entry_[i] = context;
      at_.context[i] = context;
      if (at_.user_frame[i]) {
        at_.context[i] =
            Context(context, FrameLocation(s_.name_id(i), 0, LineConfidence::kFunction));
      }
    }
    return true;
  }

  // Backward work counts at its forward op's line, and what runs again at the line that ran before,
  // unless they run user code of their own (custom autograd functions, recomputation with a stack
  // around it).
  bool Blame() {
    const uint32_t n = s_.all_slice_count();
    std::vector<bool> own_code(n, false);
    if (!FindBackwardCalls() || !FindOrigins()) return false;
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (!Counted(i)) continue;
      const SliceIndex p = at_.parent[i];
      at_.blamed[i] = at_.context[i];
      const bool outer = p != kNone && at_.pass[p] != Pass::kForward;
      at_.pass[i] = model_.pass[i] == Pass::kForward && outer ? at_.pass[p] : model_.pass[i];
      if (at_.pass[i] == Pass::kForward) continue;
      const SliceIndex op = model_.IsOp(i) ? i : model_.op[i];
      const SliceIndex forward = op == kNone ? kNone : model_.forward[op];
      if (outer && !BeginsNode(i) && (own_code[p] || at_.user_frame[p] || at_.user_frame[i])) {
        own_code[i] = true;
        if (at_.pass[i] == Pass::kBackward) SetOrigin(i, forward);
        continue;
      }
      if (at_.pass[i] == Pass::kRecompute) {
        BlameRepeated(i, op);
      } else if (model_.forward[i] != kNone && BlamedOf(forward) != kNone) {
        at_.blamed[i] = BlamedOf(forward);
        if (model_.pass[forward] == Pass::kRecompute) SetOrigin(i, forward);
      } else if (outer) {
        at_.blamed[i] = at_.blamed[p];
        if (!at_.origin.empty()) at_.origin[i] = at_.origin[p];
      } else if (at_.blamed[i] == kNone && !at_.caller.empty()) {
        at_.blamed[i] = at_.caller[i];  // gradients that belong to no forward line
      }
    }
    return true;
  }
  // An op that is an autograd node: what is inside it shares its forward op.
  bool BeginsNode(SliceIndex i) const {
    const SliceIndex forward = model_.forward[i];
    const SliceIndex outer = model_.op[i];
    return forward != kNone && (outer == kNone || model_.forward[outer] != forward);
  }
  uint32_t BlamedOf(SliceIndex forward) const {
    return at_.context[forward] != kNone ? at_.context[forward] : at_.blamed[forward];
  }
  // What belongs to `forward` is part of the call that this is part of.
  void SetOrigin(SliceIndex i, SliceIndex forward) {
    if (forward == kNone) return;
    if (at_.origin.empty()) at_.origin.assign(s_.all_slice_count(), kNone);
    const uint32_t origin = at_.origin[forward];
    at_.origin[i] = origin != kNone ? origin : at_.context[forward];
  }

  // Recomputed work that no user frame stands around.
  void BlameRepeated(SliceIndex i, SliceIndex op) {
    const SliceIndex first = op == kNone ? kNone : model_.repeats[op];
    if (first != kNone && at_.context[first] != kNone) {
      at_.blamed[i] = at_.context[first];
    } else if (!at_.origin.empty() && at_.origin[i] != kNone) {
      at_.blamed[i] = at_.origin[i];
    } else if (at_.blamed[i] == kNone && !at_.caller.empty()) {
      at_.blamed[i] = at_.caller[i];
    }
  }

  // The calls whose work runs again: of an op that of the op that it repeats, of what is around it
  // what these have in common.
  bool FindOrigins() {
    const uint32_t n = s_.all_slice_count();
    std::vector<SliceIndex> root(n, kNone);  // outermost recomputed slice around
    std::unordered_map<SliceIndex, uint32_t> common;
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (!Counted(i) || model_.pass[i] != Pass::kRecompute) continue;
      const SliceIndex p = at_.parent[i];
      root[i] = p != kNone && root[p] != kNone ? root[p] : i;
      const SliceIndex first = model_.repeats[i];
      if (first == kNone || at_.context[first] == kNone) continue;
      const auto [it, fresh] = common.try_emplace(root[i], at_.context[first]);
      if (!fresh) it->second = CommonContext(it->second, at_.context[first]);
    }
    if (common.empty()) return true;
    at_.origin.assign(n, kNone);
    for (SliceIndex i = 0; i < n; ++i) {
      if (Stop(i)) return false;
      if (root[i] == kNone) continue;
      const SliceIndex op = model_.IsOp(i) ? i : model_.op[i];
      const SliceIndex first = op == kNone ? kNone : model_.repeats[op];
      const auto of_root = common.find(root[i]);
      at_.origin[i] = first != kNone && at_.context[first] != kNone ? at_.context[first]
                      : of_root == common.end()                     ? kNone
                                                                    : of_root->second;
    }
    return true;
  }
  uint32_t CommonContext(uint32_t a, uint32_t b) const {
    while (a != b && a != kNone && b != kNone) {
      if (context_depth_[a] >= context_depth_[b]) {
        a = at_.contexts[a].parent;
      } else {
        b = at_.contexts[b].parent;
      }
    }
    return a == b ? a : kNone;
  }

  // Calls into the autograd engine: what they wait for runs on threads of its own.
  bool IsEngineCall(SliceIndex i) const {
    if (!IsFrame(i)) return false;
    const NameInfo& info = Name(s_.name_id(i));
    if (info.kind == NameInfo::kBuiltin) return info.name == "run_backward";
    if (info.kind != NameInfo::kFrame) return false;
    const std::string& file = files_[info.file].file.recorded;
    const auto in = [&](std::string_view path) {
      return file.ends_with(path) &&
             (file.size() == path.size() || file[file.size() - path.size() - 1] == '/' ||
              file[file.size() - path.size() - 1] == '\\');
    };
    return (info.name == "_engine_run_backward" && in("graph.py")) ||
           (info.name == "backward" && (in("_tensor.py") || in("tensor.py"))) ||
           ((info.name == "backward" || info.name == "grad") && in("__init__.py") &&
            file.find("autograd") != std::string::npos);
  }

  // For backward work on a thread without a stack around it: the call that waits for it, where
  // exactly one thread of the process waits in such a call all the while.
  bool FindBackwardCalls() {
    struct Call {
      Ns start, end;
      uint32_t context;
    };
    constexpr size_t kMaxThreads = 64;
    std::map<RecordedId, std::map<TrackIndex, std::vector<Call>>> calls;
    for (const Track& track : s_.tracks()) {
      if (track.kind != TrackKind::kHostThread) continue;
      const auto t = static_cast<TrackIndex>(&track - s_.tracks().data());
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return false;
        if (at_.context[i] == kNone || !IsEngineCall(i)) continue;
        std::vector<Call>& list = calls[track.pid][t];
        // Calls nest: Tensor.backward, autograd.backward, the engine. The outermost has them all.
        if (!list.empty() && s_.start(i) < list.back().end) continue;
        list.push_back({s_.start(i), s_.end(i), at_.context[i]});
      }
    }
    if (calls.empty()) return true;
    at_.caller.assign(s_.all_slice_count(), kNone);
    for (const Track& track : s_.tracks()) {
      if (track.kind != TrackKind::kHostThread) continue;
      const auto of_process = calls.find(track.pid);
      if (of_process == calls.end() || of_process->second.size() > kMaxThreads) continue;
      const auto t = static_cast<TrackIndex>(&track - s_.tracks().data());
      for (SliceIndex i = track.first; i < track.last; ++i) {
        if (Stop(i)) return false;
        if (!Counted(i)) continue;
        if (at_.parent[i] != kNone) {
          at_.caller[i] = at_.caller[at_.parent[i]];
          continue;
        }
        if (model_.pass[i] == Pass::kForward) continue;
        size_t found = 0;
        for (const auto& [waiting, list] : of_process->second) {
          if (waiting == t) continue;
          auto after = std::upper_bound(list.begin(), list.end(), s_.start(i),
                                        [](Ns time, const Call& c) { return time < c.start; });
          if (after == list.begin()) continue;
          const Call& call = *std::prev(after);
          if (s_.end(i) > call.end + kJitter) continue;
          ++found;
          at_.caller[i] = call.context;
        }
        if (found != 1) at_.caller[i] = kNone;
      }
    }
    return true;
  }

  // Work of a graph counts where the graph was recorded; it is part of the line that launched it.
  bool PlaceGraphs() {
    for (SliceIndex work = 0; work < model_.captured.size(); ++work) {
      const SliceIndex call = model_.captured[work];
      if (call == kNone) continue;
      DevicePlace place;
      place.blamed = at_.blamed[call];
      if (place.blamed == kNone) continue;
      place.pass = at_.pass[call];
      place.op = model_.op[call];
      if (model_.launch[work] != kNone) place.context = at_.context[model_.launch[work]];
      at_.captured.emplace(work, place);
    }
    for (SliceIndex i = 0; i < s_.slice_count(); ++i) {
      if (Stop(i)) return false;
      if (!IsDeviceWork(s_.kind(i))) continue;
      const SliceIndex launch = model_.launch[i];
      if (launch != kNone && !IsGraphLaunch(s_.name(launch))) continue;
      const std::string_view stack = CaptureStack(s_, i);
      if (stack.empty()) continue;
      const uint32_t context = StringContext(stack);
      if (context == kNone) continue;
      at_.has_stacks = true;
      const auto known = at_.captured.find(i);
      DevicePlace place;
      if (known != at_.captured.end()) place = known->second;
      place.blamed = context;
      if (launch != kNone) place.context = at_.context[launch];
      if (s_.ArgText(i, ArgRole::kAutogradPhase) == "backward" && place.pass == Pass::kForward)
        place.pass = Pass::kBackward;
      at_.captured[i] = place;
    }
    return !cancel_.cancelled();
  }

  const Model& model_;
  const TraceStore& s_;
  const PathMapper& mapper_;
  const std::map<std::string, std::shared_ptr<const PythonModule>>& texts_;
  const std::string& focus_;
  const CancelToken& cancel_;
  LineAttribution at_;
  std::vector<uint32_t> name_ids_;  // string id -> index into names_
  std::vector<NameInfo> names_;     // of frames
  std::vector<FileInfo> files_;
  std::unordered_map<std::string, uint32_t> file_ids_;
  std::unordered_map<SliceIndex, std::vector<SliceIndex>> wrapped_;  // frames that wrappers called
  std::vector<bool> cut_;  // open when the recording began, perhaps
  std::vector<Ns> track_end_;
  std::unordered_map<StringId, std::string> class_hint_;
  std::vector<int> placed_line_;   // per slice; 0 not placed
  std::vector<uint32_t> entry_;    // per slice: context in which it was called
  bool calls_are_placed_ = false;  // frames say from which line they were called
  std::unordered_map<std::string, uint32_t> location_ids_;
  std::vector<uint32_t> context_depth_;
  std::unordered_map<uint64_t, uint32_t> context_ids_, frame_locations_;
  using RecordedPlace = std::tuple<uint32_t, std::string, int>;  // file, function, line
  std::map<RecordedPlace, uint32_t> string_locations_;
  std::map<RecordedPlace, FollowedLine> string_lines_;
  std::map<std::pair<const PythonFunction*, int>, CalledAt> call_lines_;
  std::unordered_map<std::string_view, uint32_t> string_contexts_;
  std::unordered_map<uint32_t, bool> text_tried_;
  std::unordered_map<uint32_t, std::shared_ptr<const PythonModule>> library_texts_;  // by file
  size_t library_bytes_ = 0;
};

}  // namespace

std::shared_ptr<const PythonModule> ParseSource(std::string_view text) { return Parse(text); }

std::string SourceText(const ResolvedPath& resolved) {
  return resolved.status == ResolveStatus::kFound && resolved.readable ? ReadText(resolved.path)
                                                                       : "";
}

Result<std::shared_ptr<LineData>> MakeLineData(const Model& model, const PathMapper& mapper,
                                               const DocumentTexts& texts, const std::string& focus,
                                               const CancelToken& cancel) {
  return AttributionBuilder(model, mapper, texts, focus, cancel).Run();
}

}  // namespace emberline
