// What must be said about a job beside its figures.
#include <algorithm>
#include <map>
#include <set>

#include "ranks/job.h"

namespace emberline {
namespace {

constexpr size_t kNamed = 16;                // ranks listed in one sentence
constexpr Ns kClockApart = 600'000'000'000;  // ten minutes
constexpr double kSlowLink = 0.6;
constexpr size_t kMaxNotes = 200;

std::string Number(int64_t value) { return std::to_string(value); }

// "0-3, 7": runs of ranks.
std::string RankList(const std::vector<int64_t>& ranks) {
  std::string text;
  size_t named = 0;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (named++ == kNamed) return text + " and others";
    text += (text.empty() ? "" : ", ") + Number(ranks[i]);
    if (end - i > 1) text += (end - i == 2 ? ", " : "-") + Number(ranks[end - 1]);
    i = end;
  }
  return text;
}

std::string Ranks(const std::vector<int64_t>& ranks) {
  return (ranks.size() == 1 ? "Rank " : "Ranks ") + RankList(ranks);
}

class Notes {
 public:
  explicit Notes(Job* job) : job_(*job) {}

  void Add(const char* kind, std::string text, std::vector<int64_t> ranks = {}) {
    if (job_.notes.size() < kMaxNotes)
      job_.notes.push_back({kind, std::move(text), std::move(ranks)});
  }

  void Missing() {
    std::vector<int64_t> missing;
    std::set<int64_t> there;
    for (const JobRank& rank : job_.ranks) there.insert(rank.rank);
    const int64_t world = std::min<int64_t>(job_.world_size, 1 << 20);
    for (int64_t rank = 0; rank < world; ++rank) {
      if (there.count(rank) == 0) missing.push_back(rank);
    }
    if (missing.empty()) return;
    Add("missingRank",
        Ranks(missing) + (missing.size() == 1 ? " has" : " have") + " no trace here; the job has " +
            Number(job_.world_size) + ".",
        missing);
  }

  void Clocks() {
    std::vector<int64_t> begins;
    for (const JobRank& rank : job_.ranks) begins.push_back(rank.digest->base_ns);
    if (begins.empty()) return;
    std::sort(begins.begin(), begins.end());
    const int64_t middle = begins[begins.size() / 2];
    for (const JobRank& rank : job_.ranks) {
      const int64_t apart = rank.digest->base_ns - middle;
      if (std::abs(apart) < kClockApart) continue;
      const double hours = static_cast<double>(apart) / 3.6e12;
      char text[64];
      std::snprintf(text, sizeof text, "%.1f h", std::abs(hours));
      Add("clockApart",
          "The clock of rank " + Number(rank.rank) + " is " + text +
              (apart < 0 ? " behind" : " ahead of") + " the others'" +
              (rank.matched > 0 ? "; its collectives put it right."
                                : ", and no collective ties it to them: it may be of another run."),
          {rank.rank});
    }
    std::map<uint32_t, std::vector<int64_t>> clocks;
    for (const JobRank& rank : job_.ranks) clocks[rank.clock].push_back(rank.rank);
    if (clocks.size() > 1 && job_.ranks.size() > 1) {
      std::vector<int64_t> loose;
      for (const auto& [clock, ranks] : clocks) {
        if (clock != 0) loose.insert(loose.end(), ranks.begin(), ranks.end());
      }
      std::sort(loose.begin(), loose.end());
      Add("clockUntied",
          Ranks(loose) + " share no collective with rank " + Number(job_.ranks[0].rank) +
              ": their place on the common clock is as recorded.",
          loose);
    }
  }

  void Silent() {
    std::vector<int64_t> silent, cut;
    for (const JobRank& rank : job_.ranks) {
      if (rank.digest->collectives.empty()) silent.push_back(rank.rank);
      for (const std::string& notice : rank.digest->notices) {
        Add("notice", "Rank " + Number(rank.rank) + ": " + notice, {rank.rank});
      }
    }
    if (!silent.empty() && job_.ranks.size() > 1) {
      Add("noCommunication",
          Ranks(silent) + (silent.size() == 1 ? " does" : " do") + " not communicate in its trace.",
          silent);
    }
  }

