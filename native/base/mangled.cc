#include "base/mangled.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"

namespace emberline {
namespace {

// Longer numbers are no lengths of identifiers.
constexpr size_t kMostDigits = 6;

// Digits at `at`, at most kMostDigits; their value in `value`.
size_t ReadNumber(std::string_view name, size_t at, size_t* value) {
  size_t digits = 0;
  *value = 0;
  while (digits < kMostDigits && at + digits < name.size() && IsDigit(name[at + digits])) {
    *value = *value * 10 + static_cast<size_t>(name[at + digits] - '0');
    ++digits;
  }
  return digits;
}

// Behind the E that closes the template arguments which open at `from`; npos where none does.
size_t EndOfArguments(std::string_view name, size_t from) {
  size_t at = from + 1;
  // One entry per open I, N, J, X, F or L, by whose E it ends.
  std::vector<char> open{'I'};
  while (at < name.size()) {
    const char c = name[at];
    size_t number = 0;
    const size_t digits = ReadNumber(name, at, &number);
    if (digits > 0) {
      // The number of a literal; elsewhere the length of an identifier.
      at += digits + (open.back() == 'L' ? 0 : number);
    } else if (c == 'E') {
      open.pop_back();
      ++at;
      if (open.empty()) return at;
    } else if (c == 'S' || c == 'T') {
      size_t end = at + 1;
      const auto part = [](char one) { return IsDigit(one) || (one >= 'A' && one <= 'Z'); };
      while (end < name.size() && end < at + 11 && part(name[end])) ++end;
      at = end < name.size() && name[end] == '_' ? end + 1 : at + 2;
    } else {
      if (std::string_view("INJXFL").find(c) != std::string_view::npos) open.push_back(c);
      ++at;
    }
  }
  return std::string_view::npos;
}

bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string DemangledName(std::string_view name) {
  if (!name.starts_with("_Z")) return "";
  size_t at = 2;
  const bool nested = at < name.size() && name[at] == 'N';
  if (nested) ++at;
  while (at < name.size() && (name[at] == 'r' || name[at] == 'V' || name[at] == 'K')) ++at;
  if (at < name.size() && name[at] == 'L') ++at;
  std::string qualified;
  const auto add = [&](std::string_view part) {
    if (!qualified.empty()) qualified += "::";
    qualified += part;
  };
  while (at < name.size()) {
    size_t length = 0;
    const size_t digits = ReadNumber(name, at, &length);
    if (digits > 0) {
      const std::string_view part = name.substr(std::min(at + digits, name.size()), length);
      if (part.empty() || part.size() != length) return "";
      add(part.starts_with("_GLOBAL__N") ? "(anonymous namespace)" : part);
      at += digits + length;
      if (!nested) break;
    } else if (name[at] == 'I') {
      at = EndOfArguments(name, at);
    } else if (name.substr(at, 2) == "St") {
      add("std");
      at += 2;
    } else {
      break;
    }
  }
  return qualified;
}

std::string ReadableName(std::string_view name) {
  std::string demangled = DemangledName(name);
  if (!demangled.empty()) return demangled;
  if (name.find_first_of("<(") == std::string_view::npos) return "";
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string out;
  size_t at = 0;
  while (at < name.size()) {
    if (name.substr(at, kAnonymous.size()) == kAnonymous) {
      at += kAnonymous.size();
      continue;
    }
    size_t end = at;
    while (end < name.size() && IsWordByte(name[end])) ++end;
    // As the pages do: what follows a namespace is a name or a bracket.
    const bool qualifier =
        end > at && !IsDigit(name[at]) && name.substr(end, 2) == "::" && end + 2 < name.size() &&
        (IsWordByte(name[end + 2]) || name[end + 2] == '(' || name[end + 2] == '~') &&
        !IsDigit(name[end + 2]);
    if (qualifier) {
      at = end + 2;
      continue;
    }
    end = std::max(end, at + 1);
    out += name.substr(at, end - at);
    at = end;
  }
  return out.size() == name.size() ? "" : out;
}

}  // namespace emberline
