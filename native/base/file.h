// Opening files that others wrote.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace emberline {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

struct OpenedFile {
  FilePtr file;
  uint64_t size_bytes = 0;  // at the time of opening; the file may grow or shrink while it is read
};

// Why a path cannot be one: a zero byte in it ends what the system sees of it, so that another file
// would be opened. Nothing for any other path.
std::optional<Error> RefusedPath(const std::filesystem::path& path);

// Opens a regular file for reading. Never waits: what is behind the path is judged after opening,
// so that a pipe or a device that takes a file's place is refused. Errors: kNotFound, kUnreadable.
Result<OpenedFile> OpenRegularFile(const std::filesystem::path& path);

// Why a file or a folder could not be written: the words behind a colon, of errno's value.
std::string WhyNotWritten(int error);

}  // namespace emberline
