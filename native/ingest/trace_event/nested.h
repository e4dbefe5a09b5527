// Arrays and objects that are kept as text: where one ends, and whether it is sound.
#pragma once

#include <string_view>

namespace emberline {

// Levels of arrays and objects that one value may have.
constexpr int kMaxNesting = 200;

enum class NestedState {
  kSound,
  kNeedMore,    // the text ends inside it
  kBroken,      // brackets of two kinds meet, or texts and separators do not fit
  kTooDeep,     // more than kMaxNesting levels
  kHoldsEvent,  // an event stands inside: no value of one event reaches into another
};

struct Nested {
  NestedState state = NestedState::kNeedMore;
  const char* end = nullptr;  // behind the closing bracket; only of a sound one
  bool odd = false;           // more than plain ASCII on one line
  bool flawed = false;        // values missing, commas too many, or words that JSON does not know
  bool raw_quote = false;     // a text holds quotes that were not escaped
};

// Looks at the array or object at `p` ('[' or '{'). `lenient`: texts may hold raw quotes, and
// commas may be missing. Reads up to Window::kPadding bytes behind `end`.
Nested ScanNested(const char* p, const char* end, bool lenient);

// Whether `word` is a number in the spelling of JSON, or one of its names.
bool IsSoundWord(std::string_view word);

// Whether `text` is one array or object without any flaw. Bytes behind it are read as above.
bool IsSoundNested(std::string_view text);

}  // namespace emberline
