// Two ordered lists matched with each other: the children of two nodes, the lines of two versions
// of a function.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace emberline {

// Hashes for labels: the same in every process, so that answers are.
uint64_t StableHash(std::string_view text);
uint64_t StableHash(uint64_t a, uint64_t b);

// What an element is, from coarse to fine: elements match when their names do, and of several ways
// to match, the one in which more of the details and contents agree is taken.
struct ElementLabel {
  uint64_t name = 0;     // "Linear", "aten::mm"
  uint64_t detail = 0;   // the same with what may differ: "Linear_3", the shapes
  uint64_t content = 0;  // of all that lies inside
  bool Same(const ElementLabel& other) const {
    return name == other.name && detail == other.detail && content == other.content;
  }
};

struct Match {
  uint32_t baseline = 0, candidate = 0;  // positions
  bool moved = false;                    // it stands elsewhere among its neighbors
  bool operator==(const Match&) const = default;
};

// The matched pairs, by position in the candidate. Order is kept as far as possible (a longest
// common subsequence, weighed by how much agrees); what is left over on both sides and is the same
// in name, detail and content has moved. Time and memory are linear in the lengths, apart from a
// logarithm: stretches in which nothing is unique are matched exactly up to a bounded size, and by
// the order of equal names beyond. Swapping the sides swaps the pairs.
std::vector<Match> MatchSequences(const std::vector<ElementLabel>& baseline,
                                  const std::vector<ElementLabel>& candidate);

}  // namespace emberline
