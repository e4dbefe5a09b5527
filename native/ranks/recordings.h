// Several recordings of a job in one folder: of another run of the program, or of other steps.
#pragma once

#include <set>
#include <vector>

#include "ranks/digest.h"

namespace emberline {

// Of traces with known ranks, those that were recorded at another time than the ones to show, where
// several ranks have more than one trace: ranks of different times tell nothing about each other.
// Shown is the recording of most ranks, of these the one of most events, of these the first. Empty
// where times do not tell recordings apart.
std::set<const RankDigest*> OfOtherRecordings(std::vector<const RankDigest*> traces);

}  // namespace emberline
