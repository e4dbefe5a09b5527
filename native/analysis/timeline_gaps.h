// Idle time of a device, gap by gap, and what the device waited for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/intervals.h"
#include "base/cancel.h"
#include "base/message.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

enum class GapReason : uint8_t {
  kLaunchLate,       // the host was busy with operators and launched late
  kSynchronization,  // the host waited for the device, then launched
  kCopy,             // a copy was prepared or waited for
  kDataLoader,       // the host waited for data
  kCollective,       // other ranks were waited for
  kHostBusy,         // the host did something outside operators
  kStartOfTrace,     // nothing had been launched yet
  kUnknown,          // the work was launched in time, or no launch was recorded
};
inline constexpr int kGapReasonCount = 8;
const char* GapReasonName(GapReason reason);

enum class GapConfidence : uint8_t { kHigh, kMedium, kLow };
const char* GapConfidenceName(GapConfidence confidence);

struct DeviceGap {
  Interval time;
  GapReason reason = GapReason::kUnknown;
  GapConfidence confidence = GapConfidence::kLow;
  SliceIndex ended_by = kNone;  // device work that ended it
  SliceIndex launch = kNone;    // the call that launched that work
  SliceIndex host = kNone;      // what the host did meanwhile: the longest such slice
  Ns host_part = 0;             // of the gap that `host` explains
};

// Every gap of at least `min_ns` between the device's work, in order of time, with the idle time
// before its first work. Linear in the slices of the device and of the launching threads.
// Errors: kCancelled.
Result<std::vector<DeviceGap>> FindGaps(const Model& model, const Device& device, Ns min_ns,
                                        const CancelToken& cancel);

// One sentence that explains the gap.
Message GapText(const Model& model, const DeviceGap& gap);

}  // namespace emberline
