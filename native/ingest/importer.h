// The seam between formats and everything else: an importer knows one format of recordings, and
// fills a TraceBuilder. Nothing behind the store knows which one did.
//
// What an importer tells the builder: tracks (TraceBuilder::HostTrack, DeviceTrack), slices with
// their kind, memory, counters, flows with their role, problems, and which of its args plays which
// role (TraceBuilder::NameArg): correlations, shapes, call stacks. What its format lacks it leaves
// out; views say what is missing. A new importer stands in a folder of its own and adds one line to
// importers.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/byte_source.h"
#include "ingest/read_trace.h"

namespace emberline {

// How much of a file's beginning importers are shown.
inline constexpr size_t kHeadBytes = 1 << 18;

struct ImporterSpec {
  const char* id;     // stable, lower camel: "traceEvents"
  const char* title;  // what people call the format: "Trace Event JSON"
  // How names of such files end, without ".gz". A folder is searched for them, and looks into them.
  std::vector<std::string_view> suffixes;
  // The suffix that only a recorder gives, to "<worker>[.<digits>]": such a file is what its name
  // says. Empty: none.
  std::string_view recorder_suffix;
};

struct Recognition {
  enum class Claim {
    kNone,      // it is none of this importer's
    kFallback,  // it does not look like one, but may be one whose beginning is damaged
    kSure,
  };
  Claim claim = Claim::kNone;
  // Unless sure: what it is instead, a sentence about {file} (ingest/errors.h).
  const Sentence* why = nullptr;
  MessageArgs args;

  Message Why(std::string_view file) const {
    if (why == nullptr) return {};
    MessageArgs all = args;
    all.emplace_back("file", file);
    return Say(*why, std::move(all));
  }
};

// Importers are stateless and may be used by any thread.
class Importer {
 public:
  virtual ~Importer() = default;
  virtual const ImporterSpec& spec() const = 0;
  // Told by content alone, since files are renamed. `head`: the first kHeadBytes, inflated; less
  // where the file is shorter. Reads nothing behind its end.
  virtual Recognition Recognize(std::string_view head) const = 0;
  // Reads the whole recording from its beginning. Errors: kUnreadable, kCancelled. Damage is no
  // error: it is counted among the store's problems.
  virtual Result<ReadResult> Read(ByteSource& source, const TraceFile& file,
                                  const ReadOptions& options) const = 0;
};

// Those that a file is offered to, in order. Importers outlive it.
using ImporterList = std::vector<const Importer*>;

// All of this program.
const ImporterList& BuiltInImporters();

// Who reads a file that begins with `head`: the first that is sure, else the first that would try;
// null when nobody would. `recognition` is what it said; of nobody, what the last one said.
const Importer* ChooseImporter(const ImporterList& importers, std::string_view head,
                               Recognition* recognition);

}  // namespace emberline
