// The table of all operators with a formula, by name.
#include <string>
#include <unordered_map>

#include "cost/formulas.h"

namespace emberline {
namespace {

using FormulaTable = std::unordered_map<std::string_view, const OpFormula*>;

const FormulaTable& Formulas() {
  static const FormulaTable table = [] {
    FormulaTable made;
    for (const auto& list :
         {MatmulFormulas(), ServingFormulas(), ConvolutionFormulas(), AttentionFormulas(),
          NormalizationFormulas(), PointwiseFormulas(), ForeachFormulas(), ReductionFormulas(),
          PoolingFormulas(), LossFormulas(), OptimizerFormulas(), RecurrentFormulas(),
          MovementFormulas()}) {
      for (const NamedFormula& entry : list) made.emplace(entry.name, &entry.formula);
    }
    return made;
  }();
  return table;
}

}  // namespace

const OpFormula* FormulaOf(std::string_view name) {
  const auto& table = Formulas();
  if (const auto it = table.find(name); it != table.end()) return it->second;
  // In place: the same work.
  if (name.ends_with("_") && !name.ends_with("__")) {
    const auto it = table.find(name.substr(0, name.size() - 1));
    if (it != table.end()) return it->second;
  }
  return CompiledFormula(name);
}

std::optional<std::vector<int64_t>> PerDimension(const Arguments& arguments, size_t index,
                                                 size_t count) {
  auto values = arguments.Integers(index);
  if (!values) return std::nullopt;
  if (values->size() == 1) values->assign(count, values->front());
  if (values->size() != count) return std::nullopt;
  return values;
}

}  // namespace emberline
