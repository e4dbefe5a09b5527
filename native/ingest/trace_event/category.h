// What the recorders' categories mean, from PyTorch 1.8 to today, for every back end.
#pragma once

#include <string_view>

#include "store/builder.h"

namespace emberline {

struct CategoryMeaning {
  SliceKind kind = SliceKind::kHostOther;
  Domain domain = Domain::kUnknown;  // kUnknown: the process tells
  uint8_t correlation_space = 0;     // CategoryInfo::correlation_space
};

// Compared without regard to case; unknown categories give the default.
CategoryMeaning MeaningOfCategory(std::string_view raw);

// What arrows say by their category or by their name, in the spelling of any release.
FlowRole RoleOfFlows(std::string_view text);

}  // namespace emberline
