// What devices can do at most: operations and bytes per second, from their makers' data sheets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/op_cost.h"
#include "store/trace_store.h"

namespace emberline {

// Dense rates in TFLOP/s (10^12 operations per second, a fused multiply-add is two) with FP32
// accumulation where there is a choice; 0: the device has no such unit.
struct DevicePeaks {
  std::string name;                  // "NVIDIA H100 SXM5 80 GB"
  std::vector<std::string> aliases;  // parts of the name that a trace writes
  double fp64 = 0, fp64_matrix = 0, fp32 = 0, fp32_matrix = 0, tf32 = 0, fp16 = 0, bf16 = 0;
  double fp8 = 0, fp4 = 0, int8 = 0;
  double memory_gb_per_s = 0;  // 1 GB is 10^9 bytes
  double cache_mib = 0;        // of the last cache before memory
  double cache_gb_per_s = 0;   // 0: not published
  double link_gb_per_s = 0;    // to other devices, both directions together; 0: host bus only
  std::string source;
  // For traces whose device has no name: compute capability, multiprocessors, memory.
  int major = 0, minor = 0, multiprocessors = 0;
  double memory_gb = 0;
};

// The built-in table.
std::span<const DevicePeaks> KnownDevices();

// The entry for a device of a trace: of `own` first (the user's), then of the table, by name and
// else by compute capability, multiprocessors and memory. Null for devices that neither knows.
const DevicePeaks* FindDevice(const DeviceProperties& device,
                              std::span<const DevicePeaks> own = {});
// By what a user calls it: part of a name or alias.
const DevicePeaks* FindDeviceByName(std::string_view name, std::span<const DevicePeaks> own = {});

// The roof of one kernel.
struct Roof {
  double flops_per_s = 0;  // 0: not known
  double bytes_per_s = 0;
  const char* unit = "";  // "bf16 matrix", "fp32 vector"
};
// `matrix_call`: a kernel of its call ran 32- or 64-bit types on matrix units.
Roof RoofOf(const DevicePeaks& device, const OpCost& cost, bool matrix_call);
// What a kernel's name says about that: TF32, or FP64 products on matrix units.
bool NamesWideMatrixUnits(std::string_view kernel);

// Seconds that the work takes at least; nothing where operations and bytes are both unknown, or the
// device is.
struct RoofBound {
  double seconds = 0;
  bool memory = false;  // memory decides
};
std::optional<RoofBound> BoundOf(const Roof& roof, Amount flops, Amount bytes);

}  // namespace emberline
