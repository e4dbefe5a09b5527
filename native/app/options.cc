#include "app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/errors.h"
#include "app/option_checks.h"
#include "app/rank_options.h"
#include "rpc/schema.h"

namespace emberline {
namespace {

constexpr const char* kFooter =
    "PATH is a trace (.json, .json.gz), a run folder or a log folder.\n"
    "`emberline COMMAND --help` lists the options of a command.\n"
    "\n"
    "Exit status: 0 done, 1 gate failed, 2 wrong usage, 3 input unreadable, 4 internal error.\n";

// Help in the form that other tools have.
class HelpText : public CLI::Formatter {
 public:
  HelpText() { column_width(28); }
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (app->get_parent() == nullptr) return "Usage: emberline COMMAND PATH [options]\n";
    std::string usage = "Usage: emberline " + app->get_name();
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional() && !option->get_group().empty())
        usage += " " + option->get_name(true);
    }
    return usage + " [options]\n";
  }
  // What the value is, behind the option's name.
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() || option->get_positional() ? "" : " " + type;
  }
};

// The program's options and commands. What is parsed goes into `options`, which must outlive it.
class CommandLine {
 public:
  explicit CommandLine(Options& options) : options_(options) {
    app_.name("emberline");
    app_.formatter(std::make_shared<HelpText>());
    app_.set_help_flag("-h,--help", "show this help")->disable_flag_override();
    app_.add_flag("--version", options.version, "the program's version")->disable_flag_override();
    AddCommands();
    app_.footer(kFooter);  // last: commands take over what stands here
  }

  CLI::App& app() { return app_; }

