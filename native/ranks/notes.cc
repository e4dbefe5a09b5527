// What must be said about a job beside its figures.
#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>

#include "base/named_file.h"
#include "base/number_text.h"
#include "base/saturating.h"
#include "ranks/job.h"
#include "ranks/messages.h"

namespace emberline {
namespace {

constexpr Ns kClockApart = 600'000'000'000;  // ten minutes
// Above what the quartz of a healthy machine can be wrong by, a thousandth.
constexpr int64_t kFastPpb = 1'000'000;
constexpr double kSlowLink = 0.6;
constexpr size_t kMaxNotes = 200;
constexpr size_t kMaxListed = 4096;  // missing ranks that are listed for programs

std::string Number(int64_t value) { return std::to_string(value); }

// "0-3, 7" of ranges, the last of each included.
std::string RangeList(const std::vector<std::pair<int64_t, int64_t>>& ranges,
                      size_t most = kRangesOfSentence) {
  std::string text;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto& [first, last] = ranges[i];
    if (i == most) return text + " and others";
    text += (text.empty() ? "" : ", ") + Number(first);
    if (last > first) text += (last == first + 1 ? ", " : "-") + Number(last);
  }
  return text;
}

// Adds a range behind the others, to the last one where it follows that.
void Extend(std::pair<int64_t, int64_t> next, std::vector<std::pair<int64_t, int64_t>>* ranges) {
  if (!ranges->empty() && next.first - 1 == ranges->back().second) {
    ranges->back().second = next.second;
  } else {
    ranges->push_back(next);
  }
}

class Notes {
 public:
  explicit Notes(Job* job) : job_(*job) {}

  void Add(const Sentence& sentence, MessageArgs arguments = {}, std::vector<int64_t> ranks = {}) {
    if (job_.notes.size() < kMaxNotes) {
      AddNote(&job_, sentence, std::move(arguments), std::move(ranks));
    } else {
      ++more_;
    }
  }
  void Finish() {
    if (more_ > 0) AddNote(&job_, messages::kMoreNotes, {{"more", more_}});
  }
  // About ranks, which the sentence lists and counts.
  void AddOf(const Sentence& sentence, const std::vector<int64_t>& ranks,
             MessageArgs arguments = {}) {
    arguments.emplace_back("ranks", RankList(ranks));
    arguments.emplace_back("count", ranks.size());
    Add(sentence, std::move(arguments), ranks);
  }

  // A trace may claim any number of ranks: they are told by where they begin and end.
  void Missing(JobOrigin origin) {
    std::vector<std::pair<int64_t, int64_t>> gaps;  // the last included
    std::vector<int64_t> missing;                   // the first of them
    int64_t count = 0, next = 0;
    const auto add = [&](int64_t end) {
      if (next >= end) return;
      gaps.emplace_back(next, end - 1);
      count += end - next;
      for (int64_t rank = next; rank < end && missing.size() < kMaxListed; ++rank) {
        missing.push_back(rank);
      }
    };
    for (const JobRank& rank : job_.ranks) {
      add(std::min(rank.rank, job_.world_size));
      next = std::max(next, SaturatingAdd(rank.rank, 1));
    }
    add(job_.world_size);
    if (gaps.empty()) return;
    Add(messages::kMissingRank,
        {{"size", job_.world_size},
         {"ranks", RangeList(gaps)},
         {"count", count},
         {"from", origin == JobOrigin::kDigests ? "digests" : "traces"}},
        missing);
  }

