// No job may take time that grows faster than its ranks and their calls, however they lie beside
// each other.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "growth_count.h"
#include "ranks/job_lanes.h"
#include "ranks/job_tables.h"

using namespace emberline;
using namespace emberline::growth;

namespace {

constexpr int kSmall = 400;
constexpr Ns kBetween = 1'000'000;  // from call to call

// A job whose ranks make calls at fixed times.
class Drawn {
 public:
  explicit Drawn(int ranks) : digest_(std::make_shared<JobDigest>()) {
    for (int r = 0; r < ranks; ++r) {
      RankDigest rank;
      rank.file_id = rank.worker = std::to_string(r);
      rank.rank = r;
      rank.world_size = ranks;
      rank.devices = {{0, "GPU", "", 0, 0}};
      rank.base_ns = int64_t{1} << 60;
      CollectiveGroup world{"0", "default_pg", {}, false, ranks, 0};
      rank.groups = {world};
      digest_->ranks.push_back(std::move(rank));
    }
  }

  RankDigest& rank(int r) { return digest_->ranks[static_cast<size_t>(r)]; }

  // A call at a place in time.
  CollectiveDigest& Call(int r, int at, CollectiveOp op, int64_t bytes = 4096) {
    RankDigest& own = rank(r);
    CollectiveDigest call;
    call.op = static_cast<uint8_t>(op);
    call.library = "nccl";
    call.dtype = "Float";
    call.in_elements = bytes / 4;
    call.bytes = bytes;
    call.start = Ns{at} * kBetween + r;
    call.duration = kBetween / 2 - r % 1000;
    call.launched = call.start - 1000;
    call.device = 0;
    call.since = kBetween / 2;
    call.before = {{kHostActivity, "work", "a.py:1 (f)", kBetween / 4}};
    own.end = std::max(own.end, call.start + kBetween);
    own.collectives.push_back(std::move(call));
    return own.collectives.back();
  }

  std::shared_ptr<const JobDigest> digest() const { return digest_; }

 private:
  std::shared_ptr<JobDigest> digest_;
};

struct JobShape {
  const char* name;
  std::shared_ptr<const JobDigest> (*draw)(int size);
  bool pairs_grow = false;  // as the square of the ranks: what a table of pairs lists
};

std::shared_ptr<const JobDigest> Numbered(int size) {
  Drawn job(4);
  for (int r = 0; r < 4; ++r) {
    for (int i = 0; i < size; ++i) job.Call(r, i, CollectiveOp::kAllReduce).sequence = i;
  }
  return job.digest();
}

// Ranks that lack other calls each: nothing but order and time tells them apart.
std::shared_ptr<const JobDigest> Lacking(int size) {
  Drawn job(4);
  for (int r = 0; r < 4; ++r) {
    for (int i = 0; i < size; ++i) {
      if (i % 97 != r * 20 + 1) job.Call(r, i, CollectiveOp::kAllReduce);
    }
  }
  return job.digest();
}

// What one rank calls the other does not.
std::shared_ptr<const JobDigest> Unlike(int size) {
  Drawn job(2);
  for (int i = 0; i < size; ++i) {
    job.Call(0, i, CollectiveOp::kAllReduce, 4 * (i % 7 + 1));
    job.Call(1, i, CollectiveOp::kAllGather, 4 * (i % 5 + 1));
    if (i % 3 == 0) job.Call(1, i, CollectiveOp::kAllReduce, 4 * (i % 7 + 1));
  }
  return job.digest();
}

std::shared_ptr<const JobDigest> Steps(int size) {
  Drawn job(4);
  for (int r = 0; r < 4; ++r) {
    for (int i = 0; i < size; ++i) {
      RankDigest& rank = job.rank(r);
      rank.has_steps = true;
      rank.steps.push_back({"s", i, Ns{i} * kBetween - 2000, Ns{i + 1} * kBetween - 2000, false});
      // Every other call lies between steps.
      job.Call(r, i, CollectiveOp::kAllReduce).step = i % 2 == 0 ? i : -1;
      rank.times.push_back({0, i, kBetween, kBetween / 2, 0, kBetween / 4, kBetween / 2, {}});
    }
  }
  return job.digest();
}

std::shared_ptr<const JobDigest> ManyRanks(int size) {
  Drawn job(size);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < 4; ++i) job.Call(r, i, CollectiveOp::kAllReduce);
  }
  return job.digest();
}

// Each rank is in a group with the next.
std::shared_ptr<const JobDigest> ManyGroups(int size) {
  Drawn job(size);
  for (int r = 0; r + 1 < size; ++r) {
    for (const int member : {r, r + 1}) {
      RankDigest& rank = job.rank(member);
      rank.groups.push_back({std::to_string(r + 1), "", {r, r + 1}, true, 2, 0});
      job.Call(member, r % 8, CollectiveOp::kAllReduce).group =
          static_cast<uint32_t>(rank.groups.size() - 1);
    }
  }
  return job.digest();
}

