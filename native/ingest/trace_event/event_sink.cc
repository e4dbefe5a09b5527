#include "ingest/trace_event/event_sink.h"

#include <algorithm>

#include "base/parse_integer.h"
#include "base/text.h"
#include "ingest/trace_event/arg_names.h"
#include "ingest/trace_event/dialect.h"

namespace emberline {
namespace {

constexpr size_t kMaxCountedCategories = 500;
constexpr int64_t kMostDevices = 1 << 16;  // of a machine; a larger ordinal comes from damage

}  // namespace

EventSink::EventSink(TraceBuilder* builder, Problems* problems)
    : builder_(builder),
      problems_(problems),
      strings_(builder->strings()),
      memory_name_(strings_.Intern("[memory]")),
      device_type_(strings_.Intern("Device Type")),
      device_id_(strings_.Intern("Device Id")),
      addr_(strings_.Intern("Addr")),
      bytes_(strings_.Intern("Bytes")),
      total_allocated_(strings_.Intern("Total Allocated")),
      total_reserved_(strings_.Intern("Total Reserved")),
      name_(strings_.Intern("name")),
      labels_(strings_.Intern("labels")),
      sort_index_(strings_.Intern("sort_index")),
      process_name_(strings_.Intern("process_name")),
      process_labels_(strings_.Intern("process_labels")),
      process_sort_index_(strings_.Intern("process_sort_index")),
      thread_name_(strings_.Intern("thread_name")),
      thread_sort_index_(strings_.Intern("thread_sort_index")),
      id_(strings_.Intern("id")),
      tid_(strings_.Intern("tid")),
      id2_(strings_.Intern("id2")),
      scope_(strings_.Intern("scope")),
      cpu_functions_(strings_.Intern("CPU functions")),
      cuda_functions_(strings_.Intern("CUDA functions")),
      traces_pid_(strings_.Intern("Traces")),
      spans_pid_(strings_.Intern("Spans")),
      window_end_(strings_.Intern("Record Window End")),
      dma_request_(strings_.Intern("dma_request")),
      event_record_(strings_.Intern("event_record")),
      event_wait_(strings_.Intern("event_wait")) {
  NameArgs(builder_);
  StateOf(0, 0);
}

EventSink::CategoryState& EventSink::StateOf(StringId category, uint64_t offset) {
  uint32_t& recent = recent_categories_[category % recent_categories_.size()];
  if (recent < categories_.size() && categories_[recent].raw == category) {
    return categories_[recent];
  }
  const auto [at, added] =
      category_index_.try_emplace(category, static_cast<uint32_t>(categories_.size()));
  if (added) {
    categories_.emplace_back();
    categories_.back().raw = category;
    categories_.back().first_offset = offset;
    categories_.back().meaning = MeaningOfCategory(strings_.Get(category));
    categories_.back().flows = RoleOfFlows(strings_.Get(category));
  }
  recent = at->second;
  return categories_[recent];
}

uint16_t EventSink::CategoryOf(CategoryState& state, SliceKind kind) {
  if (!state.numbered || state.numbered->first != kind) {
    state.numbered = {kind, builder_->Category(state.raw, kind, state.meaning.correlation_space)};
  }
  return state.numbered->second;
}

FlowRole EventSink::RoleOfFlow(const CategoryState& state, StringId name) {
  if (state.flows != FlowRole::kOther) return state.flows;
  const auto [known, added] = flow_roles_.try_emplace(name, FlowRole::kOther);
  if (added) known->second = RoleOfFlows(strings_.Get(name));
  return known->second;
}

// Old exporters write no categories: their process rows tell.
CategoryMeaning EventSink::MeaningOf(const CategoryState& state, const RawEvent& event) const {
  if (event.pid.is_text && event.pid.text != 0 && state.raw == 0) {
    if (event.pid.text == cpu_functions_) return {SliceKind::kCpuOp, Domain::kHost};
    if (event.pid.text == cuda_functions_) return {SliceKind::kKernel, Domain::kDevice};
    if (event.pid.text == spans_pid_ || event.pid.text == traces_pid_) {
      return {SliceKind::kTraceSpan, Domain::kSpan};
    }
  }
  // MTIA puts copies and events under the category of its kernels.
  if (state.meaning.kind == SliceKind::kDeviceOther) {
    if (event.name == dma_request_) return {SliceKind::kMemcpy, Domain::kDevice};
    if (event.name == event_record_ || event.name == event_wait_) {
      return {SliceKind::kSync, Domain::kDevice};
    }
  }
  return state.meaning;
}

void EventSink::Lose(ProblemKind kind, uint64_t offset) {
  ++builder_->counts().dropped;
  problems_->Add(kind, offset);
}

void EventSink::Drop(ProblemKind kind, uint64_t offset, uint64_t count) {
  builder_->counts().events += count;
  builder_->counts().dropped += count;
  event_index_ += count;
  problems_->Add(kind, offset, count);
}

bool EventSink::HasTime(const RawEvent& event, uint64_t offset) {
  if (event.has_ts && event.ts_state == TimeText::kOk) return true;
  Lose(event.has_ts && event.ts_state == TimeText::kOutOfRange ? ProblemKind::kTimeOutOfRange
                                                               : ProblemKind::kMissingTime,
       offset);
  return false;
}

uint64_t EventSink::Args(const RawEvent& event) {
  return builder_->args().Add(event.args.data(), event.args.size());
}

const ArgItem* EventSink::FindArg(const RawEvent& event, StringId key) const {
  for (const ArgItem& item : event.args) {
    if (item.key == key) return &item;
  }
  return nullptr;
}

std::optional<int64_t> EventSink::IntArg(const RawEvent& event, StringId key) const {
  const ArgItem* item = FindArg(event, key);
  if (item == nullptr) return std::nullopt;
  if (item->type == ArgType::kInt) return item->number;
  if (item->type == ArgType::kDouble && item->real > -9e18 && item->real < 9e18) {
    return static_cast<int64_t>(item->real);
  }
  if (item->type == ArgType::kText) return ParseInteger(strings_.Get(item->text));
  return std::nullopt;
}

void EventSink::Take(const RawEvent& event, uint64_t offset) {
  ++builder_->counts().events;
  ++event_index_;
  builder_->SetOffset(offset);
  CategoryState& state = StateOf(event.category, offset);
  saw_phase_ |= event.phase != '\0';
  switch (event.phase) {
    case 'X':
      ++state.counts[kDuration];
      return TakeComplete(event, state, offset, false);
    case 'B':
      ++state.counts[kDuration];
      return TakeComplete(event, state, offset, true);
    case 'E':
      ++state.counts[kDuration];
      return TakeEnd(event, offset);
    case 'i':
    case 'I':
    case 'R':
      ++state.counts[kInstant];
      return TakeInstant(event, state, offset);
    case 'C':
      ++state.counts[kCounter];
      return TakeCounter(event, offset);
    case 's':
      ++state.counts[kFlowStart];
      return TakeFlow(event, state, FlowPhase::kStart, offset);
    case 't':
      ++state.counts[kFlowStep];
      return TakeFlow(event, state, FlowPhase::kStep, offset);
    case 'f':
      ++state.counts[kFlowEnd];
      return TakeFlow(event, state, FlowPhase::kEnd, offset);
    case 'b':
    case 'e':
    case 'S':
    case 'F':
      ++state.counts[kDuration];
      return TakeAsync(event, state, offset);
    case 'n':
    case 'T':
    case 'p':
      ++state.counts[kInstant];
      return TakeAsync(event, state, offset);
    // Objects, memory dumps, samples and clock marks have a moment, and no length.
    case 'N':
    case 'O':
    case 'D':
    case 'v':
    case 'V':
    case 'P':
    case 'c':
      ++state.counts[kInstant];
      return TakePoint(event, state, offset);
    case 'M':
      ++state.counts[kMetadata];
      return TakeMetadata(event);
    case '\0':
      ++state.counts[kOther];
      return Lose(ProblemKind::kMissingPhase, offset);
    default:
      ++state.counts[kOther];
      return Lose(ProblemKind::kUnsupportedPhase, offset);
  }
}

void EventSink::TakeInstant(const RawEvent& event, CategoryState& state, uint64_t offset) {
  if (!HasTime(event, offset)) return;
  const bool is_memory = event.name == memory_name_ && event.has_name;
  const auto bytes = is_memory ? IntArg(event, bytes_) : std::nullopt;
  if (bytes) {
    MemoryRecord record;
    record.ts = event.ts;
    record.bytes = *bytes;
    record.address = static_cast<uint64_t>(IntArg(event, addr_).value_or(0));
    record.device_type = static_cast<int32_t>(IntArg(event, device_type_).value_or(0));
    const int64_t device_id = IntArg(event, device_id_).value_or(-1);
    record.device_id =
        device_id >= 0 && device_id <= kMostDevices ? static_cast<int32_t>(device_id) : -1;
    record.total_allocated = IntArg(event, total_allocated_).value_or(-1);
    record.total_reserved = IntArg(event, total_reserved_).value_or(-1);
    record.track = builder_->TrackOf(builder_->Thread(event.pid, event.tid), Domain::kHost);
    builder_->AddMemory(record);
    ++builder_->counts().memory;
    return;
  }
  Instant instant;
  instant.ts = event.ts;
  instant.name = event.name;
  instant.scope = event.scope == 'g' || event.scope == 'p' ? event.scope : 't';
  instant.category = CategoryOf(state, state.meaning.kind);
  instant.args = Args(event);
  const bool no_thread = event.pid.is_text && event.pid.text == 0;
  const bool marker = event.name == window_end_ || no_thread ||
                      (event.pid.is_text && event.pid.text == traces_pid_);
  if (!marker || instant.scope == 't') {
    const Domain domain = is_memory ? Domain::kHost : marker ? Domain::kSpan : state.meaning.domain;
    instant.track = builder_->TrackOf(builder_->Thread(event.pid, event.tid), domain);
  }
  builder_->AddInstant(instant, marker);
  ++builder_->counts().instants;
}

// Args of the event, and ids that its fields gave, as further args.
uint64_t EventSink::ArgsWithIds(const RawEvent& event,
                                std::initializer_list<std::pair<StringId, RecordedId>> ids) {
  std::vector<ArgItem> items = event.args;
  for (const auto& [key, id] : ids) {
    ArgItem item;
    item.key = key;
    item.type = id.is_text ? ArgType::kText : ArgType::kInt;
    if (id.is_text) {
      item.text = id.text;
    } else {
      item.number = id.number;
    }
    items.push_back(item);
  }
  return builder_->args().Add(items.data(), items.size());
}

RecordedId EventSink::IdOf(const RawEvent& event) {
  RecordedId id;
  id.is_text = !event.id_text.empty();
  if (id.is_text) {
    id.text = strings_.Intern(event.id_text);
  } else {
    id.number = static_cast<int64_t>(event.id);
  }
  return id;
}

void EventSink::TakePoint(const RawEvent& event, CategoryState& state, uint64_t offset) {
  if (!HasTime(event, offset)) return;
  Instant instant;
  instant.ts = event.ts;
  instant.name = event.name;
  instant.scope = event.phase;
  instant.category = CategoryOf(state, state.meaning.kind);
  instant.args = event.has_id ? ArgsWithIds(event, {{id_, IdOf(event)}}) : Args(event);
  instant.track = builder_->TrackOf(builder_->Thread(event.pid, event.tid), state.meaning.domain);
  // Clock marks may be in another clock: they say nothing of how long the trace is.
  builder_->AddInstant(instant, event.phase == 'c');
  ++builder_->counts().instants;
}

StringId EventSink::CounterName(const RawEvent& event) {
  const RecordedId id = IdOf(event);
  return strings_.Intern(
      std::string(strings_.Get(event.name)) + " [" +
      (id.is_text ? std::string(strings_.Get(id.text)) : std::to_string(id.number)) + "]");
}

void EventSink::TakeCounter(const RawEvent& event, uint64_t offset) {
  if (!HasTime(event, offset)) return;
  CounterSample sample;
  sample.ts = event.ts;
  sample.name = event.has_id ? CounterName(event) : event.name;
  sample.pid = event.pid;
  sample.args = Args(event);
  builder_->AddCounter(sample);
  ++builder_->counts().counters;
}

void EventSink::TakeFlow(const RawEvent& event, CategoryState& state, FlowPhase phase,
                         uint64_t offset) {
  if (!HasTime(event, offset)) return;
  if (!event.has_id) return Lose(ProblemKind::kMissingFlowId, offset);
  FlowPoint flow;
  // Ids count per category.
  uint64_t id = event.id * 0x9E3779B97F4A7C15ull ^ uint64_t { state.raw } * 0xD6E8FEB86659FD93ull;
  id ^= id >> 32;
  flow.id = id * 0xD6E8FEB86659FD93ull;
  flow.ts = event.ts;
  flow.name = event.name;
  flow.category = CategoryOf(state, state.meaning.kind);
  flow.phase = phase;
  flow.role = RoleOfFlow(state, event.name);
  builder_->AddFlow(flow, builder_->Thread(event.pid, event.tid),
                    event.args.empty() ? 0 : Args(event));
  ++builder_->counts().flows;
}

void EventSink::TakeMetadata(const RawEvent& event) {
  ++builder_->counts().metadata;
  if (event.name == process_sort_index_ || event.name == thread_sort_index_) {
    const auto value = IntArg(event, sort_index_);
    if (!value) return;
    if (event.name == process_sort_index_) {
      builder_->SetProcessSortIndex(event.pid, *value);
    } else {
      builder_->SetThreadSortIndex(builder_->Thread(event.pid, event.tid), *value);
    }
    return;
  }
  const ArgItem* item = FindArg(event, event.name == process_labels_ ? labels_ : name_);
  if (item == nullptr || item->type != ArgType::kText) return;
  if (event.name == process_name_ || event.name == process_labels_) {
    builder_->SetProcessText(event.pid, strings_.Get(event.name), item->text);
  } else if (event.name == thread_name_) {
    builder_->SetThreadName(builder_->Thread(event.pid, event.tid), item->text);
  }
}

void EventSink::Finish() {
  const auto report = [&](const auto& stacks) {
    for (const auto& [key, stack] : stacks) {
      for (const OpenRange& range : stack)
        problems_->Add(ProblemKind::kUnfinishedEvent, range.offset);
    }
  };
  report(open_);
  report(open_async_);
  static constexpr const char* kPrefixes[kPhaseClasses] = {"", "M", "i", "C", "s", "t", "f", "?"};
  auto& by_category = builder_->counts().by_category;
  for (const CategoryState& state : categories_) {
    for (int phase = 0; phase < kPhaseClasses; ++phase) {
      if (state.counts[phase] == 0) continue;
      std::string key = kPrefixes[phase];
      const std::string_view raw = strings_.Get(state.raw);
      if (!key.empty() && !raw.empty()) key += ' ';
      key += Shortened(raw, 200);
      // A hostile file may have as many categories as events; a report needs no more than these.
      if (by_category.size() >= kMaxCountedCategories && by_category.count(key) == 0) {
        key = "(others)";
      }
      by_category[key] += state.counts[phase];
    }
  }
  std::vector<CategoryUse> uses;
  for (const CategoryState& state : categories_) {
    if (state.counts[kDuration] == 0) continue;
    uses.push_back({state.raw, state.first_offset});
  }
  SettleDialect(builder_, problems_, uses);
}

}  // namespace emberline