  std::vector<std::string> Commands() const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands({})) names.push_back(command->get_name());
    return names;
  }

  // The long names of what `command` takes.
  static std::vector<std::string> OptionsOf(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
  }

 private:
  void AddCommands() {
    CLI::App* check = Command("check", "what was read, how fast, and what is missing");
    AddTrace(check);
    AddParams(check);
    AddOutput(check);
    CLI::App* runs = Command("runs", "runs, workers and capture spans");
    AddOutput(runs);
    std::vector<std::string> shown;
    for (const Json& view : ProtocolDefinition()["views"]) {
      shown.push_back(view["name"]);
      AddView(shown.back(), view["help"], "Commands");
    }
    // What views ask for beside their own table.
    for (const auto& [method, definition] : ProtocolDefinition()["methods"].items()) {
      if (!method.starts_with("view/")) continue;
      const std::string name = method.substr(5);
      if (std::find(shown.begin(), shown.end(), name) == shown.end()) {
        AddView(name, definition["description"], "Parts of views");
      }
    }
    AddDiff();
    AddRanks();
    CLI::App* cut = Command("export", "the slices of --window START:END as a new trace");
    AddTrace(cut);
    AddWindow(cut);
    AddParams(cut);
    CLI::App* serve = Command("serve", "the daemon: JSON-RPC 2.0 over stdin and stdout", "");
    serve->add_option("--log-level", options_.log_level, "what is written to stderr (info)")
        ->type_name("error|info|debug")
        ->check(IsOneOf({"error", "info", "debug"}));
    AddTraceCache(serve);
    Command("help", "this help, or that of a command", "COMMAND");
  }

  CLI::App* Command(const std::string& name, const std::string& help,
                    const char* operand = "PATH") {
    CLI::App* command = app_.add_subcommand(name, help)->group("Commands");
    // A command that takes none says so itself.
    const std::string shown = *operand != 0 ? operand : "PATH";
    CLI::Option* path = command->add_option(shown, options_.path, "");
    if (shown == "PATH")
      path->description("a trace (.json, .json.gz), a run folder or a log folder");
    if (*operand == 0) path->group("");
    return command;
  }

  static void Text(CLI::App* command, const char* group, const char* name, const char* type,
                   std::string& into, const char* help) {
    command->add_option(name, into, help)->type_name(type)->group(group);
  }

  void AddView(const std::string& name, const std::string& help, const char* group) {
    CLI::App* command = Command(name, help)->group(group);
    AddTrace(command);
    AddSteps(command);
    if (name == "timeline") AddWindow(command);
    AddTable(command);
    const bool costs =
        name == "kernels" || name == "kernelList" || name == "cost" || name == "roofline";
    if (costs) AddCosts(command, name);
    AddParams(command);
    AddOutput(command, costs);
  }

  void AddCosts(CLI::App* command, const std::string& name) {
    static const char* kGroup = "Costs";
    if (name == "kernels") {
      command
          ->add_flag("--each", options_.each,
                     "one row per launch with FLOPs, bytes and shapes, separated by spaces")
          ->group(kGroup);
    }
    command
        ->add_option("-w,--width", options_.width,
                     "aligns the columns of --each, each at most N wide")
        ->type_name("N")
        ->check(IsWhole())
        ->group(kGroup);
    if (name == "cost" || name == "roofline") {
      command
          ->add_option_function<std::string>(
              "--what-if",
              [this](const std::string& device) {
                options_.params.emplace_back("whatIf", DumpJson(Json(device)));
              },
              "what the same kernels would take on another device")
          ->type_name("DEVICE")
          ->group(kGroup);
    }
    Text(command, kGroup, "--device-peaks", "FILE", options_.device_peaks,
         "JSON list of devices with their peaks");
    Text(command, kGroup, "--cost-rules", "FILE", options_.cost_rules,
         "JSON list of formulas for custom operators");
  }

  void AddDiff() {
    CLI::App* diff =
        app_.add_subcommand("diff", "what changed from one trace to another")->group("Commands");
    diff->add_option("BASELINE", options_.path, "the trace before, or a folder");
    diff->add_option("CANDIDATE", options_.second_path, "the trace after, or a folder");
    std::vector<std::string> levels = {"overview"};
    const Json& table = ProtocolDefinition()["methods"]["compare/table"]["params"];
    for (const Json& level : table["properties"]["by"]["enum"]) levels.push_back(level);
    diff->add_option("--by", options_.by, "what each row is (overview)")
        ->type_name("overview|steps|modules|operators|kernels|memory|communication|lines")
        ->check(IsOneOf(levels));
    diff->add_option("--time", options_.time, "time to compare (default: device if both have it)")
        ->type_name("host|device")
        ->check(IsOneOf({"host", "device"}));
    diff->add_option_function<std::string>(
            "--fail-above",
            [this](const std::string& text) {
              const size_t colon = text.find(':');
              options_.gate = Gate{*Number(text.substr(0, colon)), "step"};
              if (colon != std::string::npos) options_.gate->metric = text.substr(colon + 1);
            },
            "exits with 1 if the step, or METRIC of the overview, grew by more, beyond noise")
        ->type_name("PERCENT[:METRIC]")
        ->check(IsGate());
    AddTrace(diff);
    AddSteps(diff);
    AddSide(diff, "baseline", options_.baseline);
    AddSide(diff, "candidate", options_.candidate);
    AddTable(diff);
    AddParams(diff);
    AddOutput(diff, true);
  }

  // Views of a job, each with the table that it shows.
  void AddRanks() {
    static const std::pair<const char*, const char*> kViews[] = {
        {"distributed", "the ranks of a folder as one job: clock, stragglers, what is missing"},
        {"collectives", "collectives of a job (--by operations|calls|sizes|groups|matrix)"},
        {"idle", "idle time of streams by class (--by gaps: idle time of devices by cause)"},
        {"overlap", "communication hidden behind computation (--by temporal|steps|kernelTypes)"},
        {"launches", "launch calls and their delays (--by launchRows: each launch of one rank)"},
        {"queue", "queue depth per stream: launches whose work has not begun"},
        {"sequences", "kernel sequences that operators launch repeatedly"},
        {"critical-path",
         "the chain of work that determined when steps ended, by operator and line"}};
    std::vector<std::string> tables;
    const Json& table = ProtocolDefinition()["methods"]["distributed/table"]["params"];
    std::string list = "which table:";
    for (const Json& by : table["properties"]["by"]["enum"]) {
      tables.push_back(by);
      list += " " + tables.back();
    }
    for (const auto& [name, help] : kViews) {
      CLI::App* view = Command(name, help, "FOLDER")->group("Ranks of a job");
      view->get_option("FOLDER")->description("a folder of traces or of digests, or one of either");
      view->add_option("--by", options_.by, list)->type_name("TABLE")->check(IsOneOf(tables));
      if (name == std::string_view("launches")) AddRank(view);
      AddTrace(view);
      AddTable(view);
      AddParams(view);
      AddOutput(view, true);
    }
    AddRankCommands(&app_, &options_);
  }

  // Whose launches.
  void AddRank(CLI::App* command) {
    command
        ->add_option_function<int64_t>(
            "--rank",
            [this](const int64_t& rank) {
              options_.params.emplace_back("rank", std::to_string(rank));
            },
            "whose launches --by launchRows lists (default: the first rank)")
        ->type_name("N")
        ->check(IsWhole());
  }

  // What one side has of its own.
  void AddSide(CLI::App* command, const std::string& side, TraceOptions& into) {
    const std::string group =
        (side == "baseline" ? "Baseline" : "Candidate") + std::string(" only");
    Text(command, group.c_str(), ("--" + side + "-run").c_str(), "NAME", into.run, "");
    Text(command, group.c_str(), ("--" + side + "-worker").c_str(), "NAME", into.worker, "");
    Text(command, group.c_str(), ("--" + side + "-span").c_str(), "NAME", into.span, "");
    Text(command, group.c_str(), ("--" + side + "-steps").c_str(), "all|N|A-B", into.steps, "");
  }

  void AddTrace(CLI::App* command) {
    static const char* kGroup = "Trace in a folder (default: the first)";
    Text(command, kGroup, "--run", "NAME", options_.run, "");
    Text(command, kGroup, "--worker", "NAME", options_.worker, "");
    Text(command, kGroup, "--span", "NAME", options_.span, "capture span");
    AddTraceCache(command);
  }

  void AddTraceCache(CLI::App* command) {
    static const char* kGroup = "Cache";
    Text(command, kGroup, "--trace-cache", "FOLDER|off", options_.trace_cache,
         "folder that caches large traces, also EMBERLINE_TRACE_CACHE");
    command
        ->add_option("--trace-cache-mb", options_.trace_cache_mb,
                     "most megabytes in the cache, also EMBERLINE_TRACE_CACHE_MB (4096)")
        ->type_name("N")
        ->check(IsWhole())
        ->group(kGroup);
    Text(command, "Your code", "--user-packages", "NAME,NAME", options_.user_packages,
         "installed packages that are your own code, also EMBERLINE_USER_PACKAGES");
  }

  void AddSteps(CLI::App* command) {
    Text(command, "Selection", "--steps", "all|N|A-B", options_.steps,
         "profiler steps; all is the whole trace");
  }

  void AddTable(CLI::App* command) {
    static const char* kGroup = "Tables";
    Text(command, kGroup, "--group-by", "KEY", options_.group_by, "grouping");
    Text(command, kGroup, "--sort", "KEY|-KEY", options_.sort,
         "order by a column, - for descending");
    Text(command, kGroup, "--filter", "WORDS", options_.filter,
         "rows with all WORDS; key:word, key>number, key<number");
    Text(command, kGroup, "-c,--columns", "KEY,KEY", options_.columns, "which columns, in order");
    command->add_option("--limit", options_.limit, "rows shown; -1 for all")
        ->type_name("N")
        ->check(IsWhole())
        ->group(kGroup);
    command
        ->add_option("--source", options_.sources,
                     "folder that holds the recorded program's source; repeatable")
        ->type_name("ROOT")
        ->allow_extra_args(false)
        ->group(kGroup);
  }

  void AddWindow(CLI::App* command) {
    static const char* kGroup = "Window";
    command
        ->add_option_function<std::string>(
            "--window",
            [this](const std::string& text) {
              const size_t colon = text.find(':');
              options_.window = {*WholeNumber(text.substr(0, colon)),
                                 *WholeNumber(text.substr(colon + 1))};
            },
            "nanoseconds since the trace's start")
        ->type_name("START:END")
        ->check(IsWindow())
        ->group(kGroup);
    command->add_option("--track", options_.tracks, "number of a track to show; repeatable")
        ->type_name("N")
        ->check(IsWhole())
        ->allow_extra_args(false)
        ->group(kGroup);
    command->add_option("--pixels", options_.pixels, "width of the picture that is asked for")
        ->type_name("N")
        ->check(IsWhole())
        ->group(kGroup);
  }

  void AddParams(CLI::App* command) {
    command
        ->add_option_function<std::vector<std::string>>(
            "--param",
            [this](const std::vector<std::string>& all) {
              for (const std::string& text : all) {
                const size_t equals = text.find('=');
                options_.params.emplace_back(text.substr(0, equals), text.substr(equals + 1));
              }
            },
            "any other parameter of the view; repeatable")
        ->type_name("KEY=VALUE")
        ->check(IsParam())
        ->allow_extra_args(false);
  }

  void AddOutput(CLI::App* command, bool markdown = false) {
    std::vector<std::string> words = {"table", "json", "csv"};
    if (markdown) words.insert(words.end(), {"markdown", "md"});
    command
        ->add_option_function<std::string>(
            "--format",
            [this](const std::string& text) {
              options_.format = text == "json"                       ? OutputFormat::kJson
                                : text == "csv"                      ? OutputFormat::kCsv
                                : text == "markdown" || text == "md" ? OutputFormat::kMarkdown
                                                                     : OutputFormat::kTable;
            },
            "form of the result (table)")
        ->type_name(markdown ? "table|json|csv|markdown" : "table|json|csv")
        ->check(IsOneOf(words));
  }

  Options& options_;
  CLI::App app_{"Reads traces of torch.profiler and says where the time went."};
};

