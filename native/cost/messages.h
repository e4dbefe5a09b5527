// The catalog of what the cost model advises. {example} is where most is lost.
#pragma once

#include "analysis/findings.h"

namespace emberline::messages {

inline constexpr FindingText kMisalignedProducts{
    "misalignedProducts", "Matrix products are not aligned for matrix units",
    "Sizes that are not multiples of 16 bytes leave matrix units partly idle: these products reach "
    "less of the peak than the aligned ones in this trace. Most time is lost by {example}.",
    "Pad the dimensions to the multiples given above."};
inline constexpr Sentence kMisalignedExample{
    "misalignedExample", "{operator} with N={n}, K={k} (pad to N={paddedN}, K={paddedK})"};
inline constexpr FindingText kWideProducts{
    "wideProducts", "Matrix products run in fp32 where the device has a faster type",
    "These products compute in fp32, outside the fast matrix units.",
    "Allow TF32, or use automatic mixed precision.",
    "torch.set_float32_matmul_precision(\"high\")\n"
    "# or: with torch.autocast(\"cuda\", dtype=torch.bfloat16): ..."};
inline constexpr FindingText kFarBelowRoofs{
    "farBelowRoofs", "Kernels run far below the device's peaks",
    "These kernels take more than five times as long as their operations and bytes would at the "
    "device's peaks. The gain assumes {target, number, integer} of the roof. Most time is lost by "
    "{example}.",
    "Look for small sizes, slow layouts and low occupancy: batch small products, use contiguous or "
    "channels_last tensors, or compile the region."};
inline constexpr FindingText kMemoryBoundChains{
    "memoryBoundChains", "Elementwise chains are memory bound",
    "Three or more elementwise kernels in a row pass their results through memory. Fused, only the "
    "first would read and the last write; results that are used elsewhere lower the gain. The "
    "longest chain: {example}.",
    "Compile the region, so they become one kernel.", "model = torch.compile(model)"};
inline constexpr Sentence kChainExample{"chainExample", "{first} to {last}"};
inline constexpr FindingText kLayoutConversions{
    "layoutConversions", "Layout conversions take kernel time",
    "The library uses another memory layout than the program, and converts tensors before and "
    "after its own kernels{known, select, yes {, most of all for {example}} other {}}.",
    "Keep the model and its inputs in channels_last.",
    "model = model.to(memory_format=torch.channels_last)\n"
    "images = images.to(memory_format=torch.channels_last)"};
inline constexpr FindingText kSmallProducts{
    "smallProducts", "Small matrix products of the same size run one by one",
    "Three or more products of the same size follow one another, each too small to fill the "
    "device. Those that do not depend on each other could be one batched product. Most time is "
    "lost by {example}.",
    "Stack the factors and multiply them at once.",
    "out = torch.bmm(torch.stack(lefts), torch.stack(rights))"};
inline constexpr Sentence kProductExample{"productExample", "{operator} with {sizes}"};

// Evidence.
inline constexpr Sentence kAdvisedKernels{"advisedKernels", "Kernels"};
inline constexpr Sentence kAdvisedTime{"advisedTime", "Time per step"};
inline constexpr Sentence kAdvisedShare{"advisedShare", "Share of kernel time"};

// What the figures of a kernel leave out, in the list of launches.
inline constexpr Sentence kNoteRecomputed{"noteRecomputed", "recomputed"};
inline constexpr Sentence kNoteHelperKernel{"noteHelperKernel", "helper kernel"};
inline constexpr Sentence kNoteUpperBound{"noteUpperBound", "upper bound"};
inline constexpr Sentence kNoteEstimate{"noteEstimate", "estimate"};
inline constexpr Sentence kNotePartial{"notePartial", "partial"};

// tests/oracles/what_if.test.mjs measures these figures.
inline constexpr Sentence kPredictionAccuracy{
    "predictionAccuracy",
    "For four models recorded on both an H100 and an MI300X, predicted kernel times were off by 10 "
    "to 53 %, predicted step times by 2 to 24 %."};

}  // namespace emberline::messages
