#include "source/python_syntax.h"

#include <tree_sitter/api.h>

#include <cassert>
#include <memory>

#include "source/errors.h"
#include "source/python_walker.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace emberline {
namespace {

constexpr uint64_t kParseTimeoutUs = 5'000'000;

}  // namespace

int PythonModule::FindFunction(std::string_view name, int line) const {
  int found = -1;
  for (size_t i = 0; i < functions.size(); ++i) {
    const PythonFunction& f = functions[i];
    if (f.name != name) continue;
    if (f.first_line == line || f.def_line == line) return static_cast<int>(i);
    if (f.kind == FunctionKind::kModule && name == "<module>") found = static_cast<int>(i);
  }
  return found;
}

int PythonModule::FunctionAround(std::string_view name, int line) const {
  int found = -1;
  for (size_t i = 0; i < functions.size(); ++i) {
    const PythonFunction& f = functions[i];
    if (f.name == name && f.first_line <= line && line <= f.end_line) found = static_cast<int>(i);
  }
  return found;
}

Result<PythonModule> ParsePython(std::string_view text) {
  if (text.size() > kMaxPythonText) {
    return MakeError(errors::kSourceTooLarge);
  }
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                      &ts_parser_delete);
  const bool accepted = ts_parser_set_language(parser.get(), tree_sitter_python());
  assert(accepted);
  if (!accepted) return MakeError(errors::kGrammarMisfit);
  ts_parser_set_timeout_micros(parser.get(), kParseTimeoutUs);
  const std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
      ts_parser_parse_string(parser.get(), nullptr, text.data(),
                             static_cast<uint32_t>(text.size())),
      &ts_tree_delete);
  if (tree == nullptr) {
    return MakeError(errors::kSourceTooSlow);
  }
  PythonModule module;
  const TSNode root = ts_tree_root_node(tree.get());
  module.has_errors = ts_node_has_error(root);
  PythonWalker(text, module).Run(root);
  return module;
}

}  // namespace emberline
