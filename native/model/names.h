// What a name tells about a slice: the naming conventions of PyTorch's recorders.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace emberline {

enum class RangeKind : uint8_t {
  kPlain,                    // an operator, or a range without a special meaning
  kStep,                     // ProfilerStep#N
  kDataLoader,               // enumerate(DataLoader)#X.__next__, enumerate(DataPipe)#X
  kOptimizer,                // Optimizer.step#X, Optimizer.zero_grad#X
  kDataParallel,             // DataParallel.forward
  kDistributedDataParallel,  // DistributedDataParallel.forward
};

// Meaning of a host range's name; the same for operators and user annotations, because PyTorch
// before 1.10 recorded both under one category.
RangeKind ClassifyRange(std::string_view name);

// N of "ProfilerStep#N"; nothing when the name is no step or N is no integer.
std::optional<int64_t> StepNumber(std::string_view name);

// Library of a host-side collective ("nccl:all_reduce" -> "nccl"); "" for other names.
std::string_view CollectiveLibrary(std::string_view name);

// True for kernels that communicate between devices, by their name: NCCL, RCCL, MSCCL, NVSHMEM,
// DeepEP, and the collectives of inference servers.
bool IsCommunicationKernelName(std::string_view name);

// True for kernels that send the tokens of experts to their devices, or back from there.
bool IsTokenExchangeName(std::string_view name);

// True for runtime and driver calls by which the host waits for the device: synchronization of a
// stream, an event, a queue or a device, and copies that return when they are done. CUDA, HIP, XPU
// (Unified Runtime, Level Zero, the older plugin interface) and MTIA alike.
bool IsSynchronizingCall(std::string_view name);

// True for the names of autograd nodes: "autograd::engine::evaluate_function: X", "XBackward",
// "XBackward0".
bool IsBackwardName(std::string_view name);

// What the frame of a module's call begins with: "nn.Module: Linear_3".
inline constexpr std::string_view kModulePrefix = "nn.Module: ";

// What a python_function slice's name says about passes of training.
enum class FrameKind : uint8_t {
  kOther,
  kModule,      // "nn.Module: Linear_3"
  kCheckpoint,  // a function of torch/utils/checkpoint.py that runs in forward
  kRecompute,   // one that runs in backward, to compute again what was not kept
  kEngine,      // a call into the autograd engine: what it runs is backward
};
FrameKind ClassifyFrame(std::string_view python_function_name);

}  // namespace emberline
