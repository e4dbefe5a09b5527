#include "ingest/packed_file.h"

#include <zlib.h>

#include <algorithm>

namespace emberline {
namespace {

gzFile FileOf(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void PackedFile::Closer::operator()(void* file) const { gzclose(FileOf(file)); }

PackedFile::PackedFile(const std::filesystem::path& path) : file_(gzopen(path.c_str(), "wb4")) {}

bool PackedFile::Write(std::string_view text) {
  constexpr size_t kMost = 1 << 30;  // zlib counts in 32 bits
  for (; !text.empty(); text.remove_prefix(std::min(kMost, text.size()))) {
    const auto size = static_cast<unsigned>(std::min(kMost, text.size()));
    if (gzwrite(FileOf(file_.get()), text.data(), size) != static_cast<int>(size)) return false;
  }
  return true;
}

bool PackedFile::Close() { return gzclose(FileOf(file_.release())) == Z_OK; }

}  // namespace emberline
