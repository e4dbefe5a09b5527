#include "source/python_imports.h"

#include <utility>

#include "source/python_tree.h"

namespace emberline {
namespace {

constexpr size_t kMaxImports = 20000;
constexpr size_t kMaxImportedName = 200;

class ImportReader {
 public:
  ImportReader(std::string_view text, Imports* imports) : text_(text), imports_(imports) {}

  void Read(TSNode statement) {
    const std::vector<Child> parts = Children(statement, true);
    const bool from = Is(statement, "import_from_statement");
    const std::string module = from ? Text(Field(parts, "module_name")) : "";
    for (const Child& c : parts) {
      if (!FieldIs(c, "name")) continue;
      const bool renamed = Is(c.node, "aliased_import");
      const std::vector<Child> names = renamed ? Children(c.node, true) : std::vector<Child>();
      const std::string name = Text(renamed ? Field(names, "name") : c.node);
      const std::string local = renamed ? Text(Field(names, "alias")) : name;
      if (from)
        Add(local, {module, name});
      else if (renamed)
        Add(local, {name, ""});
      else
        Add(name.substr(0, name.find('.')), {name.substr(0, name.find('.')), ""});
    }
  }

 private:
  std::string Text(TSNode node) const {
    if (!Present(node)) return {};
    const uint32_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
    if (begin > end || end > text_.size()) return {};
    return std::string(text_.substr(begin, end - begin).substr(0, kMaxImportedName));
  }

  void Add(const std::string& local, Origin origin) {
    if (local.empty() || imports_->size() >= kMaxImports) return;
    const auto [it, fresh] = imports_->try_emplace(local, origin);
    Origin& known = it->second;
    if (fresh || (known.module == origin.module && known.name == origin.name)) return;
    if (known.name != origin.name) known.name.clear();
    known.module.clear();
  }

  std::string_view text_;
  Imports* imports_;
};

}  // namespace

void ReadImports(TSNode statement, std::string_view text, Imports* imports) {
  ImportReader(text, imports).Read(statement);
}

}  // namespace emberline
