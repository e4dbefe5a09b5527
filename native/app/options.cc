#include "app/options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>

namespace emberline {
namespace {

Error Wrong(std::string message, std::string hint = "Try `emberline --help`.") {
  return {ErrorKind::kInvalidArgument, std::move(message), std::move(hint), {}};
}

Result<int64_t> ParseInteger(const std::string& option, const std::string& text) {
  int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) {
    return Wrong(option + " wants a whole number, not \"" + text + "\".");
  }
  return value;
}

// Number of single-character edits between two short words.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

using Setter =
    std::function<Result<bool>(Options&, const std::string& option, const std::string& value)>;

Setter Into(std::string Options::*member) {
  return [member](Options& options, const std::string&, const std::string& value) -> Result<bool> {
    options.*member = value;
    return true;
  };
}

Result<bool> SetFormat(Options& options, const std::string&, const std::string& value) {
  if (value == "table")
    options.format = OutputFormat::kTable;
  else if (value == "json")
    options.format = OutputFormat::kJson;
  else if (value == "csv")
    options.format = OutputFormat::kCsv;
  else
    return Wrong("--format wants table, json or csv, not \"" + value + "\".");
  return true;
}

Result<bool> SetWindow(Options& options, const std::string& option, const std::string& value) {
  const size_t colon = value.find(':');
  if (colon == std::string::npos) return Wrong("--window wants START:END in ns.");
  Result<int64_t> begin = ParseInteger(option, value.substr(0, colon));
  if (!begin.ok()) return begin.error();
  Result<int64_t> end = ParseInteger(option, value.substr(colon + 1));
  if (!end.ok()) return end.error();
  if (end.value() <= begin.value()) return Wrong("--window ends before it starts.");
  options.window = {begin.value(), end.value()};
  return true;
}

Result<bool> SetLogLevel(Options& options, const std::string&, const std::string& value) {
  if (value != "error" && value != "info" && value != "debug") {
    return Wrong("--log-level wants error, info or debug, not \"" + value + "\".");
  }
  options.log_level = value;
  return true;
}

Setter IntegerInto(std::function<void(Options&, int64_t)> set) {
  return
      [set](Options& options, const std::string& option, const std::string& value) -> Result<bool> {
        Result<int64_t> number = ParseInteger(option, value);
        if (!number.ok()) return number.error();
        set(options, number.value());
        return true;
      };
}

Result<bool> AddParam(Options& options, const std::string&, const std::string& value) {
  const size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0) return Wrong("--param wants KEY=VALUE.");
  options.params.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return true;
}

const std::map<std::string, Setter>& ValueOptions() {
  static const std::map<std::string, Setter> options = {
      {"--format", SetFormat},
      {"--run", Into(&Options::run)},
      {"--worker", Into(&Options::worker)},
      {"--span", Into(&Options::span)},
      {"--steps", Into(&Options::steps)},
      {"--group-by", Into(&Options::group_by)},
      {"--sort", Into(&Options::sort)},
      {"--filter", Into(&Options::filter)},
      {"--limit", IntegerInto([](Options& o, int64_t n) { o.limit = n; })},
      {"--pixels", IntegerInto([](Options& o, int64_t n) { o.pixels = n; })},
      {"--track", IntegerInto([](Options& o, int64_t n) { o.tracks.push_back(n); })},
      {"--source",
       [](Options& o, const std::string&, const std::string& value) -> Result<bool> {
         o.sources.push_back(value);
         return true;
       }},
      {"--window", SetWindow},
      {"--param", AddParam},
      {"--log-level", SetLogLevel},
  };
  return options;
}

const std::map<std::string, bool Options::*>& FlagOptions() {
  static const std::map<std::string, bool Options::*> options = {
      {"--help", &Options::help},
      {"-h", &Options::help},
      {"--version", &Options::version},
  };
  return options;
}

// What may have been meant by a word: the nearest of those known, when one is near.
std::string Hint(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  size_t best = 4;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "Try `emberline --help`." : "Did you mean " + nearest + "?";
}

Error UnknownOption(const std::string& option) {
  std::vector<std::string> known;
  for (const auto& [name, setter] : ValueOptions()) known.push_back(name);
  for (const auto& [name, flag] : FlagOptions()) known.push_back(name);
  return Wrong("There is no option " + option + ".", Hint(option, known));
}

}  // namespace

std::string CommandHint(const std::string& command) {
  std::vector<std::string> known;
  std::istringstream usage(UsageText());
  // A command stands in the usage behind two spaces, and options behind dashes.
  for (std::string line; std::getline(usage, line);) {
    if (!line.starts_with("  ") || line.size() < 3 || line[2] == '-' || line[2] == ' ') continue;
    known.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return Hint(command, known);
}

Result<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<std::string> words;
  bool only_words = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (only_words || argument.size() < 2 || argument[0] != '-') {
      words.push_back(argument);
      continue;
    }
    if (argument == "--") {
      only_words = true;
      continue;
    }
    std::optional<std::string> value;
    if (const size_t equals = argument.find('='); equals != std::string::npos) {
      value = argument.substr(equals + 1);
      argument.resize(equals);
    }
    if (const auto flag = FlagOptions().find(argument); flag != FlagOptions().end()) {
      if (value) return Wrong(argument + " takes no value.");
      options.*flag->second = true;
      continue;
    }
    const auto setter = ValueOptions().find(argument);
    if (setter == ValueOptions().end()) return UnknownOption(argument);
    if (!value) {
      if (i + 1 >= arguments.size()) return Wrong(argument + " wants a value.");
      value = arguments[++i];
    }
    Result<bool> set = setter->second(options, argument, *value);
    if (!set.ok()) return set.error();
  }
  if (!words.empty()) options.command = words[0];
  if (options.command == "help") options.help = true;
  if (words.size() > 1) options.path = words[1];
  if (words.size() > 2 && !options.help)
    return Wrong("There is one PATH at most; \"" + words[2] + "\" is too much.");
  return options;
}

std::string UsageText() {
  return R"(Usage: emberline COMMAND PATH [options]

Reads traces of torch.profiler and says where the time went.
PATH is a trace (.json, .json.gz), a run folder or a log folder.

Commands
  check        what was read, in what time, and what is missing
  runs         runs, workers and capture spans
  overview     where each step's time went, devices, findings
  operators    operators with device and host times (--group-by name|shape)
  kernels      device kernels (--group-by name|properties)
  memory       allocated memory over time and by operator
  modules      the tree of torch.nn modules
  stacks       call stacks by cost
  lightning    PyTorch Lightning hooks and stages
  lines        cost per line of Python (--source ROOT, repeatable)
  timeline     tracks; with --window START:END (ns) the slices of a window
  export       the slices of --window START:END as a trace of their own
  serve        the daemon: JSON-RPC 2.0 over stdin and stdout

Options
  --format table|json|csv   form of the result (table)
  --run, --worker, --span   which trace of a folder (the first)
  --steps all|N|A-B         which profiler steps; all is the whole trace
  --group-by KEY            grouping of a table
  --sort KEY, --sort=-KEY   order of a table by a column, - for descending
  --filter WORDS            rows with all WORDS; key:word, key>number, key<number
  --limit N                 rows shown; -1 for all
  --source ROOT             folder that holds the recorded program's source
  --window START:END        part of the timeline in ns, --track N, --pixels N
  --param KEY=VALUE         any other parameter of the view
  --log-level error|info|debug   what serve writes to stderr
  --version, --help

Exit status: 0 done, 1 gate failed, 2 wrong usage, 3 input unreadable, 4 internal error.
)";
}

}  // namespace emberline
