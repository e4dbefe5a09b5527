#include "store/trace_store.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "base/byte_size.h"
#include "base/parse_integer.h"

namespace emberline {
namespace {

std::optional<int64_t> ToInt(const StringPool& strings, const std::optional<ArgValue>& arg) {
  if (!arg) return std::nullopt;
  if (const auto* i = std::get_if<int64_t>(&arg->v)) return *i;
  if (const auto* b = std::get_if<bool>(&arg->v)) return *b ? 1 : 0;
  if (const auto* d = std::get_if<double>(&arg->v)) {
    // 2^63 is exact as a double; everything below it in magnitude fits.
    if (std::isfinite(*d) && std::fabs(*d) < 9223372036854775808.0) return static_cast<int64_t>(*d);
    return std::nullopt;
  }
  if (const auto* t = std::get_if<ArgValue::Text>(&arg->v)) return ParseInteger(strings.Get(t->id));
  return std::nullopt;
}

std::optional<double> ToNumber(const StringPool& strings, const std::optional<ArgValue>& arg) {
  if (!arg) return std::nullopt;
  if (const auto* i = std::get_if<int64_t>(&arg->v)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&arg->v)) return *b ? 1 : 0;
  if (const auto* d = std::get_if<double>(&arg->v)) return *d;
  if (const auto* t = std::get_if<ArgValue::Text>(&arg->v)) {
    const std::string_view text = strings.Get(t->id);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    if (const auto integer = ParseInteger(text)) return static_cast<double>(*integer);
  }
  return std::nullopt;
}

std::string_view ToText(const StringPool& strings, const std::optional<ArgValue>& arg) {
  if (!arg) return {};
  if (const auto* t = std::get_if<ArgValue::Text>(&arg->v)) return strings.Get(t->id);
  if (const auto* j = std::get_if<ArgValue::Json>(&arg->v)) return strings.Get(j->id);
  return {};
}

}  // namespace

const char* SliceKindName(SliceKind kind) {
  switch (kind) {
    case SliceKind::kCpuOp:
      return "cpuOp";
    case SliceKind::kUserAnnotation:
      return "userAnnotation";
    case SliceKind::kGpuUserAnnotation:
      return "gpuUserAnnotation";
    case SliceKind::kKernel:
      return "kernel";
    case SliceKind::kMemcpy:
      return "memcpy";
    case SliceKind::kMemset:
      return "memset";
    case SliceKind::kRuntime:
      return "runtime";
    case SliceKind::kDriver:
      return "driver";
    case SliceKind::kPythonFunction:
      return "pythonFunction";
    case SliceKind::kOverhead:
      return "overhead";
    case SliceKind::kSync:
      return "sync";
    case SliceKind::kCudaEvent:
      return "cudaEvent";
    case SliceKind::kTraceSpan:
      return "traceSpan";
    case SliceKind::kCollective:
      return "collective";
    case SliceKind::kCommunication:
      return "communication";
    case SliceKind::kDerived:
      return "derived";
    case SliceKind::kDeviceOther:
      return "deviceOther";
    case SliceKind::kHostOther:
      return "hostOther";
  }
  return "hostOther";
}

std::optional<ArgValue> TraceStore::Arg(SliceIndex i, StringId key) const {
  if (key == kNone) return std::nullopt;
  return arg_table_.Find(args_[i], key);
}

std::optional<ArgValue> TraceStore::Arg(SliceIndex i, std::string_view key) const {
  return Arg(i, strings_.Find(key));
}

std::optional<int64_t> TraceStore::ArgInt(SliceIndex i, StringId key) const {
  if (key == kNone) return std::nullopt;
  return ToInt(strings_, arg_table_.Find(args_[i], key));
}

std::optional<double> TraceStore::ArgNumber(SliceIndex i, StringId key) const {
  if (key == kNone) return std::nullopt;
  return ToNumber(strings_, arg_table_.Find(args_[i], key));
}

std::string_view TraceStore::ArgText(SliceIndex i, StringId key) const {
  if (key == kNone) return {};
  return ToText(strings_, arg_table_.Find(args_[i], key));
}

