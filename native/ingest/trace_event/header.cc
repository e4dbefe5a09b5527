#include "ingest/trace_event/header.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "ingest/trace_event/scan.h"
#include "ingest/trace_event/window.h"

namespace emberline {
namespace {

// Kineto's own keys; others may stand in a file too.
constexpr std::string_view kKnownKeys[] = {"schemaVersion",
                                           "deviceProperties",
                                           "distributedInfo",
                                           "displayTimeUnit",
                                           "baseTimeNanoseconds",
                                           "traceEvents",
                                           "traceName",
                                           "trace_id",
                                           "INFO",
                                           "WARNING",
                                           "ERROR",
                                           "STAGE",
                                           "VERBOSE",
                                           "record_shapes",
                                           "with_stack",
                                           "profile_memory",
                                           "with_modules",
                                           "with_flops",
                                           "cupti_version",
                                           "cuda_runtime_version",
                                           "cuda_driver_version",
                                           "host_name",
                                           "roctracer_version",
                                           "hip_runtime_version",
                                           "hip_driver_version",
                                           "group_trace_id",
                                           "Framework",
                                           "PT_PROFILER_JOB_NAME",
                                           "DISABLE_CUPTI_LAZY_REINIT"};

constexpr std::string_view kFlags[] = {"record_shapes", "with_stack", "profile_memory",
                                       "with_modules", "with_flops"};

int64_t ToInt(std::string_view text, int64_t fallback) {
  int64_t value = 0;
  if (ParseInt64(text, &value)) return value;
  double real = 0;
  if (ParseDouble(text, &real) && real > -9e18 && real < 9e18) return static_cast<int64_t>(real);
  return fallback;
}

// Of what cannot be less than none; 0: not known.
int64_t ToCount(std::string_view text) { return std::max<int64_t>(0, ToInt(text, 0)); }

int ToSmallInt(std::string_view text) {
  return static_cast<int>(std::clamp<int64_t>(ToInt(text, 0), 0, std::numeric_limits<int>::max()));
}

}  // namespace

HeaderReader::HeaderReader(TraceMetadata* metadata, Problems* problems)
    : metadata_(metadata), problems_(problems), reader_(&strings_) {}

bool HeaderReader::NeedsWhole(std::string_view key) {
  return key == "deviceProperties" || key == "distributedInfo";
}

bool HeaderReader::IsKnownKey(std::string_view text) {
  const size_t quote = text.find('"');
  if (quote == std::string_view::npos) return false;
  return std::find(std::begin(kKnownKeys), std::end(kKnownKeys), text.substr(0, quote)) !=
         std::end(kKnownKeys);
}

std::string HeaderReader::Unquote(std::string_view value) {
  std::string scratch;
  CleanProblems problems;
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    return std::string(CleanString(value.substr(1, value.size() - 2), &scratch, &problems));
  }
  return std::string(CleanNested(value, &scratch, &problems));
}

std::string HeaderReader::TextOf(const ArgItem& item) const {
  switch (item.type) {
    case ArgType::kNull:
      return "";
    case ArgType::kFalse:
      return "false";
    case ArgType::kTrue:
      return "true";
    case ArgType::kInt:
      return std::to_string(item.number);
    case ArgType::kDouble: {
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof(buffer), item.real).ptr;
      return std::string(buffer, end);
    }
    case ArgType::kText:
    case ArgType::kJson:
      return std::string(strings_.Get(item.text));
  }
  return "";
}

