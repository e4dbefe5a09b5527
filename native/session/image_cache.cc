#include "session/image_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/background.h"
#include "base/file.h"
#include "model/model_image.h"
#include "session/captures.h"
#include "store/store_image.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".trace";
constexpr const char* kKeptDigestExtension = ".digest.trace";
// A digest is worth its room of a trace that is shorter by this factor: it takes as much less.
constexpr uint64_t kDigestShare = 16;
// Bytes of a file's beginning and end that tell it from another one.
constexpr size_t kPart = 64 << 10;
// Traces that wait to be written; more are not kept.
constexpr size_t kMaxJobs = 2;
// Room that is left on the disk for others.
constexpr uint64_t kLeastFreeBytes = uint64_t{512} << 20;
// A draft as old as this has nobody who writes it.
constexpr std::chrono::hours kDraftAge(1);

std::string Hex(const void* data, size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string Hex(std::string_view text) { return Hex(text.data(), text.size()); }

#if defined(__APPLE__)
const timespec& Changed(const struct stat& s) { return s.st_ctimespec; }
const timespec& Modified(const struct stat& s) { return s.st_mtimespec; }
#else
const timespec& Changed(const struct stat& s) { return s.st_ctim; }
const timespec& Modified(const struct stat& s) { return s.st_mtim; }
#endif

fs::path FolderOfCaches() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/') {
    return folder;
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".cache" : fs::path();
}

std::optional<uint64_t> NumberOf(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return std::nullopt;
  return std::min<uint64_t>(std::strtoull(text, nullptr, 10), uint64_t{1} << 40);
}

}  // namespace

ImageCacheOptions ImageCacheOfEnvironment() {
  ImageCacheOptions options;
  const char* folder = std::getenv("EMBERLINE_TRACE_CACHE");
  if (folder != nullptr && *folder != 0) {
    if (std::string_view(folder) != "off") options.folder = folder;
  } else if (const fs::path caches = FolderOfCaches(); !caches.empty()) {
    options.folder = caches / "emberline" / "traces";
  }
  if (const auto mb = NumberOf("EMBERLINE_TRACE_CACHE_MB")) options.limit_bytes = *mb << 20;
  if (const auto kb = NumberOf("EMBERLINE_TRACE_CACHE_LEAST_KB")) {
    options.least_text_bytes = *kb << 10;
  }
  return options;
}

ImageCache::ImageCache(ImageCacheOptions options) : options_(std::move(options)) {}

ImageCache::~ImageCache() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
}

void ImageCache::Log(const std::string& text) const {
  if (options_.log) options_.log(text);
}

std::string ImageCache::KeyOf(const fs::path& trace) const {
  if (BuildId().empty()) return "";
  std::error_code fault;
  const fs::path canonical = fs::canonical(trace, fault);
  if (fault) return "";
  const Result<OpenedFile> opened = OpenRegularFile(canonical);
  if (!opened.ok()) return "";
  struct stat status {};
  if (fstat(fileno(opened->file.get()), &status) != 0) return "";
  std::string ends(2 * kPart, '\0');
  size_t read = std::fread(ends.data(), 1, kPart, opened->file.get());
  if (opened->size_bytes > kPart) {
    const uint64_t from = std::max<uint64_t>(kPart, opened->size_bytes - kPart);
    if (fseeko(opened->file.get(), static_cast<off_t>(from), SEEK_SET) != 0) return "";
    read += std::fread(ends.data() + read, 1, kPart, opened->file.get());
  }
  std::string key = canonical.string();
  for (const auto number :
       {static_cast<int64_t>(status.st_size), static_cast<int64_t>(status.st_ino),
        static_cast<int64_t>(status.st_dev), static_cast<int64_t>(Modified(status).tv_sec),
        static_cast<int64_t>(Modified(status).tv_nsec),
        static_cast<int64_t>(Changed(status).tv_sec),
        static_cast<int64_t>(Changed(status).tv_nsec)}) {
    key += '\0' + std::to_string(number);
  }
  return key + '\0' + Hex(ends.data(), read) + '\0' + Hex(CaptureState(trace));
}

fs::path ImageCache::FileOf(const fs::path& trace) const {
  std::error_code ignored;
  return options_.folder / (Hex(fs::canonical(trace, ignored).string()) + kExtension);
}

