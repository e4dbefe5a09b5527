#include "attribution/align.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "attribution/align_costs.h"
#include "attribution/align_search.h"

namespace emberline {
namespace {

constexpr uint32_t kMaxPoints = 10000;
constexpr size_t kMaxKinds = 4096;       // further kinds of things are not told apart, nor placed
constexpr size_t kMaxCells = 2'000'000;  // of one window of the table
constexpr size_t kOverlap = 48;          // things at a window's end that are placed again
constexpr size_t kMaxMemo = 4096;

}  // namespace

struct FunctionAligner::Impl {
  explicit Impl(const PythonFunction& function) : costs(function) {}

  struct MemoKey {
    std::vector<uint32_t> sequence;
    std::vector<int> called_at;
    std::vector<Ended> how;
    bool begun, ended;
    int line;
    bool operator<(const MemoKey& other) const {
      return std::tie(begun, ended, line, sequence, called_at, how) <
             std::tie(other.begun, other.ended, other.line, other.sequence, other.called_at,
                      other.how);
    }
  };
  struct MemoValue {
    std::vector<Placement> placements;
    double cost = 0;
    Ended ended = Ended::kUnknown;
  };

  // Places all things, window by window. Costs per thing and how it ended are of the last window.
  PathSearch::Result Search(const PathSearch& search, std::span<const uint32_t> sequence,
                            const RunEvidence& known, const Start& begin_at, bool ended,
                            std::vector<Placement>* out) const;

  AlignmentCosts costs;
  std::unordered_map<std::string, uint32_t> ids;
  std::map<MemoKey, MemoValue> memo;
};

FunctionAligner::FunctionAligner(const PythonFunction& function)
    : impl_(std::make_unique<Impl>(function)) {}
FunctionAligner::~FunctionAligner() = default;

uint32_t FunctionAligner::Describe(const Observed& observed) {
  if (impl_->costs.kinds.size() >= kMaxKinds && !observed.name.empty()) {
    Observed other;
    other.kind = ObservedKind::kRuntime;
    if (impl_->costs.kinds.size() == kMaxKinds) impl_->costs.kinds.push_back(other);
    return static_cast<uint32_t>(kMaxKinds);
  }
  std::string key;
  key.push_back(static_cast<char>('0' + static_cast<int>(observed.kind)));
  key += observed.name;
  key.push_back('\0');
  key += observed.owner;
  key.push_back('\0');
  key += std::to_string(observed.definition_line);
  if (observed.generator) key += 'g';
  if (observed.coroutine) key += 'c';
  if (observed.manages) key += 'm';
  if (observed.wrapper) key += 'w';
  if (observed.metaclass) key += 't';
  key += std::to_string(static_cast<int>(observed.accessor));
  key += observed.inner;
  key.push_back('\0');
  key += observed.file;
  for (const std::string& base : observed.bases) key += '\0' + base;
  for (const std::string& heir : observed.heirs) key += '\0' + heir;
  const auto [it, fresh] =
      impl_->ids.emplace(std::move(key), static_cast<uint32_t>(impl_->costs.kinds.size()));
  if (fresh) impl_->costs.kinds.push_back(observed);
  return it->second;
}

const Observed& FunctionAligner::Kind(uint32_t id) const { return impl_->costs.kinds[id]; }

PathSearch::Result FunctionAligner::Impl::Search(const PathSearch& search,
                                                 std::span<const uint32_t> sequence,
                                                 const RunEvidence& known, const Start& begin_at,
                                                 bool ended, std::vector<Placement>* out) const {
  std::vector<float> start = search.Begin(begin_at);
  const size_t window = std::max<size_t>(2 * kOverlap, kMaxCells / costs.function.points);
  PathSearch::Result result;
  for (size_t begin = 0; begin < sequence.size();) {
    const size_t n = std::min(window, sequence.size() - begin);
    const bool last = begin + n == sequence.size();
    const size_t keep = last ? n : n - kOverlap;
    result = search.Window(sequence.subspan(begin, n), known.From(begin, n), keep, last && ended,
                           start, out->data() + begin);
    begin += keep;
  }
  return result;
}

std::vector<Placement> FunctionAligner::Align(std::span<const uint32_t> sequence,
                                              const RunEvidence& known, const Start& begin_at,
                                              bool ended) {
  Impl& m = *impl_;
  std::vector<Placement> out(sequence.size());
  last_cost_ = 0;
  last_ended_ = Ended::kUnknown;
  const uint32_t points = m.costs.function.points;
  if (sequence.empty() || points == 0 || points > kMaxPoints) return out;
  if (m.costs.prepared != m.costs.kinds.size()) {
    m.costs.Prepare();
    m.memo.clear();
    work_ += m.costs.kinds.size() * m.costs.function.sites.size();
  }
  Impl::MemoKey key;
  if (sequence.size() <= kMaxMemo) {
    key = {{sequence.begin(), sequence.end()},
           {known.called_at.begin(), known.called_at.end()},
           {known.ended.begin(), known.ended.end()},
           begin_at.begun,
           ended,
           begin_at.line};
    const auto it = m.memo.find(key);
    if (it != m.memo.end()) {
      last_cost_ = it->second.cost;
      last_ended_ = it->second.ended;
      return it->second.placements;
    }
  }
  work_ += static_cast<uint64_t>(sequence.size()) * points;
  const PathSearch::Result result =
      m.Search(PathSearch(m.costs), sequence, known, begin_at, ended, &out);
  last_cost_ = result.cost / static_cast<double>(sequence.size());
  if (m.costs.handles) {
    // What would be on another line if exceptions were as likely as not is no more than a guess.
    work_ += static_cast<uint64_t>(sequence.size()) * points;
    std::vector<Placement> perhaps(sequence.size());
    m.Search(PathSearch(m.costs, /*may_raise=*/true), sequence, known, begin_at, ended, &perhaps);
    for (size_t i = 0; i < out.size(); ++i)
      out[i].ambiguous |=
          perhaps[i].line > 0 && (perhaps[i].ambiguous || perhaps[i].line != out[i].line);
  }
  // A text that does not fit tells nothing.
  if (std::all_of(out.begin(), out.end(), [](const Placement& p) { return p.line > 0; }))
    last_ended_ = result.ended;
  if (sequence.size() <= kMaxMemo)
    m.memo.emplace(std::move(key), Impl::MemoValue{out, last_cost_, last_ended_});
  return out;
}

}  // namespace emberline
