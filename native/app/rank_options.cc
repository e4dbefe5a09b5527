#include "app/rank_options.h"

#include "app/option_checks.h"

namespace emberline {
namespace {

constexpr const char* kGroup = "Ranks of a job";

void AddDigest(CLI::App* app, Options* options) {
  CLI::App* digest =
      app->add_subcommand("digest", "summaries of traces, written where the traces are")
          ->group(kGroup);
  digest->add_option("TRACE", options->paths, "traces, or folders of them");
  digest->add_option("-o,--out", options->out, "folder for the digests; existing ones are kept")
      ->type_name("DIR");
  digest->add_option("--list", options->list, "file with one TRACE per line")->type_name("FILE");
  digest
      ->add_option_function<std::string>(
          "--stride",
          [options](const std::string& text) {
            const size_t slash = text.find('/');
            options->stride = {*WholeNumber(text.substr(0, slash)),
                               *WholeNumber(text.substr(slash + 1))};
          },
          "only every Nth TRACE, starting with number I (from 0)")
      ->type_name("I/N")
      ->check(IsStride());
  digest->add_option("--threads", options->threads, "traces read at a time (default: one per core)")
      ->type_name("N")
      ->check(IsPositive());
  CLI::App* merge =
      app->add_subcommand("merge", "one digest from a folder of digests")->group(kGroup);
  merge->add_option("DIR", options->path, "a folder of digests");
  merge->add_option("-o,--out", options->out, "file for the merged digest")->type_name("FILE");
  merge
      ->add_option("--expect", options->expect,
                   "file with one trace per line; reports traces without a digest")
      ->type_name("FILE");
}

void AddJobs(CLI::App* app, Options* options) {
  CLI::App* jobs = app->add_subcommand("jobs", "a script that makes digests on a cluster (slurm)")
                       ->group(kGroup);
  jobs->add_option("ENGINE", options->engine, "slurm")->check(IsOneOf({"slurm"}));
  jobs->add_option("FOLDER", options->path, "a folder of traces");
  jobs->add_option("-o,--out", options->out, "folder for the digests (FOLDER/digests)")
      ->type_name("DIR");
  jobs->add_option("--program", options->program,
                   "emberline program on the nodes (default: from PATH)")
      ->type_name("PATH");
  jobs->add_option("--max-array", options->max_array,
                   "most tasks per array that the site allows (1000)")
      ->type_name("N")
      ->check(IsPositive());
  jobs->add_option("--throttle", options->throttle, "most tasks at a time (64)")
      ->type_name("N")
      ->check(IsPositive());
  jobs->add_option("--retries", options->retries, "tries after a digest failed (2)")
      ->type_name("N")
      ->check(IsWhole());
  jobs->add_option("--sbatch", options->directives,
                   "option passed to sbatch, such as --sbatch=--account=abc; repeatable")
      ->type_name("OPTION")
      ->allow_extra_args(false);
}

void AddAugment(CLI::App* app, Options* options) {
  CLI::App* augment =
      app->add_subcommand(
             "augment",
             "copies of traces with queue and copy counters and the critical path marked")
          ->group(kGroup);
  augment->add_option("TRACE", options->paths, "traces, or folders of them");
  augment->add_option("-o,--out", options->out, "folder for NAME_with_counters.json[.gz]")
      ->type_name("DIR");
}

}  // namespace

void AddRankCommands(CLI::App* app, Options* options) {
  AddDigest(app, options);
  AddJobs(app, options);
  AddAugment(app, options);
}

}  // namespace emberline
