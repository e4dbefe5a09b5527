#include "rpc/rpc_error.h"

#include "json/message_json.h"

namespace emberline {

RpcCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return RpcCode::kInvalidParams;
    case ErrorKind::kCancelled:
      return RpcCode::kRequestCancelled;
    case ErrorKind::kInternal:
      return RpcCode::kInternalError;
    case ErrorKind::kNotFound:
    case ErrorKind::kUnreadable:
    case ErrorKind::kUnsupported:
      return RpcCode::kRequestFailed;
  }
  return RpcCode::kInternalError;
}

Json ErrorObject(RpcCode code, const Error& error) {
  Json data = {{"kind", ErrorKindName(error.kind)}, {"hint", error.hint}};
  if (!error.code.empty()) {
    data["code"] = error.code;
    data["arguments"] = ArgumentsJson(error.arguments);
  }
  if (error.offset) data["offset"] = *error.offset;
  return {{"code", static_cast<int>(code)}, {"message", error.message}, {"data", std::move(data)}};
}

}  // namespace emberline
