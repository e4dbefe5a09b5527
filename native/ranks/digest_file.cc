#include "ranks/digest_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <system_error>
#include <type_traits>
#include <unordered_map>

#include "base/archive.h"
#include "base/file.h"
#include "ranks/errors.h"

namespace emberline {

// Beside the structs' own, which the archive finds by their namespace.
template <typename A>
void Members(A& a, Sketch& sketch) {
  a(sketch.bins_);
  for (size_t i = 1; i < sketch.bins_.size(); ++i) {
    if (sketch.bins_[i - 1].first >= sketch.bins_[i].first) a.Fail();
  }
}
template <typename A>
void Members(A& a, Stat& stat) {
  a(stat.count, stat.sum, stat.squares, stat.min, stat.max, stat.max_rank, stat.sketch);
}
template <typename A>
void Members(A& a, CollectiveGroup& g) {
  a(g.name, g.description, g.ranks, g.complete, g.size, g.lane);
}

namespace {

constexpr std::string_view kMagic = "emberline digest\n";
// Below what any job can need, and more than a machine should read for one file.
constexpr uint64_t kMaxDigestBytes = uint64_t{4} << 30;

// FNV-1a, which is the same in every process.
class StableHasher {
 public:
  void Add(std::string_view bytes) {
    for (const char c : bytes) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
  }
  // Finished as MurmurHash3 does, so that every bit counts.
  uint64_t value() const {
    uint64_t h = hash_;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
  }

 private:
  uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// Eight bytes a step: digests of large jobs have hundreds of megabytes.
uint64_t Checksum(std::string_view bytes) {
  uint64_t h = bytes.size() * 0x9e3779b97f4a7c15ULL;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    h = (h ^ word) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
  }
  StableHasher rest;
  rest.Add(bytes.substr(at));
  return h ^ rest.value();
}

std::string Hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

bool ReferencesHold(const RankDigest& rank) {
  const auto steps = static_cast<int64_t>(rank.steps.size());
  const auto in_steps = [&](const auto& one) { return one.step >= -1 && one.step < steps; };
  return std::all_of(rank.collectives.begin(), rank.collectives.end(),
                     [&](const CollectiveDigest& c) {
                       return c.group < rank.groups.size() && c.op < kCollectiveOpCount &&
                              in_steps(c);
                     }) &&
         std::all_of(rank.times.begin(), rank.times.end(), in_steps);
}

// True where sums of the times stay in range: each is shorter than some years.
bool TimesHold(const RankDigest& rank) {
  constexpr Ns kYears = Ns{1} << 57;
  const auto sound = [](Ns time) { return time > -kYears && time < kYears; };
  if (rank.base_ns < -(int64_t{1} << 61) || rank.base_ns > int64_t{1} << 62) return false;
  return sound(rank.end) &&
         std::all_of(rank.steps.begin(), rank.steps.end(),
                     [&](const StepDigest& s) { return sound(s.begin) && sound(s.end); }) &&
         std::all_of(rank.collectives.begin(), rank.collectives.end(),
                     [&](const CollectiveDigest& c) {
                       return sound(c.start) && sound(c.duration) && sound(c.launched) &&
                              sound(c.since) && sound(c.exposed) && sound(c.exposed_before) &&
                              std::all_of(c.before.begin(), c.before.end(),
                                          [&](const Activity& a) { return sound(a.time); });
                     }) &&
         std::all_of(rank.times.begin(), rank.times.end(),
                     [&](const DeviceTime& t) {
                       return sound(t.length) && sound(t.computation) && sound(t.overlap) &&
                              sound(t.communication) && sound(t.busy) &&
                              std::all_of(t.combinations.begin(), t.combinations.end(), sound);
                     }) &&
         std::all_of(rank.idle.begin(), rank.idle.end(),
                     [&](const IdleDigest& i) {
                       return sound(i.time) && sound(i.shortest) && sound(i.longest) &&
                              sound(i.lower) && sound(i.median) && sound(i.upper);
                     }) &&
         std::all_of(rank.critical_path.begin(), rank.critical_path.end(),
                     [&](const PathDigest& p) {
                       return sound(p.time) && sound(p.host) && sound(p.device) && sound(p.whole) &&
                              sound(p.without);
                     });
}

bool Before(const RankDigest& a, const RankDigest& b) {
  return std::tie(a.rank, a.file_id) < std::tie(b.rank, b.file_id);
}

bool KernelsHold(const JobDigest& digest) {
  return std::all_of(digest.kernels.begin(), digest.kernels.end(), [&](const auto& kernel) {
    const std::vector<KernelStat>& stats = kernel.second;
    for (size_t i = 0; i < stats.size(); ++i) {
      if (stats[i].trace >= digest.ranks.size()) return false;
      if (i > 0 && stats[i - 1].trace >= stats[i].trace) return false;
    }
    return true;
  });
}

// Where the traces of two digests are in what is merged of them.
struct Places {
  std::vector<uint32_t> first, second;
};

std::vector<RankDigest> MergeTraces(std::vector<RankDigest> first, std::vector<RankDigest> second,
                                    Places* places) {
  std::vector<RankDigest> merged;
  merged.reserve(first.size() + second.size());
  const auto take = [&](RankDigest& trace, std::vector<uint32_t>* list) {
    list->push_back(static_cast<uint32_t>(merged.size()));
    merged.push_back(std::move(trace));
  };
  size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    if (j == second.size() || (i < first.size() && Before(first[i], second[j]))) {
      take(first[i++], &places->first);
    } else if (i == first.size() || Before(second[j], first[i])) {
      take(second[j++], &places->second);
    } else {
      // The same file, maybe in two places: one of them, whichever came first.
      RankDigest &one = first[i++], &same = second[j++];
      const bool keeps = std::tie(one.path, one.worker) <= std::tie(same.path, same.worker);
      places->second.push_back(static_cast<uint32_t>(merged.size()));
      take(keeps ? one : same, &places->first);
    }
  }
  return merged;
}

// What was measured of one kernel, by trace of the merged digest.
std::vector<KernelStat> MergeStats(std::vector<KernelStat> first, std::vector<KernelStat> second) {
  std::vector<KernelStat> merged;
  merged.reserve(first.size() + second.size());
  size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    const bool from_first =
        j == second.size() || (i < first.size() && first[i].trace <= second[j].trace);
    KernelStat& next = from_first ? first[i++] : second[j++];
    // Of a trace that both hold, both say the same.
    if (!merged.empty() && merged.back().trace == next.trace) continue;
    merged.push_back(std::move(next));
  }
  return merged;
}

}  // namespace

