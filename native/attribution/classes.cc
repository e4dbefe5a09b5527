// The classes of constructors that the user's functions call, and the bases of modules, as far as
// the texts of the user and of libraries show them.
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "attribution/match_constructor.h"
#include "attribution/stages.h"
#include "source/source_text.h"

namespace emberline {
namespace {

constexpr size_t kMaxBases = 32;  // of one class
constexpr size_t kMaxHeirs = 64;  // classes of a text that are looked at for one constructor
// Of library files, whose texts only say which classes there are.
constexpr size_t kMaxLibraryText = 8u << 20;

// A class and the classes of its text that it is derived from, and the names of other bases.
void AddFamily(const PythonModule& module, size_t of, std::set<std::string>* names) {
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
int DefinerOf(const PythonModule& module, int of, const std::string& method) {
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
std::vector<std::string> HeirsOf(const PythonModule& module, int owner,
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
bool AsksForClasses(const Frames& frames) {
  for (const FrameFile& f : frames.files()) {
    if (!f.file.user || f.file.module == nullptr) continue;
    for (const PythonFunction& function : f.file.module->functions) {
      for (const Site& site : function.sites) {
        if (!site.is_any.empty() || !site.is_none.empty()) return true;
      }
    }
  }
  return false;
}

// The classes of which frames run methods.
class MethodClasses {
 public:
  explicit MethodClasses(const Frames& frames) : frames_(frames) {}

  // The class whose method a frame runs; a library's is known by the line that defines the method.
  // Gives the text too: {null, -1} where neither is known.
  std::pair<const PythonModule*, int> Of(const FrameName& info) {
    const SourceFile& file = frames_.files()[info.file].file;
    const PythonModule* module = file.user ? file.module.get() : LibraryText(info.file);
    if (module == nullptr) return {nullptr, -1};
    const int f = file.user ? info.function : module->FindFunction(info.name, info.line);
    return {module, f < 0 ? -1 : module->functions[f].class_index};
  }

 private:
  // The text of a library's file, read for its classes; null where it may not be read.
  const PythonModule* LibraryText(uint32_t file) {
    const auto [it, fresh] = texts_.try_emplace(file);
    if (fresh) {
      const std::string text = SourceText(frames_.files()[file].file.resolved);
      if (!text.empty() && bytes_ + text.size() <= kMaxLibraryText) {
        bytes_ += text.size();
        it->second = ParseSource(text);
      }
    }
    return it->second.get();
  }

  const Frames& frames_;
  std::unordered_map<uint32_t, std::shared_ptr<const PythonModule>> texts_;  // by file
  size_t bytes_ = 0;
};

}  // namespace

bool ReadClasses(Attributing& a) {
  const bool asks = AsksForClasses(a.frames);
  MethodClasses classes(a.frames);
  std::unordered_set<uint64_t> known;  // a name and the one that called it
  for (SliceIndex i = 0; i < a.store.all_slice_count(); ++i) {
    if (a.Stop(i)) return false;
    const SliceIndex p = a.parent[i];
    if (p == kNone || !a.IsFrame(i) || !a.IsFrame(p)) continue;
    FrameName& info = a.NameOf(i);
    FrameName& caller = a.NameOf(p);
    if (info.kind != FrameName::kFrame) continue;
    const bool made =
        a.at.user_frame[p] && a.frames.FunctionOf(p) != nullptr && IsConstructorName(info.name);
    const bool runs = asks && caller.kind == FrameName::kModule && info.name == "forward";
    if (!made && !runs) continue;
    const uint64_t key = static_cast<uint64_t>(a.store.name_id(p)) << 32 | a.store.name_id(i);
    if (!known.insert(key).second) continue;
    const auto [module, c] = classes.Of(info);
    if (c < 0) continue;
    if (made) {
      info.owner = module->classes[c].name;
      info.heirs = HeirsOf(*module, c, info.name);
    }
    if (runs) AddFamily(*module, static_cast<size_t>(c), &caller.bases);
  }
  return true;
}

}  // namespace emberline
