// Which functions the variables of a text may hold: those that were assigned to them, stand in a
// list or dictionary that was, or in one that a loop goes through.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "source/python_syntax.h"

namespace emberline {

inline constexpr size_t kMaxAliases = 16;  // of one variable

// Before the names of attributes in a table; those of variables and functions stand alone.
inline constexpr char kAttributeMark = '.';

// Variable -> names of what was assigned to it.
using Aliases = std::unordered_map<std::string, std::set<std::string>>;

struct AliasTables {
  std::vector<Aliases> functions;  // parallel to PythonModule::functions
  std::vector<Aliases> classes;    // attributes of self; parallel to PythonModule::classes
  std::vector<Aliases> results;    // variable -> calls whose results it holds; as `functions`
};

// A variable may hold what has this name; "" for what has none.
void AddAlias(Aliases& table, const std::string& variable, const std::string& name);

// Fills in the aliases of calls of variables, and which attributes only name a function that is
// called later. Linear in the sites.
void ResolveAliases(const AliasTables& tables, PythonModule& module);

// Class of `self` in a function: of the method, or of the method around; -1 for none.
int ClassOfSelf(const PythonModule& module, int function);

}  // namespace emberline
