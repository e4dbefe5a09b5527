// The command line: what was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace emberline {

enum class OutputFormat { kTable, kJson, kCsv, kMarkdown };

// --fail-above PERCENT[:metric]
struct Gate {
  double percent = 0;
  std::string metric = "step";  // key of a figure of the overview
};

// Which trace of a folder, and which of its steps.
struct TraceOptions {
  std::string run, worker, span, steps;
};

struct Options {
  std::string command;
  std::string path;
  std::string second_path;           // of diff: the candidate's
  TraceOptions baseline, candidate;  // of diff: what differs from `run`, `worker`, `span`, `steps`
  std::string by;  // of diff: what a row is, "" for the overview; of the views of jobs: which table
  std::string time;          // of diff: "host", "device", or "" for what both have
  std::optional<Gate> gate;  // of diff
  OutputFormat format = OutputFormat::kTable;
  std::string run, worker, span;
  std::string steps;
  std::string group_by, sort, filter;
  std::optional<int64_t> limit;
  bool each = false;                                  // of kernels: one row for each launch
  std::string columns;                                // --columns: keys, separated by commas
  std::optional<int64_t> width;                       // --width: of a column of --each
  std::string device_peaks, cost_rules;               // files of JSON
  std::vector<std::string> sources;                   // --source ROOT
  std::optional<std::pair<int64_t, int64_t>> window;  // --window A:B, ns
  std::vector<int64_t> tracks;                        // --track N
  std::optional<int64_t> pixels;
  std::vector<std::pair<std::string, std::string>> params;  // --param KEY=VALUE
  std::vector<std::string> paths;                           // of digest
  std::string out;                                          // -o: of digest, merge and jobs
  std::string list, expect;  // files with one path a line: of digest, of merge
  std::optional<std::pair<int64_t, int64_t>> stride;  // of digest: part I of N
  std::optional<int64_t> threads;                     // of digest
  std::string engine, program;                        // of jobs
  std::optional<int64_t> max_array, throttle, retries;
  std::vector<std::string> directives;
  std::string trace_cache;  // folder of images, "off", or "" for the usual one
  std::optional<int64_t> trace_cache_mb;
  std::string user_packages;  // installed packages that are the user's code, "team,team.layers"
  std::string log_level = "info";
  std::string help;  // what to print instead of doing anything
  bool version = false;
};

// Parses the arguments after the program's name. Errors: kInvalidArgument, with what to write
// instead.
Result<Options> ParseOptions(const std::vector<std::string>& arguments);

// The text of --help.
std::string UsageText();

}  // namespace emberline
