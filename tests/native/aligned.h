// Draws a source and what a profiler saw of one run of a function; each thing seen names the line
// where it belongs.
#pragma once

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "attribution/align.h"
#include "source/python_syntax.h"

namespace emberline {

// What was observed: "frame augment", "module Linear", "builtin cat", "op add". Then what else is
// known of it: a class ("frame __init__ Net"), a line of definition ("@3"), that a `with` enters
// what was constructed ("with"), that it is a method or a property, or of a metaclass ("meta"), or
// a wrapper ("around", "around:f"), its file ("in:a/b.py"), a class that it is derived from
// ("of:Base") or that inherits it ("heir:Sub").
inline Observed Parse(const std::string& text) {
  std::istringstream in(text);
  std::string kind, name;
  in >> kind >> name;
  Observed o;
  o.name = name;
  if (kind == "frame")
    o.kind = ObservedKind::kFrame;
  else if (kind == "module")
    o.kind = ObservedKind::kModule;
  else if (kind == "builtin")
    o.kind = ObservedKind::kBuiltin;
  else if (kind == "op")
    o.kind = ObservedKind::kOperator;
  else if (kind == "runtime")
    o.kind = ObservedKind::kRuntime;
  else
    FAIL("unknown kind " << kind);
  for (std::string extra; in >> extra;) {
    if (extra[0] == '@')
      o.definition_line = std::stoi(extra.substr(1));
    else if (extra == "with")
      o.manages = true;
    else if (extra == "method" || extra == "property")
      o.accessor = extra == "method" ? Accessor::kMethod : Accessor::kProperty;
    else if (extra == "meta")
      o.metaclass = true;
    else if (extra == "generator")
      o.generator = true;
    else if (extra == "coroutine")
      o.coroutine = true;
    else if (extra.starts_with("around")) {
      o.wrapper = true;
      if (extra.size() > 7) o.inner = extra.substr(7);
    } else if (extra.starts_with("in:"))
      o.file = extra.substr(3);
    else if (extra.starts_with("of:"))
      o.bases.push_back(extra.substr(3));
    else if (extra.starts_with("heir:"))
      o.heirs.push_back(extra.substr(5));
    else
      o.owner = extra;
  }
  return o;
}

struct Seen {
  const char* what;
  int line;           // where it belongs; 0: nowhere
  int called_at = 0;  // the calling line, where it was recorded
  Ended ended = Ended::kUnknown;
};

// Aligns the function `name` and gives lines as text: "3 4 4? 0", "?" for ambiguous. `elsewhere`:
// what was seen in other runs of it.
inline std::string Lines(const std::string& source, const std::string& name,
                         const std::vector<Seen>& seen, const Start& start = true,
                         bool ended = true, const std::vector<std::string>& elsewhere = {}) {
  const Result<PythonModule> module = ParsePython(source);
  REQUIRE(module.ok());
  const PythonFunction* function = nullptr;
  for (const PythonFunction& f : module->functions) {
    if (f.qualified == name) function = &f;
  }
  REQUIRE(function != nullptr);
  FunctionAligner aligner(*function);
  for (const std::string& other : elsewhere) aligner.Describe(Parse(other));
  std::vector<uint32_t> ids;
  std::vector<int> called_at;
  std::vector<Ended> ends;
  for (const Seen& s : seen) {
    ids.push_back(aligner.Describe(Parse(s.what)));
    called_at.push_back(s.called_at);
    ends.push_back(s.ended);
  }
  std::string out;
  for (const Placement& p : aligner.Align(ids, {called_at, ends}, start, ended)) {
    if (!out.empty()) out += ' ';
    out += std::to_string(p.line) + (p.ambiguous ? "?" : "");
  }
  return out;
}

inline std::string Expected(const std::vector<Seen>& seen) {
  std::string out;
  for (const Seen& s : seen) {
    if (!out.empty()) out += ' ';
    out += std::to_string(s.line);
  }
  return out;
}

#define CHECK_LINES(source, name, ...)                    \
  do {                                                    \
    const std::vector<Seen> seen_ = __VA_ARGS__;          \
    CHECK(Lines(source, name, seen_) == Expected(seen_)); \
  } while (false)

}  // namespace emberline
