// A user's own formulas for operators that the table does not know: expressions over shapes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "cost/op_cost.h"

namespace emberline {

// One rule as written. Expressions are Lua's, without any of its libraries, and without texts,
// tables and functions of their own: numbers, + - * / // % ^, comparisons, `and`, `or`, `not`. They
// may call, with arguments counted from 0:
//   dim(i, d)   size of dimension d of argument i; d below 0 counts from the end
//   numel(i)    elements; of a list of tensors, of all of them
//   bytes(i)    bytes that memory holds; of a list, of all of them
//   esize(i)    bytes of an element
//   rank(i)     number of dimensions; 0 also for what is no tensor
//   value(i)    a number; 1 or 0 for True or False
//   min, max, floor, ceil, log2
// and name `n`, the number of recorded arguments.
struct CostRule {
  std::string name;   // regular expression that operators' whole names match; case does not matter
  std::string flops;  // "" where not known
  std::string read_bytes, written_bytes;
  bool matrix = false;  // matrix units run it: decides the roof
};

// Rules ready to be used. Not thread-safe.
class CostRules {
 public:
  // At most 200 rules of at most 1,000 characters. Errors: kInvalidArgument, which says which rule
  // is wrong and why.
  static Result<std::shared_ptr<const CostRules>> Make(std::vector<CostRule> rules);
  ~CostRules();
  CostRules(const CostRules&) = delete;
  CostRules& operator=(const CostRules&) = delete;

  // The first rule for an operator of this name; -1 for none.
  int Find(std::string_view name) const;
  // What the rule says; unknown with a reason where an expression asks for what was not recorded or
  // gives no number.
  OpCost CostOf(int rule, const Arguments& arguments) const;
  // Errors: kInvalidArgument, when all calls of the above together took too long. What they gave
  // since is then worth nothing.
  Result<bool> WithinLimits() const;
  size_t MemoryBytes() const;

 private:
  struct Engine;
  CostRules(std::vector<CostRule> rules, std::vector<Pattern> patterns);
  std::vector<CostRule> rules_;
  std::vector<Pattern> patterns_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace emberline
