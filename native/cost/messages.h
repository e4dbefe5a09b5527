// The catalogue of what the cost model advises. {example} is where most is lost.
#pragma once

#include "analysis/findings.h"

namespace emberline::messages {

inline constexpr FindingText kMisalignedProducts{
    "misalignedProducts", "Matrix products miss the alignment of matrix units",
    "Sizes that are no multiple of 16 bytes leave matrix units partly idle: these products come "
    "less near to the peak than the aligned ones of this trace. Most is lost by {example}.",
    "Pad the dimension (vocabulary, hidden size, batch) to the multiple that is named."};
inline constexpr Sentence kMisalignedExample{
    "misalignedExample", "{operator} with N={n}, K={k} (pad to N={paddedN}, K={paddedK})"};
inline constexpr FindingText kWideProducts{
    "wideProducts", "Matrix products run in fp32 where the device has a faster type",
    "These products compute in fp32 outside of the fast matrix units.",
    "Allow TF32, or use automatic mixed precision.",
    "torch.set_float32_matmul_precision(\"high\")\n"
    "# or: with torch.autocast(\"cuda\", dtype=torch.bfloat16): ..."};
inline constexpr FindingText kFarBelowRoofs{
    "farBelowRoofs", "Kernels stay far below both roofs",
    "These kernels need more than five times what their operations and bytes take at the device's "
    "peaks. The gain is counted up to {target, number, integer} of the roof. Most is lost by "
    "{example}.",
    "Look for small sizes, slow layouts and low occupancy: batch small products, use contiguous or "
    "channels_last tensors, or compile the region."};
inline constexpr FindingText kMemoryBoundChains{
    "memoryBoundChains", "Chains of elementwise kernels are limited by memory",
    "Three or more elementwise kernels in a row read and write memory in between. Fused, only the "
    "first would read and the last write; results that are used elsewhere lower the gain. The "
    "longest is {example}.",
    "Compile the region, so that they become one kernel.", "model = torch.compile(model)"};
inline constexpr Sentence kChainExample{"chainExample", "{first} to {last}"};
inline constexpr FindingText kLayoutConversions{
    "layoutConversions", "Kernels only convert the layout of tensors",
    "The library stores images otherwise than the program, and converts them before and after its "
    "own kernels{known, select, yes {, most of all for {example}} other {}}.",
    "Keep the model and its inputs in channels_last.",
    "model = model.to(memory_format=torch.channels_last)\n"
    "images = images.to(memory_format=torch.channels_last)"};
inline constexpr FindingText kSmallProducts{
    "smallProducts", "Small matrix products of the same sizes run one after the other",
    "Three or more products of the same sizes follow one another, each too small to fill the "
    "device. Those that need no result of another could be one batched product. Most is lost by "
    "{example}.",
    "Stack the factors, and multiply them at once.",
    "out = torch.bmm(torch.stack(lefts), torch.stack(rights))"};
inline constexpr Sentence kProductExample{"productExample", "{operator} with {sizes}"};

// Evidence.
inline constexpr Sentence kAdvisedKernels{"advisedKernels", "Kernels"};
inline constexpr Sentence kAdvisedTime{"advisedTime", "Time of these kernels per step"};
inline constexpr Sentence kAdvisedShare{"advisedShare", "Part of the kernels' time"};

}  // namespace emberline::messages
