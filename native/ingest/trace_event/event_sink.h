// What events mean: from fields as recorded to rows of the store, for every dialect.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/hash.h"
#include "ingest/trace_event/category.h"
#include "ingest/trace_event/event_reader.h"
#include "store/builder.h"
#include "store/problems.h"

namespace emberline {

// On cache lines of its own: one thread may file while another one reads.
class alignas(kApart) EventSink {
 public:
  EventSink(TraceBuilder* builder, Problems* problems);

  // Takes one event; `offset` is its place in the text. Afterwards it is in exactly one table, or
  // counted as dropped with a problem.
  void Take(const RawEvent& event, uint64_t offset);
  // Entries of the event list that could not be read as events.
  void Drop(ProblemKind kind, uint64_t offset, uint64_t count = 1);
  // False when no more events can be numbered.
  bool CanTakeMore() const { return event_index_ < kNone - 1; }
  // True when an event said what it is ("ph"): then the list is one of trace events.
  bool saw_phase() const { return saw_phase_; }
  // What the row of a counter with an id is called: those of one name and several ids, such as the
  // queues of streams, are several. Touches nothing but the strings.
  StringId CounterName(const RawEvent& event);
  // Ends what was begun, fills the counts by category and settles what the dialect tells.
  void Finish();

 private:
  enum PhaseClass {
    kDuration,
    kMetadata,
    kInstant,
    kCounter,
    kFlowStart,
    kFlowStep,
    kFlowEnd,
    kOther
  };
  static constexpr int kPhaseClasses = kOther + 1;
  struct CategoryState {
    StringId raw = 0;
    CategoryMeaning meaning;
    // The builder's number of the category in the meaning asked for last.
    std::optional<std::pair<SliceKind, uint16_t>> numbered;
    FlowRole flows = FlowRole::kOther;
    uint64_t counts[kPhaseClasses] = {};
    uint64_t first_offset = 0;  // of its first event
  };
  struct OpenRange {
    uint32_t row;
    uint64_t offset;
  };

  CategoryState& StateOf(StringId category, uint64_t offset);
  CategoryMeaning MeaningOf(const CategoryState& state, const RawEvent& event) const;
  uint16_t CategoryOf(CategoryState& state, SliceKind kind);
  FlowRole RoleOfFlow(const CategoryState& state, StringId name);
  bool HasTime(const RawEvent& event, uint64_t offset);
  void Lose(ProblemKind kind, uint64_t offset);
  uint64_t Args(const RawEvent& event);
  const ArgItem* FindArg(const RawEvent& event, StringId key) const;
  std::optional<int64_t> IntArg(const RawEvent& event, StringId key) const;

  void TakeComplete(const RawEvent& event, CategoryState& state, uint64_t offset, bool open);
  void TakeEnd(const RawEvent& event, uint64_t offset);
  void TakeInstant(const RawEvent& event, CategoryState& state, uint64_t offset);
  void TakePoint(const RawEvent& event, CategoryState& state, uint64_t offset);
  uint64_t ArgsWithIds(const RawEvent& event,
                       std::initializer_list<std::pair<StringId, RecordedId>> ids);
  RecordedId IdOf(const RawEvent& event);
  void TakeCounter(const RawEvent& event, uint64_t offset);
  void TakeFlow(const RawEvent& event, CategoryState& state, FlowPhase phase, uint64_t offset);
  void TakeAsync(const RawEvent& event, CategoryState& state, uint64_t offset);
  void TakeMetadata(const RawEvent& event);
  // Ends the innermost range of `stack`, or the innermost with the event's name.
  void EndRange(std::vector<OpenRange>* stack, const RawEvent& event, uint64_t offset);

  TraceBuilder* builder_;
  Problems* problems_;
  StringPool& strings_;
  uint64_t event_index_ = 0;
  bool saw_phase_ = false;
  std::vector<CategoryState> categories_;
  std::unordered_map<StringId, FlowRole, NumberHash> flow_roles_;  // by the arrows' names
  std::unordered_map<StringId, uint32_t> category_index_;
  // Places in `categories_` of those that came last, by the low bits of their strings' numbers.
  std::array<uint32_t, 64> recent_categories_ = {};
  std::unordered_map<uint32_t, std::vector<OpenRange>> open_;  // by thread
  // By category and id.
  std::unordered_map<uint64_t, std::vector<OpenRange>, NumberHash> open_async_;

  // Ids of the texts that events are compared with.
  const StringId memory_name_, device_type_, device_id_, addr_, bytes_, total_allocated_,
      total_reserved_, name_, labels_, sort_index_, process_name_, process_labels_,
      process_sort_index_, thread_name_, thread_sort_index_, id_, tid_, id2_, scope_,
      cpu_functions_, cuda_functions_, traces_pid_, spans_pid_, window_end_, dma_request_,
      event_record_, event_wait_;
};

}  // namespace emberline
