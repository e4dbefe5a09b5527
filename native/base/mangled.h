// Names that the Itanium C++ ABI mangled, as some recorders leave them.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// The qualified name of the function without template arguments and parameters:
// "_ZN2ck6kernelILi4EEEvi" is "ck::kernel". "" for other names. One pass over the name, whatever it
// holds; the pages read names in the same way (extension/shared/names.ts).
std::string DemangledName(std::string_view name);

// What pages show of a name, so that a search finds it in both forms: a mangled name's function,
// and other C++ names without their namespaces: "void at::native::foo<c10::Half>(int)" is "void
// foo<Half>(int)". "" where that is the name itself.
std::string ReadableName(std::string_view name);

}  // namespace emberline
