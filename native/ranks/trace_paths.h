// Paths of traces, where digests name them otherwise.
#pragma once

#include <string>
#include <vector>

#include "ranks/digest.h"

namespace emberline {

// Which paths of a list name a trace that has a digest. A folder may have had another path where
// the digest was made (a volume, a link), and traces of several folders the same name: as many
// parts of a path are compared, from its end, as tell it from all others of the list.
std::vector<bool> HaveDigests(const std::vector<std::string>& paths,
                              const std::vector<RankDigest>& ranks);

}  // namespace emberline
