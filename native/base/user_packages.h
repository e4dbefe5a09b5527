// Installed packages that the user calls their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emberline {

// The names in "team, team.layers": commas, semicolons or blanks between them; dots lead into a
// package. Empty parts are left out.
std::vector<std::string> PackageNames(std::string_view list);

// From now on files of these packages are the user's own code wherever they are installed. It holds
// for the whole process, and results are kept: call it once, before a trace is read.
void SetUserPackages(const std::vector<std::string>& names);

// Whether a file is of one of these packages. `path`: as recorded, with slashes, in small letters.
bool IsOfUserPackage(std::string_view path);

}  // namespace emberline
