// Who talks to whom.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ranks/job_tables.h"
#include "ranks/table_columns.h"

namespace emberline {
namespace {

// Groups of more ranks have more pairs than a table should have rows.
constexpr size_t kMaxPaired = 1024;

// Between two places: ranks, or machines.
struct Row {
  int64_t from, to;
  double bytes = 0;
  int64_t calls = 0;
  bool exact = true;
};

// What a group's collectives come to, so that pairs are made once and not for each call.
struct GroupTraffic {
  double spread = 0;  // bytes that each member sends to the others together, whoever they are
  int64_t calls = 0;
  int64_t inexact = 0;              // of these: whose bytes are not known for each pair
  std::map<uint32_t, double> even;  // bytes to each other member, by sending member
  std::map<std::pair<int64_t, int64_t>, double> uneven;  // by sender and receiver
};

class Matrix {
 public:
  // `place` of a rank: itself, or its machine.
  Matrix(const Job& job, std::function<int64_t(int64_t)> place)
      : job_(job), place_(std::move(place)) {}

  std::vector<Row> Rows() {
    for (const auto& [pair, traffic] : job_.traffic) {
      if (pair.first == pair.second) continue;
      Add(pair.first, pair.second, static_cast<double>(traffic.bytes), traffic.calls, true);
    }
    for (const MatchedCall& call : job_.calls) {
      const JobGroup& group = job_.groups[call.group];
      if (!IsPointToPoint(call.op) && !group.ambiguous) AddCall(call, &groups_[call.group]);
    }
    for (const auto& [group, traffic] : groups_) AddGroup(job_.groups[group], traffic);
    std::vector<Row> rows;
    for (auto& [key, row] : found_) rows.push_back(row);
    return rows;
  }

 private:
  // Between ranks.
  void Add(int64_t from, int64_t to, double bytes, int64_t calls, bool exact) {
    AddPlaces(place_(from), place_(to), bytes, calls, exact);
  }
  void AddPlaces(int64_t from, int64_t to, double bytes, int64_t calls, bool exact) {
    Row& row = found_.try_emplace({from, to}, Row{from, to}).first->second;
    row.bytes += bytes;
    row.calls += calls;
    row.exact = row.exact && exact;
  }

  void AddCall(const MatchedCall& call, GroupTraffic* traffic) {
    ++traffic->calls;
    const auto ranks = static_cast<int64_t>(job_.groups[call.group].members.size());
    if (call.op == CollectiveOp::kAllToAll && AddExchange(call, traffic)) return;
    ++traffic->inexact;
    if (call.bytes > 0 && ranks > 1) {
      traffic->spread += static_cast<double>(call.bytes) * BusFactor(call.op, ranks);
    }
  }

  // All-to-all says what each rank sends to each other one. False where a member does not say it.
  bool AddExchange(const MatchedCall& call, GroupTraffic* traffic) {
    const JobGroup& group = job_.groups[call.group];
    if (group.members.size() > kMaxPaired) return false;
    const std::vector<int64_t> ranks = OrderOf(group);
    const auto bytes_of = [](const CollectiveDigest& c) {
      const int64_t size = ElementBytes(c.dtype);
      return size > 0 && c.in_elements >= 0
                 ? static_cast<double>(c.in_elements) * static_cast<double>(size)
                 : -1.0;
    };
    for (const MatchedCall::Member& member : call.members) {
      if (bytes_of(Digest(member)) < 0 || Digest(member).parts_cut) return false;
    }
    std::vector<int64_t> here;
    for (const MatchedCall::Member& member : call.members) {
      const CollectiveDigest& c = Digest(member);
      const int64_t own = job_.ranks[member.rank].rank;
      here.push_back(own);
      if (!c.sent.empty() && c.sent.size() == ranks.size()) {
        for (size_t i = 0; i < ranks.size(); ++i) {
          traffic->uneven[{own, ranks[i]}] += static_cast<double>(c.sent[i]);
        }
      } else {
        traffic->even[member.rank] += bytes_of(c) / static_cast<double>(ranks.size());
      }
    }
    // What came from ranks without a trace, those who received it tell.
    for (const MatchedCall::Member& member : call.members) {
      const CollectiveDigest& c = Digest(member);
      if (c.received.size() != ranks.size()) continue;
      for (size_t i = 0; i < ranks.size(); ++i) {
        if (std::binary_search(here.begin(), here.end(), ranks[i])) continue;
        traffic->uneven[{ranks[i], job_.ranks[member.rank].rank}] +=
            static_cast<double>(c.received[i]);
      }
    }
    return true;
  }

