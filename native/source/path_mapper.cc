#include "source/path_mapper.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace emberline {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxIndexed = 200'000;
constexpr int kMaxIndexDepth = 32;
constexpr size_t kMaxCandidates = 20;
constexpr size_t kMaxAnswers = 20'000;  // beyond, they are asked for anew
// What a name or an answer costs in a table, besides its text.
constexpr size_t kEntryBytes = 160;

std::vector<std::string_view> Parts(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty()) out.push_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return out;
}

bool IsAbsolute(std::string_view path) {
  return path.starts_with("/") || (path.size() > 2 && path[1] == ':' && path[2] == '/');
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// `path` is named as lying in folder `root` (or as it). Both are normal; the disk is not asked.
bool NamedBelow(const fs::path& path, const fs::path& root) {
  auto p = path.begin();
  for (const fs::path& part : root) {
    if (part.empty()) continue;  // a slash at the end
    if (p == path.end() || *p != part) return false;
    ++p;
  }
  return true;
}

// `path`, a real place, lies in folder `root` (or is it).
bool Below(const fs::path& path, const std::string& root) {
  std::error_code error;
  const fs::path base = fs::weakly_canonical(root, error);
  return !error && !base.empty() && NamedBelow(path, base);
}

// `rest` below `folder`; empty where its ".." lead out of it.
std::string Joined(const std::string& folder, std::string_view rest) {
  const fs::path base = fs::path(folder).lexically_normal();
  const fs::path path = (base / rest).lexically_normal();
  return NamedBelow(path, base) ? path.string() : "";
}

// End of a library's path behind its packages folder; empty for other paths.
std::string_view BehindPackages(std::string_view path) {
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return path.substr(at + folder.size());
  }
  return {};
}

}  // namespace

std::string NormalizePath(std::string_view path) {
  std::string text(path);
  const bool windows = text.find('/') == std::string::npos || (text.size() > 1 && text[1] == ':');
  if (windows) std::replace(text.begin(), text.end(), '\\', '/');
  std::string out = text.starts_with("/") ? "/" : "";
  for (const std::string_view part : Parts(text)) {
    if (part == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out;
}

uint32_t NotebookCellHash(std::string_view text) {
  constexpr uint32_t kMultiplier = 0x5bd1e995;
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
  };
  uint32_t hash = 0xc70f6907u ^ static_cast<uint32_t>(text.size());
  size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    uint32_t k = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
    k *= kMultiplier;
    k ^= k >> 24;
    k *= kMultiplier;
    hash *= kMultiplier;
    hash ^= k;
  }
  uint32_t tail = 0;
  switch (text.size() - i) {
    case 3:
      tail |= byte(i + 2) << 16;
      [[fallthrough]];
    case 2:
      tail |= byte(i + 1) << 8;
      [[fallthrough]];
    case 1:
      tail |= byte(i);
      hash ^= tail;
      hash *= kMultiplier;
      break;
    default:
      break;
  }
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return hash;
}

bool ParseNotebookCellPath(std::string_view path, uint32_t* number) {
  const std::string normal = NormalizePath(path);
  const std::vector<std::string_view> parts = Parts(normal);
  if (parts.size() < 2 || !parts[parts.size() - 2].starts_with("ipykernel_")) return false;
  std::string_view name = parts.back();
  if (!name.ends_with(".py")) return false;
  name.remove_suffix(3);
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), *number);
  return error == std::errc() && end == name.data() + name.size();
}

struct PathMapper::Index {
  std::mutex mutex;
  bool built = false;
  std::unordered_map<std::string, std::vector<std::string>> by_name;
  std::unordered_map<std::string, ResolvedPath> answers[2];  // by scope
  size_t answer_bytes = 0;
  std::atomic<size_t> bytes{0};  // of all that; written under the mutex

  void Remember(std::unordered_map<std::string, ResolvedPath>& to, const std::string& path,
                const ResolvedPath& resolved) {
    if (answers[0].size() + answers[1].size() >= kMaxAnswers) {
      for (auto& all : answers) all.clear();
      bytes -= std::exchange(answer_bytes, 0);
    }
    to.emplace(path, resolved);
    size_t added = path.size() + resolved.path.size() + 2 * kEntryBytes;
    for (const std::string& candidate : resolved.candidates)
      added += candidate.size() + kEntryBytes;
    answer_bytes += added;
    bytes += added;
  }

  void Build(const std::vector<std::string>& roots) {
    built = true;
    size_t seen = 0;
    for (const std::string& root : roots) {
      std::error_code error;
      fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied,
                                          error);
      for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
        if (++seen > kMaxIndexed) return;
        const std::string name = it->path().filename().string();
        std::error_code status;
        if (it->is_directory(status)) {
          if (name.starts_with(".") || name == "node_modules" || name == "__pycache__" ||
              name == "site-packages" || name == "dist-packages" || it.depth() >= kMaxIndexDepth) {
            it.disable_recursion_pending();
          }
          continue;
        }
        if (name.ends_with(".py") && it->is_regular_file(status)) {
          by_name[name].push_back(it->path().lexically_normal().string());
          bytes += it->path().native().size() + kEntryBytes;
        }
      }
    }
    for (auto& [name, paths] : by_name) {
      std::sort(paths.begin(), paths.end());
      paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    }
  }
};

