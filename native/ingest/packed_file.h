// A gzip file that is written.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace emberline {

class PackedFile {
 public:
  // Makes `path` anew; ok() says whether that was possible.
  explicit PackedFile(const std::filesystem::path& path);
  bool ok() const { return file_ != nullptr; }
  // False where it could not be written.
  bool Write(std::string_view text);
  // Finishes it; false where something of it could not be written. Nothing is written afterwards.
  bool Close();

 private:
  struct Closer {
    void operator()(void* file) const;
  };
  std::unique_ptr<void, Closer> file_;  // of zlib
};

}  // namespace emberline
