#include "cost/attribution.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/case.h"
#include "base/hash.h"
#include "base/release.h"
#include "base/saturating.h"
#include "cost/devices.h"
#include "cost/kernel_names.h"
#include "cost/outward_search.h"
#include "cost/recorded_cost.h"

namespace emberline {
namespace {

// `total` in parts as large as `weights` say; the parts sum to it.
void DivideBy(int64_t total, const std::vector<Ns>& weights, std::vector<int64_t>& shares) {
  shares.resize(weights.size());
  long double whole = 0, before = 0;
  for (const Ns weight : weights) whole += static_cast<long double>(std::max<Ns>(weight, 0));
  int64_t given = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    before += static_cast<long double>(std::max<Ns>(weights[i], 0));
    // Where nothing lasted, each gets as much.
    const long double part =
        whole > 0 ? before / whole
                  : static_cast<long double>(i + 1) / static_cast<long double>(weights.size());
    const bool last = i + 1 == weights.size();
    const int64_t upto =
        last ? total
             : std::clamp<int64_t>(static_cast<int64_t>(static_cast<long double>(total) * part),
                                   given, total);
    shares[i] = upto - given;
    given = upto;
  }
}

class Attributor {
 public:
  Attributor(const Model& model, const CostRules* rules)
      : model_(model),
        store_(model.store()),
        rules_(rules),
        costs_(store_, rules),
        owner_(model),
        name_numbers_(store_.strings().size(), kNone) {}

