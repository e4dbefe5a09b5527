#include "analysis/tensor_cores.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/errors.h"
#include "base/case.h"
#include "base/text.h"

namespace emberline {
namespace {}  // namespace

const char* VendorName(Vendor vendor) {
  switch (vendor) {
    case Vendor::kUnknown:
      return "";
    case Vendor::kNvidia:
      return "NVIDIA";
    case Vendor::kAmd:
      return "AMD";
    case Vendor::kIntel:
      return "Intel";
  }
  return "";
}

Vendor VendorOf(const Model& model) {
  const TraceStore& s = model.store();
  for (const DeviceProperties& p : s.metadata().devices) {
    const std::string name = LowerText(p.name);
    if (Contains(name, "amd") || Contains(name, "instinct") || Contains(name, "radeon"))
      return Vendor::kAmd;
    if (Contains(name, "nvidia") || Contains(name, "tesla") || Contains(name, "geforce") ||
        Contains(name, "quadro") || Contains(name, "titan")) {
      return Vendor::kNvidia;
    }
    if (Contains(name, "intel")) return Vendor::kIntel;
    if (p.warp_size == 64) return Vendor::kAmd;
  }
  for (SliceIndex i = 0; i < s.slice_count(); ++i) {
    if (!IsLaunchApi(s.kind(i))) continue;
    const std::string_view name = s.name(i);
    if (name.starts_with("hip")) return Vendor::kAmd;
    if (name.starts_with("cuda") || name.starts_with("cuLaunch")) return Vendor::kNvidia;
    if (name.starts_with("ze") || name.starts_with("ur")) return Vendor::kIntel;
  }
  return Vendor::kUnknown;
}

Result<bool> TensorCoreRules::Add(std::string_view rule) {
  constexpr std::string_view kOperator = "op:";
  if (rule.size() > kOperator.size() && rule.starts_with(kOperator)) {
    own_operators_.emplace_back(rule.substr(kOperator.size()));
    return true;
  }
  bool uses = true;
  if (!rule.empty() && (rule[0] == '+' || rule[0] == '-')) {
    uses = rule[0] == '+';
    rule.remove_prefix(1);
  }
  if (rule.empty()) {
    return MakeError(errors::kEmptyTensorCoreRule);
  }
  own_.push_back({LowerText(rule), uses});
  return true;
}

bool TensorCoreRules::Eligible(std::string_view op_name) const {
  return std::find(own_operators_.begin(), own_operators_.end(), op_name) != own_operators_.end() ||
         IsTensorCoreEligibleName(op_name);
}

MatrixUse TensorCoreRules::UseOf(std::string_view kernel_name, std::string_view core) const {
  const std::string name = LowerText(kernel_name);
  for (const Rule& rule : own_) {
    if (Contains(name, rule.part)) return rule.uses ? MatrixUse::kYes : MatrixUse::kNo;
  }
  const MatrixUse recorded = MatrixUseOfCore(core);
  return recorded != MatrixUse::kUnknown ? recorded : MatrixUseOfName(name, vendor_);
}

TensorCoreKernels::TensorCoreKernels(const Model& model, const TensorCoreRules& rules)
    : store_(&model.store()), rules_(rules), by_name_(store_->strings().size(), MatrixUse::kNo) {
  std::vector<bool> seen(store_->strings().size(), false);
  for (SliceIndex i = 0; i < store_->slice_count(); ++i) {
    if (!IsKernel(store_->kind(i))) continue;
    const StringId name = store_->name_id(i);
    if (seen[name]) continue;
    seen[name] = true;
    by_name_[name] =
        model.is_communication[i]
            ? MatrixUse::kNo
            : rules.UseOf(store_->strings().Get(name), store_->ArgText(i, ArgRole::kDeviceUnit));
  }
}

MatrixUse TensorCoreKernels::UseOf(SliceIndex slice) const {
  return IsKernel(store_->kind(slice)) ? by_name_[store_->name_id(slice)] : MatrixUse::kNo;
}

bool IsTensorCoreEligibleName(std::string_view op_name) {
  static const std::unordered_set<std::string_view> kNames = {
      // Convolution.
      "aten::_convolution", "aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::conv_tbc",
      "aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d",
      "aten::convolution", "aten::cudnn_convolution", "aten::cudnn_convolution_transpose",
      "aten::cudnn_convolution_relu", "aten::cudnn_convolution_add_relu",
      "aten::miopen_convolution", "aten::miopen_convolution_transpose",
      "aten::miopen_convolution_relu", "aten::miopen_convolution_add_relu",
      // Matrix products.
      "aten::addmm", "aten::addmv", "aten::addr", "aten::matmul", "aten::mm", "aten::mv",
      "aten::linear", "aten::addbmm", "aten::baddbmm", "aten::baddbmm_", "aten::bmm",
      "aten::chain_matmul", "aten::linalg_multi_dot", "aten::addmm_", "aten::_addmm_activation",
      "aten::_scaled_mm", "aten::_scaled_grouped_mm", "aten::_grouped_mm", "aten::_int_mm",
      "aten::_weight_int4pack_mm", "aten::_weight_int8pack_mm", "aten::einsum",
      // Attention.
      "aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math",
      "aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_efficient_attention",
      "aten::_scaled_dot_product_cudnn_attention", "aten::_flash_attention_forward",
      "aten::_efficient_attention_forward", "aten::_cudnn_attention_forward",
      "aten::_scaled_dot_product_flash_attention_backward",
      "aten::_scaled_dot_product_efficient_attention_backward",
      "aten::_scaled_dot_product_cudnn_attention_backward", "aten::_flash_attention_backward",
      "aten::_efficient_attention_backward", "aten::_native_multi_head_attention",
      "flash_attn::_flash_attn_forward", "flash_attn::_flash_attn_backward",
      "ScaledDotProductFlashAttentionBackward0", "ScaledDotProductEfficientAttentionBackward0",
      "ScaledDotProductCudnnAttentionBackward0",
      // Others.
      "aten::prelu", "aten::_thnn_fused_lstm_cell", "aten::_thnn_fused_gru_cell", "aten::lstm_cell",
      "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell", "aten::_cudnn_rnn",
      "aten::_cudnn_rnn_backward", "aten::miopen_rnn", "aten::miopen_rnn_backward",
      // Backward, names of old and new releases.
      "CudnnConvolutionBackward", "CudnnConvolutionTransposeBackward", "BmmBackward0", "MmBackward",
      "AddmvBackward", "MvBackward", "AddmmBackward", "AddbmmBackward", "CudnnConvolutionBackward0",
      "CudnnConvolutionTransposeBackward0", "BmmBackward", "MmBackward0", "AddmvBackward0",
      "MvBackward0", "AddmmBackward0", "AddbmmBackward0", "BaddbmmBackward", "BaddbmmBackward0",
      "LinearBackward0", "ConvolutionBackward0", "MiopenConvolutionBackward0", "CudnnRnnBackward0",
      "MiopenRnnBackward0", "aten::convolution_backward", "aten::cudnn_convolution_backward",
      "aten::cudnn_convolution_backward_weight", "aten::cudnn_convolution_backward_input",
      "aten::cudnn_convolution_transpose_backward",
      "aten::cudnn_convolution_transpose_backward_weight",
      "aten::cudnn_convolution_transpose_backward_input", "aten::miopen_convolution_backward",
      "aten::miopen_convolution_backward_weight", "aten::miopen_convolution_backward_input",
      "aten::linear_backward"};
  return kNames.contains(op_name);
}

std::vector<bool> TensorCoreEligible(const Model& model, const TensorCoreKernels& kernels) {
  const TraceStore& s = model.store();
  const uint32_t n = s.all_slice_count();
  std::vector<bool> eligible(n, false);
  std::vector<uint8_t> by_name(s.strings().size(), 2);
  for (SliceIndex i = 0; i < n; ++i) {
    if (model.IsOp(i)) {
      uint8_t& known = by_name[s.name_id(i)];
      if (known == 2) known = kernels.rules().Eligible(s.name(i)) ? 1 : 0;
      if (known == 1) eligible[i] = true;
    } else if (const SliceIndex op = model.SourceOp(i); op != kNone && kernels.Uses(i)) {
      eligible[op] = true;
    }
  }
  for (SliceIndex i = n; i-- > 0;) {
    if (eligible[i] && model.IsOp(i) && model.op[i] != kNone) eligible[model.op[i]] = true;
  }
  return eligible;
}

}  // namespace emberline
