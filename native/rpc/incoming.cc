#include "rpc/incoming.h"

#include <exception>
#include <utility>

#include "json/errors.h"
#include "rpc/errors.h"

namespace emberline {
namespace {

using Read = std::variant<Call, RefusedMessage, NoMessage>;

bool IsId(const Json& id) { return id.is_string() || id.is_number_integer(); }

Read Check(const Json& message) {
  const auto invalid = [](const Json& id, const ErrorText& text) {
    return RefusedMessage{id, RpcCode::kInvalidRequest, MakeError(text)};
  };
  if (message.is_array()) return invalid(nullptr, errors::kNoBatches);
  if (!message.is_object()) return invalid(nullptr, errors::kMessageNotAnObject);
  const bool has_id = message.contains("id");
  Json id = has_id && IsId(message["id"]) ? message["id"] : Json();
  // The daemon asks nothing, so a reply is nobody's.
  if (!message.contains("method") && (message.contains("result") || message.contains("error"))) {
    return NoMessage{};
  }
  if (message.value("jsonrpc", Json()) != "2.0") return invalid(id, errors::kWrongVersion);
  if (!message.contains("method") || !message["method"].is_string()) {
    return invalid(id, errors::kMethodNotAString);
  }
  if (has_id && id.is_null()) return invalid(nullptr, errors::kBadId);
  Json params = message.value("params", Json::object());
  if (params.is_null()) params = Json::object();
  if (!params.is_object()) {
    if (!has_id) return NoMessage{};
    return RefusedMessage{std::move(id), RpcCode::kInvalidParams,
                          MakeError(errors::kParamsNotAnObject)};
  }
  return Call{std::move(id), message["method"].get<std::string>(), std::move(params)};
}

}  // namespace

Read ReadMessage(const std::string& text) {
  try {
    Result<Json> parsed = ParseJson(text);
    if (!parsed.ok()) {
      const std::string mended = WithoutLoneSurrogates(text);
      if (mended != text) parsed = ParseJson(mended);
    }
    if (!parsed.ok()) return RefusedMessage{nullptr, RpcCode::kParseError, parsed.error()};
    return Check(parsed.value());
  } catch (const std::exception&) {
    return RefusedMessage{nullptr, RpcCode::kParseError, MakeError(errors::kNotJsonText)};
  }
}

}  // namespace emberline