Error UsageError(const CLI::App& command, const CLI::ParseError& fault) {
  const std::string text = fault.what();
  const size_t colon = text.find(": ");
  std::string option = text.substr(0, text.find_first_of(": "));
  if (!option.starts_with("-")) option = "--" + option;
  if (dynamic_cast<const CLI::ValidationError*>(&fault) != nullptr && colon != std::string::npos) {
    return MakeError(errors::kBadOption,
                     {{"option", text.substr(0, colon)}, {"complaint", text.substr(colon + 2)}});
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&fault) != nullptr) {
    const bool flag = text.find("flag override") != std::string::npos;
    return MakeError(flag ? errors::kNoValueTaken : errors::kValueRequired, {{"option", option}});
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&fault) != nullptr) {
    const std::vector<std::string> extras = command.remaining();
    if (!extras.empty() && extras[0].starts_with("-")) {
      const std::string name = extras[0].substr(0, extras[0].find('='));
      const std::string near = Nearest(name, CommandLine::OptionsOf(command));
      return MakeError(near.empty() ? errors::kNoSuchOption : errors::kNoSuchOptionNearly,
                       {{"command", command.get_name()}, {"option", name}, {"near", near}});
    }
    if (!extras.empty()) return MakeError(errors::kUnexpectedArgument, {{"text", extras[0]}});
  }
  return MakeError(errors::kWrongUsage, {{"complaint", text}});
}

}  // namespace