std::shared_ptr<const Model> ImageCache::Open(const fs::path& trace, const std::string& key) const {
  if (key.empty()) return nullptr;
  const fs::path file = FileOf(trace);
  const auto image = ImageFile::Open(file, key);
  if (!image.ok()) {
    if (image.error().kind != ErrorKind::kNotFound) Log(image.error().message);
    return nullptr;
  }
  auto store = StoreImage::Open(*image);
  std::shared_ptr<const Model> model;
  if (store != nullptr) model = OpenModelImage(*image, std::move(store));
  if (model == nullptr) {
    Log(file.string() + " holds no trace.");
    return nullptr;
  }
  // Its time says when it was used last.
  utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return model;
}

bool ImageCache::Wants(const TraceStore& store) const {
  return store.counts().text_bytes >= options_.least_text_bytes;
}

bool ImageCache::WantsDigest(const TraceStore& store) const {
  return store.counts().text_bytes >= options_.least_text_bytes / kDigestShare;
}

fs::path ImageCache::DigestFileOf(const fs::path& trace) const {
  const std::string key = KeyOf(trace);
  return key.empty() ? fs::path() : options_.folder / (Hex(key + BuildId()) + kKeptDigestExtension);
}

void ImageCache::Keep(const fs::path& trace, const std::string& key,
                      std::shared_ptr<const Model> model) {
  if (key.empty()) return;
  const std::lock_guard lock(mutex_);
  if (ending_ || jobs_.size() >= kMaxJobs) return;
  jobs_.push_back({trace, key, std::move(model)});
  if (!worker_.joinable()) {
    try {
      worker_ = std::thread([this] { Work(); });
    } catch (const std::system_error&) {
      jobs_.clear();  // no thread is to be had
    }
  }
  changed_.notify_all();
}

void ImageCache::Finish(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return jobs_.empty() && !working_; });
    jobs_.clear();
  }
  cancel_.Cancel();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !working_; });
}

void ImageCache::Work() {
  StandBack();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    working_ = true;
    lock.unlock();
    try {
      Write(job);
    } catch (const std::exception& fault) {
      Log("A trace was not kept: " + std::string(fault.what()));
    }
    job = {};
    lock.lock();
    working_ = false;
    changed_.notify_all();
  }
}

bool ImageCache::MakeFolder() const {
  std::error_code fault;
  if (fs::is_directory(options_.folder, fault)) return true;
  fs::create_directories(options_.folder.parent_path(), fault);
  return ::mkdir(options_.folder.c_str(), 0700) == 0 || errno == EEXIST;
}

bool ImageCache::HasRoomFor(const fs::path& trace, uint64_t bytes) const {
  if (bytes > options_.limit_bytes) {
    Log(trace.string() + " is not kept: it is larger than what may be kept.");
    return false;
  }
  if (!MakeFolder()) {
    Log(options_.folder.string() + " cannot be made: " + std::strerror(errno) + ".");
    return false;
  }
  std::error_code fault;
  const fs::space_info room = fs::space(options_.folder, fault);
  if (!fault && room.available < bytes + kLeastFreeBytes) {
    Log(trace.string() + " is not kept: the disk is nearly full.");
    return false;
  }
  return true;
}

void ImageCache::Write(const Job& job) {
  ImageWriter writer;
  StoreImage::Add(job.model->store(), &writer);
  AddModelImage(*job.model, &writer);
  const fs::path file = FileOf(job.trace);
  if (!HasRoomFor(job.trace, writer.bytes())) return;
  const Result<bool> written = writer.Write(file, job.key, cancel_);
  if (!written.ok()) {
    if (written.error().kind != ErrorKind::kCancelled) Log(written.error().message);
    return;
  }
  Evict(file);
}

void ImageCache::Evict(const fs::path& newest) const {
  struct Kept {
    fs::path path;
    fs::file_time_type used;
    uint64_t bytes = 0;
  };
  std::vector<Kept> all;
  uint64_t sum = 0;
  std::error_code fault;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(options_.folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    std::error_code gone;
    const fs::path& path = at->path();
    const std::string name = path.filename().string();
    const bool draft = name.find(".trace.draft.") != std::string::npos ||
                       name.find(std::string(kKeptDigestExtension) + ".tmp.") != std::string::npos;
    if (!draft && path.extension() != kExtension) continue;
    Kept kept{path, at->last_write_time(gone), at->file_size(gone)};
    if (gone) continue;
    if (draft) {
      if (now - kept.used > kDraftAge) fs::remove(path, gone);
      continue;
    }
    sum += kept.bytes;
    if (path != newest) all.push_back(std::move(kept));
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (const Kept& kept : all) {
    if (sum <= options_.limit_bytes) return;
    std::error_code gone;
    fs::remove(kept.path, gone);
    sum -= kept.bytes;
  }
}

}  // namespace emberline
