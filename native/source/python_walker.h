// Reads the syntax tree of a text: one walk over its statements and expressions, in the order of
// their evaluation. Each kind of construct has a file of its own.
#pragma once

#include <tree_sitter/api.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/python_classes.h"
#include "source/python_flow.h"
#include "source/python_imports.h"
#include "source/python_tree.h"

namespace emberline {

// Deeper expressions are left out: the walk is recursive and the text may be hostile.
inline constexpr int kMaxDepth = 300;

// Not thread-safe; the text outlives it.
class PythonWalker {
 public:
  PythonWalker(std::string_view text, PythonModule& out) : text_(text), out_(out) {}

  void Run(TSNode root);

 private:
  // Sizes of the lists of what leaves a try statement, before it.
  struct Leaving {
    size_t returns, breaks, back_edges;
  };

  std::string_view Text(TSNode node) const { return TextOf(node, text_); }

  // --- Opens and closes the functions of a text, and hashes its statements. (python_walker.cc)
  int OpenFunction(FunctionKind kind, std::string name, int parent, int first, int def, int end);
  void CloseFunction(FlowBuilder& b);
  void Statement(FlowBuilder& b, TSNode node, TSNode body);
  void Shape(TSNode node, FlowBuilder& b);
  void SetStatementRanges();

  // --- Statements without statements inside, and blocks of them. (python_statements.cc)
  void Block(TSNode block, FlowBuilder& b, int depth);
  void Stmt(TSNode node, FlowBuilder& b, int depth);
  void Each(const std::vector<Child>& children, FlowBuilder& b, int depth);

  // --- Statements that hold others: branches, loops, `with`, `try`, `match`. (python_compound.cc)
  // A statement of this type that holds others.
  void Compound(std::string_view type, const std::vector<Child>& children, FlowBuilder& b,
                int depth);
  void If(const std::vector<Child>& children, FlowBuilder& b, int depth);
  void For(const std::vector<Child>& children, FlowBuilder& b, int depth);
  void While(const std::vector<Child>& children, FlowBuilder& b, int depth);
  void WithBlock(const std::vector<Child>& children, FlowBuilder& b, int depth);
  void Match(const std::vector<Child>& children, FlowBuilder& b, int depth);
  // A condition and what runs where it holds. Returns the point where it does not; what is known
  // there of variables stays known until the caller drops it.
  uint32_t Branch(const std::vector<Child>& parts, FlowBuilder& b, int depth);
  // Head of a loop over `iterated`: __iter__ before it, __next__ at each turn. Returns the head.
  uint32_t OpenLoop(FlowBuilder& b, TSNode iterated);
  void CloseLoop(FlowBuilder& b, uint32_t head, uint32_t exit_from,
                 const std::vector<Child>& children, int depth);
  void With(TSNode item, FlowBuilder& b, int depth);
  // An expression whose value a `with` enters.
  void Managed(TSNode node, FlowBuilder& b, int depth);
  // __exit__ of the contexts above `keep`, innermost first; a return runs them.
  void LeaveContexts(FlowBuilder& b, size_t keep);
  // Exceptions raised at these points, or at `inside`, run along `way` and go on behind it.
  static void Unwind(const std::vector<FlowBuilder::Raising>& raising, uint32_t inside,
                     const Twice::Way& way, FlowBuilder& b);
  void Try(const std::vector<Child>& children, FlowBuilder& b, int depth);
  // A return, break or continue inside the statement runs the clause first, and so does an
  // exception.
  void Finally(TSNode clause, const Leaving& before, uint32_t start, std::vector<uint32_t> ends,
               FlowBuilder& b, int depth);

  // --- Definitions of functions and classes, with their decorators and defaults.
  // (python_definitions.cc)
  void Decorated(TSNode node, FlowBuilder& b, int depth);
  void Definition(TSNode node, const std::vector<TSNode>& decorators, FlowBuilder& b, int depth);
  void Parameters(TSNode parameters, PythonFunction& f) const;
  void Defaults(TSNode parameters, FlowBuilder& b, int depth);
  // A parameter may hold its default.
  void DefaultAliases(TSNode parameters, FlowBuilder& inner) const;

  // --- Expressions, in the order of their evaluation. (python_expressions.cc)
  void Expr(TSNode node, FlowBuilder& b, int depth);
  void Comparison(TSNode node, FlowBuilder& b, int depth);
  void AttributeSite(const std::vector<Child>& parts, FlowBuilder& b, SiteKind kind);

  // --- Calls, and what the things that are called are named. (python_calls.cc)
  void Call(TSNode node, FlowBuilder& b, int depth);
  // Notes that this is evaluated here, of which the parts are looked at for variables. Returns true
  // where it was evaluated before with the same values; false too where that is not known.
  bool Again(TSNode whole, const std::vector<TSNode>& parts, FlowBuilder& b) const;
  // A variable has another value from here on.
  void Rebind(TSNode target, FlowBuilder& b) const;
  // Last name of what is called or iterated: "f" of f(x), obj.f(x), obj.f and f.
  std::string CalleeName(TSNode node) const;
  std::string ReceiverText(TSNode object) const;
  // The text of a plain string literal; "" for other nodes.
  std::string StringText(TSNode node) const;

  // --- Assignments, and what they say about attributes. (python_assignments.cc)
  void Assignment(TSNode node, FlowBuilder& b, int depth);
  void Augmented(TSNode node, FlowBuilder& b, int depth);
  void Target(TSNode node, FlowBuilder& b, int depth);
  // How an attribute that is assigned this value is kept in a module.
  AttributeStore StoreOf(TSNode value) const;

  // --- Which functions variables may hold, by what is assigned to them. (python_values.cc)
  // Notes that a variable may hold the functions that `value` names.
  void Alias(TSNode value, const std::string& variable, Aliases& table, int depth) const;
  // partial(f, x), getattr(self, "f"), table.get(key), enumerate(functions).
  void AliasOfCall(const std::vector<Child>& call, const std::string& variable, Aliases& table,
                   int depth) const;
  // The variables of a loop may hold what it goes through.
  void LoopAliases(TSNode target, TSNode iterated, FlowBuilder& b) const;
  // What may have made a value: the callee, or both where a condition decides; "" for what is not
  // called.
  template <typename Take>
  void MadeBy(TSNode value, int depth, const Take& take) const {
    const std::vector<Child> parts = Children(value, true);
    if (!Is(value, "conditional_expression") || parts.size() != 3 || depth > 4)
      return take(Is(value, "call") ? CalleeName(value) : std::string());
    MadeBy(parts[0].node, depth + 1, take);
    MadeBy(parts[2].node, depth + 1, take);
  }

  // --- Comprehensions: a frame of their own, or (since Python 3.12) part of the function.
  // (python_comprehensions.cc)
  void Comprehension(TSNode node, FlowBuilder& b, int depth);
  void Clauses(const std::vector<TSNode>& clauses, size_t index, TSNode body, FlowBuilder& b,
               int depth, bool generator);

  std::string_view text_;
  PythonModule& out_;
  AliasTables aliases_;
  Imports imports_;
  std::string scope_;              // qualified name of the enclosing definition with a dot behind
  std::vector<int> class_stack_;   // class whose body is being read; -1 inside a function
  std::vector<int> method_class_;  // class of `self`
  int unrolling_ = 0;              // comprehensions that are being unrolled into their function
};

}  // namespace emberline
