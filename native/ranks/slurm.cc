#include "ranks/slurm.h"

#include <algorithm>

#include "ranks/errors.h"

namespace emberline {
namespace {

// Minutes that a task may take, at two minutes a gigabyte and five more.
int64_t Minutes(const SlurmOptions& options, int64_t tasks) {
  const auto each = static_cast<int64_t>(options.bytes / static_cast<uint64_t>(tasks));
  const auto largest = static_cast<int64_t>(options.largest);
  return 5 + (2 * std::max(each, largest) * (1 + options.retries)) / 1'000'000'000;
}

bool IsPlain(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

// A word of a shell, whatever it holds.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Result<std::string> SlurmScript(const SlurmOptions& options) {
  if (options.traces.empty()) return MakeError(errors::kNothingToDigest);
  if (options.max_array < 1 || options.throttle < 1 || options.retries < 0) {
    return MakeError(errors::kBadArrayLimits);
  }
  for (const std::string& trace : options.traces) {
    if (!IsPlain(trace)) return MakeError(errors::kControlCharacterInPath);
  }
  std::string site;
  for (const std::string& directive : options.directives) {
    if (!IsPlain(directive) || !directive.starts_with("-")) {
      return MakeError(errors::kNotAnSbatchOption, {{"option", directive}});
    }
    site += " " + Quoted(directive);
  }
  const auto count = static_cast<int64_t>(options.traces.size());
  const int64_t tasks = std::min(count, options.max_array);
  std::string list;
  std::string end = "END_OF_TRACES";
  for (const std::string& trace : options.traces) {
    if (trace == end) end += "_";
    list += trace + "\n";
  }
  std::string s =
      "#!/bin/sh\n"
      "# Makes the digests of " +
      std::to_string(count) +
      " traces with a Slurm job array, then merges them.\n"
      "# Run it with `sh`; run it again to make what is still missing.\n"
      "set -eu\n"
      "out=" +
      Quoted(options.out) +
      "\n"
      "emberline=" +
      Quoted(options.program.empty() ? "emberline" : options.program) +
      "\n"
      "tasks=" +
      std::to_string(tasks) +
      "\n"
      "throttle=" +
      std::to_string(options.throttle) +
      "\n"
      "mkdir -p \"$out/log\"\n"
      "out=$(cd \"$out\" && pwd)\n"
      "cat > \"$out/traces.txt\" <<'" +
      end + "'\n" + list + end +
      "\n"
      // What a task runs.
      "cat > \"$out/digest.sh\" <<'END_OF_TASK'\n"
      "#!/bin/sh\n"
      "# One task takes every T-th trace. Digests that are there are left alone, so trying again "
      "is\n"
      "# cheap; each trace is a run of its own, so that one that kills it leaves the others "
      "alone.\n"
      "out=$1 emberline=$2 tasks=$3 tries=$4\n"
      "status=0 line=0\n"
      "while IFS= read -r trace; do\n"
      "  if [ $((line % tasks)) -eq \"${SLURM_ARRAY_TASK_ID:-0}\" ]; then\n"
      "    try=1\n"
      "    until \"$emberline\" digest \"$trace\" -o \"$out\" --threads "
      "\"${SLURM_CPUS_PER_TASK:-1}\" </dev/null; do\n"
      "      # Status 3: the trace cannot be read, and will not be the next time.\n"
      "      if [ $? -eq 3 ] || [ \"$try\" -ge \"$tries\" ]; then\n"
      "        echo \"$trace has no digest\" >&2\n"
      "        status=3\n"
      "        break\n"
      "      fi\n"
      "      try=$((try + 1))\n"
      "    done\n"
      "  fi\n"
      "  line=$((line + 1))\n"
      "done < \"$out/traces.txt\"\n"
      "exit $status\n"
      "END_OF_TASK\n"
      "chmod +x \"$out/digest.sh\"\n"
      // Submitting.
      "array=$(sbatch --parsable --job-name=emberline-digest --array=\"0-$((tasks - "
      "1))%$throttle\" \\\n"
      "  --ntasks=1 --cpus-per-task=\"${EMBERLINE_CPUS:-2}\" --time=" +
      std::to_string(Minutes(options, tasks)) +
      " --requeue \\\n"
      "  --output=\"$out/log/%A_%a.txt\"" +
      site +
      " \\\n"
      "  \"$out/digest.sh\" \"$out\" \"$emberline\" \"$tasks\" " +
      std::to_string(options.retries + 1) +
      ")\n"
      "array=${array%%;*}\n"
      "# afterany: a trace that fails must not keep the others from being merged.\n"
      "cat > \"$out/merge.sh\" <<'END_OF_MERGE'\n"
      "#!/bin/sh\n"
      "exec \"$2\" merge \"$1\" --expect \"$1/traces.txt\" -o \"$1/merged.digest\"\n"
      "END_OF_MERGE\n"
      "merge=$(sbatch --parsable --job-name=emberline-merge --dependency=\"afterany:$array\" \\\n"
      "  --ntasks=1 --time=30 --output=\"$out/log/merge.txt\"" +
      site +
      " \\\n"
      "  \"$out/merge.sh\" \"$out\" \"$emberline\")\n"
      "merge=${merge%%;*}\n"
      "echo \"Submitted $tasks tasks as $array, and the merge as $merge.\"\n"
      "echo \"Digests and $out/log/merge.txt will be in $out; open it with emberline "
      "distributed.\"\n";
  return s;
}

}  // namespace emberline
