#include "base/result.h"

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

}  // namespace emberline
