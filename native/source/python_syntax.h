// What the lines of a Python file do, from its syntax tree: functions, the calls and operators in
// the order in which they are evaluated, and statements that can be found again after edits.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace emberline {

enum class SiteKind : uint8_t {
  kCall,       // f(x), obj.f(x), decorators
  kAttribute,  // obj.name, which may run a property or __getattr__
  kOperator,   // a + b, -a, a < b, a += b
  kSubscript,  // a[i]
  kIterate,    // __iter__ of a loop or comprehension
  kNext,       // __next__, once per turn of a loop
  kEnter,      // __enter__ of with
  kExit,       // __exit__ of with
  kTruth,      // the value decides a branch: __bool__
  kUnpack,     // a, b = value
  kFormat,     // a field of an f-string
  kImport,
  kComprehension,   // frame of a comprehension or generator expression
  kClassBody,       // frame of a class statement's body
  kStoreAttribute,  // obj.name = value
  kStoreSubscript,  // a[i] = value
  kDelete,          // del a[i]
};

// What reading an attribute of a module runs: those that torch.nn.Module keeps in tables of its own
// (submodules, parameters, buffers) are found by its __getattr__, all others without it.
enum class AttributeStore : uint8_t { kUnknown, kPlain, kRegistered };

// What the name of a call stands for, by the definitions of its own file.
enum class CalleeKind : uint8_t { kUnknown, kClass, kFunction, kDecorated };

// What a variable that is called holds, by its aliases: functions that the text defines, or objects
// that an attribute of self was made of.
enum class Held : uint8_t { kUnknown, kFunctions, kObjects };

// Classes whose methods an instance of one class may run: the class and its bases.
struct ClassFamily {
  std::set<std::string> names;
  bool complete = false;  // every base is defined in the same file
};

// Where a name that a text imports comes from.
struct Origin {
  std::string module;  // dotted: "torch.utils.data", ".layers"; "" where it is not known
  std::string name;    // what it is called there; "" for the module itself
};

// A place in a function that may run something: a call or an operator.
struct Site {
  SiteKind kind = SiteKind::kCall;
  int line = 0;  // 1-based; the line that the interpreter reports while it runs
  // Last name of the callee or attribute, that of its definition where it is imported under
  // another; operators as in aten: "add", "add_".
  std::string name;
  std::string receiver;  // dotted text before the name: "self", "torch.nn.functional"; may be empty
  // Classes whose instances were assigned to self.<name>, or the functions that made them.
  std::vector<std::string> class_names;
  int definition_line = 0;  // first line of the inner code object of kComprehension and kClassBody
  bool repeat = false;      // may run several things in a row
  bool callee = false;      // kAttribute: a function, called at once or through a variable
  AttributeStore store = AttributeStore::kUnknown;  // kAttribute of self
  bool literal_key = false;                         // a[i], i in a: the key is a literal
  bool no_arguments = false;                        // kCall
  bool passes_on = false;     // kCall: with the arguments of its function, *args
  bool takes_lambda = false;  // kCall: one of its arguments is a lambda
  // kCall: last names of its arguments, which it may call if they are functions.
  std::vector<std::string> given;
  // kCall of a name with plain arguments, kAttribute of a name: evaluated before it in every run
  // that comes here, with the same values.
  bool again = false;
  // kCall, kAttribute: what it runs keeps its result (functools.cache), so that it may run nothing.
  bool memoized = false;
  std::vector<std::string> is_any;   // kCall of a variable where isinstance() named its class
  std::vector<std::string> is_none;  // and where it named classes that it is not of
  bool managed = false;              // kCall: its value is what a `with` enters
  CalleeKind callee_kind = CalleeKind::kUnknown;  // kCall
  // kCall of a plain function of this text: its frame runs at once. Of generators it runs later, of
  // what is decorated perhaps never.
  bool runs_frame = false;
  // kCall of a class, or of __init__: where its constructor may be defined. May be null.
  std::shared_ptr<const ClassFamily> family;
  std::string imported_from;  // kCall: the module that the callee is imported from, as in Origin
  bool of_module = false;     // kCall: its receiver is an imported module
  // Names of what was assigned to a variable that is called (kCall), or of the calls whose result
  // was assigned to one that a loop goes through (kNext).
  std::vector<std::string> aliases;
  Held held = Held::kUnknown;  // kCall with aliases
  bool parameter = false;      // kCall: of a parameter of its function, or of one around it
};

