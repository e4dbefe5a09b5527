#include "cost/devices.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/case.h"
#include "base/text.h"

namespace emberline {
namespace {

bool IsWordEnd(std::string_view text, size_t at) {
  return at >= text.size() || !((text[at] >= 'a' && text[at] <= 'z') || IsDigit(text[at]));
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

}  // namespace

const DevicePeaks* FindDevice(const DeviceProperties& device, std::span<const DevicePeaks> own) {
  const std::string name = LowerText(device.name);
  if (const DevicePeaks* found = ByName(own, name)) return found;
  if (const DevicePeaks* found = ByName(KnownDevices(), name)) return found;
  // A name of a known maker that is in no table is another device, whatever it shares with one.
  if (Contains(name, "nvidia") || Contains(name, "instinct")) return nullptr;
  const DevicePeaks* best = nullptr;
  double nearest = 0.1;  // of the memory; recorded sizes leave out what is reserved
  for (const DevicePeaks& known : KnownDevices()) {
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
      if (Contains(LowerText(device.name), wanted)) return &device;
      for (const std::string& alias : device.aliases) {
        if (Contains(LowerText(alias), wanted)) return &device;
      }
    }
  }
  return nullptr;
}

bool NamesWideMatrixUnits(std::string_view kernel) {
  constexpr std::string_view kParts[] = {"tf32", "s1688", "xmma", "nvjet", "tensorop",
                                         "s884", "d884",  "dmma", "MFMA",  "_MI"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return Contains(kernel, part); });
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

std::optional<RoofBound> BoundOf(const Roof& roof, Amount flops, Amount bytes) {
  const bool counts = flops.known() && (flops.value() == 0 || roof.flops_per_s > 0);
  const bool moves = bytes.known() && roof.bytes_per_s > 0;
  if (!counts && !moves) return std::nullopt;
  const double compute =
      counts && flops.value() > 0 ? static_cast<double>(flops.value()) / roof.flops_per_s : 0;
  const double memory = moves ? static_cast<double>(bytes.value()) / roof.bytes_per_s : 0;
  // One side alone that is nothing tells nothing.
  if (compute == 0 && memory == 0) return std::nullopt;
  return RoofBound{std::max(compute, memory), memory >= compute};
}

}  // namespace emberline
