#include "cost/recorded_cost.h"

#include <algorithm>

namespace emberline {
namespace {

struct TypeWord {
  std::string_view word;
  DType type;
};

// Of kernels that know only how large an element is.
constexpr TypeWord kOpaque[] = {{"OpaqueType<1u>", DType::kInt8},
                                {"OpaqueType<2u>", DType::kFloat16},
                                {"OpaqueType<4u>", DType::kFloat32},
                                {"OpaqueType<8u>", DType::kInt64}};
constexpr TypeWord kPlain[] = {
    {"c10::BFloat16", DType::kBFloat16}, {"c10::Half", DType::kFloat16}, {"float", DType::kFloat32},
    {"double", DType::kFloat64},         {"long", DType::kInt64},        {"int", DType::kInt32}};

bool IsCollectiveName(std::string_view name) {
  return name == "record_param_comms" || name.starts_with("nccl:") || name.starts_with("rccl:") ||
         name.starts_with("c10d::");
}

// Spelled after c10::ScalarType.
DType CollectiveType(std::string_view name) {
  constexpr TypeWord kWords[] = {{"Float", DType::kFloat32},
                                 {"Double", DType::kFloat64},
                                 {"Half", DType::kFloat16},
                                 {"BFloat16", DType::kBFloat16},
                                 {"Long", DType::kInt64},
                                 {"Int", DType::kInt32},
                                 {"Byte", DType::kUInt8},
                                 {"Char", DType::kInt8},
                                 {"Bool", DType::kBool},
                                 {"Short", DType::kInt16},
                                 {"Float8_e4m3fn", DType::kFloat8},
                                 {"Float8_e5m2", DType::kFloat8}};
  for (const TypeWord& entry : kWords) {
    if (entry.word == name) return entry.type;
  }
  return DType::kUnknown;
}

}  // namespace

DType ListTypeOfKernel(std::string_view kernel_name) {
  for (const TypeWord& entry : kOpaque) {
    if (kernel_name.find(entry.word) != std::string_view::npos) return entry.type;
  }
  // The first type after the name; other template arguments are types of indexes.
  for (const std::string_view word : {"CatArrayBatchedCopy", "Functor<"}) {
    size_t at = kernel_name.find(word);
    if (at == std::string_view::npos) continue;
    at = kernel_name.find('<', at);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = kernel_name.substr(at + 1);
    for (const TypeWord& entry : kPlain) {
      if (rest.starts_with(entry.word)) return entry.type;
    }
  }
  return DType::kUnknown;
}

RecordedCosts::RecordedCosts(const TraceStore& store, const CostRules* rules)
    : store_(&store), rules_(rules) {}

size_t RecordedCosts::KeyHash::operator()(const Key& key) const {
  uint64_t hash = HashPair(key.name, static_cast<uint64_t>(key.list_type));
  for (const char* text : key.texts) hash = HashPair(reinterpret_cast<uintptr_t>(text), hash);
  return static_cast<size_t>(hash);
}

const RecordedCosts::NameInfo& RecordedCosts::InfoOf(SliceIndex op) {
  const StringId id = store_->name_id(op);
  if (numbers_.empty()) numbers_.assign(store_->strings().size(), kNone);
  uint32_t& number = numbers_[id];
  if (number == kNone) {
    number = static_cast<uint32_t>(names_.size());
    NameInfo& info = names_.emplace_back();
    const std::string_view name = store_->strings().Get(id);
    info.formula = FormulaOf(name);
    info.collective = IsCollectiveName(name);
    if (rules_ != nullptr) info.rule = rules_->Find(name);
  }
  return names_[number];
}

RecordedCall RecordedCosts::CallOf(SliceIndex op) const {
  RecordedCall call;
  call.dims = store_->ArgText(op, ArgRole::kInputShapes);
  call.types = store_->ArgText(op, ArgRole::kInputTypes);
  call.strides = store_->ArgText(op, ArgRole::kInputStrides);
  call.values = store_->ArgText(op, ArgRole::kInputValues);
  return call;
}

Arguments RecordedCosts::ArgumentsOf(SliceIndex op) const { return Arguments(CallOf(op)); }

// What the message was; the device's own memory is read and written once at least.
OpCost RecordedCosts::CollectiveCost(SliceIndex op) const {
  OpCost cost;
  cost.op_class = OpClass::kCollective;
  const auto in = store_->ArgInt(op, ArgRole::kInElements),
             out = store_->ArgInt(op, ArgRole::kOutElements);
  const std::string_view type_name = store_->ArgText(op, ArgRole::kElementType);
  const DType type = CollectiveType(type_name);
  cost.flops = 0;
  cost.flops_formula = "communication";
  if (!in || !out || type == DType::kUnknown) {
    cost.read_bytes = cost.written_bytes = Amount::Unknown(reasons::kNoMessage);
    return cost;
  }
  cost.type = type;
  cost.read_bytes = Amount(*in) * BytesOf(type);
  cost.written_bytes = Amount(*out) * BytesOf(type);
  cost.bytes_formula = "message in " + AmountText(cost.read_bytes) + ", message out " +
                       AmountText(cost.written_bytes);
  const auto group = store_->ArgInt(op, ArgRole::kGroupSize);
  cost.params = std::string(store_->ArgText(op, ArgRole::kCollective));
  if (group) cost.params += ",group=" + std::to_string(*group);
  cost.params += std::string(",") + ShortName(type);
  return cost;
}

const OpCost& RecordedCosts::Of(SliceIndex op, DType list_type) {
  const NameInfo& info = InfoOf(op);
  if (info.collective && info.rule < 0) {
    const auto [it, added] = collectives_.try_emplace(op);
    if (added) {
      costs_->push_back(CollectiveCost(op));
      it->second = &costs_->back();
    }
    return *it->second;
  }
  const RecordedCall call = CallOf(op);
  // Texts are interned: equal ones lie at one place.
  const Key key{{call.dims.data(), call.types.data(), call.strides.data(), call.values.data()},
                store_->name_id(op),
                list_type};
  const auto [it, added] = known_.try_emplace(key);
  if (added) {
    const Arguments arguments(call);
    const std::string_view name = store_->name(op);
    costs_->push_back(info.rule >= 0 ? rules_->CostOf(info.rule, arguments)
                                     : CostOf(name, arguments, list_type));
    it->second = &costs_->back();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments.TensorAt(i).fault != nullptr) {
        ++faulty_;
        break;
      }
    }
  }
  return *it->second;
}

}  // namespace emberline
