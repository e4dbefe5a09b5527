// Result<T>: a value, or a typed error that says what to do.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/message.h"

namespace emberline {

enum class ErrorKind {
  kNotFound,         // a path, profile, worker or row does not exist
  kUnreadable,       // the file is there but is not a trace, or cannot be read
  kInvalidArgument,  // a parameter is wrong
  kCancelled,
  kUnsupported,  // the trace lacks what the request needs
  kInternal,
};

// Name of the kind as it goes over the wire: "notFound", "unreadable", ...
const char* ErrorKindName(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;             // what happened, one sentence
  std::string hint;                // what the user can do; may be empty
  std::optional<uint64_t> offset;  // byte offset in the (inflated) text where it happened
  std::string code;                // of the catalog: what to say in another language
  MessageArgs arguments;           // the values that `message` and `hint` name
};

// An error of a catalog.
struct ErrorText {
  ErrorKind kind;
  const char* code;  // stable, lower camel
  MessagePattern message;
  MessagePattern hint = "";
};
Error MakeError(const ErrorText& text, MessageArgs arguments = {},
                std::optional<uint64_t> offset = {});
// What work answers that gave up because its token was cancelled.
Error Cancelled();

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit on purpose
  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() {
    assert(ok());
    return std::get<T>(state_);
  }
  const T& value() const {
    assert(ok());
    return std::get<T>(state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    assert(!ok());
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace emberline
