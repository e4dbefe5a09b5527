// The parts of a digest: one function for each, in the file that is named after it.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "analysis/frame_finder.h"
#include "base/cancel.h"
#include "model/model.h"
#include "ranks/digest.h"

namespace emberline {

// Devices of one process that a digest tells about: more than any machine has.
inline constexpr size_t kMaxDevices = 64;

// The first of them.
inline std::span<const Device> DevicesOf(const Model& model) {
  return {model.devices.data(), std::min(model.devices.size(), kMaxDevices)};
}

struct DigestWork {
  const Model& model;
  const CollectiveList& collectives;
  FrameFinder& frames;
  const CancelToken& cancel;
};

// "computation", "communication" or "memory" of device work.
const char* WorkKind(const Model& model, SliceIndex work);
// "train.py:12 (forward)" of the innermost frame of the user's code at a slice; "" without one.
std::string PlaceOf(FrameFinder& frames, SliceIndex slice);

// What each adds to `digest`; they end early when cancelled.
void AddDeviceTimes(const DigestWork& work, RankDigest* digest);
void AddIdle(const DigestWork& work, RankDigest* digest);
void AddLaunches(const DigestWork& work, RankDigest* digest);
void AddQueues(const DigestWork& work, RankDigest* digest);
void AddCopies(const DigestWork& work, RankDigest* digest);
void AddSequences(const DigestWork& work, RankDigest* digest);
void AddOperatorKernels(const DigestWork& work, RankDigest* digest);
void AddAnnotations(const DigestWork& work, RankDigest* digest);
// Whether a slice is a named range projected on a device, and no range of hardware counters.
bool IsAnnotationOfDevice(const TraceStore& store, SliceIndex slice);
void AddCollectives(const DigestWork& work, RankDigest* digest);
void AddCounters(const DigestWork& work, RankDigest* digest);
void AddCriticalPath(const DigestWork& work, RankDigest* digest);

}  // namespace emberline
