// The tables of two traces side by side, one level at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/table.h"
#include "compare/replacements.h"
#include "rpc/views/compare_sides.h"

namespace emberline {

struct Compared {
  Table table;
  std::string measure;  // key of the measure that orders the rows
  double matched = 0;   // part of the measure that is in rows of both sides
  // By operators: the sizes of the batches, where they differ.
  std::optional<BatchSizes> batch;
  size_t MemoryBytes() const;
};

// `by` is one of the schema's ("operators", "steps", ...), or "classes". Errors: kCancelled, those
// of the user's rules, and kInvalidParams for a block of the execution that does not exist or has
// no such table. Made once and kept with the candidate.
Result<std::shared_ptr<const Compared>> CompareBy(const CompareRequest& request,
                                                  const std::string& by, Time time);

// What stands in the place of what, and which modules are new or gone. Errors: kCancelled. Made
// once and kept with the candidate.
Result<std::shared_ptr<const Replacements>> ReplacementsOf(const CompareRequest& request);

// What stands elsewhere, as the schema says it: null where nothing does.
Json ElsewhereJson(const std::string* text);

}  // namespace emberline
