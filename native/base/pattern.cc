#include "base/pattern.h"

#include <re2/re2.h>

#include <vector>

#include "base/errors.h"

namespace emberline {
namespace {

constexpr size_t kMaxPatternBytes = 500;
// Bytes for an expression's program and for the states that matching remembers. What needs more is
// refused, so that the time for one character has a bound too.
constexpr int64_t kMaxProgramBytes = 512 << 10;
// States of an expression: each costs up to 7 ns for each byte of text. `.{0,200}` has about 2000.
constexpr int kMaxStates = 3000;

// Cheap are texts for which the engine remembers which states follow which. These count, for this
// thread, what it had to work out anew.
struct Effort {
  uint64_t failures = 0;   // texts that were gone through state by state
  uint64_t forgotten = 0;  // sets of states that were worked out and had to be forgotten
};
thread_local Effort effort;

void CountEffort() {
  static const bool hooked = [] {
    re2::hooks::SetDFASearchFailureHook(
        [](const re2::hooks::DFASearchFailure&) { ++effort.failures; });
    re2::hooks::SetDFAStateCacheResetHook([](const re2::hooks::DFAStateCacheReset& reset) {
      effort.forgotten += reset.state_cache_size;
    });
    return true;
  }();
  (void)hooked;
}

Error Wrong(std::string_view reason) {
  return MakeError(errors::kBadExpression, {{"reason", reason}});
}

// Position of the parenthesis without a partner; npos when all have one.
size_t LoneParenthesis(std::string_view text) {
  std::vector<size_t> open;
  bool in_class = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      if (i + 1 < text.size() && text[i + 1] == '^') ++i;
      if (i + 1 < text.size() && text[i + 1] == ']') ++i;  // the first one is a letter
    } else if (c == '(') {
      open.push_back(i);
    } else if (c == ')') {
      if (open.empty()) return i;
      open.pop_back();
    }
  }
  return open.empty() ? std::string_view::npos : open.back();
}

std::string Described(const RE2& program) {
  const std::string& text = program.pattern();
  std::string part = program.error_arg();  // what the engine stumbled over
  std::string what;
  size_t at = text.find(part);
  const std::string& said = program.error();
  if (said.starts_with("missing )") || said.starts_with("unexpected )")) {
    at = LoneParenthesis(text);
    part.clear();  // it is the whole expression
    what = Say(at != std::string::npos && text[at] == ')' ? errors::kNotOpened : errors::kNotClosed)
               .text;
  }
  switch (program.error_code()) {
    case RE2::ErrorMissingBracket:
      what = Say(errors::kBracketNotClosed).text;
      break;
    case RE2::ErrorBadCharRange:
      what = Say(errors::kRangeBackwards).text;
      break;
    case RE2::ErrorRepeatArgument:
    case RE2::ErrorRepeatOp:
      what = Say(errors::kNothingToRepeat).text;
      break;
    case RE2::ErrorRepeatSize:
      what = Say(errors::kRepeatsTooMuch).text;
      break;
    case RE2::ErrorBadPerlOp:
    case RE2::ErrorBadEscape:
      what = Say(errors::kNotSupported).text;
      break;
    case RE2::ErrorTrailingBackslash:
      at = text.size() - 1;
      what = Say(errors::kLoneBackslash).text;
      break;
    case RE2::ErrorPatternTooLarge:
      return Say(errors::kExpressionMemory).text;
    default:
      if (what.empty()) what = said;
  }
  if (at == std::string::npos || at >= text.size()) return what;
  const std::string quoted = part.empty() || part.size() > 40 ? text.substr(at, 40) : part;
  return Say(errors::kAtCharacter, {{"reason", what}, {"text", quoted}, {"position", at + 1}}).text;
}

}  // namespace

struct Pattern::Program {
  explicit Program(const std::string& text) : re2(text, Options()) { CountEffort(); }

  static RE2::Options Options() {
    RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);  // they would go to stderr
    options.set_never_capture(true);
    options.set_max_mem(kMaxProgramBytes);
    return options;
  }

  RE2 re2;
};

Result<Pattern> Pattern::Parse(const std::string& text) {
  if (text.size() > kMaxPatternBytes) {
    return Wrong(Say(errors::kExpressionTooLong, {{"limit", kMaxPatternBytes}}).text);
  }
  auto program = std::make_shared<const Program>(text);
  if (!program->re2.ok()) return Wrong(Described(program->re2));
  const int states = program->re2.ProgramSize();
  if (states > kMaxStates) {
    return Wrong(Say(errors::kExpressionRepeats, {{"states", states}, {"limit", kMaxStates}}).text);
  }
  return Pattern(std::move(program));
}

bool Pattern::Matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), program_->re2);
}

bool Pattern::Matches(std::string_view text, MatchBudget* budget) const {
  if (budget->spent()) return false;
  effort = {};
  const bool matches = Matches(text);
  const auto states = static_cast<uint64_t>(program_->re2.ProgramSize());
  budget->work_ += states * (effort.failures * text.size() + effort.forgotten);
  return matches;
}

Error MatchBudget::error() const {
  return MakeError(errors::kSlowExpression, {{"few", ".{0,20}"}, {"many", ".{0,200}"}});
}

}  // namespace emberline
