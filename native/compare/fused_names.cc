#include "compare/fused_names.h"

#include <cctype>
#include <vector>

namespace emberline {
namespace {

// Words of the longest operator that is looked for, and of the longest name that is looked into.
constexpr size_t kMostWords = 6, kLongest = 4096;

// "layer_norm" of "LayerNorm", "layer__norm" or "layer-norm": words in small letters.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  bool open = false, small = false;
  for (const char c : name.substr(0, kLongest)) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0) {
      open = false;
      continue;
    }
    const bool capital = std::isupper(letter) != 0;
    if (!open || (capital && small)) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(letter));
    open = true;
    small = !capital;
  }
  return words;
}

std::string Joined(const std::vector<std::string>& words, size_t first) {
  std::string text;
  for (size_t i = first; i < words.size(); ++i) text += (text.empty() ? "" : "_") + words[i];
  return text;
}

}  // namespace

std::string OperatorWords(std::string_view name) {
  const size_t space = name.rfind("::");
  if (space != std::string_view::npos) name.remove_prefix(space + 2);
  const std::vector<std::string> words = WordsOf(name);
  return Joined(words, words.size() > 1 && words[0] == "native" ? 1 : 0);
}

bool AddHeld(std::string_view fused, const std::unordered_set<std::string>& operators,
             std::unordered_set<std::string>* held) {
  const std::vector<std::string> words = WordsOf(fused);
  bool says_so = false, found = false;
  for (const std::string& word : words) says_so = says_so || word == "fused";
  if (!says_so) return false;
  for (size_t first = 0; first < words.size(); ++first) {
    std::string run;
    for (size_t i = first; i < words.size() && i < first + kMostWords; ++i) {
      run += (run.empty() ? "" : "_") + words[i];
      if (!operators.contains(run)) continue;
      held->insert(run);
      found = true;
    }
  }
  return found;
}

}  // namespace emberline
