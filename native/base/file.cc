#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "base/escape.h"

namespace emberline {

std::optional<Error> RefusedPath(const std::filesystem::path& path) {
  if (path.native().find('\0') == std::string::npos) return std::nullopt;
  return MakeError(errors::kZeroByteInPath, {{"path", Escaped(path.string())}});
}

std::string WhyNotWritten(int error) {
  static constexpr std::pair<int, const Sentence*> kReasons[] = {
      {ENOENT, &errors::kFolderIsMissing}, {ENOTDIR, &errors::kFolderIsNone},
      {EEXIST, &errors::kFolderIsNone},    {EACCES, &errors::kPermissionDenied},
      {EPERM, &errors::kPermissionDenied}, {EROFS, &errors::kReadOnlyFiles},
      {ENOSPC, &errors::kNoSpaceLeft},     {EDQUOT, &errors::kNoSpaceLeft},
      {EISDIR, &errors::kIsAFolder},       {ENAMETOOLONG, &errors::kNameTooLong},
      {EFBIG, &errors::kFileTooLarge},     {EPIPE, &errors::kNobodyReads},
      {0, &errors::kWriteFailed},
  };
  for (const auto& [number, why] : kReasons) {
    if (number == error) return Say(*why).text;
  }
  // What is rarer is said in the words of the system.
  return std::strerror(error);
}

Result<OpenedFile> OpenRegularFile(const std::filesystem::path& path) {
  if (auto refused = RefusedPath(path)) return *refused;
  const std::string shown = Escaped(path.string());
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    const int why = errno;
    if (why == ENOENT || why == ENOTDIR) {
      return MakeError(errors::kNoSuchFile, {{"path", shown}});
    }
    return MakeError(why == EACCES || why == EPERM ? errors::kNotAllowed : errors::kCannotOpen,
                     {{"path", shown}, {"reason", std::strerror(why)}});
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return MakeError(errors::kNotRegular, {{"path", shown}});
  }
  OpenedFile opened;
  opened.file.reset(::fdopen(fd, "rb"));
  if (!opened.file) {
    const int why = errno;
    ::close(fd);
    return MakeError(errors::kCannotOpen, {{"path", shown}, {"reason", std::strerror(why)}});
  }
  opened.size_bytes = static_cast<uint64_t>(status.st_size);
  return opened;
}

}  // namespace emberline
