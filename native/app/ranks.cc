#include "app/ranks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "app/commands.h"
#include "app/errors.h"
#include "app/images.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/ascii.h"
#include "base/cores.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/parallel.h"
#include "ranks/digest_file.h"
#include "ranks/load_job.h"
#include "ranks/make_digest.h"
#include "ranks/slurm.h"
#include "ranks/trace_paths.h"
#include "render/results.h"
#include "render/tables.h"
#include "rpc/methods.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

// The table that a command shows unless --by says otherwise; "" for the summary.
const std::map<std::string, std::string>& TableOfCommand() {
  static const std::map<std::string, std::string> tables = {
      {"distributed", ""},        {"collectives", "operations"},    {"idle", "idle"},
      {"overlap", "overlap"},     {"launches", "launches"},         {"queue", "queues"},
      {"sequences", "sequences"}, {"critical-path", "criticalPath"}};
  return tables;
}

int Usage(const ErrorText& text, MessageArgs args = {}) {
  return Fail(MakeError(text, std::move(args)), kExitUsage);
}

// The lines of a text file that are not empty. Errors: kNotFound.
Result<std::vector<std::string>> LinesOf(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return MakeError(errors::kUnreadableList, {{"path", path}});
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// --- digest

std::string DigestName(const std::string& worker, const std::string& id) {
  std::string name = worker.substr(0, 80);
  for (char& c : name) {
    if (!IsWordCharacter(c) && c != '-' && c != '.') c = '_';
  }
  return name + "." + id + kDigestExtension;
}

struct DigestCounts {
  size_t made = 0, kept = 0, failed = 0;
};

// A trace whose digest is wanted, and where that goes.
struct WantedDigest {
  TraceRef ref;
  fs::path trace, target;
};

// The traces of all PATHs. Those that cannot be read are counted and named.
std::vector<WantedDigest> TracesOf(Session& session, const std::vector<std::string>& paths,
                                   DigestCounts* counts) {
  const auto failed = [&](const std::string& what, const std::string& why) {
    ++counts->failed;
    Complain(what, why);
  };
  std::vector<WantedDigest> found;
  for (const std::string& path : paths) {
    const Result<Profile> profile = session.Open(path);
    if (!profile.ok()) {
      failed(path, profile.error().message);
      continue;
    }
    for (const RunFiles& run : profile->discovery.runs) {
      for (const BrokenSpan& file : run.broken) failed(file.path.string(), file.why);
      // No trace is known to be lost with these.
      for (const BrokenSpan& file : run.strangers) Complain(file.path.string(), file.why);
    }
    for (TraceRef& ref : AllTraces(*profile)) {
      Result<fs::path> trace = session.PathOf(ref.profile_id, ref.selection);
      if (trace.ok()) found.push_back({std::move(ref), std::move(*trace), {}});
    }
  }
  return found;
}

// Decides where the digests go, and leaves out what is there already.
std::vector<WantedDigest> WithoutDigest(std::vector<WantedDigest> found, const fs::path& out,
                                        size_t threads, DigestCounts* counts) {
  std::vector<Result<bool>> kept(found.size(), Result<bool>(false));
  RunEach(threads, found.size(), [&](size_t i) {
    const auto id = FileId(found[i].trace);
    if (id.ok()) {
      found[i].target = out / DigestName(found[i].ref.selection.worker, *id);
      kept[i] = ReadDigestFile(found[i].target).ok();
    } else {
      kept[i] = id.error();
    }
  });
  std::vector<WantedDigest> wanted;
  std::set<fs::path> targets;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!kept[i].ok()) {
      ++counts->failed;
      Complain(found[i].trace.string(), kept[i].error().message);
    } else if (*kept[i] || !targets.insert(found[i].target).second) {
      ++counts->kept;  // or the same file once more
    } else {
      wanted.push_back(std::move(found[i]));
    }
  }
  return wanted;
}

