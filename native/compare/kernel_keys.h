// Which kernel of one recording is which of another, whose compiler or library spelled it
// otherwise.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/table.h"

namespace emberline {

// For each row of two tables of kernels by name, which kernel it is: the same text where a row of
// one side is one of the other. Names that are equal are the same. Of those left over, two are the
// same when their function is ("void at::native::reduce_kernel<...>(...)" without what stands in
// brackets) and each is the one most like the other by the words of its template arguments. Where
// several are equally like, none is chosen. The answer does not depend on which side is which.
std::pair<std::vector<std::string>, std::vector<std::string>> MatchKernels(const Table& baseline,
                                                                           const Table& candidate);

}  // namespace emberline
