// What a slice is to the source of the function that called it: slices as alignment sees them.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attribution/observed.h"
#include "attribution/stages.h"
#include "base/number_column.h"

namespace emberline {

// What else than its name tells a thing that ran: names of slices inside it, the next one.
struct Beside {
  StringId module = 0;  // of _call_impl: the module that it calls
  StringId inner = 0;   // of a wrapper: the function that it calls
  bool manages = false;
};

// `frame`: the function that it ran in.
Observed Observe(const Attributing& a, SliceIndex child, const Beside& beside,
                 const FrameName& frame);

// Names of what a function calls, and of its operators.
std::set<std::string_view> NamedIn(const PythonFunction& function);

// What runs inside calls that stand for others: wrappers, and those of modules. Not thread-safe.
class Insides {
 public:
  explicit Insides(const Attributing& a) : a_(a), wraps_(a.store.strings().size()) {
    module_.assign(a.store.all_slice_count(), kNone);
  }
  // Notes a slice for those around it; slices come in the store's order.
  void Add(SliceIndex i);
  // Of a call in a function that names `named`; `next`: the call after it there, kNone for none.
  Beside Of(SliceIndex child, SliceIndex next, const std::set<std::string_view>& named) const;

 private:
  // Whether frames of this name are wrappers.
  bool Wraps(StringId frame);
  StringId Inner(SliceIndex wrapper, const std::set<std::string_view>& named, int& look) const;
  bool Enters(SliceIndex constructor, SliceIndex next) const;

  const Attributing& a_;
  std::vector<std::optional<bool>> wraps_;                           // by name, once it was asked
  std::unordered_map<SliceIndex, std::vector<SliceIndex>> wrapped_;  // frames that wrappers called
  NumberColumn module_;  // of _call_impl: the name of the module that it calls; else kNone
};

}  // namespace emberline
