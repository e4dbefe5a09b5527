// Recorded paths belong to the machine that recorded them; this finds their files here.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace emberline {

struct PathMapping {
  std::string from;  // folder or file in recorded paths
  std::string to;    // the same on this machine
  bool operator==(const PathMapping&) const = default;
};

// Where sources may be looked for.
struct SourceSpace {
  std::vector<std::string> roots;          // folders of the user's code
  std::vector<PathMapping> mappings;       // tried first, longest `from` first
  std::vector<std::string> site_packages;  // of the selected interpreter
  // The version of the user's code that was recorded, where it is not that of now: whoever asks
  // gives its texts with documents. Only keeps what is known of one version apart from another.
  std::string revision;
  bool empty() const { return roots.empty() && mappings.empty() && site_packages.empty(); }
};

enum class ResolveStatus : uint8_t { kFound, kAmbiguous, kMissing };

struct ResolvedPath {
  ResolveStatus status = ResolveStatus::kMissing;
  std::string path;                     // when found
  std::vector<std::string> candidates;  // when ambiguous: equally good, sorted
  bool readable = false;                // lies inside the source space, so its text may be read
  bool user_code = false;  // lies below a root or a mapping's target, not in site-packages
};

// Where a path that only a trace named may be looked for on the disk. Even to ask whether a file is
// there has effects (automounts, network shares), so that what nobody asked for stays inside.
enum class SearchScope : uint8_t {
  kSourceSpace,  // below the roots, the mappings' targets and site-packages
  kAnywhere,     // an absolute path wherever it lies: a user wants to see this very file
};

// Tries in order: the mappings, the path itself (relative ones below each root), the file below
// the roots that shares the longest end of the path, site-packages. Thread-safe; remembers the list
// of files below the roots (at most 200,000, without hidden folders) and its last
// answers.
class PathMapper {
 public:
  explicit PathMapper(SourceSpace space);
  ~PathMapper();
  ResolvedPath Resolve(std::string_view recorded,
                       SearchScope scope = SearchScope::kSourceSpace) const;
  const SourceSpace& space() const { return space_; }
  // Bytes of what is remembered.
  size_t MemoryBytes() const;

 private:
  struct Index;
  ResolvedPath ResolveNow(const std::string& recorded, SearchScope scope) const;
  bool NamesPlaceInside(const std::string& path) const;
  void Judge(ResolvedPath& resolved) const;
  SourceSpace space_;
  std::vector<std::filesystem::path> folders_;  // of the space, as named and as they really lie
  std::unique_ptr<Index> index_;
};

// The path in one form: forward slashes, no empty or "." parts.
std::string NormalizePath(std::string_view path);

// The number that ipykernel gives to the file of a notebook cell: MurmurHash2 (32 bit, seed
// 0xc70f6907) of the cell's text. "/tmp/ipykernel_123/456.py" holds the cell whose number is 456.
uint32_t NotebookCellHash(std::string_view cell_text);

// The number in a recorded path of a notebook cell ("ipykernel_123/456.py"); false for others.
bool ParseNotebookCellPath(std::string_view path, uint32_t* number);

}  // namespace emberline
