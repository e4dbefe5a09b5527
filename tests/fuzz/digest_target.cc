// Digests that nobody made: whatever their bytes say, they are refused or give a job.
#include <cstring>
#include <memory>
#include <string>

#include "ranks/digest_file.h"
#include "ranks/job_lanes.h"
#include "ranks/job_tables.h"
#include "target.h"

namespace emberline::fuzz {
namespace {

constexpr size_t kHead = 34;  // of a file, before the body

void ReadAll(std::string_view bytes) {
  Result<JobDigest> read = DecodeDigest(bytes);
  if (!read.ok()) {
    Check(!read.error().message.empty(), "a refusal says why");
    return;
  }
  const std::string again = EncodeDigest(*read);
  const Result<JobDigest> twice = DecodeDigest(again);
  Check(twice.ok() && EncodeDigest(*twice) == again, "what was read is written alike");
  JobDigest merged;
  MergeDigests(&merged, *twice);
  const Job job =
      BuildJob(std::make_shared<const JobDigest>(std::move(*read)), {}, JobOrigin::kDigests);
  for (const JobTable& table : JobTables()) {
    if (table.make == nullptr) continue;  // made of a trace
    const Table made = table.make(job);
    for (const auto& row : made.rows) {
      Check(row.size() == made.columns.size(), "each row has each column");
    }
  }
  LaneWindow window;
  window.to = job.length;
  window.ranks = 8;
  window.pixels = 100;
  LanesOf(job, window);
}

}  // namespace

void RunDigest(std::string_view input) {
  ReadAll(input);
  // Few changes keep a checksum: with a right one, more is read.
  if (input.size() > kHead) ReadAll(SealDigest(input.substr(kHead)));
}

void MutateDigest(std::string& text, std::string_view other, Random& random) {
  if (text.size() <= kHead) {
    text = other;
    return;
  }
  const size_t at = kHead + random.Below(text.size() - kHead);
  switch (random.Below(6)) {
    case 0:
      text[at] = static_cast<char>(random.Next());
      break;
    case 1:
      text.erase(at, 1 + random.Below(8));
      break;
    case 2:
      text.insert(at, 1 + random.Below(8), static_cast<char>(random.Next()));
      break;
    case 3: {
      // A number as large as there are.
      std::string number(9, static_cast<char>(0xff));
      number += random.OneIn(2) ? '\x01' : '\x7f';
      text.replace(at, 1, number);
      break;
    }
    case 4:
      text.resize(at);
      break;
    default: {
      const size_t from = random.Below(other.size());
      text.insert(at, other.substr(from, random.Below(40)));
    }
  }
}

}  // namespace emberline::fuzz
