// The parts of MatchCost(): each kind of thing has a file of its own.
#pragma once

#include <limits>
#include <string_view>
#include <unordered_set>

#include "attribution/match.h"

namespace emberline {

// Of a Python function, a call of an nn.Module, a C function, an operator, a runtime call.
float MatchFrame(const Site& site, const Observed& observed);
float MatchModule(const Site& site, const Observed& observed);
float MatchBuiltin(const Site& site, const Observed& observed);
float MatchOperator(const Site& site, const Observed& observed);
float MatchRuntime(const Site& site, const Observed& observed);

inline constexpr float kInfinite = std::numeric_limits<float>::infinity();

// --- Names that several kinds look at.
using Names = std::unordered_set<std::string_view>;
inline bool In(const Names& names, std::string_view name) { return names.count(name) > 0; }

// What calls are of that no module makes: "torch.cuda", "math".
const Names& NonModules();
// Types whose construction no profiler records.
const Names& Constructors();
const Names& OverloadedOperators();

// Functions of Python's own that call nothing but methods of what they are given.
bool IsSealed(const Site& site);
// What they run of it: "print" writes text.
float MatchSealed(const Site& site, std::string_view method);
// Calls that run a generator to its end.
bool Consumes(const Site& site);
// Calls that are given a function of this name, and do not run a frame themselves that would call
// it.
bool IsGiven(const Site& site, std::string_view function);
// Calls that call what they are given once for each of many items.
bool CallsForEach(const Site& site);

}  // namespace emberline