std::shared_ptr<const JobDigest> Sends(int size) {
  Drawn job(2);
  for (int i = 0; i < size; ++i) {
    job.Call(0, i, CollectiveOp::kSend).peer = 1;
    if (i % 50 != 7) job.Call(1, i, CollectiveOp::kRecv).peer = 0;
  }
  return job.digest();
}

// A ring of all ranks: one exchange that ties all together.
std::shared_ptr<const JobDigest> Ring(int size) {
  Drawn job(size);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < 3; ++i) {
      job.Call(r, i, CollectiveOp::kSendRecv).parts = {{true, (r + 1) % size, 4096},
                                                       {false, (r + size - 1) % size, 4096}};
    }
  }
  return job.digest();
}

// Exchanges of which each ties two of the other rank's.
std::shared_ptr<const JobDigest> Zipper(int size) {
  Drawn job(2);
  for (int i = 0; i < size; ++i) {
    for (int r = 0; r < 2; ++r) {
      job.Call(r, 2 * i + r, CollectiveOp::kSendRecv).parts = {{r == 0, 1 - r, 4096},
                                                               {r == 1, 1 - r, 4096}};
    }
  }
  return job.digest();
}

// Exchanges that each have as many parts as there are.
std::shared_ptr<const JobDigest> Wide(int size) {
  Drawn job(2);
  for (int r = 0; r < 2; ++r) {
    std::vector<ExchangePart> parts;
    for (int i = 0; i < size; ++i) parts.push_back({(i + r) % 2 == 0, 1 - r, 64});
    for (int i = 0; i < 4; ++i) job.Call(r, i, CollectiveOp::kSendRecv).parts = parts;
  }
  return job.digest();
}

std::shared_ptr<const JobDigest> Uneven(int size) {
  Drawn job(8);
  for (int r = 0; r < 8; ++r) {
    for (int i = 0; i < size; ++i) {
      job.Call(r, i, CollectiveOp::kAllToAll).sent = {1, 2, 3, 4, 5, 6, 7, 4068};
    }
  }
  return job.digest();
}

// Chains of delays: each rank waits for the one before it, in another group each time.
std::shared_ptr<const JobDigest> Delays(int size) {
  Drawn job(3);
  for (int r = 0; r < 3; ++r) job.rank(r).groups.push_back({"1", "", {}, false, 2, 0});
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < 2; ++k) {
      const int r = (i + k) % 3;
      CollectiveDigest& call = job.Call(r, i, CollectiveOp::kAllReduce);
      call.group = static_cast<uint32_t>(i % 2);
      call.start += k * kBetween / 3;
      call.duration -= k * kBetween / 3;
    }
  }
  return job.digest();
}

const std::vector<JobShape> kJobs = {
    {"numbered calls", Numbered},
    {"calls that ranks lack", Lacking},
    {"calls that do not agree", Unlike},
    {"steps", Steps},
    {"ranks", ManyRanks, true},
    {"groups", ManyGroups},
    {"sends", Sends},
    {"a ring", Ring},
    {"exchanges like a zipper", Zipper},
    {"exchanges of many parts", Wide},
    {"uneven exchanges", Uneven},
    {"delays", Delays},
};

struct Measured {
  std::string what;
  Work work;
};

std::vector<Measured> WorkOf(const JobShape& shape, int size) {
  std::vector<Measured> all;
  const auto digest = shape.draw(size);
  const WorkCounter building;
  const Job job = BuildJob(digest, {}, JobOrigin::kDigests);
  all.push_back({"building", building.Count()});
  for (const JobTable& table : JobTables()) {
    if (table.make == nullptr) continue;  // made of a trace
    if (shape.pairs_grow && std::string(table.name) == "matrix") continue;
    const WorkCounter counter;
    const Table made = table.make(job);
    all.push_back({table.name, counter.Count()});
  }
  const WorkCounter counter;
  const JobLanes lanes = LanesOf(job, {});
  all.push_back({"lanes", counter.Count()});
  return all;
}

}  // namespace

TEST_CASE("no job takes longer than its ranks and calls account for", "[growth]") {
  WorkOf(kJobs[0], kSmall);
  for (const JobShape& shape : kJobs) {
    const std::vector<Measured> small = WorkOf(shape, kSmall);
    const std::vector<Measured> large = WorkOf(shape, kSmall * kFactor);
    REQUIRE(small.size() == large.size());
    for (size_t k = 0; k < large.size(); ++k) {
      INFO(shape.name << ", " << large[k].what);
      CheckGrowth(small[k].work, large[k].work);
    }
  }
}