void TraceStore::FindArgKeys() {
  for (ArgKeys& keys : arg_keys_) keys.fill(kNone);
  for (const auto& [role, name] : arg_names_) {
    const StringId key = strings_.Find(name);
    if (key == kNone) continue;
    ArgKeys& keys = arg_keys_[static_cast<int>(role)];
    const auto free = std::find(keys.begin(), keys.end(), kNone);
    assert(free != keys.end());
    *free = key;
  }
}

std::optional<ArgValue> TraceStore::Arg(SliceIndex i, ArgRole role) const {
  for (const StringId key : ArgKeysOf(role)) {
    if (key == kNone) break;
    if (auto value = arg_table_.Find(args_[i], key)) return value;
  }
  return std::nullopt;
}

namespace {

// None for a number that what it is of cannot have.
template <typename Number>
std::optional<Number> InRange(ArgRole role, Number value) {
  const ArgRange range = RangeOf(role);
  const bool possible =
      value >= static_cast<Number>(range.least) && value <= static_cast<Number>(range.most);
  return possible ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<int64_t> TraceStore::ArgInt(SliceIndex i, ArgRole role) const {
  for (const StringId key : ArgKeysOf(role)) {
    if (key == kNone) break;
    if (const auto value = ArgInt(i, key)) return InRange(role, *value);
  }
  return std::nullopt;
}

std::optional<double> TraceStore::ArgNumber(SliceIndex i, ArgRole role) const {
  for (const StringId key : ArgKeysOf(role)) {
    if (key == kNone) break;
    if (const auto value = ArgNumber(i, key)) return InRange(role, *value);
  }
  return std::nullopt;
}

std::string_view TraceStore::ArgText(SliceIndex i, ArgRole role) const {
  for (const StringId key : ArgKeysOf(role)) {
    if (key == kNone) break;
    if (const std::string_view text = ArgText(i, key); !text.empty()) return text;
  }
  return {};
}

StringId TraceStore::ArgTextId(SliceIndex i, ArgRole role) const {
  for (const StringId key : ArgKeysOf(role)) {
    if (key == kNone) break;
    const auto value = arg_table_.Find(args_[i], key);
    if (!value) continue;
    if (const auto* json = std::get_if<ArgValue::Json>(&value->v)) return json->id;
    if (const auto* text = std::get_if<ArgValue::Text>(&value->v)) return text->id;
  }
  return 0;
}

std::optional<int64_t> TraceStore::ArgInt(SliceIndex i, std::string_view key) const {
  return ArgInt(i, strings_.Find(key));
}

std::optional<double> TraceStore::ArgNumber(SliceIndex i, std::string_view key) const {
  return ArgNumber(i, strings_.Find(key));
}

std::string_view TraceStore::ArgText(SliceIndex i, std::string_view key) const {
  return ArgText(i, strings_.Find(key));
}

std::vector<std::pair<StringId, ArgValue>> TraceStore::ArgsAt(uint64_t handle) const {
  return arg_table_.Decode(handle);
}

uint64_t TraceStore::FlowKey(const FlowPoint& point) {
  uint64_t key = point.id ^ static_cast<uint64_t>(point.ts) * 0x9E3779B97F4A7C15ull;
  key ^= key >> 32;
  return (key * 0xD6E8FEB86659FD93ull) ^ static_cast<uint64_t>(point.phase);
}

uint64_t TraceStore::FlowArgs(const FlowPoint& point) const {
  const uint64_t key = FlowKey(point);
  const auto at = std::lower_bound(flow_args_.begin(), flow_args_.end(), FlowArg{key, 0});
  return at != flow_args_.end() && at->key == key ? at->args : 0;
}

const AsyncSlice* TraceStore::AsyncOf(SliceIndex i) const {
  if (tracks_[track_[i]].kind != TrackKind::kAsync) return nullptr;
  const auto at = std::lower_bound(
      async_.begin(), async_.end(), event_index_[i],
      [](const AsyncSlice& slice, uint32_t index) { return slice.event_index < index; });
  return at != async_.end() && at->event_index == event_index_[i] ? &*at : nullptr;
}

size_t TraceStore::MemoryBytes() const {
  return HeapBytesOf(start_, duration_, name_, category_, track_, parent_, depth_, event_index_,
                     args_, arg_table_, tracks_, categories_, instants_, memory_, counters_, flows_,
                     flow_args_, async_, captured_work_, strings_);
}

}  // namespace emberline
