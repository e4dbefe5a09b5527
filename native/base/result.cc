#include "base/result.h"

#include "base/errors.h"

namespace emberline {

const char* ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
      return "notFound";
    case ErrorKind::kUnreadable:
      return "unreadable";
    case ErrorKind::kInvalidArgument:
      return "invalidArgument";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kInternal:
      return "internal";
  }
  return "internal";
}

Error MakeError(const ErrorText& text, MessageArgs arguments, std::optional<uint64_t> offset) {
  Error error{
      text.kind, text.message.Format(arguments), text.hint.Format(arguments), offset, text.code,
      {}};
  error.arguments = std::move(arguments);
  return error;
}

Error Cancelled() { return MakeError(errors::kCancelled); }

}  // namespace emberline
