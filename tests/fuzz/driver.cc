// Runs a target on mutated seeds: as many as it is told, the same ones every time.
//
//   emberline_fuzz TARGET --runs N [--seed S] [--from I] [--save FILE] SEEDS...
//
// SEEDS are files or folders. The first inputs are the seeds as they are; input I is made from S, I
// and the seeds alone, so that `--from I --runs 1` repeats it. The inputs run in a child process;
// when it dies, or one input takes half a minute of the processor or ten minutes of the clock, the
// input is written to FILE and the status is 1.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "target.h"

namespace {

namespace fs = std::filesystem;
using emberline::fuzz::Random;
using emberline::fuzz::Target;

constexpr unsigned kMaxSeconds = 600;
constexpr unsigned kMaxProcessorSeconds = 30;

struct Options {
  const Target* target = nullptr;
  uint64_t runs = 1000, seed = 1, from = 0;
  fs::path save = "crash";
  std::vector<std::string> seeds;
};

[[noreturn]] void Usage() {
  std::fprintf(stderr,
               "usage: emberline_fuzz trace|views|python|rpc|digest --runs N [--seed S] [--from I] "
               "[--save FILE] SEEDS...\n");
  std::exit(2);
}

uint64_t Number(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) Usage();
  return value;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Options Parse(int argc, char** argv) {
  Options options;
  if (argc < 2) Usage();
  options.target = emberline::fuzz::FindTarget(argv[1]);
  if (options.target == nullptr) Usage();
  std::vector<fs::path> paths;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      paths.emplace_back(word);
      continue;
    }
    if (++i == argc) Usage();
    if (word == "--runs")
      options.runs = Number(argv[i]);
    else if (word == "--seed")
      options.seed = Number(argv[i]);
    else if (word == "--from")
      options.from = Number(argv[i]);
    else if (word == "--save")
      options.save = argv[i];
    else
      Usage();
  }
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path))
      files.push_back(path);
    else
      for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) options.seeds.push_back(ReadFile(file));
  if (options.seeds.empty()) Usage();
  return options;
}

std::string Input(const Options& options, uint64_t index) {
  if (index < options.seeds.size()) return options.seeds[index];
  Random random(options.seed * 0x9E3779B97F4A7C15ull + index);
  std::string text = random.Pick(options.seeds);
  for (size_t n = 1 + random.Below(8); n > 0; --n) {
    options.target->mutate(text, random.Pick(options.seeds), random);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  void* const shared = mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  auto* const running = new (shared) std::atomic<uint64_t>(options.from);
  const pid_t child = fork();
  if (child < 0) return 2;
  if (child == 0) {
    for (uint64_t i = options.from; i < options.from + options.runs; ++i) {
      running->store(i);
      alarm(kMaxSeconds);
      const itimerval limit{{0, 0}, {kMaxProcessorSeconds, 0}};
      setitimer(ITIMER_PROF, &limit, nullptr);
      options.target->run(Input(options, i));
    }
    std::exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 2;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    std::printf("%s: %llu inputs, seed %llu\n", options.target->name,
                static_cast<unsigned long long>(options.runs),
                static_cast<unsigned long long>(options.seed));
    return 0;
  }
  const uint64_t index = running->load();
  const bool late =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF);
  std::ofstream(options.save, std::ios::binary) << Input(options, index);
  std::fprintf(stderr, "%s: input %llu with seed %llu %s; it is in %s\n", options.target->name,
               static_cast<unsigned long long>(index),
               static_cast<unsigned long long>(options.seed), late ? "takes too long" : "fails",
               options.save.c_str());
  return 1;
}
