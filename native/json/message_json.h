// Arguments of messages as they go over the wire.
#pragma once

#include "base/message.h"
#include "json/json.h"

namespace emberline {

// [{"name", "value", "unit"}, ...]
Json ArgumentsJson(const MessageArgs& args);

}  // namespace emberline