bool HeaderReader::TakeDevices(const std::string& value) {
  std::string padded = value;
  padded.append(Window::kPadding, '\0');
  const char* const end = padded.data() + value.size();
  const char* p = SkipSpace(padded.data(), end);
  if (p >= end || *p != '[') return false;
  metadata_->devices.clear();
  std::vector<ArgItem> items;
  for (++p;;) {
    p = SkipSpace(p, end);
    if (p >= end) return false;
    if (*p == ']') return true;
    if (*p == ',') {
      ++p;
      continue;
    }
    if (*p != '{') return false;
    const char* next = nullptr;
    if (reader_.ReadObject(p, end, &items, &next) != EventReader::Status::kOk) return false;
    p = next;
    DeviceProperties device;
    device.id = static_cast<int64_t>(metadata_->devices.size());
    for (const ArgItem& item : items) {
      const std::string_view key = strings_.Get(item.key);
      const std::string text = TextOf(item);
      if (key == "id")
        device.id = ToInt(text, device.id);
      else if (key == "name")
        device.name = text;
      else if (key == "totalGlobalMem")
        device.total_global_mem = ToCount(text);
      else if (key == "computeMajor")
        device.compute_major = ToSmallInt(text);
      else if (key == "computeMinor")
        device.compute_minor = ToSmallInt(text);
      else if (key == "numSms" || key == "maxComputeUnits")
        device.num_sms = ToCount(text);
      else if (key == "warpSize")
        device.warp_size = ToCount(text);
      else if (key == "maxThreadsPerBlock")
        device.max_threads_per_block = ToCount(text);
      else if (key == "maxThreadsPerMultiprocessor")
        device.max_threads_per_sm = ToCount(text);
      else if (key == "regsPerMultiprocessor")
        device.regs_per_sm = ToCount(text);
      else if (key == "sharedMemPerMultiprocessor" || key == "maxSharedMemoryPerMultiProcessor") {
        device.shared_mem_per_sm = ToCount(text);
      }
      device.all.emplace_back(std::string(key), text);
    }
    metadata_->devices.push_back(std::move(device));
  }
}

bool HeaderReader::TakeDistributed(const std::string& value, uint64_t offset) {
  std::string padded = value;
  padded.append(Window::kPadding, '\0');
  const char* const end = padded.data() + value.size();
  const char* const p = SkipSpace(padded.data(), end);
  if (p >= end || *p != '{') return false;
  std::vector<ArgItem> items;
  const char* next = nullptr;
  if (reader_.ReadObject(p, end, &items, &next) != EventReader::Status::kOk) return false;
  for (const auto& [kind, at] : reader_.mended()) problems_->Add(kind, offset);
  DistributedInfo info;
  for (const ArgItem& item : items) {
    const std::string_view key = strings_.Get(item.key);
    if (key == "backend")
      info.backend = TextOf(item);
    else if (key == "rank")
      info.rank = ToInt(TextOf(item), -1);
    else if (key == "world_size")
      info.world_size = ToInt(TextOf(item), -1);
  }
  std::string scratch;
  CleanProblems problems;
  info.raw = std::string(CleanNested(value, &scratch, &problems));
  metadata_->distributed = std::move(info);
  return true;
}

void HeaderReader::Take(const std::string& key, const std::string& value, uint64_t offset,
                        bool complete) {
  if (value.empty()) {
    problems_->Add(ProblemKind::kMissingValue, offset);
  }
  const std::string text = Unquote(value);
  if (key == "schemaVersion") {
    metadata_->schema_version = ToInt(text, 0);
    return;
  }
  if (key == "traceName") {
    metadata_->trace_name = text;
    return;
  }
  if (key == "trace_id") {
    metadata_->trace_id = text;
    return;
  }
  if (key == "displayTimeUnit") {
    metadata_->display_time_unit = text;
    return;
  }
  if (key == "baseTimeNanoseconds") {
    int64_t base = 0;
    if (ParseInt64(text, &base)) {
      metadata_->base_time_ns = base;
    } else {
      problems_->Add(ProblemKind::kMalformedHeader, offset);
    }
    return;
  }
  if (key == "deviceProperties" && complete && TakeDevices(value)) return;
  if (key == "distributedInfo" && complete && TakeDistributed(value, offset)) return;
  if (NeedsWhole(key)) problems_->Add(ProblemKind::kMalformedHeader, offset);
  if (std::find(std::begin(kFlags), std::end(kFlags), key) != std::end(kFlags)) {
    metadata_->profiler_flags[key] = text == "true" || ToInt(text, 0) != 0;
    return;
  }
  std::string scratch;
  CleanProblems problems;
  std::string stored(
      CleanNested(std::string_view(value).substr(0, kMaxTextBytes), &scratch, &problems));
  for (auto& [name, old] : metadata_->others) {
    if (name == key) {
      old = std::move(stored);
      return;
    }
  }
  // More keys than that come from no recorder; searching them for repeats must stay cheap.
  constexpr size_t kMaxOthers = 1000;
  if (metadata_->others.size() < kMaxOthers) metadata_->others.emplace_back(key, std::move(stored));
}

}  // namespace emberline