// Why an edge is taken. Those behind a call that an exception takes either unwind (to `finally`, to
// __exit__, out of the function) or lead to a handler.
enum class EdgeKind : uint8_t { kOrdinary, kUnwinds, kHandled };

// Points of a function's control flow and the edges between them. A site lies on an edge; it may
// be passed without running anything that a profiler sees. Forward edges lead to higher points.
struct FlowEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  int32_t site = -1;  // index into sites; -1 for none
  float cost = 0;     // of taking the edge, for improbable turns
  EdgeKind kind = EdgeKind::kOrdinary;
};

// Where the frame of a generator or coroutine goes on: it then names this line.
struct Resumption {
  int line = 0;
  uint32_t point = 0;
};

enum class FunctionKind : uint8_t { kModule, kFunction, kLambda, kComprehension, kClassBody };

struct PythonFunction {
  FunctionKind kind = FunctionKind::kFunction;
  std::string name;       // as the interpreter names its code: "forward", "<module>", "<listcomp>"
  std::string qualified;  // "SmallCnn.forward", "main.inner"; "<module>"
  int parent = -1;        // function that encloses it; -1 for the module
  int class_index =
      -1;              // class that it is a direct member of (a class body: the class); -1 for none
  int first_line = 0;  // of its code object: the first decorator's line, else the definition's
  int def_line = 0;
  int end_line = 0;
  std::vector<std::string> parameters;
  std::set<std::string> returned;       // classes and functions whose results it returns
  bool wrapper = false;                 // inside another function, whose parameter it calls
  std::vector<std::string> decorators;  // last names; "" for other expressions
  uint64_t shape = 0;                   // hash of its body without layout; equal for a renamed twin
  uint32_t first_statement = 0,
           last_statement = 0;  // [first, last) in statements, nested ones included
  std::vector<Site> sites;
  std::vector<FlowEdge> edges;          // forward, by `from`
  std::vector<FlowEdge> back_edges;     // of loops
  bool generator = false;               // has a yield
  bool coroutine = false;               // defined by `async def`
  std::vector<Resumption> resumptions;  // after each yield and await
  uint32_t points = 0;                  // entry is 0, the end is the last
  uint32_t raised = 0;                  // where an exception has left the function
};

struct PythonClass {
  std::string name;
  std::string qualified;
  int first_line = 0;  // with decorators
  int def_line = 0;
  int end_line = 0;
  std::vector<std::string> bases;                               // last names
  std::vector<std::pair<std::string, std::string>> attributes;  // self.<first> = <second>(...)
  std::set<std::string> registered;  // attributes that are submodules, parameters or buffers
  std::set<std::string> plain;       // attributes that hold values of Python's own types
  std::set<std::string> unsure;      // attributes that may hold either
};

// A simple statement or the header of a compound one. Layout (line breaks, brackets around an
// expression, trailing commas, quotes, comments) changes neither its hash nor its tokens.
struct PythonStatement {
  int line = 0;
  int end_line = 0;
  uint64_t hash = 0;
  uint64_t form = 0;                  // as hash, but with any names in the place of its names
  int function = 0;                   // innermost function
  std::vector<uint32_t> token_lines;  // line of each token that counts
  std::vector<uint64_t> called;       // NameHash of what it calls, by last name
  std::vector<uint64_t> bound;        // and of what it assigns
};

// What names are compared by in PythonStatement.
uint64_t NameHash(std::string_view name);

struct PythonModule {
  std::vector<PythonFunction> functions;  // [0] is the module; parents before children
  std::vector<PythonClass> classes;
  std::vector<PythonStatement> statements;  // by line
  bool has_errors = false;                  // the text is not wholly valid; the rest is usable

  // The function with this code name whose first line is `line`; -1 when there is none.
  int FindFunction(std::string_view name, int line) const;
  // The innermost function with this code name that spans `line`; -1 when there is none.
  int FunctionAround(std::string_view name, int line) const;
};

// Largest text that is parsed, in bytes.
inline constexpr size_t kMaxPythonText = 8u << 20;

// Parses Python 3 text; tolerant of errors inside. Errors: kInvalidArgument when the text is
// larger than kMaxPythonText, kUnsupported when parsing takes longer than a few seconds.
Result<PythonModule> ParsePython(std::string_view text);

}  // namespace emberline
