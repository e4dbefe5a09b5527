// What the lines, functions and classes of a document cost, at their places in its text of now.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/lines.h"
#include "session/lines.h"

namespace emberline {

// A recorded location, or several that lie on one line, in the document as it is now.
struct AnnotatedLine {
  int line = 0;
  bool stale = false;
  LineCost cost;            // summed; location is that of the hottest
  bool inner_runs = false;  // cost.runs is of a comprehension or lambda on the line
  std::vector<uint32_t> locations;
};

// A definition in the document as it is now.
struct AnnotatedDefinition {
  enum class Kind : uint8_t { kFunction, kClass, kModule };
  int line = 0;
  Kind kind = Kind::kFunction;  // kModule: a class that is a torch.nn.Module
  std::string name;             // qualified, as in the text of now
  int recorded_line = 0;
  bool stale = false;  // its text has changed
  const LineGroup* cost = nullptr;
};

// Both arguments outlive it.
class DocumentCosts {
 public:
  DocumentCosts(const DocumentLines& document, const LinesResult& sums);

  // Lines with a cost, by line; what lost its place apart from what did not. Locations whose
  // function is gone are left out. At most `most`, the hottest.
  std::vector<AnnotatedLine> Lines(size_t most) const;

  // Functions and classes with their costs, by line; at most `most`, the hottest.
  std::vector<AnnotatedDefinition> Definitions(size_t most) const;

 private:
  const PythonModule* Base(const std::string& file) const;
  bool IsModule(const std::string& name) const;
  int BaseFunction(const PythonModule& base, const std::string& file, const LineLocation& l) const;
  bool Find(const LineLocation& l, int* line, bool* stale) const;
  bool IsInner(const LineCost& c) const;
  void Add(AnnotatedLine& at, const LineCost& c) const;

  const DocumentLines& document_;
  const LinesResult& sums_;
  std::set<std::string> files_;
  mutable std::unordered_map<std::string, std::unordered_map<std::string, int>> functions_;
};

}  // namespace emberline
