// A file of named sections of plain values that is mapped and used where it lies. It is written by
// this build of the program for itself: nothing in it is converted. Whoever reads one gets what was
// written, checked by a sum over each section, or an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace emberline {

// Tells this build of the program from every other, so that none reads an image with another idea
// of what it holds.
const std::string& BuildId();

class ImageWriter {
 public:
  // Adds a section. What `values` shows has to stay until Write() is done.
  template <typename T>
  void Add(std::string_view name, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    AddPieces(name, {std::as_bytes(values)});
  }
  // One whose bytes lie in several places.
  void AddPieces(std::string_view name, std::vector<std::span<const std::byte>> pieces);
  // One that the writer keeps itself.
  void AddText(std::string_view name, std::string text);

  // Bytes of the file, nearly.
  uint64_t bytes() const;
  // Writes a file that is only ever seen whole: as a draft beside `path`, which then takes its
  // place. `key`: what the image was made of. Errors: kUnreadable (nothing is left behind),
  // kCancelled.
  Result<bool> Write(const std::filesystem::path& path, std::string_view key,
                     const CancelToken& cancel) const;

 private:
  struct Section {
    std::string name;
    std::vector<std::span<const std::byte>> pieces;
    uint64_t bytes = 0;
  };
  std::vector<Section> sections_;
  std::vector<std::unique_ptr<const std::string>> texts_;
};

// A mapped image. Its sections stay as long as it lives, also when the file is deleted.
class ImageFile {
 public:
  // Errors: kNotFound; kUnreadable for one that is cut, damaged, not this user's own, of another
  // build or made of something else.
  static Result<std::shared_ptr<const ImageFile>> Open(const std::filesystem::path& path,
                                                       std::string_view key);
  ~ImageFile();
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;

  // The values of a section; `*ok` becomes false where it is missing or no whole number of them.
  template <typename T>
  std::span<const T> Get(std::string_view name, bool* ok) const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    const std::span<const std::byte> bytes = Bytes(name, ok);
    if (bytes.size() % sizeof(T) != 0) {
      *ok = false;
      return {};
    }
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  std::string_view Text(std::string_view name, bool* ok) const {
    const auto bytes = Get<char>(name, ok);
    return {bytes.data(), bytes.size()};
  }

  static constexpr size_t kAlignment = 64;

 private:
  ImageFile() = default;
  std::span<const std::byte> Bytes(std::string_view name, bool* ok) const;

  std::span<const std::byte> mapped_;
  std::map<std::string, std::span<const std::byte>, std::less<>> sections_;
};

}  // namespace emberline