  void AddGroup(const JobGroup& group, const GroupTraffic& traffic) {
    if (group.members.size() < 2 && traffic.uneven.empty()) return;
    const double others = std::max(1.0, static_cast<double>(group.members.size()) - 1);
    std::map<int64_t, int64_t> sizes;  // members at each place
    for (const uint32_t member : group.members) ++sizes[place_(job_.ranks[member].rank)];
    if (sizes.size() > kMaxPaired) return;
    std::map<std::pair<int64_t, int64_t>, double> sent;
    for (const uint32_t from : group.members) {
      const auto even = traffic.even.find(from);
      const double each =
          traffic.spread / others + (even == traffic.even.end() ? 0.0 : even->second);
      const int64_t own = place_(job_.ranks[from].rank);
      for (const auto& [place, count] : sizes) {
        const int64_t peers = place == own ? count - 1 : count;
        if (peers > 0) sent[{own, place}] += each * static_cast<double>(peers);
      }
    }
    for (const auto& [pair, bytes] : sent) {
      AddPlaces(pair.first, pair.second, bytes, traffic.calls, traffic.inexact == 0);
    }
    std::set<int64_t> counted;
    for (const uint32_t member : group.members) counted.insert(job_.ranks[member].rank);
    for (const auto& [pair, bytes] : traffic.uneven) {
      if (pair.first == pair.second) continue;
      const int64_t calls =
          counted.count(pair.first) > 0 && counted.count(pair.second) > 0 ? 0 : traffic.calls;
      Add(pair.first, pair.second, bytes, calls, traffic.inexact == 0);
    }
  }

  // The ranks of a group in the order in which splits are recorded.
  std::vector<int64_t> OrderOf(const JobGroup& group) const {
    if (group.about.complete) return group.about.ranks.All();
    std::vector<int64_t> ranks;
    for (const uint32_t member : group.members) ranks.push_back(job_.ranks[member].rank);
    return ranks;
  }

  const CollectiveDigest& Digest(const MatchedCall::Member& member) const {
    return job_.ranks[member.rank].digest->collectives[member.call];
  }

  const Job& job_;
  std::function<int64_t(int64_t)> place_;
  std::map<uint32_t, GroupTraffic> groups_;
  std::map<std::pair<int64_t, int64_t>, Row> found_;
};

void AddTraffic(TableBuilder<Row>& table) {
  table
      .Add(ByteCount("bytes", "Bytes",
                     "Bytes sent. Sends, receives, and all-to-all exchanges count as recorded; "
                     "other collectives as if each rank had sent what the bus carries to the "
                     "others in equal parts, whatever route the library took. Groups of more than "
                     "1,024 ranks are left out."),
           // A damaged digest may say anything.
           [](const Row& r) { return Cell(int64_t{std::llround(std::min(r.bytes, 9e18))}); })
      .Add(Count("calls", "Calls", "Number of collectives, sends, and receives between the two."),
           &Row::calls)
      .Add(FlagFact("exact", "Exact",
                    "Whether the bytes are as recorded, because all of them are of sends, "
                    "receives, and all-to-all exchanges whose sizes were recorded."),
           &Row::exact);
}

}  // namespace

Table MatrixTable(const Job& job) {
  TableBuilder<Row> table;
  table.Add(IntegerKey("rank", "From", "Rank that sends."), &Row::from)
      .Add(IntegerKey("peer", "To", "Rank that receives."), &Row::to);
  AddTraffic(table);
  return table.Make(Matrix(job, [](int64_t rank) { return rank; }).Rows());
}

Table NodeMatrixTable(const Job& job) {
  std::map<int64_t, int64_t> places;  // of ranks; -1 where there is no trace
  std::vector<std::string> names;     // by first rank
  std::map<std::string, int64_t> numbers;
  for (const JobRank& rank : job.ranks) {
    const auto [at, added] = numbers.try_emplace(rank.node, static_cast<int64_t>(names.size()));
    if (added) names.push_back(rank.node);
    places[rank.rank] = at->second;
  }
  const auto place = [&](int64_t rank) {
    const auto at = places.find(rank);
    return at == places.end() ? int64_t{-1} : at->second;
  };
  const auto name = [&](int64_t at) {
    return at < 0 ? Cell() : TextOrEmpty(names[static_cast<size_t>(at)]);
  };
  TableBuilder<Row> table;
  table
      .Add(TextKey("node", "From", "Machine whose ranks send; empty for ranks without a trace."),
           [&](const Row& r) { return name(r.from); })
      .Add(TextKey("peerNode", "To",
                   "Machine whose ranks receive; the same machine for traffic within it."),
           [&](const Row& r) { return name(r.to); });
  AddTraffic(table);
  return table.Make(Matrix(job, place).Rows());
}

}  // namespace emberline
