#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "base/file.h"
#include "temporary_folder.h"

namespace emberline {
namespace fs = std::filesystem;

TEST_CASE("a regular file opens, also through a link") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "a.json") << "12345";
  fs::create_symlink("a.json", folder.path() / "link.json");
  for (const char* name : {"a.json", "link.json"}) {
    const auto opened = OpenRegularFile(folder.path() / name);
    REQUIRE(opened.ok());
    CHECK(opened->size_bytes == 5);
    char bytes[8];
    CHECK(std::fread(bytes, 1, sizeof bytes, opened->file.get()) == 5);
  }
}

TEST_CASE("a path with a zero byte opens no other file, and bad bytes are shown escaped") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "a.json") << "12345";
  const std::string cut = (folder.path() / "a.json").string() + std::string("\0.txt", 5);
  const auto opened = OpenRegularFile(cut);
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message.find("zero byte") != std::string::npos);
  CHECK(opened.error().message.find('\0') == std::string::npos);
  const auto missing = OpenRegularFile(folder.path() / "bad\xFF\xFE");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("bad\\xff\\xfe") != std::string::npos);
}

TEST_CASE("what is not there is not found") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  fs::create_symlink("nowhere", folder.path() / "dangling");
  for (const char* name : {"missing", "dangling", "file/below"}) {
    const auto opened = OpenRegularFile(folder.path() / name);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == ErrorKind::kNotFound);
  }
}

TEST_CASE("what would wait or never end is refused at once") {
  const TemporaryFolder folder;
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("loop", folder.path() / "loop");
  for (const fs::path& path :
       {folder.path() / "pipe", folder.path(), folder.path() / "loop", fs::path("/dev/zero")}) {
    const auto opened = OpenRegularFile(path);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == ErrorKind::kUnreadable);
    CHECK_FALSE(opened.error().message.empty());
  }
}

}  // namespace emberline