std::string EncodeDigest(const JobDigest& digest) {
  ArchiveWriter writer;
  int64_t version = kDigestVersion;
  writer(version, const_cast<JobDigest&>(digest));  // Members() serves both directions
  return SealDigest(writer.Take());
}

std::string SealDigest(std::string_view body) {
  std::string bytes(kMagic);
  bytes += Hex(Checksum(body)) + "\n";
  return bytes.append(body);
}

Result<JobDigest> DecodeDigest(std::string_view bytes, bool own) {
  if (!bytes.starts_with(kMagic)) return MakeError(errors::kDigestBeginning);
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < 17) return MakeError(errors::kDigestTooShort);
  const std::string_view sum = bytes.substr(0, 16);
  const std::string_view body = bytes.substr(17);
  if (Hex(Checksum(body)) != sum) return MakeError(errors::kDigestChecksum);
  ArchiveReader reader(body);
  int64_t version = 0;
  reader(version);
  if (version != kDigestVersion) {
    return MakeError(errors::kDigestVersion, {{"version", version}, {"known", kDigestVersion}});
  }
  JobDigest digest;
  reader(digest);
  if (!reader.ok() || !reader.AtEnd()) return MakeError(errors::kDigestDamaged);
  if (own) return digest;
  if (!KernelsHold(digest)) return MakeError(errors::kDigestReference);
  for (const RankDigest& rank : digest.ranks) {
    if (!ReferencesHold(rank)) return MakeError(errors::kDigestReference);
    if (!TimesHold(rank)) return MakeError(errors::kDigestTimes);
  }
  return digest;
}

