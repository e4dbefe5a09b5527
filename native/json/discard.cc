#include "json/discard.h"

#include <utility>

namespace emberline {
namespace {

void ClearArraysOfScalars(Json& value) {
  if (value.is_array()) {
    auto& array = value.get_ref<Json::array_t&>();
    if (!array.empty() && array.front().is_primitive()) {
      array.clear();
      return;
    }
  }
  if (!value.is_structured()) return;
  for (Json& item : value) ClearArraysOfScalars(item);
}

}  // namespace

void DiscardJson(Json value) { ClearArraysOfScalars(value); }

}  // namespace emberline