  void Clocks() {
    // Ranks of a machine share its clock: one sentence for those that are as far off.
    std::map<std::tuple<bool, std::string, std::string>, std::vector<int64_t>> off;
    std::vector<int64_t> unknown, unknown_tied, moved;
    for (const JobRank& rank : job_.ranks) {
      if (!rank.base_known) {
        (rank.matched > 0 ? unknown_tied : unknown).push_back(rank.rank);
        continue;
      }
      if (std::abs(rank.apart) < kClockApart) continue;
      const double hours = std::abs(static_cast<double>(rank.apart)) / 3.6e12;
      const char* const tied = rank.matched > 0 ? "yes" : rank.is_far() ? "far" : "no";
      off[{rank.apart < 0, tied, FixedText(hours, 1)}].push_back(rank.rank);
      if (rank.matched == 0 && rank.is_far()) moved.push_back(rank.rank);
    }
    for (const auto& [how, ranks] : off) {
      const auto& [behind, tied, hours] = how;
      AddOf(messages::kClockApart, ranks,
            {{"hours", hours}, {"side", behind ? "behind" : "ahead"}, {"tied", tied}});
    }
    if (!unknown_tied.empty()) AddOf(messages::kClockUnknown, unknown_tied, {{"tied", "yes"}});
    if (!unknown.empty()) AddOf(messages::kClockUnknown, unknown, {{"tied", "no"}});
    moved.insert(moved.end(), unknown.begin(), unknown.end());
    std::map<uint32_t, std::vector<int64_t>> clocks;
    for (const JobRank& rank : job_.ranks) clocks[rank.clock].push_back(rank.rank);
    if (clocks.size() > 1 && job_.ranks.size() > 1) {
      std::vector<int64_t> loose;
      for (const auto& [clock, ranks] : clocks) {
        if (clock != 0) loose.insert(loose.end(), ranks.begin(), ranks.end());
      }
      // Their place is not as recorded, which has been said.
      std::erase_if(loose, [&](int64_t rank) {
        return std::find(moved.begin(), moved.end(), rank) != moved.end();
      });
      std::sort(loose.begin(), loose.end());
      if (loose.empty()) return;
      AddOf(messages::kClockUntied, loose, {{"first", job_.ranks[0].rank}});
    }
  }

  void Rates() {
    std::map<uint32_t, int64_t> first;  // by clock: the smallest rank, whose clock is the job's
    std::map<std::tuple<int64_t, bool, std::string>, std::vector<int64_t>> rates;
    for (const JobRank& rank : job_.ranks) {
      const int64_t against = first.try_emplace(rank.clock, rank.rank).first->second;
      const int64_t ppb = rank.FasterPpb();
      if (std::abs(ppb) < kFastPpb) continue;
      const std::string percent = FixedText(std::abs(static_cast<double>(ppb)) / 1e7, 1);
      rates[{against, ppb < 0, percent}].push_back(rank.rank);
    }
    for (const auto& [how, ranks] : rates) {
      const auto& [against, slower, percent] = how;
      AddOf(messages::kClockRate, ranks,
            {{"percent", percent}, {"slower", slower ? "yes" : "no"}, {"first", against}});
    }
  }

  void Silent() {
    std::vector<int64_t> silent;
    std::map<std::string, std::vector<int64_t>> notices;
    for (const JobRank& rank : job_.ranks) {
      if (rank.digest->collectives.empty()) silent.push_back(rank.rank);
      for (const std::string& notice : rank.digest->notices) notices[notice].push_back(rank.rank);
    }
    for (const auto& [text, ranks] : notices) AddOf(messages::kNotice, ranks, {{"text", text}});
    if (!silent.empty() && job_.ranks.size() > 1) {
      AddOf(messages::kNoCommunication, silent);
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
      std::string list;
      for (const auto& [value, ranks] : by_value) {
        list += (list.empty() ? "" : "; ") + value + " on " + RankList(ranks);
      }
      Add(messages::kMixedVersions, {{"what", key}, {"values", list}});
    }
  }

  void Calls() {
    std::map<uint32_t, std::vector<int64_t>> lacking;  // by rank: sequence numbers
    size_t differ = 0;
    for (const MatchedCall& call : job_.calls) {
      for (const uint32_t rank : call.lacking) lacking[rank].push_back(call.sequence);
      if (call.bytes_differ && IsSymmetric(call.op) && call.op != CollectiveOp::kAllToAll) ++differ;
    }
    std::map<size_t, std::vector<int64_t>> by_number;
    for (const auto& [rank, calls] : lacking) {
      by_number[calls.size()].push_back(job_.ranks[rank].rank);
    }
    for (const auto& [calls, ranks] : by_number) {
      AddOf(messages::kMissingCalls, ranks, {{"calls", calls}});
    }
    if (differ > 0) Add(messages::kBytesDiffer, {{"calls", differ}});
    if (job_.unmatched_pairs > 0) {
      Add(messages::kUnmatchedPairs, {{"calls", job_.unmatched_pairs}});
    }
    Groups();
  }

