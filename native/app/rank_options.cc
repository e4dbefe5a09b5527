#include "app/rank_options.h"

#include "app/option_checks.h"

namespace emberline {
namespace {

constexpr const char* kGroup = "Ranks of a job";

void AddDigest(CLI::App* app, Options* options) {
  CLI::App* digest =
      app->add_subcommand("digest", "summaries of traces, where they lie")->group(kGroup);
  digest->add_option("TRACE", options->paths, "traces, or folders of them");
  digest->add_option("-o,--out", options->out, "folder that gets them; what is there stays")
      ->type_name("DIR");
  digest->add_option("--list", options->list, "a file with one TRACE a line")->type_name("FILE");
  digest
      ->add_option_function<std::string>(
          "--stride",
          [options](const std::string& text) {
            const size_t slash = text.find('/');
            options->stride = {*WholeNumber(text.substr(0, slash)),
                               *WholeNumber(text.substr(slash + 1))};
          },
          "of all TRACEs only number I, I + N, I + 2 N, ...; I from 0")
      ->type_name("I/N")
      ->check(IsStride());
  digest->add_option("--threads", options->threads, "traces at a time (as many as cores)")
      ->type_name("N")
      ->check(IsPositive());
  CLI::App* merge =
      app->add_subcommand("merge", "puts a folder of digests together")->group(kGroup);
  merge->add_option("DIR", options->path, "a folder of digests");
  merge->add_option("-o,--out", options->out, "file that gets them as one digest")
      ->type_name("FILE");
  merge
      ->add_option("--expect", options->expect,
                   "a file with one trace a line: names what is missing")
      ->type_name("FILE");
}

void AddJobs(CLI::App* app, Options* options) {
  CLI::App* jobs =
      app->add_subcommand("jobs", "a script that makes digests with a scheduler (slurm)")
          ->group(kGroup);
  jobs->add_option("ENGINE", options->engine, "slurm")->check(IsOneOf({"slurm"}));
  jobs->add_option("FOLDER", options->path, "a folder of traces");
  jobs->add_option("-o,--out", options->out, "folder that gets the digests (FOLDER/digests)")
      ->type_name("DIR");
  jobs->add_option("--program", options->program, "emberline on the nodes (the one on PATH)")
      ->type_name("PATH");
  jobs->add_option("--max-array", options->max_array, "tasks that the site allows (1000)")
      ->type_name("N")
      ->check(IsPositive());
  jobs->add_option("--throttle", options->throttle, "tasks at a time (64)")
      ->type_name("N")
      ->check(IsPositive());
  jobs->add_option("--retries", options->retries, "of a trace whose digest was not made (2)")
      ->type_name("N")
      ->check(IsWhole());
  jobs->add_option("--sbatch", options->directives,
                   "an option of sbatch, such as --sbatch=--account=abc; repeatable")
      ->type_name("OPTION")
      ->allow_extra_args(false);
}

void AddAugment(CLI::App* app, Options* options) {
  CLI::App* augment =
      app->add_subcommand(
             "augment", "traces with counters of queues and copies, and marks of the critical path")
          ->group(kGroup);
  augment->add_option("TRACE", options->paths, "traces, or folders of them");
  augment->add_option("-o,--out", options->out, "folder that gets NAME_with_counters.json[.gz]")
      ->type_name("DIR");
}

}  // namespace

void AddRankCommands(CLI::App* app, Options* options) {
  AddDigest(app, options);
  AddJobs(app, options);
  AddAugment(app, options);
}

}  // namespace emberline