Result<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  CommandLine line(options);
  const std::vector<std::string> known = line.Commands();
  if (!arguments.empty() && !arguments[0].starts_with("-") &&
      std::find(known.begin(), known.end(), arguments[0]) == known.end()) {
    const std::string near = Nearest(arguments[0], known);
    return MakeError(near.empty() ? errors::kNoSuchCommand : errors::kNoSuchCommandNearly,
                     {{"command", arguments[0]}, {"near", near}});
  }
  // The command, as far as it is known.
  const auto command = [&]() -> CLI::App& {
    const std::vector<CLI::App*> chosen = line.app().get_subcommands();
    return chosen.empty() ? line.app() : *chosen[0];
  };
  try {
    // In reverse, as the library wants them.
    line.app().parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    options.help = command().help();
    return options;
  } catch (const CLI::ParseError& fault) {
    return UsageError(command(), fault);
  }
  if (&command() != &line.app()) options.command = command().get_name();
  if (options.command == "help") {
    const auto named = std::find(known.begin(), known.end(), options.path);
    Options ignored;
    CommandLine fresh(ignored);  // one that has parsed a command shows only that one's help
    options.help =
        named == known.end() ? fresh.app().help() : fresh.app().get_subcommand(*named)->help();
  }
  return options;
}

std::string UsageText() {
  Options ignored;
  return CommandLine(ignored).app().help();
}

}  // namespace emberline
