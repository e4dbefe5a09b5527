#include "base/message.h"

#include <algorithm>
#include <cassert>

#include "base/number_text.h"

namespace emberline {
namespace {

const MessageArg* Find(const MessageArgs& arguments, std::string_view name) {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const MessageArg& one) { return one.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

bool IsOne(const MessageArg& argument) {
  if (const auto* whole = std::get_if<int64_t>(&argument.value)) return *whole == 1;
  const auto* number = std::get_if<double>(&argument.value);
  return number != nullptr && *number == 1;
}

// The text of a plural's or select's case `word`, or of "other": "one {# file} other {# files}".
std::string_view CaseOf(std::string_view cases, std::string_view word) {
  while (true) {
    const size_t open = cases.find(" {");
    const size_t close = MessagePattern::CloseOf(cases, open + 1);
    const std::string_view text = cases.substr(open + 2, close - open - 2);
    if (cases.substr(0, open) == word || close + 1 >= cases.size()) return text;
    cases.remove_prefix(close + 2);
  }
}

// Writes `text`, in which "#" stands for `number` where there is one.
void Write(std::string_view text, const MessageArgs& arguments, const MessageArg* number,
           std::string* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && number != nullptr) {
      *out += MessageArgText(*number);
      continue;
    }
    if (text[i] != '{') {
      *out += text[i];
      continue;
    }
    const size_t close = MessagePattern::CloseOf(text, i);
    const std::string_view place = text.substr(i + 1, close - i - 1);
    const size_t comma = std::min(place.find(", "), place.size());
    const MessageArg* argument = Find(arguments, place.substr(0, comma));
    assert(argument != nullptr);
    const std::string_view form = place.substr(std::min(comma + 2, place.size()));
    if (argument == nullptr) {
      *out += text.substr(i, close - i + 1);
    } else if (form.starts_with("plural, ")) {
      Write(CaseOf(form.substr(8), IsOne(*argument) ? "one" : "other"), arguments, argument, out);
    } else if (form.starts_with("select, ")) {
      Write(CaseOf(form.substr(8), MessageArgText(*argument)), arguments, number, out);
    } else {
      *out += MessageArgText(*argument, !form.empty());
    }
    i = close;
  }
}

}  // namespace

std::string MessageArgText(const MessageArg& argument, bool integer) {
  if (const auto* text = std::get_if<std::string>(&argument.value)) return *text;
  const auto* whole = std::get_if<int64_t>(&argument.value);
  const double number =
      whole != nullptr ? static_cast<double>(*whole) : std::get<double>(argument.value);
  switch (argument.unit) {
    case Unit::kRatio:
      return integer ? PercentText(number, 0) : QuantityText(number, argument.unit);
    case Unit::kPercent:
      return PercentText(number / 100, integer ? 0 : 1);
    case Unit::kUs:
    case Unit::kNs:
    case Unit::kBytes:
    case Unit::kFlops:
      return QuantityText(number, argument.unit);
    case Unit::kCount:
      return GroupedText(static_cast<int64_t>(number));
    case Unit::kNone:
    case Unit::kGbPerS:
      break;
  }
  return whole != nullptr ? std::to_string(*whole) : FixedText(number, integer ? 0 : 2);
}

std::string MessagePattern::Format(const MessageArgs& arguments) const {
  std::string out;
  Write(text_, arguments, nullptr, &out);
  return out;
}

Message Say(const Sentence& sentence, MessageArgs arguments) {
  std::string text = sentence.text.Format(arguments);
  return {sentence.code, std::move(text), std::move(arguments)};
}

}  // namespace emberline
