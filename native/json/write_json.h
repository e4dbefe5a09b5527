// Large documents as text.
#pragma once

#include <functional>
#include <string_view>

#include "json/json.h"

namespace emberline {

// Hands out the text of DumpJson() piece by piece, cut between characters: as a whole, that of a
// large document would take as much memory as the document. Ends when `write` returns false, and
// returns that.
bool WriteJson(const Json& value, const std::function<bool(std::string_view)>& write);

}  // namespace emberline
