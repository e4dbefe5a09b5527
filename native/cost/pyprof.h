// The figures that PyProf2 gave, with its mistakes, for comparing with what it printed. Its README
// and sources are the reference; each mistake is named beside its formula.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cost/arguments.h"

namespace emberline {

struct PyProfFigures {
  int64_t flops = 0, bytes = 0;  // 0 also where it knew nothing
};

// `op`: the outermost operator of the call, without "aten::"; of backward, that of forward, whose
// arguments these are. `kernel`: the kernel's short name. `sub`: its number within the call.
PyProfFigures PyProfCost(std::string_view op, const Arguments& arguments, std::string_view kernel,
                         bool backward, int64_t sub);

// The name as PyProf2 shortens it: up to the first "<" and "(", without "void ", "at::", "cuda::",
// "native::" and anonymous namespaces, blanks as underscores.
std::string PyProfKernelName(std::string_view name);

}  // namespace emberline
