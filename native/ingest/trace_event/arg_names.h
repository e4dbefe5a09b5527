// The keys of args in traces of PyTorch, and the roles that they play.
#pragma once

#include "store/builder.h"

namespace emberline {

void NameArgs(TraceBuilder* builder);

}  // namespace emberline
