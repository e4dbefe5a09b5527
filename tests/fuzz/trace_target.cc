#include <cctype>
#include <string>

#include "ingest/byte_source.h"
#include "ingest/read_trace.h"
#include "input_file.h"
#include "json/json.h"
#include "model/model.h"
#include "target.h"

namespace emberline::fuzz {
namespace {

void CheckStore(const TraceStore& store) {
  const ReadCounts& c = store.counts();
  Check(c.events == c.slices + c.paired + c.instants + c.memory + c.counters + c.flows +
                        c.metadata + c.dropped,
        "every event is in one table or dropped");
  Check(c.dropped == 0 || !store.problems().empty(), "nothing is dropped silently");
  Check(store.slice_count() == c.slices && store.memory().size() == c.memory &&
            store.flows().size() == c.flows,
        "tables hold what was counted");
  for (const Track& track : store.tracks()) {
    for (SliceIndex i = track.first; i < track.last; ++i) {
      Check(store.duration(i) >= 0 && store.end(i) >= store.start(i),
            "a slice ends after its start");
      Check(i == track.first || store.start(i) >= store.start(i - 1), "slices go by start");
      const SliceIndex parent = store.parent(i);
      Check(parent == kNone || (parent < i && parent >= track.first), "parents come first");
    }
  }
}

// Events that stand in a text for certain, counted without reading it: objects that begin with a
// phase and a field that the args of no event have. What is the value of a key may be anything, and
// is an event only where it has a time. White space inside of a key makes it another one.
uint64_t EventsFor(std::string_view text) {
  uint64_t count = 0;
  constexpr std::string_view kBegin = "{\"ph\":\"";
  std::string plain;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!space || (!plain.empty() && std::isalnum(static_cast<unsigned char>(plain.back())))) {
      plain += c;
    }
  }
  text = plain;
  for (size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + 1)) {
    const std::string_view rest = text.substr(at + kBegin.size());
    if (rest.size() < 3 || !std::isalpha(static_cast<unsigned char>(rest[0]))) continue;
    const bool value = at > 0 && text[at - 1] == ':';
    if (value && rest.substr(0, rest.find('}')).find("\"ts\":") == std::string_view::npos) continue;
    for (const char* field : {"\",\"cat\":", "\",\"pid\":", "\",\"tid\":", "\",\"ts\":"}) {
      count += rest.substr(1).starts_with(field);
    }
  }
  return count;
}

// What a store holds, briefly, to compare two readings of one text.
std::string Digest(const TraceStore& store) {
  Json digest;
  digest["base"] = store.base_ns();
  digest["end"] = store.extent().end;
  uint64_t hash = 0;
  for (SliceIndex i = 0; i < store.slice_count(); ++i) {
    hash = (hash ^ static_cast<uint64_t>(store.start(i))) * 0x100000001b3ull;
    hash = (hash ^ static_cast<uint64_t>(store.duration(i))) * 0x100000001b3ull;
    hash = (hash ^ SeedOf(store.name(i))) * 0x100000001b3ull;
    hash = (hash ^ store.Args(i).size()) * 0x100000001b3ull;
  }
  digest["slices"] = hash;
  for (const Problem& problem : store.problems()) {
    digest["problems"][problem.kind] = {problem.count, problem.first_offset};
  }
  return DumpJson(digest);
}

}  // namespace

void RunTrace(std::string_view input) {
  Random random(SeedOf(input));
  const bool gzip = input.starts_with("\x1f\x8b");
  Result<ReadResult> read = gzip ? ReadTrace(OnDisk(input), {}) : ReadTraceText(input);
  if (!read.ok()) {
    Check(!read.error().message.empty(), "a refusal says why");
    return;
  }
  CheckStore(*read->store);
  if (!gzip) {
    const uint64_t events = EventsFor(input);
    if (read->store->counts().events < events) {
      Broken("of " + std::to_string(events) + " events only " +
             std::to_string(read->store->counts().events) + " are read or counted");
    }
    static constexpr size_t kBlocks[] = {1, 3, 17, 64, 257, 4096};
    const auto source = MakeTextSource(input, random.Pick(kBlocks));
    const Result<ReadResult> again = ReadTraceFrom(*source, {"The text", {}}, {});
    Check(again.ok(), "what is read whole is read in blocks");
    ReadOptions beside;
    beside.alone_events = 1;
    static constexpr size_t kBatches[] = {200, 1000, 1 << 18};
    beside.batch_bytes = random.Pick(kBatches);
    beside.readers_ahead = random.Below(4);
    const Result<ReadResult> two = ReadTraceText(input, beside);
    Check(two.ok(), "what one thread reads many can read");
    if (Digest(*two->store) != Digest(*read->store)) Broken("threads change what is read");
    const std::string whole = Digest(*read->store), blocks = Digest(*again->store);
    if (whole != blocks) Broken("blocks change what is read:\n" + whole + "\n" + blocks);
  }
  Check(BuildModel(read->store).ok(), "a model can be made of every trace");
}

}  // namespace emberline::fuzz
