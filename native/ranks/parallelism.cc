#include "ranks/parallelism.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/case.h"

namespace emberline {
namespace {

enum Kind : uint8_t { kTensor, kContext, kSequence, kExpert, kData, kPipeline, kKinds };
constexpr std::array<std::string_view, kKinds> kNames = {"tensor", "context", "sequence",
                                                         "expert", "data",    "pipeline"};
constexpr std::pair<std::string_view, Kind> kWords[] = {
    // Of Megatron, vLLM, SGLang, and meshes.
    {"tensor", kTensor},
    {"tp", kTensor},
    {"context", kContext},
    {"cp", kContext},
    {"expert", kExpert},
    {"ep", kExpert},
    {"moe", kExpert},
    {"dp", kData},
    {"pipeline", kPipeline},
    {"pp", kPipeline},
    // Of torchtitan.
    {"etp", kTensor},
    {"fsdp", kData},
    {"efsdp", kData},
    {"replicate", kData},
    {"shard", kData},
    {"batch", kData},
    {"loss", kData},
    // Of vLLM: context parallelism of decoding and of prefilling, balancing of experts.
    {"dcp", kContext},
    {"pcp", kContext},
    {"eplb", kExpert},
    // Of DeepSpeed, and others. What splits sequences is Ulysses' exchange of heads, a ring as in
    // context parallelism, or, as Megatron means it, done by the tensor parallel ranks: the name
    // does not tell which.
    {"pipe", kPipeline},
    {"sp", kSequence},
    {"sequence", kSequence},
    {"ulysses", kSequence},
    {"ddp", kData},
    {"hsdp", kData},
    {"zero", kData},
};

// Lower case, without the numbers beside them: "dp2" is "dp", and "step_2" is no "ep".
std::set<std::string> WordsOf(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : LowerText(text) + "_") {
    if (c >= 'a' && c <= 'z') {
      word += c;
    } else if (c < '0' || c > '9') {
      if (!word.empty()) words.insert(std::move(word));
      word.clear();
    }
  }
  return words;
}

std::string OfWords(const std::set<std::string>& words) {
  const auto has = [&](const char* word) { return words.count(word) > 0; };
  std::array<bool, kKinds> found{};
  for (const auto& [word, kind] : kWords) found[kind] |= words.count(std::string(word)) > 0;
  found[kData] |= has("data") && has("parallel");
  // Megatron's: all that hold a copy of the optimizer, and those that hold the same part of each.
  if (has("optimizer") && has("intra")) return "";
  if (has("optimizer") && has("inter")) found[kData] = true;
  // Copies of experts, their gradients, and the parts of each: "expert" says of what. With
  // "model" it is a kind of its own: "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP".
  if (found[kData] || (found[kTensor] && !has("model"))) found[kExpert] = false;
  // Gradients are summed over all that have parts of one sequence, too.
  if (found[kData]) found[kContext] = found[kSequence] = false;
  std::string names;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (!found[kind]) continue;
    if (!names.empty()) names += " and ";
    names += kNames[kind];
  }
  // The first and last stages of a pipeline share an embedding.
  if (names.empty() && has("embedding")) return "pipeline";
  return names;
}

// What the calls of a group tell: only experts get parts of any size, and a pipeline hands on what
// in a ring goes around.
struct GroupExchanges {
  bool uneven = false;
  bool hands_on = false;  // a batch of sends alone, or of receives
  bool pairs = false;     // single sends and receives,
  bool around = false;    // also between the first and the last of several ranks
  bool forth = false;     // from a rank to a later one,
  bool back = false;      // and to an earlier one
};

void Add(const Job& job, const MatchedCall& call, GroupExchanges* to) {
  const RankSet& all = job.groups[call.group].about.ranks;
  const auto [first, last] = std::minmax(job.ranks[call.members.front().rank].rank,
                                         job.ranks[call.members.back().rank].rank);
  for (const MatchedCall::Member& member : call.members) {
    const CollectiveDigest& c = job.ranks[member.rank].digest->collectives[member.call];
    if (c.parts.empty()) {
      to->pairs = true;
      const bool sends = static_cast<CollectiveOp>(c.op) != CollectiveOp::kRecv;
      const bool receives = static_cast<CollectiveOp>(c.op) != CollectiveOp::kSend;
      const bool earlier = job.ranks[member.rank].rank == first;
      to->forth |= earlier ? sends : receives;
      to->back |= earlier ? receives : sends;
      continue;
    }
    const auto out = [](const ExchangePart& part) { return part.sends; };
    to->hands_on |= std::all_of(c.parts.begin(), c.parts.end(), out) ||
                    std::none_of(c.parts.begin(), c.parts.end(), out);
  }
  to->around |= all.size() < 2 || (all.size() > 2 && first == all.front() && last == all.back());
}

bool Uneven(const std::vector<int64_t>& parts) {
  return std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) != parts.end();
}

}  // namespace

std::string ParallelismOfNames(const CollectiveGroup& group) {
  const std::set<std::string> description = WordsOf(group.description);
  if (std::string found = OfWords(description); !found.empty()) return found;
  const std::set<std::string> name = WordsOf(group.name);
  if (std::string found = OfWords(name); !found.empty()) return found;
  const auto world = [](const std::set<std::string>& words) {
    return words.count("world") > 0 || (words.count("default") > 0 && words.count("pg") > 0);
  };
  return world(description) || world(name) ? "world" : "";
}

void FindParallelism(Job* job) {
  std::vector<GroupExchanges> exchanges(job->groups.size());
  for (const MatchedCall& call : job->calls) {
    GroupExchanges& of = exchanges[call.group];
    if (IsPointToPoint(call.op) && call.members.size() > 1) Add(*job, call, &of);
    if (call.op != CollectiveOp::kAllToAll || of.uneven) continue;
    of.uneven = std::any_of(call.members.begin(), call.members.end(), [&](const auto& member) {
      const CollectiveDigest& c = job->ranks[member.rank].digest->collectives[member.call];
      return Uneven(c.sent) || Uneven(c.received);
    });
  }
  for (size_t i = 0; i < job->groups.size(); ++i) {
    JobGroup& group = job->groups[i];
    group.parallelism = ParallelismOfNames(group.about);
    if (!group.parallelism.empty()) continue;
    const size_t ranks = job->ranks.size();
    if (ranks > 1 && group.about.ranks.size() == ranks) {
      group.parallelism = "world";
      continue;
    }
    const GroupExchanges& of = exchanges[i];
    // Between two ranks a pipeline's gradients go back as what goes around a ring does.
    const bool ring = of.around || (group.about.ranks.size() == 2 && of.forth && of.back);
    const bool pipeline = of.hands_on || (of.pairs && !ring);
    if (pipeline != of.uneven) group.parallelism = pipeline ? "pipeline" : "expert";
  }
}

}  // namespace emberline
