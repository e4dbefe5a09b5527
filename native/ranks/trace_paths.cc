#include "ranks/trace_paths.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

namespace emberline {

namespace fs = std::filesystem;

std::vector<bool> HaveDigests(const std::vector<std::string>& paths,
                              const std::vector<RankDigest>& ranks) {
  const auto end_of = [](const fs::path& path, size_t parts) {
    fs::path end;
    for (auto at = path.end(); parts > 0 && at != path.begin(); --parts) {
      --at;
      end = end.empty() ? *at : *at / end;
    }
    return end.string();
  };
  std::vector<fs::path> wanted, known;
  std::vector<std::string> whole;
  for (const std::string& path : paths) {
    wanted.push_back(fs::path(path).lexically_normal());
    whole.push_back(end_of(wanted.back(), SIZE_MAX));
  }
  for (const RankDigest& rank : ranks) known.push_back(fs::path(rank.path).lexically_normal());
  std::vector<bool> there(paths.size());
  std::vector<size_t> open(paths.size());
  std::iota(open.begin(), open.end(), 0);
  for (size_t parts = 1; !open.empty(); ++parts) {
    std::map<std::string, std::set<std::string>> named;  // different traces of the list, by end
    for (const size_t i : open) named[end_of(wanted[i], parts)].insert(whole[i]);
    std::set<std::string> ends;
    for (const fs::path& path : known) ends.insert(end_of(path, parts));
    std::erase_if(open, [&](size_t i) {
      const std::string end = end_of(wanted[i], parts);
      if (named[end].size() > 1) return false;
      there[i] = ends.count(end) > 0;
      return true;
    });
  }
  return there;
}

}  // namespace emberline