  Result<std::shared_ptr<const CostAttribution>> Run(const CancelToken& cancel) {
    auto result = std::make_shared<CostAttribution>();
    CollectKernels();
    inside_.assign(store_.all_slice_count(), 0);
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (i % 4096 == 0 && cancel.cancelled()) return Cancelled();
      KernelCost& kernel = kernels_[i];
      kernel.owner = OwnerOf(model_.SourceOp(kernel.kernel));
    }
    MarkAncestors();
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (i % 4096 == 0 && cancel.cancelled()) return Cancelled();
      KernelCost& kernel = kernels_[i];
      if (kernel.owner == kNone) kernel.owner = OuterOwnerOf(model_.SourceOp(kernel.kernel));
    }
    FindFills();
    Group();
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (i % 4096 == 0 && cancel.cancelled()) return Cancelled();
      const auto first = kernels_of_calls_.begin();
      Distribute(*result, calls_[i],
                 {first + calls_[i].first_kernel, first + calls_[i].last_kernel});
    }
    if (rules_ != nullptr) {
      const Result<bool> within = rules_->WithinLimits();
      if (!within.ok()) return within.error();
    }
    result->kernels.Pack(kernels_);
    result->costs = costs_.costs();
    result->faulty_calls = costs_.faulty_calls();
    return std::shared_ptr<const CostAttribution>(std::move(result));
  }

 private:
  struct Call {
    SliceIndex owner = kNone;
    bool backward = false;  // the owner is a backward node; its cost comes from forward
    uint32_t first_kernel = 0, last_kernel = 0;  // in kernels_of_calls_: first, behind the last
  };

  // What a kernel's name tells. Names are long, searched for many words, and few.
  struct KernelName {
    DType list_type = DType::kUnknown;
    bool wide = false, helper = false;
    std::optional<Part> part;
  };
  const KernelName& NameOf(const KernelCost& kernel) {
    const StringId id = store_.name_id(kernel.kernel);
    uint32_t& known = name_numbers_[id];
    if (known == kNone) {
      known = static_cast<uint32_t>(kernel_names_.size());
      const std::string_view name = store_.strings().Get(id);
      kernel_names_.push_back({ListTypeOfKernel(name), NamesWideMatrixUnits(name),
                               IsHelperKernel(name), ConvolutionPartOf(name)});
    }
    return kernel_names_[known];
  }

  void CollectKernels() {
    std::vector<SliceIndex> kernels;
    for (SliceIndex i = 0; i < store_.slice_count(); ++i) {
      if (IsKernel(store_.kind(i))) kernels.push_back(i);
    }
    const auto earlier = [&](SliceIndex a, SliceIndex b) {
      return store_.start(a) < store_.start(b);
    };
    // Those of a single stream are in order already.
    if (!std::is_sorted(kernels.begin(), kernels.end(), earlier)) {
      std::stable_sort(kernels.begin(), kernels.end(), earlier);
    }
    kernels_.reserve(kernels.size());
    for (const SliceIndex kernel : kernels) kernels_.push_back({.kernel = kernel});
  }

  // The innermost operator from `op` outwards that owns its cost.
  SliceIndex OwnerOf(SliceIndex op) {
    return owner_.From(op, [this](SliceIndex at) {
      const RecordedCosts::NameInfo& info = costs_.InfoOf(at);
      return info.any() && !info.composite();
    });
  }

  static uint32_t Bit(OpClass op_class) { return 1u << static_cast<uint32_t>(op_class); }
  OpClass ClassOf(SliceIndex op) {
    const RecordedCosts::NameInfo& info = costs_.InfoOf(op);
    if (info.rule >= 0) return OpClass::kCustom;
    if (info.formula != nullptr) return info.formula->op_class;
    return info.collective ? OpClass::kCollective : OpClass::kUnknown;
  }

  // Tells every operator around an owner that it holds one of that class.
  void MarkAncestors() {
    for (const KernelCost& kernel : kernels_) {
      if (kernel.owner == kNone) continue;
      const uint32_t bit = Bit(ClassOf(kernel.owner));
      for (SliceIndex op = model_.op[kernel.owner]; op != kNone; op = model_.op[op]) {
        if ((inside_[op] & bit) != 0) break;
        inside_[op] |= bit;
      }
    }
  }

  // For kernels without an owner: a composite operator that holds no owner of its class, or a node
  // of backward whose forward operator is known. Gives what is nearest.
  SliceIndex OuterOwnerOf(SliceIndex op) {
    // Real programs nest a few dozen operators.
    for (int level = 0; op != kNone && level < 64; op = model_.op[op], ++level) {
      if (costs_.InfoOf(op).composite() && (inside_[op] & Bit(ClassOf(op))) == 0) return op;
      const SliceIndex forward = model_.forward[op];
      if (forward == kNone || model_.pass[op] != Pass::kBackward) continue;
      const RecordedCosts::NameInfo& info = costs_.InfoOf(forward);
      if (info.any() && (inside_[op] & Bit(ClassOf(forward))) == 0) return op;
    }
    return kNone;
  }

  // The number of the call that ran a kernel; a new one where none is known.
  uint32_t CallOf(const KernelCost& kernel) {
    // A captured operator runs once more with each launch of its graph.
    const bool replayed = model_.CapturedCall(kernel.kernel) != kNone;
    uint32_t& number =
        replayed ? replayed_calls_.try_emplace({kernel.owner, model_.launch[kernel.kernel]}, kNone)
                       .first->second
                 : calls_of_owners_[kernel.owner];
    if (number == kNone) {
      number = static_cast<uint32_t>(calls_.size());
      calls_.push_back({.owner = kernel.owner, .backward = !costs_.InfoOf(kernel.owner).any()});
    }
    return number;
  }

  // Finds the calls, then puts the kernels of each side by side, in their order.
  void Group() {
    calls_of_owners_.assign(store_.all_slice_count(), kNone);
    for (KernelCost& kernel : kernels_) {
      if (kernel.owner == kNone) continue;
      kernel.call = CallOf(kernel);
      ++calls_[kernel.call].last_kernel;
    }
    Release(calls_of_owners_);
    uint32_t at = 0;
    for (Call& call : calls_) {
      const uint32_t count = call.last_kernel;
      call.first_kernel = call.last_kernel = at;
      at += count;
    }
    kernels_of_calls_.resize(at);
    for (uint32_t i = 0; i < kernels_.size(); ++i) {
      const KernelCost& kernel = kernels_[i];
      if (kernel.owner != kNone) kernels_of_calls_[calls_[kernel.call].last_kernel++] = i;
    }
  }

  // Data and weight gradients of a product or convolution multiply as much as forward each, and
  // read and write as much.
  const OpCost* BackwardCost(CostAttribution& result, SliceIndex node) {
    const OpCost& forward = costs_.Of(model_.forward[node], DType::kUnknown);
    OpCost& cost = result.derived.emplace_back();
    cost.op_class = forward.op_class;
    cost.type = forward.type;
    cost.matrix = forward.matrix;
    cost.params = forward.params;
    cost.estimate = true;
    if (forward.op_class != OpClass::kMatmul && forward.op_class != OpClass::kConvolution) {
      cost.flops = cost.read_bytes = cost.written_bytes =
          Amount::Unknown(reasons::kNoBackwardShapes);
      return &cost;
    }
    cost.flops = Amount(2) * forward.flops;
    cost.read_bytes = forward.bytes();
    cost.written_bytes = forward.bytes();
    cost.flops_formula = "2 x forward (" + forward.flops_formula + ")";
    cost.bytes_formula = "2 x forward (" + forward.bytes_formula + ")";
    return &cost;
  }

  // Recorders before PyTorch 1.11 lost numbers that operators are called with: strides of a
  // convolution, and the size of the weight whose gradient is asked for. Backward of the whole
  // convolution has input, gradient and weight as tensors, and the gradient is as large as the
  // result. It is the caller of the gradients, and the partner of forward.
  const OpCost* ConvolutionCost(CostAttribution& result, SliceIndex op) {
    const std::string_view name = store_.name(op);
    const bool gradient = name.ends_with("_convolution_backward_weight");
    if (!gradient && !name.ends_with("n_convolution")) return nullptr;
    const SliceIndex whole = gradient ? model_.op[op] : BackwardOf(op);
    if (whole == kNone || !IsWholeBackward(whole)) return nullptr;
    // Texts are interned: equal ones lie at one place.
    const char* const dims = store_.ArgText(whole, ArgRole::kInputShapes).data();
    const auto [it, added] = convolutions_[gradient ? 1 : 0].try_emplace(dims, nullptr);
    if (!added) return it->second;
    const Arguments arguments = costs_.ArgumentsOf(whole), own = costs_.ArgumentsOf(op);
    const Tensor &x = arguments.TensorAt(0), &gy = arguments.TensorAt(1),
                 &weight = arguments.TensorAt(2);
    const auto same = [&](const Tensor& tensor, size_t index) {
      return tensor.present && tensor.fault == nullptr && tensor.rank() >= 3 &&
             tensor.rank() == x.rank() && tensor.dims == own.TensorAt(index).dims;
    };
    if (gradient ? !same(gy, 1) || !same(x, 2) || weight.rank() != x.rank()
                 : !same(x, 0) || !same(weight, 1) || gy.rank() != x.rank()) {
      return nullptr;
    }
    const Amount channels = weight.Dim(0);
    if (!channels.known() || channels.value() == 0 || !gy.Elements().known()) return nullptr;
    const Amount per_output = weight.Elements() / channels;
    OpCost& cost = result.derived.emplace_back(costs_.Of(op, DType::kUnknown));
    cost.flops = Amount(2) * gy.Elements() * per_output;
    cost.flops_formula = "2·N·K·P·Q·(C/g)·R·S with output=" + AmountText(gy.Elements()) +
                         ", weight per output=" + AmountText(per_output) +
                         ", sizes as backward of the convolution has them";
    const Tensor& other = gradient ? gy : weight;
    const Tensor& made = gradient ? weight : gy;
    cost.read_bytes = x.Bytes() + other.Bytes();
    cost.written_bytes = made.Elements() * made.ElementBytes();
    cost.bytes_formula = "read x " + AmountText(x.Bytes()) +
                         (gradient ? " + gradient " : " + weight ") + AmountText(other.Bytes()) +
                         ", written " + AmountText(cost.written_bytes);
    if (cost.params.empty()) {
      cost.params =
          "x=" + ShapeText(x.dims) + ",w=" + ShapeText(weight.dims) + "," + ShortName(x.type);
    }
    return it->second = &cost;
  }

  bool IsWholeBackward(SliceIndex op) const {
    const std::string_view name = store_.name(op);
    return name == "aten::cudnn_convolution_backward" ||
           name == "aten::miopen_convolution_backward";
  }

  // Backward of the convolution of which `op` is forward; kNone where that is not known.
  SliceIndex BackwardOf(SliceIndex op) {
    constexpr int kLevels = 8;  // between a convolution and the operator that autograd knows
    if (!backward_known_) {
      backward_known_ = true;
      for (SliceIndex i = 0; i < store_.slice_count(); ++i) {
        if (!model_.IsOp(i) || !IsWholeBackward(i)) continue;
        SliceIndex node = i;
        for (int level = 0; node != kNone && level < kLevels; ++level, node = model_.op[node]) {
          if (model_.forward[node] == kNone) continue;
          backward_.emplace(model_.forward[node], i);
          break;
        }
      }
    }
    for (int level = 0; op != kNone && level < kLevels; ++level, op = model_.op[op]) {
      const auto found = backward_.find(op);
      if (found != backward_.end()) return found->second;
    }
    return kNone;
  }

  // The share of a kernel that only prepares: nothing of what is known.
  static Amount NothingOf(Amount whole) { return whole.known() ? Amount(0) : whole; }

  void Distribute(CostAttribution& result, const Call& call, std::span<const uint32_t> kernels) {
    DType list_type = DType::kUnknown;
    for (const uint32_t k : kernels) {
      if (list_type != DType::kUnknown) break;
      list_type = NameOf(kernels_[k]).list_type;
    }
    const OpCost* cost =
        call.backward ? BackwardCost(result, call.owner) : &costs_.Of(call.owner, list_type);
    if (!cost->flops.known()) {
      if (const OpCost* known = ConvolutionCost(result, call.owner)) cost = known;
    }
    const bool wide = std::any_of(kernels.begin(), kernels.end(),
                                  [&](uint32_t k) { return NameOf(kernels_[k]).wide; });
    // An operator inside of the same class did the work, and what the outer one launched itself
    // only prepares. Not so where data moves: an index by a mask looks up the mask's true elements
    // first.
    const bool covered =
        cost->op_class != OpClass::kMovement && (inside_[call.owner] & Bit(cost->op_class)) != 0;
    std::vector<uint32_t>& main = main_kernels_;
    main.clear();
    for (const uint32_t k : kernels) {
      KernelCost& kernel = kernels_[k];
      kernel.cost = cost;
      kernel.matrix_call = wide;
      kernel.helper = covered || NameOf(kernel).helper;
      if (kernel.helper) {
        kernel.flops = NothingOf(cost->flops);
        kernel.read_bytes = NothingOf(cost->read_bytes);
        kernel.written_bytes = NothingOf(cost->written_bytes);
      } else {
        main.push_back(k);
      }
    }
    if (covered) return;
    if (main.empty()) {
      main.push_back(*std::max_element(kernels.begin(), kernels.end(), [&](uint32_t a, uint32_t b) {
        return store_.duration(kernels_[a].kernel) < store_.duration(kernels_[b].kernel);
      }));
      kernels_[main[0]].helper = false;
    }
    if (!cost->parts.empty() && main.size() > 1 && ByParts(*cost, main)) return;
    Amount written = cost->written_bytes;
    if (const auto filled = filled_.find(call.owner);
        filled != filled_.end() && written.known() && !cost->matrix) {
      written = std::max<int64_t>(0, written.value() - filled->second);
    }
    Spread(main, cost->flops, cost->read_bytes, written);
  }

  // What fills inside of an owner write, by owner. A fill is a kernel or a set.
  void FindFills() {
    const StringId names[] = {store_.strings().Find("aten::fill_"),
                              store_.strings().Find("aten::zero_")};
    SliceIndex last = kNone;
    for (SliceIndex i = 0; i < store_.slice_count(); ++i) {
      const bool set = store_.kind(i) == SliceKind::kMemset;
      if (!set && !IsKernel(store_.kind(i))) continue;
      const SliceIndex op = model_.op[i];
      if (op == kNone || op == last) continue;
      const auto is_fill = [&](SliceIndex o) {
        return store_.name_id(o) == names[0] || store_.name_id(o) == names[1];
      };
      if (!is_fill(op)) continue;
      last = op;
      SliceIndex around = model_.op[op];
      // zero_ runs fill_.
      if (around != kNone && is_fill(around)) around = model_.op[around];
      const SliceIndex owner = OwnerOf(around);
      if (owner == kNone || is_fill(owner)) continue;
      const Amount bytes = costs_.Of(op, DType::kUnknown).written_bytes;
      if (bytes.known()) filled_[owner] = SaturatingAdd(filled_[owner], bytes.value());
    }
  }

  void Spread(const std::vector<uint32_t>& kernels, Amount flops, Amount read, Amount written) {
    if (kernels.size() == 1) {
      KernelCost& kernel = kernels_[kernels[0]];
      kernel.flops = flops;
      kernel.read_bytes = read;
      kernel.written_bytes = written;
      return;
    }
    durations_.clear();
    for (const uint32_t k : kernels) {
      durations_.push_back(store_.duration(kernels_[k].kernel));
    }
    const auto give = [&](Amount total, Amount KernelCost::*member) {
      if (!total.known()) {
        for (const uint32_t k : kernels) kernels_[k].*member = total;
        return;
      }
      DivideBy(total.value(), durations_, shares_);
      for (size_t i = 0; i < kernels.size(); ++i) kernels_[kernels[i]].*member = shares_[i];
    };
    give(flops, &KernelCost::flops);
    give(read, &KernelCost::read_bytes);
    give(written, &KernelCost::written_bytes);
  }

  // Gives each gradient to the kernels that are named after it; false where names do not tell.
  bool ByParts(const OpCost& cost, const std::vector<uint32_t>& main) {
    std::vector<uint32_t> of[3];
    std::vector<uint32_t> unnamed;
    for (const uint32_t k : main) {
      const auto part = NameOf(kernels_[k]).part;
      (part ? of[static_cast<size_t>(*part)] : unnamed).push_back(k);
    }
    for (const PartCost& part : cost.parts) {
      if (part.part == Part::kBiasGradient) continue;
      if (of[static_cast<size_t>(part.part)].empty()) return false;
    }
    // What bears no name adds up the bias, or only prepares.
    of[static_cast<size_t>(Part::kBiasGradient)] = unnamed;
    const bool has_bias = std::any_of(cost.parts.begin(), cost.parts.end(), [](const PartCost& p) {
      return p.part == Part::kBiasGradient;
    });
    for (const uint32_t k : unnamed) {
      KernelCost& kernel = kernels_[k];
      kernel.helper = !has_bias;
      kernel.flops = kernel.read_bytes = kernel.written_bytes = 0;
    }
    for (const PartCost& part : cost.parts) {
      std::vector<uint32_t> kernels = of[static_cast<size_t>(part.part)];
      // The kernel of the weight's gradient adds up the bias where no other does.
      if (kernels.empty()) {
        KernelCost& last = kernels_[main.back()];
        last.flops += part.flops;
        last.read_bytes += part.read_bytes;
        last.written_bytes += part.written_bytes;
        continue;
      }
      Spread(kernels, part.flops, part.read_bytes, part.written_bytes);
    }
    return true;
  }

  const Model& model_;
  const TraceStore& store_;
  const CostRules* const rules_;
  RecordedCosts costs_;
  OutwardSearch owner_;
  std::vector<KernelCost> kernels_;       // by start
  std::vector<uint32_t> name_numbers_;    // of strings: in kernel_names_; kNone: not met yet
  std::vector<KernelName> kernel_names_;  // each name once
  // Of forward and of weights' gradients, by the shapes of backward.
  std::unordered_map<const char*, const OpCost*> convolutions_[2];
  bool backward_known_ = false;
  std::unordered_map<SliceIndex, SliceIndex, NumberHash> backward_;  // of convolutions, by forward
  std::vector<uint32_t> inside_;  // per operator: classes of owners inside, as bits
  std::vector<Call> calls_;
  std::vector<uint32_t> kernels_of_calls_;  // numbers of kernels, call by call
  std::vector<uint32_t> calls_of_owners_;   // per slice, while grouping; kNone: none
  struct PairHash {
    size_t operator()(const std::pair<SliceIndex, SliceIndex>& key) const {
      return static_cast<size_t>(HashPair(key.first, key.second));
    }
  };
  // Of captured operators: by operator and launch of the graph.
  std::unordered_map<std::pair<SliceIndex, SliceIndex>, uint32_t, PairHash> replayed_calls_;
  // Of the call that is distributed; kept so that not every call makes its own.
  std::vector<uint32_t> main_kernels_;
  std::vector<Ns> durations_;
  std::vector<int64_t> shares_;
  std::unordered_map<SliceIndex, int64_t, NumberHash> filled_;  // bytes
};

}  // namespace

size_t CostAttribution::MemoryBytes() const {
  size_t bytes = kernels.MemoryBytes();
  const auto add = [&](const std::deque<OpCost>& list) {
    for (const OpCost& cost : list) bytes += sizeof(OpCost) + cost.MemoryBytes();
  };
  if (costs) add(*costs);
  add(derived);
  return bytes;
}

Result<std::shared_ptr<const CostAttribution>> AttributeCosts(const Model& model,
                                                              const CostRules* rules,
                                                              const CancelToken& cancel) {
  return Attributor(model, rules).Run(cancel);
}

}  // namespace emberline
