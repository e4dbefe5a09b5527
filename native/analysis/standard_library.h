// Files of Python's standard library, as recorders name them.
#pragma once

#include <string_view>

namespace emberline {

// True for a path relative to the library's folder, in lower case, with '/' between its parts:
// "pathlib.py", "collections/__init__.py". Recorders cut the longest entry of sys.path off a path,
// so nothing else tells such a file from the user's. Modules whose names programs like to give
// to themselves and that run in no profile ("profile.py", "trace.py", "code.py") are left out.
bool IsStandardLibraryFile(std::string_view relative_path);

}  // namespace emberline
