// Where torch_npu puts a recording: <worker>_<stamp>_ascend_pt/ASCEND_PROFILER_OUTPUT/
// trace_view.json, one such folder per rank, and beside the output what the recorder knew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace emberline {

inline constexpr const char* kAscendOutput = "ASCEND_PROFILER_OUTPUT";

struct AscendRecording {
  std::filesystem::path run_folder;  // holds the folders of all ranks
  std::string worker;                // "host_1234", with " (rank 3)" where the rank is known
  std::string stamp;                 // digits of the time; "" when the folder has another name
  std::optional<int64_t> rank;       // none when the recording was not distributed
};

// The recording that a trace is the output of; nothing for traces elsewhere. Reads only names of
// files: the rank is in that of profiler_info_<rank>.json.
std::optional<AscendRecording> AscendRecordingOf(const std::filesystem::path& trace);

}  // namespace emberline
