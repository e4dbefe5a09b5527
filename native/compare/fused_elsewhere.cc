#include "compare/fused_elsewhere.h"

#include <algorithm>

#include "compare/fused_names.h"

namespace emberline {
namespace {

// Names that are told of what replaced something.
constexpr size_t kMostTold = 3;

// Device time tells what most of something is, host time where nothing ran on a device.
struct Times {
  Ns host = 0, device = 0;
  void Add(const Times& other) {
    host += other.host;
    device += other.device;
  }
  bool operator<(const Times& other) const {
    return device != other.device ? device < other.device : host < other.host;
  }
};

}  // namespace

void NoteOperators(const ComparedSide& side, const std::vector<uint32_t>& nodes,
                   std::unordered_set<std::string>* names) {
  for (const uint32_t node : nodes) {
    const uint32_t end = side.tree->EndOf(node);
    for (uint32_t inside = node; inside < end; ++inside) {
      if (side.tree->KindOf(inside) != StepNodeKind::kOperator) continue;
      names->insert(StepNodeName(*side.model, *side.tree, inside));
    }
  }
}

void Alone::Take(const ComparedSide& side, const AlignedItem& item, LaunchedNames* launched) {
  const std::vector<uint32_t>& own = item.baseline.empty() ? item.candidate : item.baseline;
  if (side.tree->IsConcurrent(own[0]) || side.tree->KindOf(own[0]) == StepNodeKind::kStep) return;
  nodes.insert(nodes.end(), own.begin(), own.end());
  NoteOperators(side, own, &operators);
  launched->Note(own, &kernels);
}

void FusedElsewhere::Told::Add(const std::string& name) {
  ++count;
  first.insert(std::lower_bound(first.begin(), first.end(), name), name);
  if (first.size() > kMostTold) first.pop_back();
}

std::string FusedElsewhere::Told::Text() const {
  std::string text;
  for (const std::string& name : first) text += (text.empty() ? "" : " + ") + name;
  return count > first.size() ? text + " + " + std::to_string(count - first.size()) + " more"
                              : text;
}

// `alone` is where those go that stand in nobody's place; null of others.
void FusedElsewhere::AddFused(const std::string& name, ByWord* by_word, Fused* alone) {
  std::unordered_set<std::string> held;
  if (!AddHeld(name, words_, &held)) return;
  Told made_of;
  for (const std::string& word : held) {
    (*by_word)[word].Add(name);
    made_of.Add(named_[word].first.front());
  }
  if (alone != nullptr) alone->emplace(name, made_of.Text());
}

void FusedElsewhere::Find() {
  for (const std::string& name : gone_.operators) {
    std::string word = OperatorWords(name);
    if (word.empty()) continue;
    named_[word].Add(name);
    words_.insert(std::move(word));
  }
  if (words_.empty()) return;
  for (const std::string& name : *to_.operators) AddFused(name, &by_operators_, nullptr);
  for (const std::string& name : *to_.kernels) AddFused(name, &by_kernels_, nullptr);
  for (const std::string& name : came_.operators) AddFused(name, &by_operators_, &operators_);
  for (const std::string& name : came_.kernels) AddFused(name, &by_kernels_, &kernels_);
}

void FusedElsewhere::NoteAll() {
  if (by_operators_.empty() && by_kernels_.empty()) return;
  for (const auto& [name, made_of] : operators_) to_.operators->insert(name);
  for (const auto& [name, made_of] : kernels_) to_.kernels->insert(name);
  for (const uint32_t node : gone_.nodes) Note(from_, node, &FusedElsewhere::GoneInto);
  for (const uint32_t node : came_.nodes) Note(to_, node, &FusedElsewhere::MadeOf);
}

void FusedElsewhere::Note(const FoundSide& side, uint32_t node, TextOf text_of) {
  const StepTree& tree = *side.side.tree;
  const Model& model = *side.side.model;
  const auto times = [&](uint32_t i) {
    return Times{tree.HostOf(model, i), tree.DeviceOf(model, i)};
  };
  Times sum, largest;
  const std::string* by = nullptr;
  std::vector<uint32_t> found;
  for (uint32_t i = node, end = tree.EndOf(node); i < end;) {
    const std::string* text = (this->*text_of)(i);
    if (text == nullptr) {
      ++i;
      continue;
    }
    found.push_back(i);
    side.elsewhere->push_back({i, side.texts->NumberOf(*text)});
    const Times own = times(i);
    sum.Add(own);
    if (by == nullptr || largest < own) {
      largest = own;
      by = text;
    }
    i = tree.EndOf(i);
  }
  if (found.empty()) return;
  const Times all = times(node);
  if (all.device > 0 ? 2 * sum.device > all.device : 2 * sum.host > all.host) {
    found = {node};
    side.elsewhere->push_back({node, side.texts->NumberOf(*by)});
  }
  NoteOperators(side.side, found, side.operators);
  side.launched->Note(found, side.kernels);
  side.nodes->insert(side.nodes->end(), found.begin(), found.end());
}

const std::string* FusedElsewhere::GoneInto(uint32_t node) {
  const StepTree& tree = *from_.side.tree;
  if (tree.KindOf(node) != StepNodeKind::kOperator) return nullptr;
  const auto [at, added] = gone_into_.try_emplace(tree.LabelOf(node).name);
  if (added) {
    const std::string word = OperatorWords(StepNodeName(*from_.side.model, tree, node));
    for (const ByWord* by_word : {&by_operators_, &by_kernels_}) {
      const auto by = by_word->find(word);
      if (by == by_word->end()) continue;
      at->second = by->second.Text();
      break;
    }
  }
  return at->second.empty() ? nullptr : &at->second;
}

const std::string* FusedElsewhere::MadeOf(uint32_t node) {
  const StepTree& tree = *to_.side.tree;
  if (tree.KindOf(node) == StepNodeKind::kOperator) {
    const auto [at, added] = made_of_.try_emplace(tree.LabelOf(node).name, nullptr);
    if (added) {
      const auto own = operators_.find(StepNodeName(*to_.side.model, tree, node));
      if (own != operators_.end()) at->second = &own->second;
    }
    if (at->second != nullptr) return at->second;
  }
  // The one that launches fused kernels need not be named after them.
  return tree.IsLeaf(node) ? LaunchesMadeOf(node) : nullptr;
}

const std::string* FusedElsewhere::LaunchesMadeOf(uint32_t node) const {
  const std::string* made_of = nullptr;
  if (kernels_.empty()) return nullptr;
  for (const std::string_view name : to_.launched->All(node)) {
    const auto kernel = kernels_.find(std::string(name));
    if (kernel == kernels_.end()) return nullptr;
    if (made_of == nullptr) made_of = &kernel->second;
  }
  return made_of;
}

}  // namespace emberline
