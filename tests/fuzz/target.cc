#include "target.h"

#include <cstdio>
#include <cstdlib>

namespace emberline::fuzz {

std::span<const Target> Targets() {
  static constexpr Target kTargets[] = {
      {"trace", RunTrace, MutateTrace},    {"views", RunViews, MutateTrace},
      {"python", RunPython, MutatePython}, {"rpc", RunRpc, MutateRpc},
      {"digest", RunDigest, MutateDigest},
  };
  return kTargets;
}

const Target* FindTarget(std::string_view name) {
  for (const Target& target : Targets()) {
    if (name == target.name) return &target;
  }
  return nullptr;
}

void Broken(const std::string& what) {
  std::fprintf(stderr, "A promise is broken: %s\n", what.c_str());
  std::abort();
}

}  // namespace emberline::fuzz
