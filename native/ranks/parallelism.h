// What a process group is for.
#pragma once

#include <string>

#include "ranks/job.h"

namespace emberline {

// By the words of the group's description and name: "tensor", "pipeline", "data", "expert",
// "context", "sequence", "world", or several of them, as in "tensor and data"; "" where they do not
// tell.
std::string ParallelismOfNames(const CollectiveGroup& group);

// Of each of the job's groups, by its names or else by its members and what they exchange. Members
// alone do not tell tensor from data parallelism: groups of neighboring ranks are either.
void FindParallelism(Job* job);

}  // namespace emberline
