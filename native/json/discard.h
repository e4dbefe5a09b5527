// The end of large documents.
#pragma once

#include "json/json.h"

namespace emberline {

// Ends the document. The library's destructor moves all that an array or an object holds to a list
// of its own first, against deep nesting; for what is nested a few levels deep only, that costs
// more than it saves. For such documents.
void DiscardJson(Json value);

}  // namespace emberline
