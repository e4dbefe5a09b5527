// Sentences that people read, by code and arguments. What the program says stands in catalogs,
// one `messages.h` for each room (problems of a trace in store/problems.cc): a code, and the
// English sentence with places for its values. A client that speaks another language needs only
// the code and the arguments; the English text goes along for everybody else.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/unit.h"

namespace emberline {

// A value that a sentence names. A number keeps its unit: whoever shows the sentence writes it.
struct MessageArg {
  MessageArg(std::string name_, std::string_view text)
      : name(std::move(name_)), value(std::string(text)) {}
  template <std::integral T>
  MessageArg(std::string name_, T number, Unit unit_ = Unit::kNone)
      : name(std::move(name_)), value(static_cast<int64_t>(number)), unit(unit_) {}
  MessageArg(std::string name_, double number, Unit unit_)
      : name(std::move(name_)), value(number), unit(unit_) {}

  std::string name;
  std::variant<std::string, int64_t, double> value;
  Unit unit = Unit::kNone;
};
using MessageArgs = std::vector<MessageArg>;

// The parts of ICU's MessageFormat that are understood, so that translators' tools know them:
//   {name}                                   a value; numbers by their unit
//   {name, number, integer}                  without decimals
//   {name, plural, one {# file} other {# files}}
//   {name, select, step {a step} other {the trace}}
// ICU itself would bring 30 MB of data for this. A pattern that cannot be read does not compile.
class MessagePattern {
 public:
  consteval MessagePattern(const char* text) : text_(text) {  // NOLINT: implicit on purpose
    if (!IsValid(text_)) throw "The pattern of a message cannot be read.";
  }
  constexpr std::string_view text() const { return text_; }
  // In English. A value that is missing is a mistake of ours and leaves its place as it is.
  std::string Format(const MessageArgs& arguments) const;

  // Where the brace at `open` is closed; npos when it is not.
  static constexpr size_t CloseOf(std::string_view text, size_t open) {
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
      if (text[i] == '{') ++depth;
      if (text[i] == '}' && --depth == 0) return i;
    }
    return std::string_view::npos;
  }

 private:
  static constexpr bool IsWord(std::string_view word) {
    for (const char c : word) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9')) return false;
    }
    return !word.empty();
  }
  static constexpr bool IsValid(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '}') return false;
      if (text[i] != '{') continue;
      const size_t close = CloseOf(text, i);
      if (close == std::string_view::npos || !IsPlace(text.substr(i + 1, close - i - 1))) {
        return false;
      }
      i = close;
    }
    return true;
  }
  // What stands between the braces of a place.
  static constexpr bool IsPlace(std::string_view place) {
    const size_t comma = place.find(", ");
    if (!IsWord(place.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    place.remove_prefix(comma + 2);
    if (place == "number, integer") return true;
    if (!place.starts_with("plural, ") && !place.starts_with("select, ")) return false;
    place.remove_prefix(8);
    bool other = false;
    while (!place.empty()) {
      const size_t open = place.find(" {");
      if (open == std::string_view::npos || !IsWord(place.substr(0, open))) return false;
      other = place.substr(0, open) == "other";
      const size_t close = CloseOf(place, open + 1);
      if (close == std::string_view::npos) return false;
      if (!IsValid(place.substr(open + 2, close - open - 2))) return false;
      place.remove_prefix(close + 1);
      if (place.empty()) break;
      if (place[0] != ' ') return false;
      place.remove_prefix(1);
    }
    return other;  // stands last
  }

  std::string_view text_;
};

// A value as the sentence shows it.
std::string MessageArgText(const MessageArg& argument, bool integer = false);

// A sentence of a catalog.
struct Sentence {
  const char* code;  // stable, lower camel
  MessagePattern text;
};

// A sentence with its values.
struct Message {
  std::string code;
  std::string text;  // in English
  MessageArgs arguments;
};
Message Say(const Sentence& sentence, MessageArgs arguments = {});

}  // namespace emberline
