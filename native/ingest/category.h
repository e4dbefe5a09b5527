// What the recorders' categories mean, from PyTorch 1.8 to today, for every back end.
#pragma once

#include <string_view>

#include "store/builder.h"

namespace emberline {

struct CategoryMeaning {
  SliceKind kind = SliceKind::kHostOther;
  Domain domain = Domain::kUnknown;  // kUnknown: the process tells
};

// Compared without regard to case; unknown categories give the default.
CategoryMeaning MeaningOfCategory(std::string_view raw);

}  // namespace emberline
