// Costs of the operators of a trace: arguments as recorded, each different call computed once.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "cost/op_cost.h"
#include "cost/rules.h"
#include "store/trace_store.h"

namespace emberline {

// Element type that a kernel's name tells for a list of tensors: "CatArrayBatchedCopy<...
// OpaqueType<2u>", "multi_tensor_apply_kernel<... c10::BFloat16"; kUnknown otherwise.
DType ListTypeOfKernel(std::string_view kernel_name);

class RecordedCosts {
 public:
  // `rules` may be null; must outlive this. Not thread-safe.
  RecordedCosts(const TraceStore& store, const CostRules* rules);

  // What is known of an operator by its name alone.
  struct NameInfo {
    const OpFormula* formula = nullptr;
    int rule = -1;  // of the user; goes before the formula
    bool collective = false;
    bool any() const { return formula != nullptr || rule >= 0 || collective; }
    bool composite() const { return rule < 0 && formula != nullptr && formula->composite; }
  };
  const NameInfo& InfoOf(SliceIndex op);
  // The cost of the call `op`; kept for as long as this lives. `list_type` as in CostOf().
  const OpCost& Of(SliceIndex op, DType list_type);
  // The call's arguments.
  Arguments ArgumentsOf(SliceIndex op) const;
  // The operators' costs, which outlive this.
  std::shared_ptr<const std::deque<OpCost>> costs() const { return costs_; }
  // Calls whose recorded arguments were no shapes at all, or impossible ones.
  uint64_t faulty_calls() const { return faulty_; }

 private:
  struct Key {
    const char* texts[4] = {};
    StringId name = 0;
    DType list_type = DType::kUnknown;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  RecordedCall CallOf(SliceIndex op) const;
  OpCost CollectiveCost(SliceIndex op) const;

  const TraceStore* store_;
  const CostRules* rules_;
  std::vector<uint32_t> numbers_;  // by name: its entry of names_; empty until one is asked for
  std::deque<NameInfo> names_;
  std::unordered_map<Key, const OpCost*, KeyHash> known_;
  std::unordered_map<SliceIndex, const OpCost*, NumberHash> collectives_;
  std::shared_ptr<std::deque<OpCost>> costs_ = std::make_shared<std::deque<OpCost>>();
  uint64_t faulty_ = 0;
};

}  // namespace emberline
