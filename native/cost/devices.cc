#include "cost/devices.h"

#include <algorithm>
#include <cmath>

#include "base/case.h"

namespace emberline {
namespace {

// Makers of Ada and newer NVIDIA devices print rates for sparse matrices, which are twice these.
const std::vector<DevicePeaks>& Table() {
  static const std::vector<DevicePeaks> table = {
      {.name = "NVIDIA V100 SXM2",
       .aliases = {"v100-sxm2", "v100-sxm3", "v100-dgxs"},
       .fp64 = 7.8,
       .fp32 = 15.7,
       .fp16 = 125,
       .memory_gb_per_s = 900,
       .cache_mib = 6,
       .link_gb_per_s = 300,
       .source = "NVIDIA V100 data sheet",
       .major = 7,
       .minor = 0,
       .multiprocessors = 80},
      {.name = "NVIDIA V100 PCIe",
       .aliases = {"v100-pcie"},
       .fp64 = 7.0,
       .fp32 = 14.0,
       .fp16 = 112,
       .memory_gb_per_s = 900,
       .cache_mib = 6,
       .source = "NVIDIA V100 data sheet"},
      {.name = "NVIDIA T4",
       .aliases = {"tesla t4", "nvidia t4"},
       .fp64 = 0.25,
       .fp32 = 8.1,
       .fp16 = 65,
       .int8 = 130,
       .memory_gb_per_s = 320,
       .cache_mib = 4,
       .source = "NVIDIA T4 data sheet",
       .major = 7,
       .minor = 5,
       .multiprocessors = 40},
      {.name = "NVIDIA GeForce RTX 2080 Ti",
       .aliases = {"rtx 2080 ti"},
       .fp64 = 0.42,
       .fp32 = 13.4,
       .fp16 = 53.8,
       .int8 = 215,
       .memory_gb_per_s = 616,
       .cache_mib = 5.5,
       .source = "NVIDIA Turing white paper",
       .major = 7,
       .minor = 5,
       .multiprocessors = 68},
      {.name = "NVIDIA A10",
       .aliases = {"nvidia a10"},
       .fp64 = 0.49,
       .fp32 = 31.2,
       .tf32 = 62.5,
       .fp16 = 125,
       .bf16 = 125,
       .int8 = 250,
       .memory_gb_per_s = 600,
       .cache_mib = 6,
       .source = "NVIDIA A10 data sheet",
       .major = 8,
       .minor = 6,
       .multiprocessors = 72},
      {.name = "NVIDIA A100 40 GB",
       .aliases = {"a100-sxm4-40gb", "a100-pcie-40gb", "a100-pg509-200"},
       .fp64 = 9.7,
       .fp64_matrix = 19.5,
       .fp32 = 19.5,
       .tf32 = 156,
       .fp16 = 312,
       .bf16 = 312,
       .int8 = 624,
       .memory_gb_per_s = 1555,
       .cache_mib = 40,
       .link_gb_per_s = 600,
       .source = "NVIDIA A100 data sheet",
       .major = 8,
       .minor = 0,
       .multiprocessors = 108,
       .memory_gb = 42},
      {.name = "NVIDIA A100 SXM4 80 GB",
       .aliases = {"a100-sxm4-80gb"},
       .fp64 = 9.7,
       .fp64_matrix = 19.5,
       .fp32 = 19.5,
       .tf32 = 156,
       .fp16 = 312,
       .bf16 = 312,
       .int8 = 624,
       .memory_gb_per_s = 2039,
       .cache_mib = 40,
       .link_gb_per_s = 600,
       .source = "NVIDIA A100 data sheet",
       .major = 8,
       .minor = 0,
       .multiprocessors = 108,
       .memory_gb = 85},
      {.name = "NVIDIA A100 PCIe 80 GB",
       .aliases = {"a100 80gb pcie"},
       .fp64 = 9.7,
       .fp64_matrix = 19.5,
       .fp32 = 19.5,
       .tf32 = 156,
       .fp16 = 312,
       .bf16 = 312,
       .int8 = 624,
       .memory_gb_per_s = 1935,
       .cache_mib = 40,
       .source = "NVIDIA A100 data sheet"},
      {.name = "NVIDIA GeForce RTX 3060",
       .aliases = {"rtx 3060"},
       .fp64 = 0.2,
       .fp32 = 12.7,
       .tf32 = 12.7,
       .fp16 = 25.5,
       .bf16 = 25.5,
       .int8 = 102,
       .memory_gb_per_s = 360,
       .cache_mib = 3,
       .source = "28 multiprocessors at 1.777 GHz by the rates of the NVIDIA GA102 white paper",
       .major = 8,
       .minor = 6,
       .multiprocessors = 28},
      {.name = "NVIDIA GeForce RTX 3090",
       .aliases = {"rtx 3090"},
       .fp64 = 0.56,
       .fp32 = 35.6,
       .tf32 = 35.6,
       .fp16 = 71,
       .bf16 = 71,
       .int8 = 284,
       .memory_gb_per_s = 936,
       .cache_mib = 6,
       .source = "NVIDIA GA102 white paper",
       .major = 8,
       .minor = 6,
       .multiprocessors = 82},
      {.name = "NVIDIA L4",
       .aliases = {"nvidia l4"},
       .fp64 = 0.47,
       .fp32 = 30.3,
       .tf32 = 60,
       .fp16 = 121,
       .bf16 = 121,
       .fp8 = 242.5,
       .int8 = 242.5,
       .memory_gb_per_s = 300,
       .cache_mib = 48,
       .source = "NVIDIA L4 data sheet, halved",
       .major = 8,
       .minor = 9,
       .multiprocessors = 58},
      {.name = "NVIDIA L40S",
       .aliases = {"l40s"},
       .fp64 = 1.43,
       .fp32 = 91.6,
       .tf32 = 183,
       .fp16 = 362,
       .bf16 = 362,
       .fp8 = 733,
       .int8 = 733,
       .memory_gb_per_s = 864,
       .cache_mib = 96,
       .source = "NVIDIA L40S data sheet",
       .major = 8,
       .minor = 9,
       .multiprocessors = 142},
      {.name = "NVIDIA GeForce RTX 4090",
       .aliases = {"rtx 4090"},
       .fp64 = 1.29,
       .fp32 = 82.6,
       .tf32 = 82.6,
       .fp16 = 165.2,
       .bf16 = 165.2,
       .fp8 = 330.3,
       .int8 = 660.6,
       .memory_gb_per_s = 1008,
       .cache_mib = 72,
       .source = "NVIDIA Ada white paper",
       .major = 8,
       .minor = 9,
       .multiprocessors = 128},
      {.name = "NVIDIA H100 SXM5 80 GB",
       .aliases = {"h100 80gb hbm3", "h100 sxm"},
       .fp64 = 34,
       .fp64_matrix = 67,
       .fp32 = 67,
       .tf32 = 494.7,
       .fp16 = 989.4,
       .bf16 = 989.4,
       .fp8 = 1978.9,
       .int8 = 1978.9,
       .memory_gb_per_s = 3352,
       .cache_mib = 50,
       .link_gb_per_s = 900,
       .source = "NVIDIA H100 data sheet and Hopper white paper",
       .major = 9,
       .minor = 0,
       .multiprocessors = 132,
       .memory_gb = 85},
      {.name = "NVIDIA H100 PCIe",
       .aliases = {"h100 pcie"},
       .fp64 = 26,
       .fp64_matrix = 51,
       .fp32 = 51,
       .tf32 = 378,
       .fp16 = 756,
       .bf16 = 756,
       .fp8 = 1513,
       .int8 = 1513,
       .memory_gb_per_s = 2039,
       .cache_mib = 50,
       .link_gb_per_s = 600,
       .source = "NVIDIA H100 data sheet",
       .major = 9,
       .minor = 0,
       .multiprocessors = 114},
      {.name = "NVIDIA H100 NVL",
       .aliases = {"h100 nvl"},
       .fp64 = 30,
       .fp64_matrix = 60,
       .fp32 = 60,
       .tf32 = 417.5,
       .fp16 = 835.5,
       .bf16 = 835.5,
       .fp8 = 1670.5,
       .int8 = 1670.5,
       .memory_gb_per_s = 3938,
       .cache_mib = 50,
       .link_gb_per_s = 600,
       .source = "NVIDIA H100 data sheet",
       .major = 9,
       .minor = 0,
       .multiprocessors = 132,
       .memory_gb = 100},
      {.name = "NVIDIA H200 SXM",
       .aliases = {"h200"},
       .fp64 = 34,
       .fp64_matrix = 67,
       .fp32 = 67,
       .tf32 = 494.7,
       .fp16 = 989.4,
       .bf16 = 989.4,
       .fp8 = 1978.9,
       .int8 = 1978.9,
       .memory_gb_per_s = 4800,
       .cache_mib = 50,
       .link_gb_per_s = 900,
       .source = "NVIDIA H200 data sheet",
       .major = 9,
       .minor = 0,
       .multiprocessors = 132,
       .memory_gb = 150},
      {.name = "NVIDIA B200",
       .aliases = {"b200"},
       .fp64 = 37,
       .fp64_matrix = 37,
       .fp32 = 75,
       .tf32 = 1125,
       .fp16 = 2250,
       .bf16 = 2250,
       .fp8 = 4500,
       .fp4 = 9000,
       .int8 = 4500,
       .memory_gb_per_s = 8000,
       .cache_mib = 126,
       .link_gb_per_s = 1800,
       .source = "NVIDIA Blackwell data sheet",
       .major = 10,
       .minor = 0,
       .multiprocessors = 148},
      {.name = "AMD Instinct MI210",
       .aliases = {"mi210"},
       .fp64 = 22.6,
       .fp64_matrix = 45.3,
       .fp32 = 22.6,
       .fp32_matrix = 45.3,
       .fp16 = 181,
       .bf16 = 181,
       .int8 = 181,
       .memory_gb_per_s = 1638,
       .cache_mib = 8,
       .link_gb_per_s = 300,
       .source = "AMD MI210 brochure",
       .major = 9,
       .minor = 0,
       .multiprocessors = 104,
       .memory_gb = 68.7},
      {.name = "AMD Instinct MI250X, one die",
       .aliases = {"mi250"},
       .fp64 = 23.9,
       .fp64_matrix = 47.9,
       .fp32 = 23.9,
       .fp32_matrix = 47.9,
       .fp16 = 191.5,
       .bf16 = 191.5,
       .int8 = 191.5,
       .memory_gb_per_s = 1638,
       .cache_mib = 8,
       .source = "AMD MI250X data sheet, halved",
       .major = 9,
       .minor = 0,
       .multiprocessors = 110,
       .memory_gb = 68.7},
      {.name = "AMD Instinct MI300X",
       .aliases = {"mi300x"},
       .fp64 = 81.7,
       .fp64_matrix = 163.4,
       .fp32 = 163.4,
       .fp32_matrix = 163.4,
       .tf32 = 653.7,
       .fp16 = 1307.4,
       .bf16 = 1307.4,
       .fp8 = 2614.9,
       .int8 = 2614.9,
       .memory_gb_per_s = 5325,
       .cache_mib = 256,
       .cache_gb_per_s = 17200,
       .link_gb_per_s = 896,
       .source = "AMD MI300X data sheet",
       .major = 9,
       .minor = 4,
       .multiprocessors = 304,
       .memory_gb = 206},
      {.name = "AMD Instinct MI325X",
       .aliases = {"mi325x"},
       .fp64 = 81.7,
       .fp64_matrix = 163.4,
       .fp32 = 163.4,
       .fp32_matrix = 163.4,
       .tf32 = 653.7,
       .fp16 = 1307.4,
       .bf16 = 1307.4,
       .fp8 = 2614.9,
       .int8 = 2614.9,
       .memory_gb_per_s = 6000,
       .cache_mib = 256,
       .cache_gb_per_s = 17200,
       .link_gb_per_s = 896,
       .source = "AMD MI325X data sheet",
       .major = 9,
       .minor = 4,
       .multiprocessors = 304,
       .memory_gb = 275},
      {.name = "AMD Instinct MI355X",
       .aliases = {"mi355x"},
       .fp64 = 78.6,
       .fp64_matrix = 78.6,
       .fp32 = 157.3,
       .fp32_matrix = 157.3,
       .fp16 = 2516.6,
       .bf16 = 2516.6,
       .fp8 = 5033.2,
       .fp4 = 10066,
       .int8 = 5033.2,
       .memory_gb_per_s = 8000,
       .cache_mib = 256,
       .link_gb_per_s = 1075,
       .source = "AMD MI355X data sheet",
       .major = 9,
       .minor = 5,
       .multiprocessors = 256},
  };
  return table;
}

bool IsWordEnd(std::string_view text, size_t at) {
  return at >= text.size() ||
         !((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= '0' && text[at] <= '9'));
}

// Length of the longest alias that `name` holds as whole words; 0 for none. Both in lower case.
size_t AliasIn(const DevicePeaks& device, std::string_view name) {
  size_t longest = 0;
  for (const std::string& alias : device.aliases) {
    const std::string lower = LowerText(alias);
    const size_t at = name.find(lower);
    if (!lower.empty() && at != std::string_view::npos && IsWordEnd(name, at + lower.size())) {
      longest = std::max(longest, lower.size());
    }
  }
  return longest;
}

const DevicePeaks* ByName(std::span<const DevicePeaks> devices, std::string_view name) {
  const DevicePeaks* best = nullptr;
  size_t longest = 0;
  for (const DevicePeaks& device : devices) {
    const size_t length = AliasIn(device, name);
    if (length > longest) {
      longest = length;
      best = &device;
    }
  }
  return best;
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::span<const DevicePeaks> KnownDevices() { return Table(); }

const DevicePeaks* FindDevice(const DeviceProperties& device, std::span<const DevicePeaks> own) {
  const std::string name = LowerText(device.name);
  if (const DevicePeaks* found = ByName(own, name)) return found;
  if (const DevicePeaks* found = ByName(Table(), name)) return found;
  // A name of a known maker that is in no table is another device, whatever it shares with one.
  if (Has(name, "nvidia") || Has(name, "instinct")) return nullptr;
  const DevicePeaks* best = nullptr;
  double nearest = 0.1;  // of the memory; recorded sizes leave out what is reserved
  for (const DevicePeaks& known : Table()) {
    if (known.memory_gb <= 0 || known.major != device.compute_major ||
        known.minor != device.compute_minor || known.multiprocessors != device.num_sms) {
      continue;
    }
    const double off =
        std::abs(static_cast<double>(device.total_global_mem) / 1e9 / known.memory_gb - 1);
    if (off < nearest) {
      nearest = off;
      best = &known;
    }
  }
  return best;
}

const DevicePeaks* FindDeviceByName(std::string_view name, std::span<const DevicePeaks> own) {
  const std::string wanted = LowerText(name);
  if (wanted.empty()) return nullptr;
  for (const std::span<const DevicePeaks> devices : {own, KnownDevices()}) {
    if (const DevicePeaks* found = ByName(devices, wanted)) return found;
    for (const DevicePeaks& device : devices) {
      if (Has(LowerText(device.name), wanted)) return &device;
      for (const std::string& alias : device.aliases) {
        if (Has(LowerText(alias), wanted)) return &device;
      }
    }
  }
  return nullptr;
}

bool NamesWideMatrixUnits(std::string_view kernel) {
  constexpr std::string_view kParts[] = {"tf32", "s1688", "xmma", "nvjet", "tensorop",
                                         "s884", "d884",  "dmma", "MFMA",  "_MI"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return Has(kernel, part); });
}

Roof RoofOf(const DevicePeaks& device, const OpCost& cost, bool matrix_call) {
  Roof roof;
  roof.bytes_per_s = device.memory_gb_per_s * 1e9;
  const auto take = [&](double tera, const char* unit) {
    roof.flops_per_s = tera * 1e12;
    roof.unit = unit;
  };
  if (!cost.matrix) {
    if (cost.type == DType::kFloat64) {
      take(device.fp64, "fp64 vector");
    } else {
      take(device.fp32, "fp32 vector");
    }
    return roof;
  }
  // The next wider type that the device has stands in for one that it lacks.
  const auto first = [&](std::initializer_list<std::pair<double, const char*>> choices) {
    for (const auto& [tera, unit] : choices) {
      if (tera > 0) return take(tera, unit);
    }
  };
  switch (cost.type) {
    case DType::kFloat4x2:
      first({{device.fp4, "fp4 matrix"}, {device.fp8, "fp8 matrix"}, {device.fp16, "fp16 matrix"}});
      break;
    case DType::kFloat8:
      first({{device.fp8, "fp8 matrix"}, {device.fp16, "fp16 matrix"}});
      break;
    case DType::kInt8:
    case DType::kUInt8:
      first({{device.int8, "int8 matrix"}, {device.fp16, "fp16 matrix"}});
      break;
    case DType::kFloat16:
      first({{device.fp16, "fp16 matrix"}, {device.fp32, "fp32 vector"}});
      break;
    case DType::kBFloat16:
      first({{device.bf16, "bf16 matrix"},
             {device.fp16, "fp16 matrix"},
             {device.fp32, "fp32 vector"}});
      break;
    case DType::kFloat64:
    case DType::kComplex128:
      if (matrix_call) {
        first({{device.fp64_matrix, "fp64 matrix"}, {device.fp64, "fp64 vector"}});
      } else {
        first({{device.fp64, "fp64 vector"}});
      }
      break;
    case DType::kFloat32:
    case DType::kComplex64: {
      // AMD's matrix units take fp32 as it is.
      if (matrix_call && device.fp32_matrix == 0) {
        first({{device.tf32, "tf32 matrix"}, {device.fp16, "fp16 matrix"}});
      }
      if (roof.flops_per_s == 0) {
        first({{device.fp32_matrix, "fp32 matrix"}, {device.fp32, "fp32 vector"}});
      }
      break;
    }
    default:
      break;  // no roof without a type
  }
  return roof;
}

std::optional<Bound> BoundOf(const Roof& roof, Amount flops, Amount bytes) {
  const bool counts = flops.known() && (flops.value() == 0 || roof.flops_per_s > 0);
  const bool moves = bytes.known() && roof.bytes_per_s > 0;
  if (!counts && !moves) return std::nullopt;
  const double compute =
      counts && flops.value() > 0 ? static_cast<double>(flops.value()) / roof.flops_per_s : 0;
  const double memory = moves ? static_cast<double>(bytes.value()) / roof.bytes_per_s : 0;
  // One side alone that is nothing tells nothing.
  if (compute == 0 && memory == 0) return std::nullopt;
  return Bound{std::max(compute, memory), memory >= compute};
}

}  // namespace emberline
