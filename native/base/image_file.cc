#include "base/image_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#include <sys/vfs.h>
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/archive.h"
#include "base/errors.h"
#include "base/file.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "emberline image\n";
// Bytes between two looks at the token.
constexpr size_t kWriteStride = size_t{8} << 20;

struct FileHead {
  char magic[16];
  uint64_t head_bytes;
  uint64_t head_sum;
};
static_assert(sizeof(FileHead) == 32);

struct SectionEntry {
  std::string name;
  uint64_t offset = 0, bytes = 0, sum = 0;
  template <typename A>
  void Members(A& a) {
    a(name, offset, bytes, sum);
  }
};

struct Head {
  std::string build, key;
  uint64_t file_bytes = 0;
  std::vector<SectionEntry> sections;
  template <typename A>
  void Members(A& a) {
    a(build, key, file_bytes, sections);
  }
};

uint64_t SumOf(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t SumOf(const std::vector<std::span<const std::byte>>& pieces) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const auto& piece : pieces) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

uint64_t Aligned(uint64_t offset) {
  return (offset + ImageFile::kAlignment - 1) / ImageFile::kAlignment * ImageFile::kAlignment;
}

Error Refused(const ErrorText& text, const fs::path& path) {
  return MakeError(text, {{"path", path.string()}});
}

// Whether a mapping of the file can be trusted to stay: a network's file system may let go of a
// file that another machine deletes, and reading a page of it then ends the program.
bool OnLocalDisk([[maybe_unused]] int fd) {
#if defined(__linux__)
  struct statfs system {};
  if (fstatfs(fd, &system) != 0) return false;
  switch (static_cast<uint32_t>(system.f_type)) {
    case 0xEF53:      // ext
    case 0x58465342:  // XFS
    case 0x9123683E:  // Btrfs
    case 0x01021994:  // tmpfs
    case 0x794C7630:  // overlayfs
    case 0x2FC12FC1:  // ZFS
    case 0xF2F52010:  // F2FS
      return true;
    default:
      return false;
  }
#else
  return false;
#endif
}

bool ReadAll(int fd, std::byte* to, size_t bytes) {
  size_t at = 0;
  while (at < bytes) {
    const ssize_t got = pread(fd, to + at, bytes - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<size_t>(got);
  }
  return true;
}

// The file's bytes in memory of their own; an empty span where that cannot be had.
std::span<const std::byte> Map(int fd, size_t bytes) {
#if defined(MAP_POPULATE)
  constexpr int kAtOnce = MAP_POPULATE;
#else
  constexpr int kAtOnce = 0;
#endif
  if (OnLocalDisk(fd)) {
    void* at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | kAtOnce, fd, 0);
    if (at != MAP_FAILED) return {static_cast<const std::byte*>(at), bytes};
  }
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return {};
  if (!ReadAll(fd, static_cast<std::byte*>(at), bytes)) {
    munmap(at, bytes);
    return {};
  }
  return {static_cast<const std::byte*>(at), bytes};
}

// The identity that the linker gave to the program; "" where it gave none.
std::string FindBuildId() {
  std::string id;
#if defined(__linux__)
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_NOTE) continue;
          const auto* at = reinterpret_cast<const unsigned char*>(info->dlpi_addr + header.p_vaddr);
          const auto* end = at + header.p_memsz;
          while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            const unsigned char* name = at + sizeof note;
            const unsigned char* text = name + (note.n_namesz + 3) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0) {
              static_cast<std::string*>(out)->assign(text, text + note.n_descsz);
              return 1;
            }
            at = text + (note.n_descsz + 3) / 4 * 4;
          }
        }
        return 1;  // the program itself comes first; its libraries do not count
      },
      &id);
#endif
  return id;
}

// A file that is being written; deleted unless it was put in its place.
class Draft {
 public:
  explicit Draft(const fs::path& target) {
    static std::atomic<uint64_t> count{0};
    path_ = target.string() + ".draft." + std::to_string(getpid()) + "." + std::to_string(++count);
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  }
  ~Draft() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!placed_) ::unlink(path_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  bool ok() const { return fd_ >= 0; }
  bool Write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return true;
  }
  bool Place(const fs::path& target) {
    placed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return placed_;
  }

 private:
  std::string path_;
  int fd_ = -1;
  bool placed_ = false;
};

}  // namespace

const std::string& BuildId() {
  static const std::string id = FindBuildId();
  return id;
}

void ImageWriter::AddPieces(std::string_view name, std::vector<std::span<const std::byte>> pieces) {
  Section section{std::string(name), std::move(pieces), 0};
  for (const auto& piece : section.pieces) section.bytes += piece.size();
  sections_.push_back(std::move(section));
}

void ImageWriter::AddText(std::string_view name, std::string text) {
  texts_.push_back(std::make_unique<const std::string>(std::move(text)));
  Add(name, std::span<const char>(*texts_.back()));
}

uint64_t ImageWriter::bytes() const {
  uint64_t sum = 0;
  for (const Section& section : sections_) sum += Aligned(section.bytes);
  return sum;
}

