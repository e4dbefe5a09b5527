// Names of the device work that nodes of a step tree launched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compare/aligned_tree.h"

namespace emberline {

using Names = std::vector<std::string_view>;

// Collects names of the device work that was launched in nodes of one side, which has to outlive
// it.
class LaunchedNames {
 public:
  explicit LaunchedNames(const ComparedSide& side)
      : side_(side), left_(kTimesLooked * side.model->launched.rows()) {}

  // Of what a node launched itself, not in the nodes inside of it. Each name once, in order.
  Names Own(uint32_t node);
  // The same with the nodes inside of it.
  Names All(uint32_t node);
  // Of all that was launched in `nodes`.
  void Note(const std::vector<uint32_t>& nodes, std::unordered_set<std::string>* all);

 private:
  // Nodes seldom enclose each other; where a hostile file makes thousands do so, no more is looked
  // at than this many times all slices.
  static constexpr uint64_t kTimesLooked = 4;

  void Look(uint32_t node, Names* names);
  void Look(SliceIndex first, SliceIndex end, Names* names);

  const ComparedSide& side_;
  uint64_t left_;
};

}  // namespace emberline