  void Versions() {
    std::map<std::string, std::map<std::string, std::vector<int64_t>>> values;
    for (const JobRank& rank : job_.ranks) {
      for (const auto& [key, value] : rank.digest->versions)
        values[key][value].push_back(rank.rank);
    }
    for (const auto& [key, by_value] : values) {
      if (by_value.size() < 2) continue;
      std::string text = "Ranks differ in " + key + ":";
      for (const auto& [value, ranks] : by_value)
        text += " " + value + " on " + RankList(ranks) + ";";
      text.back() = '.';
      Add("mixedVersions", text);
    }
  }

  void Calls() {
    std::map<uint32_t, std::vector<int64_t>> lacking;  // by rank: sequence numbers
    size_t differ = 0;
    for (const MatchedCall& call : job_.calls) {
      for (const uint32_t rank : call.lacking) lacking[rank].push_back(call.sequence);
      if (call.bytes_differ && IsSymmetric(call.op) && call.op != CollectiveOp::kAllToAll) ++differ;
    }
    for (const auto& [rank, calls] : lacking) {
      Add("missingCalls",
          "Rank " + Number(job_.ranks[rank].rank) + " lacks " +
              Number(static_cast<int64_t>(calls.size())) +
              (calls.size() == 1 ? " collective" : " collectives") +
              " that others of its group made while it was recording.",
          {job_.ranks[rank].rank});
    }
    if (differ > 0) {
      Add("bytesDiffer", Number(static_cast<int64_t>(differ)) +
                             " collectives have other sizes on some ranks than on others.");
    }
    if (job_.unmatched_pairs > 0) {
      Add("unmatchedPairs", Number(static_cast<int64_t>(job_.unmatched_pairs)) +
                                " sends and receives do not say whom they talk to, and are not "
                                "matched.");
    }
    for (const JobGroup& group : job_.groups) {
      if (group.about.name.empty() && group.about.ranks.empty() && group.members.size() > 1) {
        Add("unknownGroups",
            "The traces do not name process groups: calls are matched over all ranks, by stream "
            "and "
            "order. Record with PyTorch 2.4 or newer to tell groups apart.");
        return;
      }
    }
  }

  // A group whose links are slower than those of its like.
  void SlowLinks() {
    std::map<std::tuple<CollectiveOp, int64_t, int64_t>, std::map<uint32_t, std::vector<double>>>
        like;
    for (const MatchedCall& call : job_.calls) {
      if (call.bus_bandwidth <= 0) continue;
      like[{call.op, call.bytes, static_cast<int64_t>(call.members.size())}][call.group].push_back(
          call.bus_bandwidth);
    }
    std::set<uint32_t> told;
    for (auto& [key, groups] : like) {
      if (groups.size() < 3) continue;
      std::map<uint32_t, double> middles;
      std::vector<double> all;
      for (auto& [group, rates] : groups) {
        std::sort(rates.begin(), rates.end());
        middles[group] = rates[rates.size() / 2];
        all.push_back(middles[group]);
      }
      std::sort(all.begin(), all.end());
      const double usual = all[all.size() / 2];
      for (const auto& [group, rate] : middles) {
        if (rate >= kSlowLink * usual || !told.insert(group).second) continue;
        std::vector<int64_t> ranks;
        for (const uint32_t member : job_.groups[group].members)
          ranks.push_back(job_.ranks[member].rank);
        char text[96];
        std::snprintf(text, sizeof text,
                      " reach %.1f GB/s on the bus, groups like theirs %.1f GB/s", rate, usual);
        Add("slowLink",
            Ranks(ranks) + " of group " + job_.groups[group].about.name + text + " (" +
                CollectiveOpName(std::get<0>(key)) + ", " + Number(std::get<1>(key)) + " bytes).",
            ranks);
      }
    }
  }

 private:
  Job& job_;
};

}  // namespace

void AddNotes(Job* job, const std::vector<BrokenFile>& broken, bool complete) {
  Notes notes(job);
  for (const BrokenFile& file : broken) {
    notes.Add("brokenFile", file.path + " cannot be read: " + file.message);
  }
  if (complete) notes.Missing();
  notes.Clocks();
  notes.Silent();
  notes.Versions();
  notes.Calls();
  notes.SlowLinks();
}

}  // namespace emberline