Result<bool> ImageWriter::Write(const fs::path& path, std::string_view key,
                                const CancelToken& cancel) const {
  const Error cancelled = Cancelled();
  Head head;
  head.build = BuildId();
  head.key = key;
  for (const Section& section : sections_) {
    if (cancel.cancelled()) return cancelled;
    head.sections.push_back({section.name, 0, section.bytes, SumOf(section.pieces)});
  }
  // Offsets count from behind the head, whose length depends on them.
  uint64_t offset = 0;
  for (SectionEntry& entry : head.sections) {
    entry.offset = offset;
    offset = Aligned(offset + entry.bytes);
  }
  head.file_bytes = offset;
  ArchiveWriter archive;
  archive(head);
  const std::string text = archive.Take();
  FileHead beginning{};
  std::memcpy(beginning.magic, kMagic.data(), kMagic.size());
  beginning.head_bytes = text.size();
  beginning.head_sum = SumOf(text);

  Draft draft(path);
  if (!draft.ok())
    return MakeError(errors::kImageNotMade,
                     {{"path", path.string()}, {"reason", std::strerror(errno)}});
  const std::string filler(ImageFile::kAlignment, '\0');
  const auto write = [&](std::string_view bytes) {
    return draft.Write(std::as_bytes(std::span(bytes.data(), bytes.size())));
  };
  const auto fill = [&](uint64_t written) {
    return write(std::string_view(filler).substr(0, Aligned(written) - written));
  };
  const auto failed = [&] {
    return MakeError(errors::kImageNotWritten,
                     {{"path", path.string()}, {"reason", std::strerror(errno)}});
  };
  const uint64_t begin = sizeof beginning + text.size();
  if (!draft.Write(std::as_bytes(std::span(&beginning, 1))) || !write(text) || !fill(begin)) {
    return failed();
  }
  for (const Section& section : sections_) {
    for (std::span<const std::byte> piece : section.pieces) {
      while (!piece.empty()) {
        if (cancel.cancelled()) return cancelled;
        const size_t part = std::min(piece.size(), kWriteStride);
        if (!draft.Write(piece.first(part))) return failed();
        piece = piece.subspan(part);
      }
    }
    if (!fill(section.bytes)) return failed();
  }
  if (!draft.Place(path)) return failed();
  return true;
}

Result<std::shared_ptr<const ImageFile>> ImageFile::Open(const fs::path& path,
                                                         std::string_view key) {
  const Result<OpenedFile> opened = OpenRegularFile(path);
  if (!opened.ok()) return opened.error();
  const int fd = fileno(opened->file.get());
  struct stat status {};
  if (fstat(fd, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 022) != 0) {
    return Refused(errors::kImageShared, path);
  }
  const uint64_t bytes = opened->size_bytes;
  FileHead beginning{};
  if (bytes < sizeof beginning) return Refused(errors::kImageCut, path);
  std::shared_ptr<ImageFile> image(new ImageFile());
  image->mapped_ = Map(fd, bytes);
  if (image->mapped_.empty()) return Refused(errors::kImageNotMapped, path);
  const auto* at = image->mapped_.data();
  std::memcpy(&beginning, at, sizeof beginning);
  if (std::string_view(beginning.magic, sizeof beginning.magic) != kMagic ||
      beginning.head_bytes > bytes - sizeof beginning) {
    return Refused(errors::kNotAnImage, path);
  }
  const std::string_view text(reinterpret_cast<const char*>(at) + sizeof beginning,
                              beginning.head_bytes);
  if (SumOf(text) != beginning.head_sum) return Refused(errors::kImageDamaged, path);
  ArchiveReader archive(text);
  Head head;
  archive(head);
  if (!archive.ok() || !archive.AtEnd()) return Refused(errors::kImageDamaged, path);
  if (head.build != BuildId()) return Refused(errors::kImageOfAnotherBuild, path);
  if (head.key != key) return Refused(errors::kImageOfAnotherTrace, path);
  const uint64_t begin = Aligned(sizeof beginning + text.size());
  if (begin > bytes || head.file_bytes != bytes - begin) return Refused(errors::kImageCut, path);
  for (const SectionEntry& entry : head.sections) {
    if (entry.offset % kAlignment != 0 || entry.offset > head.file_bytes ||
        entry.bytes > head.file_bytes - entry.offset) {
      return Refused(errors::kImageDamaged, path);
    }
    const auto section = image->mapped_.subspan(begin + entry.offset, entry.bytes);
    if (SumOf({section}) != entry.sum) return Refused(errors::kImageDamaged, path);
    image->sections_[entry.name] = section;
  }
  return std::shared_ptr<const ImageFile>(std::move(image));
}

ImageFile::~ImageFile() {
  if (!mapped_.empty()) munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
}

std::span<const std::byte> ImageFile::Bytes(std::string_view name, bool* ok) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) {
    *ok = false;
    return {};
  }
  return found->second;
}

}  // namespace emberline