// Makes the digests of the traces of all PATHs, side by side, that are not there yet.
DigestCounts MakeDigests(const std::vector<std::string>& paths, const fs::path& out,
                         unsigned threads) {
  DigestCounts counts;
  Session session(kKeptOfUsedOnce);
  const std::vector<WantedDigest> wanted =
      WithoutDigest(TracesOf(session, paths, &counts), out,
                    threads > 0 ? size_t{threads} : UsableCores(), &counts);
  std::vector<TraceRef> refs;
  refs.reserve(wanted.size());
  for (const WantedDigest& one : wanted) refs.push_back(one.ref);
  SetLimits limits;
  limits.threads = threads;
  limits.visit_side_by_side = true;
  limits.memory_bytes = Session().limit_bytes();
  std::mutex mutex;
  const auto outcome = [&](size_t index, const SetMember& member) -> Result<bool> {
    if (!member.trace.ok()) return member.trace.error();
    const auto digest = MakeDigest(**member.trace, member.ref.selection.worker);
    if (!digest.ok()) return digest.error();
    return WriteDigestFile(wanted[index].target, EncodeDigest(*digest));
  };
  const Result<bool> done = ForEachTrace(
      session, refs, ReadOptions{{}, TerminalProgress()},
      [&](size_t index, SetMember member) {
        const Result<bool> made = outcome(index, member);
        const std::lock_guard lock(mutex);
        if (made.ok()) {
          ++counts.made;
        } else {
          ++counts.failed;
          Complain(wanted[index].trace.string(), made.error().message);
        }
      },
      limits);
  if (!done.ok()) Complain(out.string(), done.error().message);
  return counts;
}

int RunDigest(const Options& options) {
  std::vector<std::string> paths = options.paths;
  if (!options.list.empty()) {
    const auto lines = LinesOf(options.list);
    if (!lines.ok()) return Fail(lines.error());
    paths.insert(paths.end(), lines->begin(), lines->end());
  }
  if (paths.empty()) return Usage(errors::kDigestTraces);
  if (options.out.empty()) return Usage(errors::kDigestOut);
  const fs::path out = options.out;
  if (const auto refused = MakeFolder(out)) return Fail(*refused);
  const auto [part, parts] = options.stride.value_or(std::pair<int64_t, int64_t>(0, 1));
  std::vector<std::string> mine;
  for (size_t i = static_cast<size_t>(part); i < paths.size(); i += static_cast<size_t>(parts)) {
    mine.push_back(paths[i]);
  }
  const DigestCounts counts =
      MakeDigests(mine, out, static_cast<unsigned>(options.threads.value_or(0)));
  const std::string text = Counted(counts.made, "digest") + " made, " +
                           std::to_string(counts.kept) + " already there, " +
                           Counted(counts.failed, "trace") + " failed.\n";
  const int status = Print(text);
  return status == kExitDone && counts.failed > 0 ? kExitUnreadable : status;
}

// --- merge

