// Events that last: whole ones, begins with their ends, and those of an id instead of a thread.
#include <algorithm>

#include "base/parse_integer.h"
#include "base/text.h"
#include "ingest/trace_event/arg_names.h"
#include "ingest/trace_event/dialect.h"
#include "ingest/trace_event/event_sink.h"

namespace emberline {
namespace {

// An end is matched with a begin of its name among so many open ranges.
constexpr size_t kMaxOpenSearch = 64;

}  // namespace

// `open`: the begin of a range whose end is an event of its own.
void EventSink::TakeComplete(const RawEvent& event, CategoryState& state, uint64_t offset,
                             bool open) {
  if (!HasTime(event, offset)) return;
  Ns duration = event.dur;
  if (open) {
    duration = TraceBuilder::kUnfinished;
  } else if (!event.has_dur || event.dur_state != TimeText::kOk) {
    problems_->Add(ProblemKind::kMissingDuration, offset);
    duration = 0;
  } else if (duration < 0) {
    problems_->Add(ProblemKind::kNegativeDuration, offset);
    duration = 0;
  }
  if (!event.has_name) problems_->Add(ProblemKind::kMissingName, offset);
  if (event.has_fraction) builder_->SetFractionalTimes();
  const CategoryMeaning meaning = MeaningOf(state, event);
  const uint32_t thread = builder_->Thread(event.pid, event.tid);
  const uint32_t row = builder_->AddSlice(
      builder_->TrackOf(thread, meaning.domain), CategoryOf(state, meaning.kind), event.name,
      event.ts, duration, Args(event), static_cast<uint32_t>(event_index_ - 1));
  ++builder_->counts().slices;
  if (open) open_[thread].push_back({row, offset});
}

void EventSink::TakeEnd(const RawEvent& event, uint64_t offset) {
  if (!HasTime(event, offset)) return;
  const auto found = open_.find(builder_->Thread(event.pid, event.tid));
  if (found == open_.end() || found->second.empty()) {
    return Lose(ProblemKind::kEndWithoutBegin, offset);
  }
  EndRange(&found->second, event, offset);
}

void EventSink::EndRange(std::vector<OpenRange>* open, const RawEvent& event, uint64_t offset) {
  std::vector<OpenRange>& stack = *open;
  // Ends usually name nothing, or the range on top; ranges that cross name one further down.
  size_t at = stack.size() - 1;
  if (event.has_name) {
    const size_t searched = std::min(stack.size(), kMaxOpenSearch);
    for (size_t k = 0; k < searched; ++k) {
      if (builder_->slice_name(stack[stack.size() - 1 - k].row) == event.name) {
        at = stack.size() - 1 - k;
        break;
      }
    }
  }
  const uint32_t row = stack[at].row;
  stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(at));
  Ns duration = 0;
  if (__builtin_sub_overflow(event.ts, builder_->slice_start(row), &duration) || duration < 0) {
    problems_->Add(ProblemKind::kNegativeDuration, offset);
    duration = 0;
  }
  builder_->SetDuration(row, duration);
  if (event.has_fraction) builder_->SetFractionalTimes();
  if (!event.args.empty()) {
    // Args of both halves belong to the one slice.
    std::vector<ArgItem> items;
    for (const auto& [key, value] : builder_->args().Decode(builder_->slice_args(row))) {
      ArgItem item;
      item.key = key;
      if (const auto* b = std::get_if<bool>(&value.v)) {
        item.type = *b ? ArgType::kTrue : ArgType::kFalse;
      } else if (const auto* n = std::get_if<int64_t>(&value.v)) {
        item.type = ArgType::kInt;
        item.number = *n;
      } else if (const auto* d = std::get_if<double>(&value.v)) {
        item.type = ArgType::kDouble;
        item.real = *d;
      } else if (const auto* t = std::get_if<ArgValue::Text>(&value.v)) {
        item.type = ArgType::kText;
        item.text = t->id;
      } else if (const auto* j = std::get_if<ArgValue::Json>(&value.v)) {
        item.type = ArgType::kJson;
        item.text = j->id;
      }
      items.push_back(item);
    }
    items.insert(items.end(), event.args.begin(), event.args.end());
    builder_->SetArgs(row, builder_->args().Add(items.data(), items.size()));
  }
  ++builder_->counts().paired;
}

// Events that belong to an id instead of a thread: all of one category of a process share a track,
// where the builder nests those of one id and puts the others beside them.
void EventSink::TakeAsync(const RawEvent& event, CategoryState& state, uint64_t offset) {
  if (!HasTime(event, offset)) return;
  AsyncSlice async;
  uint64_t key = event.id;
  if (event.has_id) {
    async.id = IdOf(event);
  } else {
    // id2 says whether the id counts for the process alone or for all.
    const ArgItem* id2 = FindArg(event, id2_);
    if (id2 == nullptr || id2->type != ArgType::kJson) {
      return Lose(ProblemKind::kMissingAsyncId, offset);
    }
    async.id.is_text = true;
    async.id.text = id2->text;
    key = id2->text;
    if (strings_.Get(id2->text).find("\"local\"") != std::string_view::npos) {
      key = key * 31 + builder_->Thread(event.pid, RecordedId{});
    }
  }
  const char phase = event.phase;
  async.nestable = phase == 'b' || phase == 'e' || phase == 'n';
  const ArgItem* scope = FindArg(event, scope_);
  for (const uint64_t part :
       {uint64_t{state.raw}, uint64_t{async.nestable ? 0 : event.name},
        uint64_t{scope != nullptr && scope->type == ArgType::kText ? scope->text : 0}}) {
    key = (key ^ (key >> 29)) * 0x9E3779B97F4A7C15ull + part;
  }

  if (phase == 'e' || phase == 'F') {
    const auto found = open_async_.find(key);
    if (found == open_async_.end()) return Lose(ProblemKind::kEndWithoutBegin, offset);
    EndRange(&found->second, event, offset);
    if (found->second.empty()) open_async_.erase(found);
    return;
  }
  RecordedId row;
  row.is_text = true;
  row.text = state.raw;
  const TrackIndex track = builder_->TrackOf(builder_->Thread(event.pid, row), Domain::kAsync);
  const uint16_t category = CategoryOf(state, SliceKind::kHostOther);
  if (phase == 'n' || phase == 'T' || phase == 'p') {
    Instant instant;
    instant.ts = event.ts;
    instant.name = event.name;
    instant.category = category;
    instant.track = track;
    // What a slice has in AsyncOf: an instant shows it among its args.
    instant.args = ArgsWithIds(event, {{id_, async.id}, {tid_, event.tid}});
    builder_->AddInstant(instant, false);
    ++builder_->counts().instants;
    return;
  }
  if (!event.has_name) problems_->Add(ProblemKind::kMissingName, offset);
  if (event.has_fraction) builder_->SetFractionalTimes();
  async.event_index = static_cast<uint32_t>(event_index_ - 1);
  async.tid = event.tid;
  const uint32_t added =
      builder_->AddSlice(track, category, event.name, event.ts, TraceBuilder::kUnfinished,
                         Args(event), async.event_index);
  builder_->AddAsync(async);
  ++builder_->counts().slices;
  open_async_[key].push_back({added, offset});
}

}  // namespace emberline
