#include "source/python_narrowing.h"

#include <utility>

#include "source/python_tree.h"

namespace emberline {
namespace {

constexpr size_t kMaxClasses = 32;
constexpr size_t kMaxNarrowedName = 80;
constexpr int kMaxConditionDepth = 16;

class NarrowingReader {
 public:
  explicit NarrowingReader(std::string_view text) : text_(text) {}

  Narrowings Read(TSNode node, int depth) const {
    Narrowings out;
    if (!Present(node) || depth > kMaxConditionDepth) return out;
    const std::vector<Child> parts = Children(node, true);
    if (Is(node, "parenthesized_expression"))
      return parts.empty() ? out : Read(parts[0].node, depth + 1);
    if (Is(node, "not_operator")) {
      out = parts.empty() ? out : Read(parts[0].node, depth + 1);
      std::swap(out.taken, out.not_taken);
      return out;
    }
    if (Is(node, "boolean_operator")) {
      // `a and b`: both hold where it is true; `a or b`: neither where it is false.
      const std::vector<Child> all = Children(node, false);
      const Narrowings left = Read(Field(all, "left"), depth + 1),
                       right = Read(Field(all, "right"), depth + 1);
      const bool both = Text(Field(all, "operator")) == "and";
      auto& into = both ? out.taken : out.not_taken;
      for (const Narrowings* side : {&left, &right}) {
        const auto& from = both ? side->taken : side->not_taken;
        into.insert(into.end(), from.begin(), from.end());
      }
      return out;
    }
    Narrowing found;
    if (!Test(node, parts, found)) return out;
    out.taken.push_back(found);
    found.is = false;
    out.not_taken.push_back(std::move(found));
    return out;
  }

 private:
  std::string_view Text(TSNode node) const {
    if (!Present(node)) return {};
    const uint32_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
    if (begin > end || end > text_.size()) return {};
    return text_.substr(begin, end - begin);
  }

  // isinstance(variable, classes).
  bool Test(TSNode node, const std::vector<Child>& parts, Narrowing& out) const {
    if (!Is(node, "call") || Text(Field(parts, "function")) != "isinstance") return false;
    const TSNode arguments = Field(parts, "arguments");
    if (!Present(arguments)) return false;
    const std::vector<Child> list = Children(arguments, true);
    if (list.size() != 2) return false;
    if (!Is(list[0].node, "identifier") && !Is(list[0].node, "attribute")) return false;
    out.variable = std::string(Text(list[0].node).substr(0, kMaxNarrowedName));
    Classes(list[1].node, out.classes, 0);
    return !out.classes.empty();
  }

  void Classes(TSNode node, std::vector<std::string>& out, int depth) const {
    if (!Present(node) || depth > 4 || out.size() >= kMaxClasses) return;
    const std::vector<Child> parts = Children(node, true);
    if (Is(node, "identifier")) {
      out.emplace_back(Text(node).substr(0, kMaxNarrowedName));
    } else if (Is(node, "attribute")) {
      out.emplace_back(Text(Field(parts, "attribute")).substr(0, kMaxNarrowedName));
    } else if (Is(node, "tuple") || Is(node, "parenthesized_expression") ||
               Is(node, "binary_operator")) {
      for (const Child& c : parts) Classes(c.node, out, depth + 1);
    }
  }

  std::string_view text_;
};

}  // namespace

Narrowings NarrowingsOf(TSNode condition, std::string_view text) {
  return NarrowingReader(text).Read(condition, 0);
}

}  // namespace emberline
