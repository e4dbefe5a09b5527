#include "ingest/ascend_folder.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "base/ascii.h"

namespace emberline {
namespace fs = std::filesystem;
namespace {

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// Of the folder <...>_ascend_pt.
std::optional<int64_t> RankOf(const fs::path& recording) {
  // A recording's folder has a dozen entries; one that has very many is something else.
  constexpr int kMaxEntries = 1000;
  constexpr std::string_view kPrefix = "profiler_info_";
  constexpr std::string_view kSuffix = ".json";
  std::error_code error;
  int entries = 0;
  for (fs::directory_iterator it(recording, error), end;
       !error && it != end && entries < kMaxEntries; it.increment(error), ++entries) {
    const std::string name = it->path().filename().string();
    if (name.size() <= kPrefix.size() + kSuffix.size() || !name.starts_with(kPrefix) ||
        !name.ends_with(kSuffix)) {
      continue;
    }
    const std::string_view digits = std::string_view(name).substr(
        kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    int64_t rank = 0;
    const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (AllDigits(digits) && failed == std::errc() && stop == digits.data() + digits.size()) {
      return rank;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<AscendRecording> AscendRecordingOf(const fs::path& trace) {
  std::error_code error;
  const fs::path whole = fs::absolute(trace, error).lexically_normal();
  const fs::path output = whole.parent_path();
  if (error || output.filename() != kAscendOutput) return std::nullopt;
  const std::string file = whole.filename().string();
  if (file != "trace_view.json" && file != "trace_view.json.gz") return std::nullopt;
  const fs::path folder = output.parent_path();
  AscendRecording recording;
  recording.run_folder = folder.parent_path();
  recording.worker = folder.filename().string();
  for (const std::string_view suffix : {"_ascend_pt", "_ascend_ms"}) {
    if (!recording.worker.ends_with(suffix)) continue;
    recording.worker.resize(recording.worker.size() - suffix.size());
    const size_t line = recording.worker.rfind('_');
    if (line != std::string::npos && line > 0 &&
        AllDigits(std::string_view(recording.worker).substr(line + 1))) {
      recording.stamp = recording.worker.substr(line + 1);
      recording.worker.resize(line);
    }
    break;
  }
  recording.rank = RankOf(folder);
  if (recording.rank) recording.worker += " (rank " + std::to_string(*recording.rank) + ")";
  return recording;
}

}  // namespace emberline
