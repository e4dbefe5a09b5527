// Regular expressions of users, matched in time that is linear in the text and has a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace emberline {

// What one search may cost, over all its texts: about a second. Linear is still long for a large
// expression and many long texts. Counted in states and bytes, not in time, so that the same search
// always ends alike. Not thread-safe.
class MatchBudget {
 public:
  bool spent() const { return work_ >= kMaxWork; }
  // What to say when it is.
  Error error() const;

 private:
  friend class Pattern;
  static constexpr uint64_t kMaxWork = 120'000'000;  // states times bytes, 2 to 7 ns each
  uint64_t work_ = 0;
};

// One parsed expression in RE2's syntax, which is that of other engines without back references and
// look-around: those are what makes matching explode. Upper and lower case are one. Any thread may
// use it.
class Pattern {
 public:
  // Errors: kInvalidArgument, which says what is wrong and at which character, or that the
  // expression has too many states.
  static Result<Pattern> Parse(const std::string& text);
  // Whether it matches somewhere in `text`.
  bool Matches(std::string_view text) const;
  // The same on account of `budget`; false once that is spent.
  bool Matches(std::string_view text, MatchBudget* budget) const;

 private:
  struct Program;  // keeps the engine out of this header
  explicit Pattern(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace emberline
