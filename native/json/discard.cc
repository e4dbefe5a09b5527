#include "json/discard.h"

#include <utility>

namespace emberline {
namespace {

// What is empty has nothing to move.
void ClearInsideOut(Json& value) {
  if (!value.is_structured()) return;
  for (Json& item : value) ClearInsideOut(item);
  value.clear();
}

}  // namespace

void DiscardJson(Json value) { ClearInsideOut(value); }

}  // namespace emberline
