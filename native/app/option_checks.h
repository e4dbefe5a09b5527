// What is asked of the values of options, and what was meant by words that nobody knows.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emberline {

std::optional<int64_t> WholeNumber(const std::string& text);
// A finite one.
std::optional<double> Number(const std::string& text);

CLI::Validator IsWhole();
CLI::Validator IsPositive();
CLI::Validator IsWindow();  // START:END
CLI::Validator IsParam();   // KEY=VALUE
CLI::Validator IsGate();    // PERCENT[:METRIC]
CLI::Validator IsStride();  // I/N
CLI::Validator IsOneOf(std::vector<std::string> words);

// The word of `known` that is nearest to `word`; "" when none is near.
std::string Nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace emberline