PathMapper::PathMapper(SourceSpace space)
    : space_(std::move(space)), index_(std::make_unique<Index>()) {
  std::stable_sort(
      space_.mappings.begin(), space_.mappings.end(),
      [](const PathMapping& a, const PathMapping& b) { return a.from.size() > b.from.size(); });
  const auto add = [&](const std::string& folder) {
    std::error_code error;
    folders_.push_back(fs::path(folder).lexically_normal());
    fs::path real = fs::weakly_canonical(folder, error);
    if (!error && !real.empty() && real != folders_.back()) folders_.push_back(std::move(real));
  };
  for (const std::string& root : space_.roots) add(root);
  for (const PathMapping& m : space_.mappings) add(m.to);
  for (const std::string& folder : space_.site_packages) add(folder);
}
PathMapper::~PathMapper() = default;

size_t PathMapper::MemoryBytes() const { return index_->bytes.load(); }

bool PathMapper::NamesPlaceInside(const std::string& path) const {
  const fs::path normal = fs::path(path).lexically_normal();
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const fs::path& folder) { return NamedBelow(normal, folder); });
}

ResolvedPath PathMapper::Resolve(std::string_view recorded, SearchScope scope) const {
  if (recorded.empty() || recorded.front() == '<' || recorded.size() > 4096 ||
      recorded.find('\0') != std::string_view::npos) {
    return {};
  }
  const std::string normal = NormalizePath(recorded);
  const std::lock_guard lock(index_->mutex);
  auto& answers = index_->answers[scope == SearchScope::kAnywhere];
  const auto it = answers.find(normal);
  if (it != answers.end()) return it->second;
  ResolvedPath resolved = ResolveNow(normal, scope);
  if (resolved.status == ResolveStatus::kFound) Judge(resolved);
  index_->Remember(answers, normal, resolved);
  return resolved;
}

void PathMapper::Judge(ResolvedPath& resolved) const {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(resolved.path, error);
  if (error) return;
  bool user = false, library = !BehindPackages(real.generic_string()).empty();
  for (const std::string& root : space_.roots) user = user || Below(real, root);
  for (const PathMapping& m : space_.mappings) user = user || Below(real, m.to);
  for (const std::string& folder : space_.site_packages) library = library || Below(real, folder);
  bool packages = false;
  for (const std::string& folder : space_.site_packages) packages = packages || Below(real, folder);
  resolved.readable = user || packages;
  resolved.user_code = user && !library;
}

ResolvedPath PathMapper::ResolveNow(const std::string& recorded, SearchScope scope) const {
  const auto found = [](std::string path) {
    return ResolvedPath{ResolveStatus::kFound, std::move(path), {}, false, false};
  };
  for (const PathMapping& m : space_.mappings) {
    const std::string from = NormalizePath(m.from);
    if (from.empty() || !recorded.starts_with(from)) continue;
    if (recorded.size() == from.size()) {
      if (IsFile(m.to)) return found(m.to);
    } else if (recorded[from.size()] == '/' || from == "/") {
      const std::string rest = recorded.substr(from == "/" ? 1 : from.size() + 1);
      const std::string path = Joined(m.to, rest);
      if (!path.empty() && IsFile(path)) return found(path);
    }
  }

  std::vector<std::string> here;
  if (IsAbsolute(recorded)) {
    const bool may_look = scope == SearchScope::kAnywhere || NamesPlaceInside(recorded);
    if (may_look && IsFile(recorded)) return found(recorded);
  } else {
    for (const std::string& root : space_.roots) {
      const std::string path = Joined(root, recorded);
      if (!path.empty() && IsFile(path)) here.push_back(path);
    }
  }

  const std::vector<std::string_view> parts = Parts(recorded);
  const std::string_view behind = BehindPackages(recorded);
  const bool library = !behind.empty() || recorded.find("/lib/python") != std::string::npos;
  if (here.empty() && !parts.empty() && !space_.roots.empty()) {
    if (!index_->built) index_->Build(space_.roots);
    const auto it = index_->by_name.find(std::string(parts.back()));
    if (it != index_->by_name.end()) {
      // A library's file must share all that stands behind its packages folder, a relative path
      // all it has, common names more than themselves.
      size_t least = 1;
      if (parts.back() == "__init__.py" || parts.back() == "__main__.py") least = 2;
      if (!IsAbsolute(recorded)) least = parts.size();
      if (library)
        least = behind.empty() ? parts.size() : Parts(behind).size() + (Parts(behind).size() < 2);
      size_t longest = 0;
      for (const std::string& path : it->second) {
        const std::vector<std::string_view> there = Parts(path);
        size_t common = 0;
        while (common < parts.size() && common < there.size() &&
               parts[parts.size() - 1 - common] == there[there.size() - 1 - common]) {
          ++common;
        }
        if (common < least || common < longest) continue;
        if (common > longest) here.clear();
        longest = common;
        here.push_back(path);
      }
    }
  }
  if (here.size() == 1) return found(here.front());
  if (!here.empty()) {
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    if (here.size() == 1) return found(here.front());
    if (here.size() > kMaxCandidates) here.resize(kMaxCandidates);
    return {ResolveStatus::kAmbiguous, "", std::move(here), false, false};
  }

  const std::string_view tail = !behind.empty()        ? behind
                                : IsAbsolute(recorded) ? std::string_view()
                                                       : recorded;
  if (!tail.empty()) {
    for (const std::string& folder : space_.site_packages) {
      const std::string path = Joined(folder, tail);
      if (!path.empty() && IsFile(path)) return found(path);
    }
  }
  return {};
}

}  // namespace emberline
