// The ranks of a job one above the other, on its clock.
#pragma once

#include <cstddef>
#include <vector>

#include "ranks/job.h"

namespace emberline {

// A collective of a rank, or several that are too short to be told apart.
struct LaneBox {
  Ns begin = 0, end = 0;  // on the job's clock
  Ns waiting = 0;         // summed over them
  uint32_t call = 0;      // in Job::calls: the longest of them
  uint32_t count = 1;
};

struct LaneStep {
  uint32_t step = 0;  // in the rank's digest
  Ns begin = 0, end = 0;
};

struct JobLane {
  uint32_t rank = 0;    // in Job::ranks
  int64_t device = -1;  // of its collectives; -1: of all that it has
  std::vector<LaneStep> steps;
  std::vector<LaneBox> boxes;  // by begin
};

struct LaneWindow {
  Ns from = 0, to = 0;    // to <= from: the whole job
  size_t first_rank = 0;  // in Job::ranks
  size_t ranks = 32;
  size_t pixels = 1000;  // what is shorter than one of them is drawn together with its neighbors
};

struct JobLanes {
  Ns from = 0, to = 0;
  std::vector<JobLane> lanes;
};

// The lanes of a window: of each rank one, or one for each of its devices with collectives. With
// many of these, pixels become coarser, so that there are never more than some thousand boxes.
// Linear in the job's calls.
JobLanes LanesOf(const Job& job, const LaneWindow& window);

}  // namespace emberline
