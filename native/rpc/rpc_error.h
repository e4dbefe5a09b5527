// JSON-RPC error replies: LSP codes and data {kind, hint, code, arguments, offset}.
#pragma once

#include <string>

#include "base/result.h"
#include "json/json.h"

namespace emberline {

// Codes of JSON-RPC 2.0 and of the Language Server Protocol.
enum class RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kNotInitialized = -32002,
  kRequestCancelled = -32800,
  kRequestFailed = -32803,
};

RpcCode CodeOf(ErrorKind kind);

// The `error` member of a reply.
Json ErrorObject(RpcCode code, const Error& error);

}  // namespace emberline
