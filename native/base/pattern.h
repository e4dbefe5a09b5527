// Regular expressions of users, matched in time that is linear in the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace emberline {

// One parsed expression in RE2's syntax, which is that of other engines without back references and
// look-around: those are what makes matching explode. Upper and lower case are one. Any thread may
// use it.
class Pattern {
 public:
  // Errors: kInvalidArgument, which says what is wrong and at which character.
  static Result<Pattern> Parse(const std::string& text);
  // Whether it matches somewhere in `text`.
  bool Matches(std::string_view text) const;

 private:
  struct Program;  // keeps the engine out of this header
  explicit Pattern(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace emberline
