#include "base/user_packages.h"

#include <algorithm>

namespace emberline {
namespace {

// Folders or modules as paths have them: "team/layers".
std::vector<std::string>& Packages() {
  static std::vector<std::string> packages;
  return packages;
}

// Whether `path` goes on with the package at `at`: with a folder of it, or with its one file.
bool IsAt(std::string_view path, size_t at, std::string_view package) {
  const std::string_view rest = path.substr(at);
  if (!rest.starts_with(package)) return false;
  const std::string_view after = rest.substr(package.size());
  return after.starts_with('/') || after == ".py";
}

}  // namespace

std::vector<std::string> PackageNames(std::string_view list) {
  std::vector<std::string> names;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find_first_of(",; ", at), list.size());
    if (end > at) names.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

void SetUserPackages(const std::vector<std::string>& names) {
  std::vector<std::string>& packages = Packages();
  packages.clear();
  for (std::string name : names) {
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      if (c == '.' || c == '\\') c = '/';
    }
    packages.push_back(std::move(name));
  }
}

bool IsOfUserPackage(std::string_view path) {
  const std::vector<std::string>& packages = Packages();
  if (packages.empty()) return false;
  // Recorders shorten paths to what follows the folder of packages, or leave them whole.
  size_t begin = 0;
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) begin = std::max(begin, at + folder.size());
  }
  return std::any_of(packages.begin(), packages.end(), [&](const std::string& package) {
    if (IsAt(path, begin, package)) return true;
    if (begin > 0) return false;
    // Built in a folder of its own, or beside the standard library.
    const std::string inside = "/" + package;
    for (size_t at = path.find(inside); at != std::string_view::npos;
         at = path.find(inside, at + 1)) {
      if (IsAt(path, at + 1, package)) return true;
    }
    return false;
  });
}

}  // namespace emberline
