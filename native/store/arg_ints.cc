#include "store/arg_ints.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <utility>

#include "base/prefetch.h"
#include "store/arg_encoding.h"

namespace emberline {

ArgInts::ArgInts(const TraceStore& store, std::initializer_list<ArgRole> roles)
    : store_(store), roles_(roles), plans_(store.arg_table_.layouts_.size()) {
  assert(roles_.size() <= kMost);
  assert(std::all_of(roles_.begin(), roles_.end(), [](ArgRole role) {
    return RangeOf(role).least == std::numeric_limits<int64_t>::min() &&
           RangeOf(role).most == std::numeric_limits<int64_t>::max();
  }));
}

const ArgInts::Plan& ArgInts::PlanOf(uint64_t layout) {
  Plan& plan = plans_[layout];
  if (plan.made) return plan;
  plan.made = plan.simple = true;
  const auto fields = store_.arg_table_.FieldsOf(layout);
  std::vector<std::pair<uint32_t, uint8_t>> found;  // field, place of its role
  for (size_t r = 0; r < roles_.size(); ++r) {
    for (const StringId key : store_.ArgKeysOf(roles_[r])) {
      if (key == kNone) break;
      const auto field = std::find_if(fields.begin(), fields.end(), [key](const auto& candidate) {
        return candidate.key == key;
      });
      if (field == fields.end()) continue;
      // A text may be a number, and if it is none the role's next key has its turn.
      plan.simple = plan.simple && field->type == ArgType::kInt;
      found.emplace_back(static_cast<uint32_t>(field - fields.begin()), static_cast<uint8_t>(r));
      break;
    }
  }
  std::sort(found.begin(), found.end());
  for (const auto& [field, role] : found) {
    plan.field[plan.count] = field;
    plan.role[plan.count++] = role;
  }
  return plan;
}

ArgInts::Values ArgInts::Of(SliceIndex slice) {
  Values values;
  const uint64_t handle = store_.args_[slice];
  if (handle == 0) return values;
  const ArgTable& table = store_.arg_table_;
  // Args lie in the order of the file, and slices in that of tracks: without a hint, nearly each
  // waits for memory.
  constexpr SliceIndex kAhead = 12;
  if (slice + kAhead < store_.args_.size()) {
    const uint64_t later = store_.args_[slice + kAhead];
    if (later != 0) PrefetchToReadAt(table.At(later));
  }
  const uint8_t* p = table.At(handle);
  const uint64_t layout = GetNumber(p);
  const Plan& plan = PlanOf(layout);
  if (!plan.simple) {
    for (size_t r = 0; r < roles_.size(); ++r) values[r] = store_.ArgInt(slice, roles_[r]);
    return values;
  }
  if (plan.count == 0) return values;
  const ArgTable::Field* const fields = table.FieldsOf(layout).data();
  uint32_t next = 0;
  for (size_t k = 0; k < plan.count; ++k) {
    for (; next < plan.field[k]; ++next) SkipValue(p, fields[next].type);
    values[plan.role[k]] = UnZigZag(GetNumber(p));
    ++next;
  }
  return values;
}

}  // namespace emberline
