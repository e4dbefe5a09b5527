// Digests as bytes and as files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ranks/digest.h"

namespace emberline {

inline constexpr const char* kDigestExtension = ".digest";

// The same digest always gives the same bytes.
std::string EncodeDigest(const JobDigest& digest);
// A file of a digest's body, which is what follows its checksum.
std::string SealDigest(std::string_view body);
// Errors: kUnreadable for what is no digest, is cut off or damaged; kUnsupported for one of another
// version.
// `own`: what this process encoded is taken as it is, whatever its trace says of times.
Result<JobDigest> DecodeDigest(std::string_view bytes, bool own = false);

// What tells a trace's content from any other: a hash of its size, its first and its last 64 KiB.
// Errors: those of opening and reading.
Result<std::string> FileId(const std::filesystem::path& path);

// Puts `other` into `into`; the order of merging does not show in the bytes of what results. Traces
// that both hold are taken once. Linear in what they hold.
void MergeDigests(JobDigest* into, JobDigest other);

// Writes what EncodeDigest() gave beside `path`, then renames, so that the file is whole or not
// there; `lasting`: also when the power fails. Errors: kUnreadable.
Result<bool> WriteDigestFile(const std::filesystem::path& path, std::string_view bytes,
                             bool lasting = true);
Result<JobDigest> ReadDigestFile(const std::filesystem::path& path);

}  // namespace emberline
