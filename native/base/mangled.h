// Names that the Itanium C++ ABI mangled, as some recorders leave them.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// The qualified name of the function without template arguments and parameters:
// "_ZN2ck6kernelILi4EEEvi" is "ck::kernel". "" for other names. One pass over the name, whatever it
// holds; the pages read names in the same way (webviews/src/lib/names.ts).
std::string DemangledName(std::string_view name);

}  // namespace emberline
