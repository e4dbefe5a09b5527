#include "json/message_json.h"

#include <variant>

namespace emberline {

Json ArgumentsJson(const MessageArgs& args) {
  Json list = Json::array();
  for (const MessageArg& arg : args) {
    Json one = {{"name", arg.name}, {"unit", UnitName(arg.unit)}};
    std::visit([&](const auto& value) { one["value"] = value; }, arg.value);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace emberline
