// The end of large documents.
#pragma once

#include "json/json.h"

namespace emberline {

// Ends the document. The library's destructor moves the elements of every array to a list of its
// own first, against deep nesting; long arrays of numbers, which need none of that, are half the
// cost of a reply that way. For documents that are nested a few levels deep only.
void DiscardJson(Json value);

}  // namespace emberline
