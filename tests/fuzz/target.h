// What the fuzzers run: libFuzzer (libfuzzer.cc) and the driver with fixed seeds (driver.cc) share
// targets and mutators. A target aborts where a promise is broken; sanitizers do the rest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "random.h"

namespace emberline::fuzz {

struct Target {
  const char* name;
  void (*run)(std::string_view input);
  // Changes `text` a little, in the terms of what it holds. `other`: another input to take from.
  void (*mutate)(std::string& text, std::string_view other, Random& random);
};

std::span<const Target> Targets();
const Target* FindTarget(std::string_view name);

// Ends the program with a message: a promise is broken.
[[noreturn]] void Broken(const std::string& what);

inline void Check(bool kept, const char* what) {
  if (!kept) Broken(what);
}

// trace: the reader in one piece and in small blocks, then the model.
void RunTrace(std::string_view input);
// views: every view of a trace with random parameters, which the protocol allows.
void RunViews(std::string_view input);
// python: syntax, alignment and drift. A record separator (0x1e) divides two versions of a file.
void RunPython(std::string_view input);
// rpc: framing in one piece and in small ones, JSON, and parameters against the protocol.
void RunRpc(std::string_view input);

// digest: bytes as a digest, as they are and with a right checksum; then the job and its tables.
void RunDigest(std::string_view input);

// JSON and what is nearly JSON; traces are also mutated event by event, and inside gzip.
void MutateTrace(std::string& text, std::string_view other, Random& random);
void MutatePython(std::string& text, std::string_view other, Random& random);
void MutateDigest(std::string& text, std::string_view other, Random& random);
void MutateRpc(std::string& text, std::string_view other, Random& random);

}  // namespace emberline::fuzz
