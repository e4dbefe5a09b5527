// What one side fused into an operator that stands at another place than the operators it is made
// of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/distinct.h"
#include "compare/aligned_tree.h"
#include "compare/launched_names.h"

namespace emberline {

// Adds the names of the operators in `nodes`.
void NoteOperators(const ComparedSide& side, const std::vector<uint32_t>& nodes,
                   std::unordered_set<std::string>* names);

// What one side has alone: nodes that stand in nobody's place.
struct Alone {
  std::vector<uint32_t> nodes;
  std::unordered_set<std::string> operators, kernels;  // names of what is inside of them

  void Take(const ComparedSide& side, const AlignedItem& item, LaunchedNames* launched);
};

// A node in whose place something stands elsewhere on the other side.
struct ElsewhereNode {
  uint32_t node = 0;
  uint32_t by = 0;  // which text: "fused_addmm_gelu", or "aten::addmm + aten::gelu"
};
using ElsewhereTexts = Distinct<std::string, std::hash<std::string>>;

// One side of what was found replaced: names of operators and kernels, and nodes.
struct FoundSide {
  const ComparedSide& side;
  LaunchedNames* launched;
  std::unordered_set<std::string>* operators;
  std::unordered_set<std::string>* kernels;
  std::vector<uint32_t>* nodes;
  std::vector<ElsewhereNode>* elsewhere;  // each of them also in `nodes`
  ElsewhereTexts* texts;
};

// Operators that only one side has, and that a fused one of the other is named after, stand in its
// place, wherever it stands: what is fused comes from several places. Refers to what it is made
// from.
class FusedElsewhere {
 public:
  FusedElsewhere(const FoundSide& from, const Alone& gone, const FoundSide& to, const Alone& came)
      : from_(from), gone_(gone), to_(to), came_(came) {}

  // What is fused; changes nothing, so that neither side is looked at first.
  void Find();
  // Adds to both sides what was found.
  void NoteAll();

 private:
  // Names of which the first few are told.
  struct Told {
    void Add(const std::string& name);
    std::string Text() const;

    std::vector<std::string> first;  // in order
    size_t count = 0;
  };
  // Words of operators (OperatorWords), and who stands in their place.
  using ByWord = std::unordered_map<std::string, Told>;
  // Fused operators or kernels that stand in nobody's place, and what they are named after.
  using Fused = std::unordered_map<std::string, std::string>;
  // What tells that a node, without those inside of it, is replaced, and by what. Null: it is not.
  using TextOf = const std::string* (FusedElsewhere::*)(uint32_t node);

  void AddFused(const std::string& name, ByWord* by_word, Fused* alone);
  const std::string* GoneInto(uint32_t node);
  const std::string* MadeOf(uint32_t node);
  const std::string* LaunchesMadeOf(uint32_t node) const;
  // The nodes inside of `node` that are replaced, and the node itself where they are most of it.
  void Note(const FoundSide& side, uint32_t node, TextOf text_of);

  const FoundSide& from_;
  const Alone& gone_;
  const FoundSide& to_;
  const Alone& came_;
  std::unordered_set<std::string> words_;
  ByWord named_;  // the operators that went, by their words
  ByWord by_operators_, by_kernels_;
  Fused operators_, kernels_;
  // By the labels of nodes: those of one label have one name. "" of what is not replaced.
  std::unordered_map<uint64_t, std::string> gone_into_;
  std::unordered_map<uint64_t, const std::string*> made_of_;
};

}  // namespace emberline