Result<std::string> FileId(const std::filesystem::path& path) {
  Result<OpenedFile> opened = OpenRegularFile(path);
  if (!opened.ok()) return opened.error();
  constexpr size_t kPart = 64 << 10;
  StableHasher hasher;
  std::string buffer(kPart, '\0');
  const auto add = [&] {
    const size_t read = std::fread(buffer.data(), 1, buffer.size(), opened->file.get());
    hasher.Add(std::string_view(buffer.data(), read));
  };
  add();
  if (opened->size_bytes > kPart) {
    const uint64_t from = std::max<uint64_t>(kPart, opened->size_bytes - kPart);
    if (fseeko(opened->file.get(), static_cast<off_t>(from), SEEK_SET) == 0) add();
  }
  hasher.Add(std::to_string(opened->size_bytes));
  return Hex(hasher.value()) + "-" + std::to_string(opened->size_bytes);
}

void MergeDigests(JobDigest* into, JobDigest other) {
  Places places;
  into->ranks = MergeTraces(std::move(into->ranks), std::move(other.ranks), &places);
  for (auto& [key, stats] : into->kernels) {
    for (KernelStat& one : stats) one.trace = places.first[one.trace];
  }
  for (auto& [key, stats] : other.kernels) {
    for (KernelStat& one : stats) one.trace = places.second[one.trace];
    std::vector<KernelStat>& known = into->kernels[key];
    known = MergeStats(std::move(known), std::move(stats));
  }
}

size_t JobDigest::MemoryBytes() const {
  size_t bytes = sizeof(*this);
  for (const RankDigest& rank : ranks) {
    bytes += sizeof(rank) + rank.steps.capacity() * sizeof(StepDigest) +
             rank.times.capacity() * sizeof(DeviceTime) +
             rank.collectives.capacity() * sizeof(CollectiveDigest);
    for (const CollectiveDigest& c : rank.collectives) {
      bytes += c.before.capacity() * (sizeof(Activity) + 64) + c.place.capacity();
    }
    bytes += 64 << 10;  // the rest is small
  }
  for (const auto& [key, stats] : kernels) {
    bytes += 160 + key.second.capacity();
    for (const KernelStat& one : stats) {
      bytes += sizeof(one) + one.stat.sketch.bins_.capacity() * 16;
    }
  }
  return bytes;
}

Result<bool> WriteDigestFile(const std::filesystem::path& path, std::string_view bytes,
                             bool lasting) {
  std::error_code ignored;
  // Devices, pipes and what a link names are written to: a file in their place would take it.
  const std::filesystem::file_status there = std::filesystem::status(path, ignored);
  const bool stream = std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
  std::filesystem::path target = path;
  if (!stream && std::filesystem::is_symlink(path, ignored)) {
    const std::filesystem::path named = std::filesystem::canonical(path, ignored);
    if (!named.empty()) target = named;
  }
  const std::filesystem::path draft =
      stream ? path : std::filesystem::path(target.string() + ".tmp." + std::to_string(getpid()));
  const auto failed = [&](const ErrorText& text, int why) {
    if (!stream) std::filesystem::remove(draft, ignored);
    return MakeError(text, {{"path", path.string()}, {"reason", WhyNotWritten(why)}});
  };
  {
    const FilePtr file(std::fopen(draft.c_str(), "wb"));
    if (file == nullptr) return failed(errors::kDigestNotWritten, errno);
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
        std::fflush(file.get()) != 0 || (!stream && lasting && fsync(fileno(file.get())) != 0)) {
      return failed(errors::kDigestNotWritten, errno);
    }
  }
  if (stream) return true;
  std::error_code fault;
  std::filesystem::rename(draft, target, fault);
  if (fault) return failed(errors::kDigestNotPlaced, fault.value());
  return true;
}

Result<JobDigest> ReadDigestFile(const std::filesystem::path& path) {
  Result<OpenedFile> opened = OpenRegularFile(path);
  if (!opened.ok()) return opened.error();
  if (opened->size_bytes > kMaxDigestBytes) return MakeError(errors::kDigestTooLarge);
  std::string bytes(opened->size_bytes, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), opened->file.get()));
  return DecodeDigest(bytes);
}

}  // namespace emberline