// Whether a path names what the output goes to: "/dev/stdout", or the file behind it.
bool IsStandardOutput(const std::string& path) {
  struct stat named = {};
  struct stat output = {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

int RunMerge(const Options& options) {
  if (options.path.empty()) return Usage(errors::kMergeFolder);
  std::vector<BrokenFile> broken;
  size_t files = 0;
  Result<JobDigest> merged = ReadDigests(options.path, &broken, &files);
  for (const BrokenFile& file : broken) Complain(file.path, file.message);
  if (!merged.ok()) return Fail(merged.error());
  size_t missing = 0;
  if (!options.expect.empty()) {
    const auto lines = LinesOf(options.expect);
    if (!lines.ok()) return Fail(lines.error());
    const std::vector<bool> there = HaveDigests(*lines, merged->ranks);
    for (size_t i = 0; i < lines->size(); ++i) {
      const std::string& line = (*lines)[i];
      if (there[i]) continue;
      ++missing;
      const std::string text = Say(messages::kNoDigestOf, {{"path", Escaped(line)}}).text;
      std::fputs(("emberline: " + text + "\n").c_str(), stderr);
    }
  }
  const size_t ranks = merged->ranks.size();
  // Bytes that go to the output are alone there: the sentences go where errors do.
  const bool to_output = !options.out.empty() && IsStandardOutput(options.out);
  if (to_output) {
    const int status = Print(EncodeDigest(*merged));
    if (status != kExitDone) return status;
  } else if (!options.out.empty()) {
    const auto written = WriteDigestFile(options.out, EncodeDigest(*merged));
    if (!written.ok()) return Fail(written.error());
  }
  // Broken digests have been named.
  const Job job =
      BuildJob(std::make_shared<const JobDigest>(std::move(*merged)), {}, JobOrigin::kDigests);
  std::string text = Counted(ranks, "trace") + " merged";
  if (!options.out.empty()) text += " into " + Escaped(options.out);
  text += ".\n";
  for (const JobNote& note : job.notes) text += "Note: " + Escaped(note.text) + "\n";
  if (to_output) std::fputs(text.c_str(), stderr);
  const int status = to_output ? kExitDone : Print(text);
  return status == kExitDone && (missing > 0 || !broken.empty()) ? kExitUnreadable : status;
}

// --- jobs

int RunJobs(const Options& options) {
  if (options.engine != "slurm" || options.path.empty()) {
    return Usage(errors::kJobsOperands);
  }
  Session session;
  const Result<Profile> profile = session.Open(options.path);
  if (!profile.ok()) return Fail(profile.error());
  SlurmOptions slurm;
  // The script may be run from anywhere.
  const auto absolute = [](const fs::path& path) {
    std::error_code ignored;
    return fs::absolute(path, ignored).lexically_normal().string();
  };
  const bool named = options.program.find('/') == std::string::npos;
  slurm.program = named ? options.program : absolute(options.program);
  slurm.out =
      absolute(options.out.empty() ? fs::path(options.path) / "digests" : fs::path(options.out));
  slurm.max_array = options.max_array.value_or(slurm.max_array);
  slurm.throttle = options.throttle.value_or(slurm.throttle);
  slurm.retries = options.retries.value_or(slurm.retries);
  slurm.directives = options.directives;
  for (const TraceRef& ref : AllTraces(*profile)) {
    const Result<fs::path> trace = session.PathOf(ref.profile_id, ref.selection);
    if (!trace.ok()) continue;
    std::error_code ignored;
    slurm.traces.push_back(fs::absolute(*trace, ignored).string());
    slurm.bytes += fs::file_size(*trace, ignored);
    slurm.largest = std::max<uint64_t>(slurm.largest, fs::file_size(*trace, ignored));
  }
  // Their tasks fail and say why, and the merge names them.
  for (const RunFiles& run : profile->discovery.runs) {
    std::error_code ignored;
    for (const BrokenSpan& file : run.broken) {
      slurm.traces.push_back(fs::absolute(file.path, ignored).string());
    }
    for (const BrokenSpan& file : run.strangers) Complain(file.path.string(), file.why);
  }
  const Result<std::string> script = SlurmScript(slurm);
  return script.ok() ? Print(*script) : Fail(script.error());
}

// --- The views

Result<Json> ParamsOf(const Options& options, const CallContext& context) {
  if (HoldsDigests(options.path)) return Json{{"digests", options.path}};
  Result<Json> opened = CallMethod("profile/open", {{"path", options.path}}, context);
  if (!opened.ok()) return opened.error();
  Json params = {{"profileId", opened.value()["profileId"]}};
  if (!options.run.empty()) params["run"] = options.run;
  if (!options.span.empty()) params["span"] = options.span;
  return params;
}

std::string NotesText(const Json& job) {
  std::string text;
  for (const Json& note : job["notes"]) {
    text += "Note: " + Escaped(note["text"].get<std::string>()) + "\n";
  }
  return text;
}

// What a rank did that made it late, as the arguments of a sentence; nothing where `reasons` is
// empty.
void AddReason(const Json& reasons, MessageArgs* args) {
  if (reasons.empty()) {
    args->emplace_back("reason", "none");
    return;
  }
  const Json& reason = reasons[0];
  const std::string place = reason["place"], name = reason["name"];
  args->emplace_back("reason", name == kNotRecorded ? "notBegun" : "known");
  args->emplace_back("name", Escaped(name));
  args->emplace_back("placed", place.empty() ? "no" : "yes");
  args->emplace_back("place", Escaped(place));
  args->emplace_back("time", Humane(reason["timeUs"], "us"));
}

// Sentences about a rank that others wait for: in collectives, then for its work between sends and
// receives. What it did stands in the first.
std::string StragglerText(const Json& late) {
  const auto us = [](double value) { return Humane(value, "us"); };
  const auto count = [](const Json& value) { return value.get<int64_t>(); };
  std::string text;
  const auto add = [&](const Sentence& sentence, MessageArgs args) {
    AddReason(text.empty() ? late["reasons"] : Json::array(), &args);
    text += Say(sentence, std::move(args)).text + "\n";
  };
  double in_collectives = late["tracedUs"];
  for (const Json& work : late["work"]) in_collectives -= work["tracedUs"].get<double>();
  if (late["work"].empty() || in_collectives > 1) {
    add(messages::kJobStraggler, {{"rank", count(late["rank"])},
                                  {"last", count(late["timesLast"]), Unit::kCount},
                                  {"calls", count(late["calls"]), Unit::kCount},
                                  {"caused", us(in_collectives)}});
  }
  for (const Json& work : late["work"]) {
    const Json& steps = work["steps"];
    add(messages::kJobLateWork,
        {{"rank", count(late["rank"])},
         {"kind", work["kind"].get<std::string>()},
         {"calls", count(work["calls"]), Unit::kCount},
         {"steps", count(work["stepCount"]), Unit::kCount},
         {"named", steps.empty() ? "no" : "yes"},
         {"step", steps.empty() ? "" : Escaped(steps[0]["step"].get<std::string>())},
         {"usual", us(work["usualUs"])},
         {"excess", us(work["excessUs"])},
         {"caused", us(work["tracedUs"])}});
  }
  return text;
}

std::string SummaryText(const Json& job) {
  const auto us = [](const Json& value) { return Humane(value, "us"); };
  const auto count = [](const Json& value) { return value.get<int64_t>(); };
  // Traces that these notes are about do not belong to the job.
  int64_t left_out = 0;
  for (const Json& note : job["notes"]) {
    const Json& kind = note["kind"];
    if (kind != "otherJob" && kind != "duplicateRank" && kind != "emptyRank" &&
        kind != "copiedRank" && kind != "otherRecording") {
      continue;
    }
    for (const Json& argument : note["arguments"]) {
      if (argument["name"] == "count") left_out += count(argument["value"]);
    }
  }
  std::string text =
      Say(messages::kJobSize,
          {{"loaded", count(job["loaded"]) - left_out, Unit::kCount},
           {"known", job["worldSize"].is_null() ? "no" : "yes"},
           {"size", job["worldSize"].is_null() ? 0 : count(job["worldSize"]), Unit::kCount},
           {"nodes", job["nodes"].size(), Unit::kCount},
           {"collectives", count(job["collectives"]), Unit::kCount},
           {"groups", count(job["groups"]), Unit::kCount},
           {"matched", count(job["matchedCollectives"]), Unit::kCount}})
          .text +
      "\n";
  const Json& mean = job["breakdown"];
  text += Say(messages::kJobStep, {{"step", us(mean["stepUs"])},
                                   {"computation", us(mean["computationUs"])},
                                   {"overlap", us(mean["overlapUs"])},
                                   {"communication", us(mean["communicationUs"])},
                                   {"other", us(mean["otherUs"])}})
              .text +
          "\n";
  text += Say(messages::kJobWaiting, {{"found", count(job["matchedCollectives"]) > 0 ? "several"
                                                : count(job["collectives"]) > 0      ? "one"
                                                                                     : "none"},
                                      {"transfer", us(job["transferUs"])},
                                      {"waiting", us(job["waitingUs"])}})
              .text +
          "\n";
  for (const Json& late : job["stragglers"]) text += StragglerText(late);
  return text + NotesText(job);
}

// Each line as a paragraph of Markdown.
std::string Paragraphs(const std::string& lines) {
  std::string text;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    text += MarkdownText(lines.substr(at, end - at)) + "\n\n";
    at = end + 1;
  }
  return text;
}

int PrintTable(const Options& options, const Json& table, const std::string& summary) {
  std::string absences;  // of a table without rows
  for (const Json& absence : table["absences"]) absences += AbsenceSentences(absence);
  switch (options.format) {
    case OutputFormat::kJson: {
      Json document = {{"schema", "emberline/" + options.command + "/1"}};
      for (const auto& [key, value] : table.items()) document[key] = value;
      return PrintJson(document);
    }
    case OutputFormat::kCsv:
      std::fputs(absences.c_str(), stderr);
      return Print(TableCsv(table));
    case OutputFormat::kMarkdown:
      return Print(Paragraphs(summary) + TableMarkdown(table) +
                   (absences.empty() ? "" : "\n" + Paragraphs(absences)));
    case OutputFormat::kTable:
      break;
  }
  return Print(summary + (summary.empty() ? "" : "\n") + TableText(table) +
               (absences.empty() ? "" : "\n" + absences));
}

int RunJobView(const Options& options) {
  if (options.path.empty()) {
    return Usage(errors::kFolderRequired, {{"command", options.command}});
  }
  Session session(0, ImagesOf(options));
  const CallContext context{session, {}, TerminalProgress()};
  Result<Json> params = ParamsOf(options, context);
  if (!params.ok()) return Fail(params.error());
  const Result<Json> job = CallMethod("distributed/job", *params, context);
  if (!job.ok()) return Fail(job.error());
  std::string summary;
  std::string by = options.by.empty() ? TableOfCommand().at(options.command) : options.by;
  if (options.command == "distributed") {
    if (by.empty() && options.format == OutputFormat::kJson) {
      Json document = {{"schema", "emberline/distributed/1"}};
      for (const auto& [key, value] : job->items()) document[key] = value;
      return PrintJson(document);
    }
    summary = SummaryText(*job);
    if (by.empty()) by = "ranks";
  }
  const bool told =
      options.format == OutputFormat::kTable || options.format == OutputFormat::kMarkdown;
  if (summary.empty() || !told) std::fputs(NotesText(*job).c_str(), stderr);
  (*params)["by"] = by;
  if (!options.sort.empty()) (*params)["sort"] = options.sort;
  if (!options.filter.empty()) (*params)["filter"] = options.filter;
  (*params)["limit"] = RowLimit(options);
  AddOwnParams(options, &*params);
  const Result<Json> table = CallTable("distributed/table", *params, context);
  return table.ok() ? PrintTable(options, *table, summary) : Fail(table.error());
}

}  // namespace

bool IsRanksCommand(const std::string& command) {
  return command == "digest" || command == "merge" || command == "jobs" ||
         TableOfCommand().count(command) > 0;
}

int RunRanksCommand(const Options& options) {
  if (options.command == "digest") return RunDigest(options);
  if (options.command == "merge") return RunMerge(options);
  if (options.command == "jobs") return RunJobs(options);
  return RunJobView(options);
}

}  // namespace emberline
