// How names in a source and in a trace resemble each other.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// Without the underscores around it: in-place forms end with one, private aliases begin with one.
std::string_view BaseName(std::string_view name);

// The first letter is a capital.
bool StartsUpper(std::string_view name);

// In small letters, without underscores.
std::string LowerLetters(std::string_view name);

// One name holds the other: "_randbelow" and "_randbelow_with_getrandbits".
bool NamesAlike(std::string_view a, std::string_view b);

// An attribute, or the function that made its value, is named after a class: "bn2" and
// "BatchNorm2d" by initials, "conv3x3" and "Conv2d" by a word, "norm" and "LayerNorm".
bool NamedAfter(std::string_view name, std::string_view type);

// Part of a dunder method's name that stands for an operator: "__radd__" -> "add"; "" for others.
std::string DunderOperator(std::string_view name);

}  // namespace emberline
