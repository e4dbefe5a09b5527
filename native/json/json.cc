#include "json/json.h"

#include "json/errors.h"

namespace emberline {

Result<Json> ParseJson(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > 100) {
        return MakeError(errors::kJsonTooDeep, {}, i);
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& e) {
    return MakeError(errors::kNotJsonText, {}, e.byte);
  } catch (const Json::exception&) {
    return MakeError(errors::kJsonNumberOutOfRange);
  }
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace emberline
