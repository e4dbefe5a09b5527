#include "source/names.h"

#include <cctype>
#include <map>
#include <vector>

namespace emberline {

std::string_view BaseName(std::string_view name) {
  // In-place forms end with an underscore, private aliases begin with one.
  while (!name.empty() && name.back() == '_') name.remove_suffix(1);
  while (!name.empty() && name.front() == '_') name.remove_prefix(1);
  return name;
}

bool StartsUpper(std::string_view name) {
  while (!name.empty() && name.front() == '_') name.remove_prefix(1);
  return !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

std::string LowerLetters(std::string_view name) {
  std::string out;
  for (const unsigned char c : name) {
    if (c != '_') out.push_back(static_cast<char>(std::tolower(c)));
  }
  return out;
}

bool NamesAlike(std::string_view a, std::string_view b) {
  a = BaseName(a);
  b = BaseName(b);
  if (a.size() < 4 || b.size() < 4) return false;
  return a.find(b) != std::string_view::npos || b.find(a) != std::string_view::npos;
}

// A name's words: "AdaptiveAvgPool2d" -> adaptive, avg, pool; "attn_norm1" -> attn, norm.
static std::vector<std::string> Words(std::string_view name) {
  std::vector<std::string> out;
  bool open = false, digit = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalpha(c) == 0) {
      digit = digit || std::isdigit(c) != 0;
      open = open && std::isdigit(c) != 0;  // a word goes on behind digits: "Pool2d"
      continue;
    }
    const bool capital = std::isupper(c) != 0;
    const bool after_capital = i > 0 && std::isupper(static_cast<unsigned char>(name[i - 1])) != 0;
    const bool before_small =
        i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0;
    if (!open || (capital && (!after_capital || before_small))) {
      out.emplace_back();
      digit = false;
    }
    open = true;
    if (!digit) out.back().push_back(static_cast<char>(std::tolower(c)));
  }
  return out;
}

bool NamedAfter(std::string_view name, std::string_view type) {
  const std::vector<std::string> words = Words(name), of_type = Words(type);
  if (words.empty() || of_type.empty()) return false;
  std::string initials;
  for (const std::string& word : of_type) initials.push_back(word[0]);
  for (const std::string& word : words) {
    if (initials.size() > 1 && word == initials) return true;
    if (word.size() < 3) continue;
    for (const std::string& other : of_type) {
      if (other.size() >= 3 && (other.starts_with(word) || word.starts_with(other))) return true;
    }
  }
  return false;
}

std::string DunderOperator(std::string_view name) {
  if (name.size() < 5 || !name.starts_with("__") || !name.ends_with("__")) return "";
  std::string core(name.substr(2, name.size() - 4));
  static const std::map<std::string, std::string, std::less<>> renamed = {
      {"truediv", "div"},
      {"rtruediv", "div"},
      {"itruediv", "div"},
      {"floordiv", "floor_divide"},
      {"rfloordiv", "floor_divide"},
      {"ifloordiv", "floor_divide"},
      {"mod", "remainder"},
      {"rmod", "remainder"},
      {"imod", "remainder"},
      {"radd", "add"},
      {"iadd", "add"},
      {"rsub", "sub"},
      {"isub", "sub"},
      {"rmul", "mul"},
      {"imul", "mul"},
      {"rpow", "pow"},
      {"ipow", "pow"},
      {"rmatmul", "matmul"},
      {"imatmul", "matmul"},
      {"rand", "and"},
      {"iand", "and"},
      {"ror", "or"},
      {"ior", "or"},
      {"rxor", "xor"},
      {"ixor", "xor"},
      {"rdiv", "div"},
      {"idiv", "div"},
      {"ilshift", "lshift"},
      {"irshift", "rshift"},
      {"invert", "bitwise_not"}};
  const auto it = renamed.find(core);
  return it == renamed.end() ? core : it->second;
}

}  // namespace emberline
