#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/escape.h"

namespace emberline {

std::optional<Error> RefusedPath(const std::filesystem::path& path) {
  if (path.native().find('\0') == std::string::npos) return std::nullopt;
  return Error{ErrorKind::kNotFound,
               "The path " + Escaped(path.string()) + " holds a zero byte.",
               "Check the path.",
               {}};
}

Result<OpenedFile> OpenRegularFile(const std::filesystem::path& path) {
  if (auto refused = RefusedPath(path)) return *refused;
  const std::string shown = Escaped(path.string());
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    const int why = errno;
    if (why == ENOENT || why == ENOTDIR) {
      return Error{ErrorKind::kNotFound, "There is no file " + shown + ".", "Check the path.", {}};
    }
    return Error{
        ErrorKind::kUnreadable,
        "Cannot open " + shown + ": " + std::strerror(why) + ".",
        why == EACCES || why == EPERM ? "Check the permissions of the file and its folders." : "",
        {}};
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error{ErrorKind::kUnreadable,
                 shown + " is not a regular file.",
                 "Open a trace file, or the folder that holds it.",
                 {}};
  }
  OpenedFile opened;
  opened.file.reset(::fdopen(fd, "rb"));
  if (!opened.file) {
    ::close(fd);
    return Error{ErrorKind::kUnreadable, "Cannot open " + shown + ".", "", {}};
  }
  opened.size_bytes = static_cast<uint64_t>(status.st_size);
  return opened;
}

}  // namespace emberline
