// What the text of a JSON-RPC message asks for, checked by the rules of JSON-RPC 2.0.
#pragma once

#include <string>
#include <variant>

#include "json/json.h"
#include "rpc/rpc_error.h"

namespace emberline {

// A request, or a notification where `id` is null.
struct Call {
  Json id;  // a string or an integer
  std::string method;
  Json params;  // an object
};

// A message that is answered with an error.
struct RefusedMessage {
  Json id;  // null where it could not be read
  RpcCode code;
  Error error;
};

// A message that asks for nothing and has no answer: a reply, or a malformed notification.
struct NoMessage {};

// Any thread; never throws. A string that was cut inside a character is mended, so that its sender
// gets an answer.
std::variant<Call, RefusedMessage, NoMessage> ReadMessage(const std::string& text);

}  // namespace emberline
