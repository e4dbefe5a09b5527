#include "source/python_syntax.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include "source/python_aliases.h"
#include "source/python_classes.h"
#include "source/python_imports.h"
#include "source/python_narrowing.h"
#include "source/python_tree.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace emberline {
namespace {

// Deeper expressions are left out: the walk is recursive and the text may be hostile.
constexpr int kMaxDepth = 300;
// Comprehensions nested deeper than this are not unrolled into the function that holds them.
constexpr int kMaxInlinedComprehensions = 2;
constexpr uint64_t kParseTimeoutUs = 5'000'000;
constexpr size_t kMaxReceiver = 80;
constexpr size_t kMaxDecorators = 16;
constexpr size_t kMaxParameters = 64;
constexpr size_t kMaxNarrowings = 32;  // that are looked through for one call
constexpr float kResumed = 0.3f;       // of beginning behind a yield where no line says so
// Cost of an edge that repairs flow after a statement that ends it (dead code, exceptions).
constexpr float kUnlikely = 8;
constexpr float kExceptional = 1;
constexpr float kInlined = 0.2f;  // of a comprehension: Python 3.12 and later only

uint64_t Mix(uint64_t hash, std::string_view text) {
  for (const unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  return (hash ^ 0xff) * 1099511628211ull;
}

constexpr uint64_t kEmptyHash = 14695981039346656037ull;

// A node on the way to a token.
struct Holder {
  std::string_view type;
  std::string_view field;  // in the node above it
};

// An identifier is what a call calls, by its last name.
bool IsCalled(const std::vector<Holder>& holders, std::string_view field) {
  if (holders.empty()) return false;
  const Holder& above = holders.back();
  return (above.type == "call" && field == "function") ||
         (above.type == "attribute" && field == "attribute" && above.field == "function");
}

// An identifier is a variable or attribute that is assigned.
bool IsBound(const std::vector<Holder>& holders, std::string_view field) {
  size_t k = holders.size();
  if (k > 0 && holders[k - 1].type == "attribute") {
    if (field != "attribute") return false;
    field = holders[--k].field;
  }
  for (; k > 0 && field != "left"; field = holders[--k].field) {
    const std::string_view type = holders[k - 1].type;
    if (type == "as_pattern_target" || (type == "named_expression" && field == "name")) return true;
    if (type != "pattern_list" && type != "tuple_pattern" && type != "list_pattern") return false;
  }
  return field == "left";
}

const char* BinaryName(std::string_view op) {
  static const std::unordered_map<std::string_view, const char*> names = {
      {"+", "add"},           {"-", "sub"},          {"*", "mul"},  {"/", "div"},
      {"//", "floor_divide"}, {"%", "remainder"},    {"**", "pow"}, {"@", "matmul"},
      {"&", "and"},           {"|", "or"},           {"^", "xor"},  {"<<", "lshift"},
      {">>", "rshift"},       {"<", "lt"},           {">", "gt"},   {"<=", "le"},
      {">=", "ge"},           {"==", "eq"},          {"!=", "ne"},  {"<>", "ne"},
      {"in", "contains"},     {"not in", "contains"}};
  const auto it = names.find(op);
  return it == names.end() ? nullptr : it->second;
}

bool IsLiteral(TSNode node) {
  return Is(node, "integer") || Is(node, "float") || Is(node, "string") || Is(node, "none") ||
         Is(node, "true") || Is(node, "false");
}

bool IsComprehension(TSNode node) {
  return Is(node, "list_comprehension") || Is(node, "set_comprehension") ||
         Is(node, "dictionary_comprehension") || Is(node, "generator_expression");
}

class Walker {
 public:
  Walker(std::string_view text, PythonModule& out) : text_(text), out_(out) {}

  void Run(TSNode root) {
    const int module = OpenFunction(FunctionKind::kModule, "<module>", -1, 1, 1, EndLineOf(root));
    Builder b(module);
    Block(root, b, 0);
    CloseFunction(b);
    ResolveAliases(aliases_, out_);
    ResolveClasses(imports_, out_);
    std::stable_sort(
        out_.statements.begin(), out_.statements.end(),
        [](const PythonStatement& a, const PythonStatement& c) { return a.line < c.line; });
    SetStatementRanges();
  }

 private:
  struct Loop {
    uint32_t head;
    std::vector<uint32_t> breaks;
    size_t with_depth;
  };
  // Flow of the function that is being read.
  struct Builder {
    explicit Builder(int index) : function(index) {}
    int function;
    uint32_t points = 1;
    uint32_t current = 0;
    std::vector<Site> sites;
    std::vector<FlowEdge> edges, back_edges;
    std::vector<Loop> loops;
    std::vector<uint32_t> returns;
    std::vector<uint32_t> suspensions;  // where a generator's frame ends for now
    std::vector<Resumption> resumptions;
    // Points behind sites that may raise, per statement around them that notices, innermost last.
    std::vector<std::vector<uint32_t>> raising;
    std::vector<uint32_t> escapes;      // where an exception may leave the function
    std::vector<Narrowing> narrowings;  // that hold here
    std::vector<int> open_withs;        // lines of the contexts that a return leaves
    Aliases aliases, results;
    uint64_t shape = 14695981039346656037ull;
    bool generator = false;
  };

  std::string_view Text(TSNode node) const {
    const uint32_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
    if (begin > end || end > text_.size()) return {};
    return text_.substr(begin, end - begin);
  }

  // --- Functions and classes.
  int OpenFunction(FunctionKind kind, std::string name, int parent, int first, int def, int end) {
    PythonFunction f;
    f.kind = kind;
    f.name = std::move(name);
    f.parent = parent;
    f.class_index = class_stack_.empty() ? -1 : class_stack_.back();
    f.qualified = kind == FunctionKind::kModule ? f.name : scope_ + f.name;
    f.first_line = first;
    f.def_line = def;
    f.end_line = end;
    out_.functions.push_back(std::move(f));
    return static_cast<int>(out_.functions.size()) - 1;
  }

  void CloseFunction(Builder& b) {
    aliases_.functions.resize(out_.functions.size());
    aliases_.functions[b.function] = std::move(b.aliases);
    aliases_.results.resize(out_.functions.size());
    aliases_.results[b.function] = std::move(b.results);
    const uint32_t end = b.points++;
    b.edges.push_back({b.current, end, -1, 0});
    for (const std::vector<uint32_t>* list : {&b.returns, &b.suspensions}) {
      for (const uint32_t p : *list) b.edges.push_back({p, end, -1, 0});
    }
    for (const uint32_t p : b.escapes) b.edges.push_back({p, end, -1, kExceptional});
    PythonFunction& f = out_.functions[b.function];
    f.generator = b.generator;
    f.resumptions = std::move(b.resumptions);
    std::stable_sort(b.edges.begin(), b.edges.end(),
                     [](const FlowEdge& a, const FlowEdge& c) { return a.from < c.from; });
    f.sites = std::move(b.sites);
    f.edges = std::move(b.edges);
    f.back_edges = std::move(b.back_edges);
    f.points = b.points;
    f.shape = b.shape;
  }

  // --- Flow.
  uint32_t NewPoint(Builder& b) { return b.points++; }
  void Edge(Builder& b, uint32_t from, uint32_t to, float cost = 0) {
    b.edges.push_back({from, to, -1, cost});
  }
  // A fresh point after `from`.
  void Continue(Builder& b, const std::vector<uint32_t>& from) {
    const uint32_t to = NewPoint(b);
    for (const uint32_t p : from) Edge(b, p, to);
    b.current = to;
  }
  // What follows cannot be reached in the ordinary way.
  void Dead(Builder& b) {
    const uint32_t to = NewPoint(b);
    Edge(b, b.current, to, kUnlikely);
    b.current = to;
  }
  // What ran before this point may have raised.
  void MayRaise(Builder& b) {
    if (!b.raising.empty()) b.raising.back().push_back(b.current);
  }
  // Ends the innermost statement that notices exceptions: they lead to the point `to`.
  void Catch(Builder& b, uint32_t to) {
    for (const uint32_t p : b.raising.back()) Edge(b, p, to, kExceptional);
    b.raising.pop_back();
  }
  // An exception goes on from here.
  void PassOn(Builder& b, uint32_t from) {
    if (b.raising.empty())
      b.escapes.push_back(from);
    else
      b.raising.back().push_back(from);
  }
  Site& AddSite(Builder& b, SiteKind kind, int line, std::string_view name) {
    Site site;
    site.kind = kind;
    site.line = line;
    site.name = std::string(name.substr(0, kMaxReceiver));
    b.sites.push_back(std::move(site));
    const uint32_t to = NewPoint(b);
    b.edges.push_back({b.current, to, static_cast<int32_t>(b.sites.size()) - 1, 0});
    b.current = to;
    MayRaise(b);
    return b.sites.back();
  }

  // --- Statements.
  void Statement(Builder& b, TSNode node, TSNode body) {
    PythonStatement s;
    s.line = LineOf(node);
    s.function = b.function;
    s.hash = s.form = kEmptyHash;
    const uint32_t end = Present(body) ? ts_node_start_byte(body) : ts_node_end_byte(node);
    s.end_line = s.line;
    Tokens(node, end, s);
    b.shape = (b.shape ^ s.hash) * 1099511628211ull;
    out_.statements.push_back(std::move(s));
  }

  static std::string_view FieldOf(const TSTreeCursor& cursor) {
    const char* name = ts_tree_cursor_current_field_name(&cursor);
    return name == nullptr ? std::string_view() : name;
  }

  static void NameToken(const std::vector<Holder>& holders, std::string_view field,
                        std::string_view text, PythonStatement& s) {
    s.form = Mix(s.form, "");
    if (IsCalled(holders, field))
      s.called.push_back(NameHash(text));
    else if (IsBound(holders, field))
      s.bound.push_back(NameHash(text));
  }

  // Hash and lines of the tokens of `node` before byte `end`, without layout.
  void Tokens(TSNode root, uint32_t end, PythonStatement& s) {
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    std::vector<Holder> holders;  // the nodes above
    bool pending_comma = false;
    int pending_line = 0;
    for (bool done = false; !done;) {
      const TSNode node = ts_tree_cursor_current_node(&cursor);
      bool descend = false;
      if (ts_node_start_byte(node) < end && !Is(node, "comment")) {
        if (ts_node_child_count(node) > 0) {
          descend = true;
        } else {
          const std::string_view type = ts_node_type(node);
          std::string_view text = Text(node);
          const int line = LineOf(node);
          const bool closing = type == ")" || type == "]" || type == "}";
          bool skip = text.empty() || type == "line_continuation" || type == "string_end";
          if (type == "(" || type == ")") {
            const std::string_view holder =
                holders.empty() ? std::string_view() : holders.back().type;
            skip = skip || holder == "parenthesized_expression" || holder == "tuple" ||
                   holder == "tuple_pattern" || holder == "import_from_statement" ||
                   holder == "with_clause";
          }
          if (type == "string_start") {
            while (!text.empty() && (text.back() == '"' || text.back() == '\''))
              text.remove_suffix(1);
          }
          if (type == ",") {
            pending_comma = true;
            pending_line = line;
            skip = true;
          }
          if (pending_comma && type != ",") {
            if (!closing) {
              s.hash = Mix(s.hash, ",");
              s.form = Mix(s.form, ",");
              s.token_lines.push_back(static_cast<uint32_t>(pending_line));
            }
            pending_comma = false;
          }
          if (!skip) {
            s.hash = Mix(s.hash, text);
            if (type == "identifier")
              NameToken(holders, FieldOf(cursor), text, s);
            else
              s.form = Mix(s.form, text);
            s.token_lines.push_back(static_cast<uint32_t>(line));
            s.end_line = std::max(s.end_line, line);
          }
        }
      }
      const std::string_view field = FieldOf(cursor);
      if (descend && ts_tree_cursor_goto_first_child(&cursor)) {
        holders.push_back({ts_node_type(node), field});
        continue;
      }
      for (;;) {
        if (holders.empty()) {
          done = true;
          break;
        }
        if (ts_tree_cursor_goto_next_sibling(&cursor)) break;
        ts_tree_cursor_goto_parent(&cursor);
        holders.pop_back();
      }
    }
    ts_tree_cursor_delete(&cursor);
  }

  void Block(TSNode block, Builder& b, int depth) {
    if (depth > kMaxDepth) return;
    const size_t known = b.narrowings.size();
    for (const Child& c : Children(block, true)) Stmt(c.node, b, depth + 1);
    b.narrowings.resize(known);
  }

  void Stmt(TSNode node, Builder& b, int depth) {
    if (depth > kMaxDepth) return;
    const std::string_view type = ts_node_type(node);
    if (type == "function_definition" || type == "class_definition")
      return Definition(node, {}, b, depth);
    if (type == "decorated_definition") return Decorated(node, b, depth);
    if (type == "block" || type == "ERROR") return Block(node, b, depth);
    const std::vector<Child> children = Children(node, true);
    TSNode body = Field(children, "body");
    if (type == "if_statement") body = Field(children, "consequence");
    if (type == "with_statement" || type == "for_statement" || type == "while_statement" ||
        type == "if_statement" || type == "try_statement" || type == "match_statement") {
      Statement(b, node, body);
      Compound(node, type, children, b, depth);
      return;
    }
    Statement(b, node, TSNode{});
    if (type == "return_statement") {
      std::set<std::string>& returned = out_.functions[b.function].returned;
      if (!children.empty() && returned.size() < kMaxAliases)
        MadeBy(children[0].node, 0, [&](std::string made) { returned.insert(std::move(made)); });
      Each(children, b, depth);
      LeaveContexts(b, 0);
      b.returns.push_back(b.current);
      Dead(b);
    } else if (type == "raise_statement") {
      Each(children, b, depth);
      MayRaise(b);
      b.returns.push_back(b.current);
      Dead(b);
    } else if (type == "break_statement" || type == "continue_statement") {
      if (!b.loops.empty()) {
        LeaveContexts(b, b.loops.back().with_depth);
        if (type == "break_statement")
          b.loops.back().breaks.push_back(b.current);
        else
          b.back_edges.push_back({b.current, b.loops.back().head, -1, 0});
      }
      Dead(b);
    } else if (type == "import_statement" || type == "import_from_statement" ||
               type == "future_import_statement") {
      AddSite(b, SiteKind::kImport, LineOf(node), "").repeat = true;
      ReadImports(node, text_, &imports_);
    } else if (type == "delete_statement") {
      Each(children, b, depth);
      AddSite(b, SiteKind::kDelete, LineOf(node), "").repeat = true;
    } else if (type == "assert_statement") {
      if (!children.empty()) Expr(children[0].node, b, depth + 1);
      AddSite(b, SiteKind::kTruth, LineOf(node), "");
      if (children.size() > 1) {
        const uint32_t before = b.current;
        Expr(children[1].node, b, depth + 1);
        b.returns.push_back(b.current);
        Continue(b, {before});
      }
    } else if (type == "global_statement" || type == "nonlocal_statement" ||
               type == "pass_statement") {
      return;
    } else {
      Each(children, b, depth);
    }
  }

  void Each(const std::vector<Child>& children, Builder& b, int depth) {
    for (const Child& c : children) Expr(c.node, b, depth + 1);
  }

  // __exit__ of the contexts above `keep`, innermost first; a return runs them.
  void LeaveContexts(Builder& b, size_t keep) {
    for (size_t i = b.open_withs.size(); i > keep; --i) {
      AddSite(b, SiteKind::kExit, b.open_withs[i - 1], "__exit__");
    }
  }

  void Compound(TSNode node, std::string_view type, const std::vector<Child>& children, Builder& b,
                int depth) {
    if (type == "if_statement") {
      std::vector<uint32_t> ends;
      const size_t narrowed = b.narrowings.size();
      uint32_t not_taken = Branch(children, b, depth);
      ends.push_back(b.current);
      bool has_else = false;
      for (const Child& c : children) {
        if (!FieldIs(c, "alternative")) continue;
        Continue(b, {not_taken});
        const std::vector<Child> parts = Children(c.node, true);
        if (Is(c.node, "elif_clause")) {
          Statement(b, c.node, Field(parts, "consequence"));
          not_taken = Branch(parts, b, depth);
        } else {
          has_else = true;
          Block(Field(parts, "body"), b, depth + 1);
        }
        ends.push_back(b.current);
      }
      if (!has_else) ends.push_back(not_taken);
      // What does not hold in a branch that leaves holds in the rest of the block.
      if (has_else || !Leaves(Field(children, "consequence"))) b.narrowings.resize(narrowed);
      Continue(b, ends);
    } else if (type == "for_statement") {
      const TSNode right = Field(children, "right"), left = Field(children, "left");
      LoopAliases(left, right, b);
      Expr(right, b, depth + 1);
      const uint32_t head = OpenLoop(b, right);
      const uint32_t after_next = b.current;
      Target(left, b, depth + 1);
      b.loops.push_back({head, {}, b.open_withs.size()});
      Block(Field(children, "body"), b, depth + 1);
      CloseLoop(b, head, after_next, children, depth);
    } else if (type == "while_statement") {
      const uint32_t head = NewPoint(b);
      Edge(b, b.current, head);
      b.current = head;
      const TSNode condition = Field(children, "condition");
      Expr(condition, b, depth + 1);
      AddSite(b, SiteKind::kTruth, LineOf(condition), "");
      const uint32_t after_test = b.current;
      b.loops.push_back({head, {}, b.open_withs.size()});
      Block(Field(children, "body"), b, depth + 1);
      CloseLoop(b, head, after_test, children, depth);
    } else if (type == "with_statement") {
      const size_t outer = b.open_withs.size();
      for (const Child& clause : children) {
        if (!Is(clause.node, "with_clause")) continue;
        for (const Child& item : Children(clause.node, true)) With(item.node, b, depth + 1);
      }
      const uint32_t inside = b.current;
      b.raising.emplace_back();
      Block(Field(children, "body"), b, depth + 1);
      // An exception inside leaves through __exit__, too.
      const uint32_t leave = NewPoint(b);
      Edge(b, b.current, leave);
      Edge(b, inside, leave, kExceptional);
      Catch(b, leave);
      b.current = leave;
      LeaveContexts(b, outer);
      b.open_withs.resize(outer);
      PassOn(b, b.current);
    } else if (type == "try_statement") {
      Try(children, b, depth);
    } else if (type == "match_statement") {
      for (const Child& c : children) {
        if (FieldIs(c, "subject")) Expr(c.node, b, depth + 1);
      }
      const uint32_t start = b.current;
      std::vector<uint32_t> ends = {start};
      for (const Child& c : Children(Field(children, "body"), true)) {
        const std::vector<Child> parts = Children(c.node, true);
        Continue(b, {start});
        if (Is(c.node, "case_clause")) Statement(b, c.node, Field(parts, "consequence"));
        if (Present(Field(parts, "guard"))) Expr(Field(parts, "guard"), b, depth + 1);
        if (Present(Field(parts, "consequence"))) Block(Field(parts, "consequence"), b, depth + 1);
        ends.push_back(b.current);
      }
      Continue(b, ends);
    }
    (void)node;
  }

  // A condition and what runs where it holds. Returns the point where it does not; what is known
  // there of variables stays known until the caller drops it.
  uint32_t Branch(const std::vector<Child>& parts, Builder& b, int depth) {
    const TSNode condition = Field(parts, "condition");
    Expr(condition, b, depth + 1);
    AddSite(b, SiteKind::kTruth, LineOf(condition), "");
    const uint32_t not_taken = b.current;
    const Narrowings known = NarrowingsOf(condition, text_);
    const size_t outer = b.narrowings.size();
    b.narrowings.insert(b.narrowings.end(), known.taken.begin(), known.taken.end());
    Block(Field(parts, "consequence"), b, depth + 1);
    b.narrowings.resize(outer);
    b.narrowings.insert(b.narrowings.end(), known.not_taken.begin(), known.not_taken.end());
    return not_taken;
  }

  // The last statement of a block leads elsewhere than behind it.
  static bool Leaves(TSNode block) {
    if (!Present(block)) return false;
    const std::vector<Child> statements = Children(block, true);
    if (statements.empty()) return false;
    const TSNode last = statements.back().node;
    return Is(last, "return_statement") || Is(last, "raise_statement") ||
           Is(last, "continue_statement") || Is(last, "break_statement");
  }

  // Head of a loop over `iterated`: __iter__ before it, __next__ at each turn. Returns the head.
  uint32_t OpenLoop(Builder& b, TSNode iterated) {
    const int line = LineOf(iterated);
    const std::string name = CalleeName(iterated);
    AddSite(b, SiteKind::kIterate, line, name);
    const uint32_t head = NewPoint(b);
    Edge(b, b.current, head);
    b.current = head;
    AddSite(b, SiteKind::kNext, line, name).repeat = true;
    return head;
  }

  void CloseLoop(Builder& b, uint32_t head, uint32_t exit_from, const std::vector<Child>& children,
                 int depth) {
    b.back_edges.push_back({b.current, head, -1, 0});
    std::vector<uint32_t> ends = std::move(b.loops.back().breaks);
    b.loops.pop_back();
    Continue(b, {exit_from, b.current});
    for (const Child& c : children) {
      if (FieldIs(c, "alternative")) Block(Field(Children(c.node, true), "body"), b, depth + 1);
    }
    ends.push_back(b.current);
    Continue(b, ends);
  }

  void With(TSNode item, Builder& b, int depth) {
    const std::vector<Child> parts = Children(item, true);
    TSNode value = Field(parts, "value");
    if (!Present(value)) return;
    if (Is(value, "as_pattern")) {
      const std::vector<Child> as = Children(value, true);
      if (as.empty()) return;
      Managed(as[0].node, b, depth + 1);
      AddSite(b, SiteKind::kEnter, LineOf(as[0].node), "__enter__").repeat = true;
      const TSNode alias = Field(as, "alias");
      if (Present(alias)) {
        for (const Child& c : Children(alias, true)) Target(c.node, b, depth + 1);
      }
      b.open_withs.push_back(LineOf(as[0].node));
    } else if (Is(value, "tuple") || Is(value, "parenthesized_expression")) {
      for (const Child& c : Children(value, true)) {
        Managed(c.node, b, depth + 1);
        AddSite(b, SiteKind::kEnter, LineOf(c.node), "__enter__").repeat = true;
        b.open_withs.push_back(LineOf(c.node));
      }
    } else {
      Managed(value, b, depth + 1);
      AddSite(b, SiteKind::kEnter, LineOf(value), "__enter__").repeat = true;
      b.open_withs.push_back(LineOf(value));
    }
  }

  // An expression whose value a `with` enters.
  void Managed(TSNode node, Builder& b, int depth) {
    Expr(node, b, depth);
    if (Is(node, "call") && !b.sites.empty() && b.sites.back().kind == SiteKind::kCall)
      b.sites.back().managed = true;
  }

  void Try(const std::vector<Child>& children, Builder& b, int depth) {
    const uint32_t start = b.current;
    const Leaving before = {b.returns.size(), b.loops.empty() ? 0 : b.loops.back().breaks.size(),
                            b.back_edges.size()};
    bool handled = false, cleaned = false;
    for (const Child& c : children) {
      handled = handled || Is(c.node, "except_clause") || Is(c.node, "except_group_clause");
      cleaned = cleaned || Is(c.node, "finally_clause");
    }
    if (cleaned) b.raising.emplace_back();
    if (handled) b.raising.emplace_back();
    Block(Field(children, "body"), b, depth + 1);
    const uint32_t body_end = b.current;
    // Any call of the body may be the one that raises; the handlers follow.
    uint32_t raised = start;
    if (handled) {
      raised = NewPoint(b);
      Edge(b, start, raised, kExceptional);
      Catch(b, raised);
      PassOn(b, raised);
    }
    std::vector<uint32_t> ends;
    bool has_else = false;
    b.current = body_end;
    for (const Child& c : children) {
      if (!Is(c.node, "else_clause")) continue;
      has_else = true;
      Continue(b, {body_end});
      Block(Field(Children(c.node, true), "body"), b, depth + 1);
      ends.push_back(b.current);
    }
    if (!has_else) ends.push_back(body_end);
    for (const Child& c : children) {
      if (!Is(c.node, "except_clause") && !Is(c.node, "except_group_clause")) continue;
      Continue(b, {raised});
      for (const Child& part : Children(c.node, true)) {
        if (Is(part.node, "block"))
          Block(part.node, b, depth + 1);
        else if (Is(part.node, "as_pattern")) {
          const std::vector<Child> as = Children(part.node, true);
          if (!as.empty()) Expr(as[0].node, b, depth + 1);
        } else {
          Expr(part.node, b, depth + 1);
        }
      }
      ends.push_back(b.current);
    }
    for (const Child& c : children) {
      if (Is(c.node, "finally_clause")) return Finally(c.node, before, start, ends, b, depth);
    }
    Continue(b, ends);
  }

  // Sizes of the lists of what leaves a try statement, before it.
  struct Leaving {
    size_t returns, breaks, back_edges;
  };

  // A return, break or continue inside the statement runs the clause first, and so does an
  // exception.
  void Finally(TSNode clause, const Leaving& before, uint32_t start, std::vector<uint32_t> ends,
               Builder& b, int depth) {
    const auto take = [](std::vector<uint32_t>& list, size_t from) {
      std::vector<uint32_t> out(list.begin() + static_cast<ptrdiff_t>(from), list.end());
      list.resize(from);
      return out;
    };
    const std::vector<uint32_t> returns = take(b.returns, before.returns);
    std::vector<uint32_t> breaks, continues;
    if (!b.loops.empty()) {
      breaks = take(b.loops.back().breaks, before.breaks);
      const uint32_t head = b.loops.back().head;
      // Those of loops inside stay.
      const auto kept = std::stable_partition(
          b.back_edges.begin() + static_cast<ptrdiff_t>(before.back_edges), b.back_edges.end(),
          [head](const FlowEdge& e) { return e.to != head; });
      for (auto e = kept; e != b.back_edges.end(); ++e) continues.push_back(e->from);
      b.back_edges.erase(kept, b.back_edges.end());
    }
    ends.insert(ends.end(), returns.begin(), returns.end());
    ends.insert(ends.end(), breaks.begin(), breaks.end());
    ends.insert(ends.end(), continues.begin(), continues.end());
    Continue(b, ends);
    Edge(b, start, b.current, kExceptional);
    Catch(b, b.current);
    for (const Child& part : Children(clause, true)) {
      if (Is(part.node, "block")) Block(part.node, b, depth + 1);
    }
    PassOn(b, b.current);
    if (!returns.empty()) b.returns.push_back(b.current);
    if (!breaks.empty()) b.loops.back().breaks.push_back(b.current);
    if (!continues.empty()) b.back_edges.push_back({b.current, b.loops.back().head, -1, 0});
  }

  void Decorated(TSNode node, Builder& b, int depth) {
    std::vector<TSNode> decorators;
    TSNode definition{};
    for (const Child& c : Children(node, true)) {
      if (Is(c.node, "decorator")) {
        decorators.push_back(c.node);
        for (const Child& e : Children(c.node, true)) Expr(e.node, b, depth + 1);
      } else if (FieldIs(c, "definition")) {
        definition = c.node;
      }
    }
    if (!Present(definition)) return;
    Definition(definition, decorators, b, depth);
    for (size_t i = decorators.size(); i-- > 0;) {
      const std::vector<Child> parts = Children(decorators[i], true);
      // What a decorator factory returned has a name of its own.
      const std::string name =
          parts.empty() || Is(parts[0].node, "call") ? "" : CalleeName(parts[0].node);
      AddSite(b, SiteKind::kCall, LineOf(decorators[i]), name).repeat = true;
    }
  }

  void Definition(TSNode node, const std::vector<TSNode>& decorators, Builder& b, int depth) {
    const std::vector<Child> children = Children(node, true);
    const std::string name =
        Present(Field(children, "name")) ? std::string(Text(Field(children, "name"))) : "";
    const TSNode body = Field(children, "body");
    const int first = decorators.empty() ? LineOf(node) : LineOf(decorators.front());
    Statement(b, node, body);
    if (Is(node, "class_definition")) {
      PythonClass c;
      c.name = name;
      c.qualified = scope_ + name;
      c.first_line = first;
      c.def_line = LineOf(node);
      c.end_line = EndLineOf(node);
      const TSNode bases = Field(children, "superclasses");
      if (Present(bases)) {
        for (const Child& base : Children(bases, true)) {
          if (!Is(base.node, "keyword_argument")) c.bases.push_back(CalleeName(base.node));
          Expr(base.node, b, depth + 1);
        }
      }
      AddSite(b, SiteKind::kClassBody, LineOf(node), name).definition_line = first;
      out_.classes.push_back(std::move(c));
      const int index = static_cast<int>(out_.classes.size()) - 1;
      const int f = OpenFunction(FunctionKind::kClassBody, name, b.function, first, LineOf(node),
                                 EndLineOf(node));
      out_.functions[f].class_index = index;
      const std::string outer = scope_;
      scope_ += name + ".";
      class_stack_.push_back(index);
      Builder inner(f);
      if (Present(body)) Block(body, inner, depth + 1);
      CloseFunction(inner);
      class_stack_.pop_back();
      scope_ = outer;
      return;
    }
    Defaults(Field(children, "parameters"), b, depth);
    const int f = OpenFunction(FunctionKind::kFunction, name, b.function, first, LineOf(node),
                               EndLineOf(node));
    const std::string outer = scope_;
    scope_ += name + ".";
    const int member_of = class_stack_.empty() ? -1 : class_stack_.back();
    // Functions inside this one are no members of the class; but `self` is still its instance.
    method_class_.push_back(member_of >= 0 ? member_of
                                           : (method_class_.empty() ? -1 : method_class_.back()));
    class_stack_.push_back(-1);
    for (const TSNode decorator : decorators) {
      const std::vector<Child> parts = Children(decorator, true);
      std::vector<std::string>& names = out_.functions[f].decorators;
      if (names.size() < kMaxDecorators)
        names.push_back(parts.empty() ? "" : CalleeName(parts[0].node));
    }
    Parameters(Field(children, "parameters"), out_.functions[f]);
    Builder inner(f);
    if (Present(body)) Block(body, inner, depth + 1);
    CloseFunction(inner);
    class_stack_.pop_back();
    method_class_.pop_back();
    scope_ = outer;
  }

  void Parameters(TSNode parameters, PythonFunction& f) const {
    if (!Present(parameters)) return;
    for (const Child& p : Children(parameters, true)) {
      if (f.parameters.size() >= kMaxParameters) return;
      TSNode name = p.node;
      if (!Is(name, "identifier")) {
        const std::vector<Child> parts = Children(p.node, true);
        name = Field(parts, "name");
        if (!Present(name) && !parts.empty()) name = parts[0].node;
      }
      if (Present(name) && Is(name, "identifier"))
        f.parameters.emplace_back(Text(name).substr(0, kMaxReceiver));
    }
  }

  void Defaults(TSNode parameters, Builder& b, int depth) {
    if (!Present(parameters)) return;
    for (const Child& p : Children(parameters, true)) {
      const TSNode value = Field(Children(p.node, true), "value");
      if (Present(value)) Expr(value, b, depth + 1);
    }
  }

  // --- Expressions, in the order of their evaluation.
  void Expr(TSNode node, Builder& b, int depth) {
    if (!Present(node) || depth > kMaxDepth) return;
    const std::string_view type = ts_node_type(node);
    if (type == "identifier" || type == "integer" || type == "float" || type == "none" ||
        type == "true" || type == "false" || type == "comment" || type == "type") {
      return;
    }
    if (type == "call") return Call(node, b, depth);
    if (type == "attribute") {
      const std::vector<Child> parts = Children(node, true);
      Expr(Field(parts, "object"), b, depth + 1);
      AttributeSite(parts, b, SiteKind::kAttribute);
      return;
    }
    if (type == "subscript") {
      const bool literal = HasLiteralKey(node);
      for (const Child& c : Children(node, true)) Expr(c.node, b, depth + 1);
      Site& site = AddSite(b, SiteKind::kSubscript, LineOf(node), "");
      site.repeat = true;
      site.literal_key = literal;
      return;
    }
    if (type == "binary_operator") {
      const std::vector<Child> parts = Children(node, false);
      const TSNode left = Field(parts, "left"), right = Field(parts, "right");
      Expr(left, b, depth + 1);
      Expr(right, b, depth + 1);
      const char* name = BinaryName(Text(Field(parts, "operator")));
      if (name != nullptr && !(IsLiteral(left) && IsLiteral(right))) {
        AddSite(b, SiteKind::kOperator, LineOf(node), name).repeat = true;
      }
      return;
    }
    if (type == "unary_operator") {
      const std::vector<Child> parts = Children(node, false);
      const TSNode argument = Field(parts, "argument");
      Expr(argument, b, depth + 1);
      const std::string_view op = Text(Field(parts, "operator"));
      if (!IsLiteral(argument)) {
        AddSite(b, SiteKind::kOperator, LineOf(node),
                op == "-"   ? "neg"
                : op == "~" ? "bitwise_not"
                            : "pos");
      }
      return;
    }
    if (type == "not_operator") {
      for (const Child& c : Children(node, true)) Expr(c.node, b, depth + 1);
      AddSite(b, SiteKind::kTruth, LineOf(node), "");
      return;
    }
    if (type == "boolean_operator") {
      const std::vector<Child> parts = Children(node, true);
      const TSNode left = Field(parts, "left");
      Expr(left, b, depth + 1);
      AddSite(b, SiteKind::kTruth, LineOf(left), "");
      const uint32_t decided = b.current;
      Expr(Field(parts, "right"), b, depth + 1);
      Continue(b, {decided, b.current});
      return;
    }
    if (type == "comparison_operator") return Comparison(node, b, depth);
    if (type == "conditional_expression") {
      const std::vector<Child> parts = Children(node, true);
      if (parts.size() != 3) return Each(parts, b, depth);
      Expr(parts[1].node, b, depth + 1);
      AddSite(b, SiteKind::kTruth, LineOf(parts[1].node), "");
      const uint32_t start = b.current;
      Continue(b, {start});
      Expr(parts[0].node, b, depth + 1);
      const uint32_t taken = b.current;
      Continue(b, {start});
      Expr(parts[2].node, b, depth + 1);
      Continue(b, {taken, b.current});
      return;
    }
    if (type == "lambda") {
      const std::vector<Child> parts = Children(node, true);
      Defaults(Field(parts, "parameters"), b, depth);
      const int f = OpenFunction(FunctionKind::kLambda, "<lambda>", b.function, LineOf(node),
                                 LineOf(node), EndLineOf(node));
      Builder inner(f);
      Expr(Field(parts, "body"), inner, depth + 1);
      Shape(node, inner);
      CloseFunction(inner);
      return;
    }
    if (IsComprehension(node)) return Comprehension(node, b, depth);
    if (type == "yield" || type == "await") {
      const std::vector<Child> parts = Children(node, true);
      Each(parts, b, depth);
      const bool from = type == "await" || ts_node_child_count(node) > 2;
      Suspend(b, LineOf(node), from && !parts.empty() ? CalleeName(parts[0].node) : "");
      b.generator = b.generator || type == "yield";
      return;
    }
    if (type == "string") {
      for (const Child& c : Children(node, true)) {
        if (!Is(c.node, "interpolation")) continue;
        Each(Children(c.node, true), b, depth + 1);
        AddSite(b, SiteKind::kFormat, LineOf(c.node), "__format__").repeat = true;
      }
      return;
    }
    if (type == "assignment") return Assignment(node, b, depth);
    if (type == "augmented_assignment") return Augmented(node, b, depth);
    if (type == "keyword_argument" || type == "named_expression") {
      return Expr(Field(Children(node, true), "value"), b, depth + 1);
    }
    if (type == "format_specifier" || type == "type_conversion") {
      return Each(Children(node, true), b, depth);
    }
    if (type == "function_definition" || type == "class_definition" ||
        type == "decorated_definition" || type == "block" || type.ends_with("_statement")) {
      return Stmt(node, b, depth + 1);  // inside a damaged part of the text
    }
    Each(Children(node, true), b, depth);
  }

  void Shape(TSNode node, Builder& b) {
    PythonStatement s;
    s.hash = s.form = kEmptyHash;
    Tokens(node, ts_node_end_byte(node), s);
    b.shape = s.hash;
  }

  void Comparison(TSNode node, Builder& b, int depth) {
    std::string pending;
    bool literal_left = false;
    for (const Child& c : Children(node, false)) {
      if (FieldIs(c, "operators")) {
        pending = std::string(Text(c.node));
        continue;
      }
      Expr(c.node, b, depth + 1);
      const char* name = pending.empty() ? nullptr : BinaryName(pending);
      if (name != nullptr && !(literal_left && IsLiteral(c.node))) {
        Site& site = AddSite(b, SiteKind::kOperator, LineOf(node), name);
        site.repeat = true;
        site.literal_key = literal_left;
      }
      literal_left = IsLiteral(c.node);
    }
  }

  static bool HasLiteralKey(TSNode subscript) {
    const TSNode key = Field(Children(subscript, true), "subscript");
    return Present(key) && IsLiteral(key);
  }

  // Last name of what is called or iterated: "f" of f(x), obj.f(x), obj.f and f.
  std::string CalleeName(TSNode node) const {
    for (int i = 0; i < 16 && Present(node); ++i) {
      const std::string_view type = ts_node_type(node);
      if (type == "identifier") return std::string(Text(node).substr(0, kMaxReceiver));
      const std::vector<Child> parts = Children(node, true);
      if (type == "attribute") {
        const TSNode name = Field(parts, "attribute");
        return Present(name) ? std::string(Text(name).substr(0, kMaxReceiver)) : "";
      }
      if (type == "call")
        node = Field(parts, "function");
      else if (type == "subscript")
        node = Field(parts, "value");
      else if (type == "parenthesized_expression" && !parts.empty())
        node = parts[0].node;
      else
        return "";
    }
    return "";
  }

  std::string ReceiverText(TSNode object) const {
    if (!Present(object)) return "";
    if (Is(object, "identifier") || Is(object, "attribute")) {
      const std::string_view text = Text(object);
      if (text.size() <= kMaxReceiver && text.find_first_of("()[]\n ") == std::string_view::npos) {
        return std::string(text);
      }
    }
    if (Is(object, "call") && CalleeName(object) == "super") return "super()";
    return "";
  }

  void AttributeSite(const std::vector<Child>& parts, Builder& b, SiteKind kind) {
    const TSNode name = Field(parts, "attribute");
    if (!Present(name)) return;
    const std::string receiver = ReceiverText(Field(parts, "object"));
    Site& site = AddSite(b, kind, LineOf(name), Text(name));
    site.receiver = receiver;
  }

  void Call(TSNode node, Builder& b, int depth) {
    const std::vector<Child> parts = Children(node, true);
    const TSNode function = Field(parts, "function");
    const TSNode arguments = Field(parts, "arguments");
    if (!Present(function)) return;
    Expr(function, b, depth + 1);
    if (Is(function, "attribute") && !b.sites.empty() &&
        b.sites.back().kind == SiteKind::kAttribute) {
      b.sites.back().callee = true;
    }
    int line = LineOf(node);
    std::string receiver;
    if (Is(function, "attribute")) {
      const std::vector<Child> callee = Children(function, true);
      const TSNode name = Field(callee, "attribute");
      // Method calls are reported on the line of the method's name.
      if (Present(name)) line = LineOf(name);
      receiver = ReceiverText(Field(callee, "object"));
    }
    if (Present(arguments)) {
      if (IsComprehension(arguments))
        Expr(arguments, b, depth + 1);
      else
        Each(Children(arguments, true), b, depth + 1);
    }
    Site& site =
        AddSite(b, SiteKind::kCall, line, Is(function, "call") ? "" : CalleeName(function));
    site.receiver = std::move(receiver);
    // One object, one run: what follows is constructed elsewhere.
    site.repeat = site.name != "__init__";
    Narrow(b, site);
    if (!Present(arguments)) return;
    const std::vector<Child> list = Children(arguments, true);
    site.no_arguments = list.empty();
    for (const Child& c : list) {
      const TSNode value =
          Is(c.node, "keyword_argument") ? Field(Children(c.node, true), "value") : c.node;
      site.passes_on = site.passes_on || Is(c.node, "list_splat");
      site.takes_lambda = site.takes_lambda || (Present(value) && Is(value, "lambda"));
    }
    if (site.receiver == "self" && !list.empty() && !method_class_.empty() &&
        method_class_.back() >= 0 &&
        (site.name == "register_buffer" || site.name == "register_parameter" ||
         site.name == "add_module" || site.name == "register_module")) {
      const std::string name = StringText(list[0].node);
      if (!name.empty()) out_.classes[method_class_.back()].registered.insert(name);
    }
  }

  // What is known here of the class of the variable that is called.
  static void Narrow(const Builder& b, Site& site) {
    const std::string variable =
        site.receiver.empty() ? site.name : site.receiver + "." + site.name;
    size_t look = kMaxNarrowings;
    for (auto n = b.narrowings.rbegin(); n != b.narrowings.rend() && look-- > 0; ++n) {
      if (n->variable != variable) continue;
      std::vector<std::string>& into = n->is ? site.is_any : site.is_none;
      if (n->is && !into.empty()) continue;  // the innermost test says most
      if (into.size() < kMaxAliases) into.insert(into.end(), n->classes.begin(), n->classes.end());
    }
  }

  // The text of a plain string literal; "" for other nodes.
  std::string StringText(TSNode node) const {
    if (!Is(node, "string")) return "";
    std::string text;
    for (const Child& c : Children(node, true)) {
      if (Is(c.node, "interpolation")) return "";
      if (Is(c.node, "string_content")) text += Text(c.node).substr(0, kMaxReceiver);
    }
    return text;
  }

  // How an attribute that is assigned this value is kept in a module.
  AttributeStore StoreOf(TSNode value) const {
    if (Is(value, "call")) {
      const TSNode function = Field(Children(value, true), "function");
      const std::string name = CalleeName(value);
      const std::string_view text = Present(function) ? Text(function) : std::string_view();
      const bool type = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
      if (name == "Parameter" ||
          (type && (text.starts_with("nn.") || text.starts_with("torch.nn."))))
        return AttributeStore::kRegistered;
      static const std::set<std::string_view> plain = {"int",   "float", "bool", "str", "len",
                                                       "tuple", "list",  "dict", "set", "range"};
      return Is(function, "identifier") && plain.count(name) ? AttributeStore::kPlain
                                                             : AttributeStore::kUnknown;
    }
    static const std::set<std::string_view> plain = {
        "integer",     "float",      "string",
        "true",        "false",      "list",
        "tuple",       "dictionary", "comparison_operator",
        "set",         "lambda",     "list_comprehension",
        "not_operator"};
    return plain.count(ts_node_type(value)) ? AttributeStore::kPlain : AttributeStore::kUnknown;
  }

  void Assignment(TSNode node, Builder& b, int depth) {
    const std::vector<Child> parts = Children(node, true);
    const TSNode right = Field(parts, "right"), left = Field(parts, "left");
    if (!Present(right)) return;
    Expr(right, b, depth + 1);
    // self.name = Class(...): the class of a submodule.
    if (Present(left) && Is(left, "attribute") && !method_class_.empty() &&
        method_class_.back() >= 0) {
      const std::vector<Child> target = Children(left, true);
      const TSNode object = Field(target, "object"), name = Field(target, "attribute");
      if (Present(object) && Present(name) && Text(object) == "self") {
        PythonClass& c = out_.classes[method_class_.back()];
        const std::string text(Text(name));
        MadeBy(right, 0, [&](std::string made) {
          if (!made.empty()) c.attributes.emplace_back(text, std::move(made));
        });
        aliases_.classes.resize(out_.classes.size());
        Alias(right, text, aliases_.classes[method_class_.back()], 0);
        TSNode value = right;  // of a = b = value, the last
        while (Is(value, "assignment") && Present(Field(Children(value, true), "right")))
          value = Field(Children(value, true), "right");
        const AttributeStore store = StoreOf(value);
        if (store == AttributeStore::kRegistered)
          c.registered.insert(text);
        else if (store == AttributeStore::kPlain)
          c.plain.insert(text);
        else
          c.unsure.insert(text);
      }
    }
    if (Present(left) && Is(left, "identifier")) {
      Alias(right, std::string(Text(left)), b.aliases, 0);
      if (Is(right, "call")) AddAlias(b.results, std::string(Text(left)), CalleeName(right));
    }
    Target(left, b, depth + 1);
  }

  // Notes that a variable may hold the functions that `value` names.
  void Alias(TSNode value, const std::string& variable, Aliases& table, int depth) const {
    if (depth > 4 || !Present(value)) return;
    const std::vector<Child> parts = Children(value, true);
    if (Is(value, "conditional_expression")) {
      if (parts.size() != 3) return;
      Alias(parts[0].node, variable, table, depth + 1);
      Alias(parts[2].node, variable, table, depth + 1);
      return;
    }
    if (Is(value, "list") || Is(value, "tuple") || Is(value, "set") ||
        Is(value, "parenthesized_expression") || Is(value, "expression_list")) {
      for (size_t i = 0; i < parts.size() && i < kMaxAliases; ++i)
        Alias(parts[i].node, variable, table, depth + 1);
      return;
    }
    if (Is(value, "dictionary")) {
      for (size_t i = 0; i < parts.size() && i < kMaxAliases; ++i) {
        if (Is(parts[i].node, "pair"))
          Alias(Field(Children(parts[i].node, true), "value"), variable, table, depth + 1);
      }
      return;
    }
    if (Is(value, "call")) return AliasOfCall(parts, variable, table, depth);
    std::string name;
    if (Is(value, "lambda")) name = "<lambda>";
    if (Is(value, "identifier") || Is(value, "attribute") || Is(value, "subscript"))
      name = CalleeName(value);
    AddAlias(table, variable, name);
  }

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

  static void AddAlias(Aliases& table, const std::string& variable, const std::string& name) {
    if (variable.empty()) return;
    std::set<std::string>& names = table[variable];
    if (!name.empty() && name != variable && names.size() < kMaxAliases) names.insert(name);
  }

  // partial(f, x), getattr(self, "f"), table.get(key), enumerate(functions).
  void AliasOfCall(const std::vector<Child>& call, const std::string& variable, Aliases& table,
                   int depth) const {
    const TSNode function = Field(call, "function"), arguments = Field(call, "arguments");
    if (!Present(function) || !Present(arguments)) return;
    const std::string name = CalleeName(function);
    const std::vector<Child> list = Children(arguments, true);
    if (Is(function, "attribute")) {
      const TSNode object = Field(Children(function, true), "object");
      if (name == "get" || name == "items" || name == "values" || name == "pop")
        Alias(object, variable, table, depth + 1);
      if (name == "partial" && !list.empty()) Alias(list[0].node, variable, table, depth + 1);
      return;
    }
    if (name == "getattr" && list.size() >= 2)
      return AddAlias(table, variable, StringText(list[1].node));
    if (name == "partial" && !list.empty()) return Alias(list[0].node, variable, table, depth + 1);
    static const std::set<std::string_view> passing = {"enumerate", "reversed", "zip",
                                                       "list",      "tuple",    "iter"};
    if (!passing.count(name)) return;
    for (size_t i = 0; i < list.size() && i < kMaxAliases; ++i)
      Alias(list[i].node, variable, table, depth + 1);
  }

  // The variables of a loop may hold what it goes through.
  void LoopAliases(TSNode target, TSNode iterated, Builder& b) const {
    if (!Present(target) || !Present(iterated)) return;
    if (Is(target, "identifier")) return Alias(iterated, std::string(Text(target)), b.aliases, 0);
    if (!Is(target, "pattern_list") && !Is(target, "tuple_pattern")) return;
    const std::vector<Child> parts = Children(target, true);
    for (size_t i = 0; i < parts.size() && i < kMaxAliases; ++i) {
      if (Is(parts[i].node, "identifier"))
        Alias(iterated, std::string(Text(parts[i].node)), b.aliases, 0);
    }
  }

  void Augmented(TSNode node, Builder& b, int depth) {
    const std::vector<Child> parts = Children(node, false);
    const TSNode left = Field(parts, "left"), right = Field(parts, "right");
    Expr(left, b, depth + 1);  // the old value: attribute or element
    Expr(right, b, depth + 1);
    std::string_view op = Text(Field(parts, "operator"));
    if (!op.empty()) op.remove_suffix(1);
    if (const char* name = BinaryName(op)) {
      AddSite(b, SiteKind::kOperator, LineOf(node), std::string(name) + "_").repeat = true;
    }
    if (!Present(left)) return;
    if (Is(left, "subscript"))
      AddSite(b, SiteKind::kStoreSubscript, LineOf(node), "").repeat = true;
    if (Is(left, "attribute")) AttributeSite(Children(left, true), b, SiteKind::kStoreAttribute);
  }

  void Target(TSNode node, Builder& b, int depth) {
    if (!Present(node) || depth > kMaxDepth) return;
    const std::string_view type = ts_node_type(node);
    if (type == "attribute") {
      const std::vector<Child> parts = Children(node, true);
      Expr(Field(parts, "object"), b, depth + 1);
      AttributeSite(parts, b, SiteKind::kStoreAttribute);
    } else if (type == "subscript") {
      const bool literal = HasLiteralKey(node);
      for (const Child& c : Children(node, true)) Expr(c.node, b, depth + 1);
      Site& site = AddSite(b, SiteKind::kStoreSubscript, LineOf(node), "");
      site.repeat = true;
      site.literal_key = literal;
    } else if (type == "pattern_list" || type == "tuple_pattern" || type == "list_pattern" ||
               type == "tuple" || type == "list" || type == "expression_list") {
      AddSite(b, SiteKind::kUnpack, LineOf(node), "").repeat = true;
      for (const Child& c : Children(node, true)) Target(c.node, b, depth + 1);
    } else if (type == "list_splat_pattern" || type == "parenthesized_expression") {
      for (const Child& c : Children(node, true)) Target(c.node, b, depth + 1);
    }
  }

  // --- Comprehensions: a frame of their own, or (since Python 3.12) part of the function.
  void Comprehension(TSNode node, Builder& b, int depth) {
    const std::vector<Child> parts = Children(node, true);
    std::vector<TSNode> clauses;
    for (const Child& c : parts) {
      if (Is(c.node, "for_in_clause") || Is(c.node, "if_clause")) clauses.push_back(c.node);
    }
    if (clauses.empty()) return Each(parts, b, depth);
    const TSNode body = Field(parts, "body");
    const TSNode first_iterable = Field(Children(clauses[0], true), "right");
    Expr(first_iterable, b, depth + 1);
    if (Present(first_iterable))
      AddSite(b, SiteKind::kIterate, LineOf(first_iterable), CalleeName(first_iterable));
    const bool generator = Is(node, "generator_expression");
    const char* name = generator                        ? "<genexpr>"
                       : Is(node, "list_comprehension") ? "<listcomp>"
                       : Is(node, "set_comprehension")  ? "<setcomp>"
                                                        : "<dictcomp>";
    const int line = LineOf(node);
    // Inside an unrolled one nothing is recorded anew: that was done when its own frame was read,
    // and doing it at each level would double the work with each.
    if (unrolling_ == 0) {
      const int f =
          OpenFunction(FunctionKind::kComprehension, name, b.function, line, line, EndLineOf(node));
      Builder inner(f);
      Clauses(clauses, 0, body, inner, depth + 1, generator);
      Shape(node, inner);
      CloseFunction(inner);
    }
    const uint32_t start = b.current;
    Site& site = AddSite(b, SiteKind::kComprehension, line, name);
    site.definition_line = line;
    site.repeat = generator;
    if (generator || unrolling_ >= kMaxInlinedComprehensions) return;
    const uint32_t framed = b.current;
    const uint32_t unrolled = NewPoint(b);
    Edge(b, start, unrolled, kInlined);
    b.current = unrolled;
    ++unrolling_;
    const size_t functions = out_.functions.size();
    Clauses(clauses, 0, body, b, depth + 1, false);
    aliases_.functions.resize(std::min(aliases_.functions.size(), functions));
    aliases_.results.resize(std::min(aliases_.results.size(), functions));
    out_.functions.resize(functions);  // lambdas inside, which the frame's own reading holds
    --unrolling_;
    Continue(b, {framed, b.current});
  }

  // A yield or await: the frame may end at any, and begin after any. `from`: what it hands over to,
  // which is resumed there with it.
  void Suspend(Builder& b, int line, const std::string& from = "") {
    if (!from.empty()) {
      const uint32_t resumed = NewPoint(b);
      Edge(b, b.current, resumed);
      Edge(b, 0, resumed, kResumed);
      b.resumptions.push_back({line, resumed});
      b.current = resumed;
      AddSite(b, SiteKind::kNext, line, from);
      b.suspensions.push_back(b.current);
      return;
    }
    b.suspensions.push_back(b.current);
    const uint32_t resumed = NewPoint(b);
    Edge(b, b.current, resumed);
    Edge(b, 0, resumed, kResumed);
    b.resumptions.push_back({line, resumed});
    b.current = resumed;
  }

  void Clauses(const std::vector<TSNode>& clauses, size_t index, TSNode body, Builder& b, int depth,
               bool generator) {
    if (index == clauses.size()) {
      Expr(body, b, depth + 1);
      if (generator) {
        Suspend(b, LineOf(body));
        b.generator = true;
      }
      return;
    }
    const std::vector<Child> parts = Children(clauses[index], true);
    if (Is(clauses[index], "if_clause")) {
      Each(parts, b, depth);
      AddSite(b, SiteKind::kTruth, LineOf(clauses[index]), "");
      const uint32_t tested = b.current;
      Clauses(clauses, index + 1, body, b, depth + 1, generator);
      Continue(b, {tested, b.current});
      return;
    }
    const TSNode right = Field(parts, "right");
    uint32_t head;
    if (index == 0) {  // __iter__ ran outside
      head = NewPoint(b);
      Edge(b, b.current, head);
      b.current = head;
      AddSite(b, SiteKind::kNext, Present(right) ? LineOf(right) : LineOf(clauses[index]),
              CalleeName(right))
          .repeat = true;
    } else {
      Expr(right, b, depth + 1);
      head = OpenLoop(b, Present(right) ? right : clauses[index]);
    }
    const uint32_t after_next = b.current;
    LoopAliases(Field(parts, "left"), right, b);
    Target(Field(parts, "left"), b, depth + 1);
    Clauses(clauses, index + 1, body, b, depth + 1, generator);
    b.back_edges.push_back({b.current, head, -1, 0});
    Continue(b, {after_next, b.current});
  }

  // --- After the walk.
  void SetStatementRanges() {
    const auto by_line = [](const PythonStatement& s, int line) { return s.line < line; };
    for (PythonFunction& f : out_.functions) {
      const auto begin =
          std::lower_bound(out_.statements.begin(), out_.statements.end(), f.def_line, by_line);
      const auto end = std::lower_bound(begin, out_.statements.end(), f.end_line + 1, by_line);
      f.first_statement = static_cast<uint32_t>(begin - out_.statements.begin());
      f.last_statement = static_cast<uint32_t>(end - out_.statements.begin());
    }
  }

  std::string_view text_;
  PythonModule& out_;
  AliasTables aliases_;
  Imports imports_;
  std::string scope_;              // qualified name of the enclosing definition with a dot behind
  std::vector<int> class_stack_;   // class whose body is being read; -1 inside a function
  std::vector<int> method_class_;  // class of `self`
  int unrolling_ = 0;              // comprehensions that are being unrolled into their function
};

}  // namespace

uint64_t NameHash(std::string_view name) { return Mix(kEmptyHash, name); }

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
    return Error{ErrorKind::kInvalidArgument, "The source file is too large to be parsed.", "", {}};
  }
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                      &ts_parser_delete);
  const bool accepted = ts_parser_set_language(parser.get(), tree_sitter_python());
  assert(accepted);
  if (!accepted)
    return Error{ErrorKind::kInternal, "The Python grammar does not fit the parser.", "", {}};
  ts_parser_set_timeout_micros(parser.get(), kParseTimeoutUs);
  const std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
      ts_parser_parse_string(parser.get(), nullptr, text.data(),
                             static_cast<uint32_t>(text.size())),
      &ts_tree_delete);
  if (tree == nullptr) {
    return Error{ErrorKind::kUnsupported, "Parsing the source file takes too long.", "", {}};
  }
  PythonModule module;
  const TSNode root = ts_tree_root_node(tree.get());
  module.has_errors = ts_node_has_error(root);
  Walker(text, module).Run(root);
  return module;
}

}  // namespace emberline
