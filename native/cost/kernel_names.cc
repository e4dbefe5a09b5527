#include "cost/kernel_names.h"

#include <string>

#include "base/case.h"
#include "base/text.h"

namespace emberline {

std::optional<Part> ConvolutionPartOf(std::string_view name) {
  const std::string lower = LowerText(name);
  for (const char* word : {"dgrad", "igemm_bwd", "bwd_data", "bwddata"}) {
    if (Contains(lower, word)) return Part::kDataGradient;
  }
  for (const char* word : {"wgrad", "igemm_wrw", "bwd_weight", "bwdweight", "wrw"}) {
    if (Contains(lower, word)) return Part::kWeightGradient;
  }
  return std::nullopt;
}

bool IsHelperKernel(std::string_view name) {
  constexpr std::string_view kParts[] = {"nchwToNhwc",
                                         "nhwcToNchw",
                                         "computeOffsets",
                                         "OffsetsKernel",
                                         "generateWinogradTiles",
                                         "winogradWgradData",
                                         "winogradWgradOutput",
                                         "winogradWgradDelta",
                                         "compute_gemm_pointers",
                                         "flip_filter",
                                         "fft1d_",
                                         "fft2d_",
                                         "scaleTensor",
                                         "scalePackedTensor",
                                         "splitKreduce",
                                         "reduce_1Block_kernel",
                                         "batched_transpose",
                                         "SubTensorOpWith",
                                         "Im2d2Col",
                                         "Col2Im2d",
                                         "im2col_kernel",
                                         "col2im_kernel",
                                         "transpose_readWrite",
                                         "transpose_NCHW2CNHW",
                                         "transpose_CNHW2NCHW",
                                         "flash_bwd_dot_do_o",
                                         "flash_bwd_convert_dq",
                                         "convertTensor_kernel",
                                         "Memset"};
  for (const std::string_view part : kParts) {
    if (Contains(name, part)) return true;
  }
  return false;
}

}  // namespace emberline