  void Groups() {
    std::map<int64_t, int64_t> ambiguous;  // calls by the size of their groups
    bool unknown = false;
    for (const JobGroup& group : job_.groups) {
      if (!group.about.name.empty() || !group.about.ranks.empty()) continue;
      unknown = unknown || (group.members.size() > 1 && !group.ambiguous);
      if (group.ambiguous) ambiguous[group.about.size] = 0;
    }
    for (const MatchedCall& call : job_.calls) {
      const JobGroup& group = job_.groups[call.group];
      if (group.ambiguous) ++ambiguous[group.about.size];
    }
    for (const auto& [size, calls] : ambiguous) {
      Add(messages::kAmbiguousGroups, {{"size", size}, {"calls", calls}});
    }
    if (unknown) Add(messages::kUnknownGroups);
  }

  // A group, or a pair that sends and receives, whose links are slower than those of its like.
  void SlowLinks() {
    std::map<std::tuple<CollectiveOp, int64_t, int64_t>, std::map<Link, std::vector<double>>> like;
    for (const MatchedCall& call : job_.calls) {
      if (call.bus_bandwidth <= 0) continue;
      like[{call.op, call.bytes, static_cast<int64_t>(call.members.size())}][LinkOf(call)]
          .push_back(call.bus_bandwidth);
    }
    std::set<Link> told;
    for (auto& [key, links] : like) {
      if (links.size() < 3) continue;
      std::map<Link, double> middles;
      std::vector<double> all;
      for (auto& [link, rates] : links) {
        std::sort(rates.begin(), rates.end());
        middles[link] = rates[rates.size() / 2];
        all.push_back(middles[link]);
      }
      std::sort(all.begin(), all.end());
      const double usual = all[all.size() / 2];
      for (const auto& [link, rate] : middles) {
        if (rate >= kSlowLink * usual || !told.insert(link).second) continue;
        AddOf(messages::kSlowLink, RanksOf(link),
              {{"group", job_.groups[link.group].about.name},
               {"pair", link.pair ? "yes" : "no"},
               {"rate", FixedText(rate, 1)},
               {"usual", FixedText(usual, 1)},
               {"operation", CollectiveOpName(std::get<0>(key))},
               {"bytes", std::get<1>(key), Unit::kBytes}});
      }
    }
  }

 private:
  // What a call goes over.
  struct Link {
    uint32_t group = 0;
    bool pair = false;
    uint32_t from = 0, to = 0;  // of a pair, in Job::ranks
    auto operator<=>(const Link&) const = default;
  };
  static Link LinkOf(const MatchedCall& call) {
    if (!IsPointToPoint(call.op) || call.members.size() != 2) return {call.group};
    return {call.group, true, call.members[0].rank, call.members[1].rank};
  }
  std::vector<int64_t> RanksOf(const Link& link) const {
    if (link.pair) return {job_.ranks[link.from].rank, job_.ranks[link.to].rank};
    std::vector<int64_t> ranks;
    for (const uint32_t member : job_.groups[link.group].members) {
      ranks.push_back(job_.ranks[member].rank);
    }
    return ranks;
  }

  Job& job_;
  size_t more_ = 0;
};

}  // namespace

std::string RankList(const std::vector<int64_t>& ranks, size_t most_ranges) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const int64_t rank : ranks) {
    Extend({rank, rank}, &ranges);
    if (ranges.size() > most_ranges) break;
  }
  return RangeList(ranges, most_ranges);
}

std::string RankList(const RankSet& ranks, size_t most_ranges) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const RankSet::Run& run : ranks.runs()) {
    if (run.stride == 1) {
      Extend({run.first, run.last()}, &ranges);
      continue;
    }
    for (int64_t i = 0; i < run.count && ranges.size() <= most_ranges; ++i) {
      Extend({run.first + run.stride * i, run.first + run.stride * i}, &ranges);
    }
  }
  return RangeList(ranges, most_ranges);
}

void AddNotes(Job* job, const std::vector<BrokenFile>& broken, JobOrigin origin) {
  Notes notes(job);
  for (const BrokenFile& file : broken) {
    const std::optional<std::string> named = WithWholePath(file.message, file.path);
    notes.Add(messages::kBrokenFile, {{"path", file.path},
                                      {"reason", named.value_or(file.message)},
                                      {"named", named ? "yes" : "no"}});
  }
  if (origin != JobOrigin::kFirstTraces) notes.Missing(origin);
  notes.Clocks();
  notes.Rates();
  notes.Silent();
  notes.Versions();
  notes.Calls();
  notes.SlowLinks();
  notes.Finish();
}

}  // namespace emberline
