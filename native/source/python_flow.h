// The flow of a function while its text is read: points, and edges between them that carry sites.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/python_aliases.h"
#include "source/python_narrowing.h"
#include "source/python_syntax.h"
#include "source/python_tokens.h"

namespace emberline {

inline constexpr size_t kMaxReceiver = 80;  // letters of a name that are kept
// Cost of an edge that an exception takes: less than that of a call which must have run and did not
// (attribution/align_costs.cc), by more than what counts as a tie.
inline constexpr float kExceptional = 0.85f;

// Flow of the function that is being read.
struct FlowBuilder {
  struct Loop {
    uint32_t head;
    std::vector<uint32_t> breaks;
    size_t with_depth;
  };
  struct Raising {
    uint32_t point;
    float cost;  // of leaving there
  };
  explicit FlowBuilder(int index) : function(index) {}
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
  std::vector<std::vector<Raising>> raising;
  std::vector<Raising> escapes;       // where an exception may leave the function
  std::vector<Narrowing> narrowings;  // that hold here
  std::vector<int> open_withs;        // lines of the contexts that a return leaves
  // What was evaluated before in every run that comes here, and the variables that it depends on.
  struct Evaluated {
    std::string_view what;
    std::vector<std::string_view> names;
  };
  std::vector<Evaluated> evaluated;
  Aliases aliases, results;
  uint64_t shape = kEmptyHash;
  bool generator = false;
};

uint32_t NewPoint(FlowBuilder& b);
void Edge(FlowBuilder& b, uint32_t from, uint32_t to, float cost = 0,
          EdgeKind kind = EdgeKind::kOrdinary);
// A fresh point after `from`.
void Continue(FlowBuilder& b, const std::vector<uint32_t>& from);
// What follows cannot be reached in the ordinary way.
void Dead(FlowBuilder& b);
// What ran before this point may have raised.
void MayRaise(FlowBuilder& b);
// A statement that raises: its exception leads to a handler around it, or leaves the function.
void Raise(FlowBuilder& b);
// Ends the innermost statement that notices exceptions: they lead to the point `to`.
void Catch(FlowBuilder& b, uint32_t to, EdgeKind kind);
// An exception goes on from here, to what notices it further out.
void PassOn(FlowBuilder& b, uint32_t from, float cost = 0);

// What runs on two ways: once as it is written, and once where an exception passes.
class Twice {
 public:
  // At a fresh point without edges behind it, where the part begins.
  explicit Twice(const FlowBuilder& b);
  // At the part's end: makes a second way through the same sites. Returns its first and last point;
  // those of the part itself where it is too long to have two.
  struct Way {
    uint32_t first, last;
    bool own;
  };
  Way Second(FlowBuilder& b) const;

 private:
  uint32_t first_;
  size_t edges_, back_edges_, returns_, suspensions_, resumptions_, raising_, breaks_;
};
Site& AddSite(FlowBuilder& b, SiteKind kind, int line, std::string_view name);
// A yield or await: the frame may end at any, and begin after any. `from`: what it hands over to,
// which is resumed there with it.
void Suspend(FlowBuilder& b, int line, const std::string& from = "");

}  // namespace emberline
