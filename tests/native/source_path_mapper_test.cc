// Recorded paths to files of this machine.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "source/path_mapper.h"
#include "temporary_folder.h"

namespace emberline {
namespace fs = std::filesystem;
namespace {

// A folder with files, removed at the end.
class Tree {
 public:
  explicit Tree(const std::vector<std::string>& files) {
    for (const std::string& file : files) folder_.Write(file, "x = 1\n");
  }
  std::string operator()(const std::string& path) const { return (folder_.path() / path).string(); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("the user's mapping comes first, the longest one before others") {
  const Tree tree({"a/train.py", "b/sub/train.py", "one.py"});
  SourceSpace space;
  space.mappings = {
      {"/far", tree("a")}, {"/far/deep", tree("b")}, {"/elsewhere/x.py", tree("one.py")}};
  const PathMapper mapper(space);
  CHECK(mapper.Resolve("/far/train.py").path == tree("a/train.py"));
  CHECK(mapper.Resolve("/far/deep/sub/train.py").path == tree("b/sub/train.py"));
  CHECK(mapper.Resolve("/elsewhere/x.py").path == tree("one.py"));
  CHECK(mapper.Resolve("/far/train.py").readable);
  CHECK(mapper.Resolve("/farther/train.py").status == ResolveStatus::kMissing);
}

TEST_CASE("relative paths lie below a root") {
  const Tree tree({"ws/train_cnn/slow.py", "ws/deep/er/train_cnn/other.py"});
  SourceSpace space;
  space.roots = {tree("ws")};
  const PathMapper mapper(space);
  CHECK(mapper.Resolve("train_cnn/slow.py").path == tree("ws/train_cnn/slow.py"));
  CHECK(mapper.Resolve("./train_cnn/slow.py").path == tree("ws/train_cnn/slow.py"));
  CHECK(mapper.Resolve("train_cnn/other.py").path == tree("ws/deep/er/train_cnn/other.py"));
  CHECK(mapper.Resolve("train_cnn/slow.py").user_code);
  CHECK(mapper.Resolve("other_folder/slow.py").status == ResolveStatus::kMissing);
}

TEST_CASE("paths of another machine: the longest common end wins") {
  const Tree tree({"ws/transformer/model.py", "ws/vision/model.py", "ws/vision/__init__.py"});
  SourceSpace space;
  space.roots = {tree("ws")};
  const PathMapper mapper(space);
  CHECK(mapper.Resolve("/workspace/emberline-samples/transformer/model.py").path ==
        tree("ws/transformer/model.py"));
  CHECK(mapper.Resolve("C:\\work\\vision\\model.py").path == tree("ws/vision/model.py"));
  const ResolvedPath ambiguous = mapper.Resolve("/somewhere/model.py");
  CHECK(ambiguous.status == ResolveStatus::kAmbiguous);
  CHECK(ambiguous.candidates ==
        std::vector<std::string>{tree("ws/transformer/model.py"), tree("ws/vision/model.py")});
  // A name that every package has proves nothing.
  CHECK(mapper.Resolve("/somewhere/__init__.py").status == ResolveStatus::kMissing);
}

TEST_CASE("library files are not taken for the user's") {
  const Tree tree({"ws/utils.py", "site-packages/lib/utils.py"});
  SourceSpace space;
  space.roots = {tree("ws")};
  space.site_packages = {tree("site-packages")};
  const PathMapper mapper(space);
  const ResolvedPath library = mapper.Resolve("/opt/env/lib/python3.11/site-packages/lib/utils.py");
  CHECK(library.path == tree("site-packages/lib/utils.py"));
  CHECK(library.readable);
  CHECK(!library.user_code);
  CHECK(mapper.Resolve("lib/utils.py").path == tree("site-packages/lib/utils.py"));
  CHECK(mapper.Resolve("/opt/env/lib/python3.11/site-packages/utils.py").status ==
        ResolveStatus::kMissing);
}

TEST_CASE("only files inside the source space may be read") {
  const Tree tree({"ws/inside.py", "outside/secret.py"});
  SourceSpace space;
  space.roots = {tree("ws")};
  const PathMapper mapper(space);
  CHECK(mapper.Resolve(tree("ws/inside.py")).readable);
  const ResolvedPath outside = mapper.Resolve(tree("outside/secret.py"), SearchScope::kAnywhere);
  CHECK(outside.status == ResolveStatus::kFound);
  CHECK(!outside.readable);
  CHECK(!mapper.Resolve("../outside/secret.py").readable);
  CHECK(!mapper.Resolve(tree("ws/../outside/secret.py")).readable);
}

TEST_CASE("what only a trace named is not looked for outside the source space") {
  const Tree tree({"ws/inside.py", "outside/secret.py", "outside/deep/secret.py"});
  SourceSpace space;
  space.roots = {tree("ws")};
  space.mappings = {{"/far", tree("ws/mapped")}};
  space.site_packages = {tree("ws/site-packages")};
  const PathMapper mapper(space);
  const auto status = [&](const std::string& path) { return mapper.Resolve(path).status; };
  CHECK(status(tree("outside/secret.py")) == ResolveStatus::kMissing);
  CHECK(status(tree("ws/../outside/secret.py")) == ResolveStatus::kMissing);
  CHECK(status("../outside/secret.py") == ResolveStatus::kMissing);
  CHECK(status("/far/../../outside/secret.py") == ResolveStatus::kMissing);
  CHECK(status("/x/site-packages/../../outside/secret.py") == ResolveStatus::kMissing);
  CHECK(status(tree("ws/inside.py")) == ResolveStatus::kFound);
  CHECK(status(tree("ws/../ws/inside.py")) == ResolveStatus::kFound);
  // Who clicks a frame wants its file, and the next automatic look still does not.
  CHECK(mapper.Resolve(tree("outside/secret.py"), SearchScope::kAnywhere).path ==
        tree("outside/secret.py"));
  CHECK(status(tree("outside/secret.py")) == ResolveStatus::kMissing);
}

TEST_CASE("a root that is reached by a link holds the files of its real place") {
  const Tree tree({"real/inside.py"});
  fs::create_directory_symlink(tree("real"), tree("link"));
  SourceSpace space;
  space.roots = {tree("link")};
  const PathMapper mapper(space);
  CHECK(mapper.Resolve(tree("real/inside.py")).path == tree("real/inside.py"));
}

TEST_CASE("what is no file") {
  const PathMapper mapper(SourceSpace{});
  for (const char* path : {"", "<string>", "<frozen runpy>", "missing.py", "/"}) {
    CHECK(mapper.Resolve(path).status == ResolveStatus::kMissing);
  }
  CHECK(mapper.Resolve(std::string("a\0b.py", 6)).status == ResolveStatus::kMissing);
  CHECK(mapper.Resolve(std::string(10000, 'x')).status == ResolveStatus::kMissing);
}

TEST_CASE("notebook cells are known by their text") {
  uint32_t number = 0;
  CHECK(ParseNotebookCellPath("/tmp/ipykernel_4242/1234567890.py", &number));
  CHECK(number == 1234567890u);
  CHECK(!ParseNotebookCellPath("/tmp/other/1234.py", &number));
  CHECK(!ParseNotebookCellPath("/tmp/ipykernel_1/x.py", &number));
  // MurmurHash2 of texts of each length modulo 4, computed with an independent implementation.
  CHECK(NotebookCellHash("") == 0xedd39288u);
  CHECK(NotebookCellHash("a") == 0x8129eeeeu);
  CHECK(NotebookCellHash("ab") == 0xa73301b9u);
  CHECK(NotebookCellHash("abc") == 0xc7bbdbb5u);
  CHECK(NotebookCellHash("abcd") == 0x2ff70f61u);
  CHECK(NotebookCellHash("print(1)\n") == 0xb82788d4u);
}

}  // namespace
}  // namespace emberline
