#include "app/option_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/errors.h"

namespace emberline {
namespace {

// Validators give what is wrong with a value, behind the option's name; empty: nothing.
using Complaint = std::string;

Complaint Not(const Sentence& sentence, const std::string& text) {
  return Say(sentence, {{"text", text}}).text;
}

Complaint CheckWhole(const std::string& text) {
  return WholeNumber(text) ? "" : Not(errors::kWholeNumber, text);
}

Complaint CheckPositive(const std::string& text) {
  const auto value = WholeNumber(text);
  return value && *value > 0 ? "" : Not(errors::kPositiveNumber, text);
}

Complaint CheckWindow(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return Not(errors::kWindowForm, text);
  const auto begin = WholeNumber(text.substr(0, colon)), end = WholeNumber(text.substr(colon + 1));
  if (!begin || !end) return Not(errors::kWindowNumbers, text);
  return *end <= *begin ? Not(errors::kWindowOrder, text) : "";
}

Complaint CheckParam(const std::string& text) {
  const size_t equals = text.find('=');
  return equals == std::string::npos || equals == 0 ? Not(errors::kParamForm, text) : "";
}

Complaint CheckGate(const std::string& text) {
  const auto percent = Number(text.substr(0, text.find(':')));
  return percent && *percent >= 0 ? "" : Not(errors::kGateForm, text);
}

Complaint CheckStride(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return Not(errors::kStrideForm, text);
  const auto part = WholeNumber(text.substr(0, slash)), parts = WholeNumber(text.substr(slash + 1));
  return part && parts && *part >= 0 && *part < *parts ? "" : Not(errors::kStrideRange, text);
}

// Number of single-character edits between two short words.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<int64_t> WholeNumber(const std::string& text) {
  int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> Number(const std::string& text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

CLI::Validator IsWhole() { return CLI::Validator(CheckWhole, ""); }
CLI::Validator IsPositive() { return CLI::Validator(CheckPositive, ""); }
CLI::Validator IsWindow() { return CLI::Validator(CheckWindow, ""); }
CLI::Validator IsParam() { return CLI::Validator(CheckParam, ""); }
CLI::Validator IsGate() { return CLI::Validator(CheckGate, ""); }
CLI::Validator IsStride() { return CLI::Validator(CheckStride, ""); }

CLI::Validator IsOneOf(std::vector<std::string> words) {
  std::string list = words[0];
  for (size_t i = 1; i < words.size(); ++i) {
    list += (i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return CLI::Validator(
      [words = std::move(words), list](const std::string& text) -> Complaint {
        const bool known = std::find(words.begin(), words.end(), text) != words.end();
        return known ? "" : Say(errors::kOneOf, {{"words", list}, {"text", text}}).text;
      },
      "");
}

std::string Nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  size_t best = 4;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace emberline
