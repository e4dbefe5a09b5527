#include "input_file.h"

#include <unistd.h>

#include <fstream>
#include <string>

namespace emberline::fuzz {
namespace {

// The one file of this process that inputs are written to.
class InputFile {
 public:
  InputFile()
      : path_(std::filesystem::temp_directory_path() /
              ("emberline-fuzz-" + std::to_string(getpid()) + ".pt.trace.json")) {}
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& Write(std::string_view bytes) {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

const std::filesystem::path& OnDisk(std::string_view bytes) {
  static InputFile file;
  return file.Write(bytes);
}

}  // namespace emberline::fuzz
