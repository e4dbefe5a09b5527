#include "app/augment.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>

#include "app/commands.h"
#include "app/errors.h"
#include "app/images.h"
#include "app/messages.h"
#include "app/output.h"
#include "base/file.h"
#include "ingest/packed_file.h"
#include "rpc/views/timeline_export.h"
#include "session/trace_set.h"

namespace emberline {
namespace {

namespace fs = std::filesystem;

// "a.json.gz" becomes "a_with_counters.json.gz": what is inside is what the name says.
std::string AugmentedName(const std::string& name) {
  const size_t json = name.rfind(".json");
  if (json == std::string::npos) return name + "_with_counters.json";
  return name.substr(0, json) + "_with_counters" + name.substr(json);
}

// What `write` gives, gzipped or as it is. False where the file cannot be written.
bool WritePacked(const fs::path& draft, const std::function<bool(const TextSink&)>& write) {
  PackedFile file(draft);
  if (!file.ok()) return false;
  const bool whole = write([&](std::string_view text) { return file.Write(text); });
  return file.Close() && whole;
}

bool WritePlain(const fs::path& draft, const std::function<bool(const TextSink&)>& write) {
  const FilePtr file(std::fopen(draft.c_str(), "wb"));
  if (file == nullptr) return false;
  const bool whole = write([&](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  });
  return whole && std::fflush(file.get()) == 0;
}

Result<bool> Augment(const LoadedTrace& trace, const fs::path& target) {
  const auto additions = AdditionsOf(*trace.model, {});
  if (!additions.ok()) return additions.error();
  std::vector<SliceIndex> slices(trace.store->slice_count());
  std::iota(slices.begin(), slices.end(), 0);
  const fs::path draft = target.string() + ".tmp." + std::to_string(getpid());
  const auto write = [&](const TextSink& sink) {
    const Interval all{INT64_MIN / 2, INT64_MAX / 2};
    return WriteTrace(*trace.model, slices, all, nullptr, &*additions, sink);
  };
  const bool packed = target.extension() == ".gz";
  std::error_code fault;
  errno = 0;
  if (packed ? WritePacked(draft, write) : WritePlain(draft, write)) {
    fs::rename(draft, target, fault);
    if (!fault) return true;
  }
  const int why = fault ? fault.value() : errno;
  fs::remove(draft, fault);
  return MakeError(errors::kTraceNotWritten,
                   {{"path", target.string()}, {"reason", WhyNotWritten(why)}});
}

}  // namespace

int RunAugment(const Options& options) {
  if (options.paths.empty() || options.out.empty()) {
    return Fail(MakeError(errors::kAugmentOperands), kExitUsage);
  }
  const fs::path out = options.out;
  if (const auto refused = MakeFolder(out)) return Fail(*refused);
  size_t written = 0, failed = 0;
  std::set<fs::path> targets;
  const auto fail = [&](const std::string& what, const Error& error) {
    ++failed;
    Complain(what, error.message);
  };
  for (const std::string& path : options.paths) {
    Session session(kKeptOfUsedOnce);
    const Result<Profile> profile = session.Open(path);
    if (!profile.ok()) {
      fail(path, profile.error());
      continue;
    }
    for (const TraceRef& ref : AllTraces(*profile)) {
      const Result<fs::path> source = session.PathOf(ref.profile_id, ref.selection);
      if (!source.ok()) continue;
      const fs::path target = out / AugmentedName(source->filename().string());
      if (!targets.insert(target).second) {
        fail(source->string(), MakeError(errors::kTraceNameTaken, {{"folder", options.out}}));
        continue;
      }
      const auto trace =
          session.Load(ref.profile_id, ref.selection, ReadOptions{{}, TerminalProgress()});
      const Result<bool> done = trace.ok() ? Augment(**trace, target) : trace.error();
      if (done.ok()) {
        ++written;
      } else {
        fail(source->string(), done.error());
      }
    }
  }
  const int status =
      Print(Say(messages::kAugmented, {{"written", written}, {"failed", failed}}).text + "\n");
  return status == kExitDone && failed > 0 ? kExitUnreadable : status;
}

}  // namespace emberline
