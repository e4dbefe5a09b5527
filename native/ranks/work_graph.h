// What a rank did, host and devices, and what each part of it waited for.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/cancel.h"
#include "base/hash.h"
#include "model/model.h"

namespace emberline {

// Threads that launch count where they do something, and the main thread elsewhere: together they
// are one chain of parts. Linear in the slices, apart from sorting; incomplete when cancelled.
class WorkGraph {
 public:
  struct HostPart {
    Interval time;
    SliceIndex slice;  // the innermost that runs
  };
  struct Work {
    Interval time;
    SliceIndex slice = kNone;
    uint32_t before = kNone;  // in works(): what it waits for on the device
  };

  WorkGraph(const Model& model, const CancelToken& cancel);

  const Model& model() const { return m_; }
  const std::vector<HostPart>& host() const { return host_; }  // in order, not overlapping
  const std::vector<Work>& works() const { return works_; }    // by end
  // In works(); kNone for what is no work of a device.
  uint32_t WorkOf(SliceIndex slice) const { return work_of_[slice]; }
  // The work for whose end a part of the host waited; kNone where it did not wait.
  uint32_t WaitedFor(size_t part) const;

 private:
  void CollectHost(const CancelToken& cancel);
  void CollectWorks();
  void Infer(uint32_t work);

  const Model& m_;
  const TraceStore& s_;
  std::vector<HostPart> host_;
  std::vector<Work> works_;
  std::vector<uint32_t> work_of_;  // slice -> works_
  // The last copy of a call that came back after it: what that call waited for.
  std::unordered_map<SliceIndex, uint32_t, NumberHash> copies_;
};

}  // namespace emberline
