// What values of options must be.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emberline {

// Validators give what is wrong with a value, behind the option's name; empty: nothing.
using Complaint = std::string;

std::optional<int64_t> WholeNumber(const std::string& text);

// Takes one of a few words.
CLI::Validator OneOf(std::vector<std::string> words);
// Takes a whole number; one above 0; a part of several, as I/N.
CLI::Validator Whole();
CLI::Validator Positive();
CLI::Validator Stride();

}  // namespace emberline
