#include "store/store_image.h"

#include <array>
#include <limits>
#include <string>

#include "base/archive.h"
#include "base/packed_image.h"
#include "store/arg_encoding.h"

namespace emberline {

// What is small goes through an archive.
template <typename A>
void Members(A& a, CategoryInfo& c) {
  a(c.raw, c.kind, c.correlation_space);
}
template <typename A>
void Members(A& a, RecordedId& id) {
  a(id.is_text, id.number, id.text);
}
template <typename A>
void Members(A& a, Track& t) {
  a(t.kind, t.pid, t.tid, t.device, t.stream, t.layer, t.same_thread, t.process_name,
    t.process_labels, t.thread_name, t.process_sort_index, t.thread_sort_index, t.first, t.last,
    t.max_depth);
}
template <typename A>
void Members(A& a, Problem& p) {
  a(p.kind, p.message, p.count, p.first_offset, p.notice);
}
template <typename A>
void Members(A& a, DeviceProperties& d) {
  a(d.id, d.name, d.total_global_mem, d.compute_major, d.compute_minor, d.num_sms, d.warp_size,
    d.max_threads_per_block, d.max_threads_per_sm, d.regs_per_sm, d.shared_mem_per_sm, d.all);
}
template <typename A>
void Members(A& a, DistributedInfo& d) {
  a(d.backend, d.rank, d.world_size, d.raw);
}
template <typename A>
void Members(A& a, TraceMetadata& m) {
  a(m.schema_version, m.trace_name, m.trace_id, m.display_time_unit, m.base_time_ns, m.devices,
    m.distributed, m.profiler_flags, m.others, m.bare_array);
}
template <typename A>
void Members(A& a, ReadCounts& c) {
  a(c.events, c.slices, c.paired, c.instants, c.memory, c.counters, c.flows, c.metadata, c.dropped,
    c.file_bytes, c.text_bytes, c.by_category);
}
template <typename A>
void Members(A& a, CaptureSource& s) {
  a(s.file, s.graphs, s.work, s.reason);
}

namespace {

// The texts of a pool as few pieces: those of a chunk lie one behind the other.
std::vector<std::span<const std::byte>> Pieces(const StringPool& strings) {
  std::vector<std::span<const std::byte>> pieces;
  for (StringId id = 0; id < strings.size(); ++id) {
    const std::string_view text = strings.Get(id);
    if (text.empty()) continue;
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    if (!pieces.empty() && pieces.back().data() + pieces.back().size() == bytes.data()) {
      pieces.back() = {pieces.back().data(), pieces.back().size() + bytes.size()};
    } else {
      pieces.push_back(bytes);
    }
  }
  return pieces;
}

// Numbers as text that the writer keeps.
template <typename T>
void AddNumbers(std::string_view name, const std::vector<T>& numbers, ImageWriter* writer) {
  writer->AddText(
      name, std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)));
}

}  // namespace

template <typename Store, typename Visit>
void StoreImage::EachPacked(Store& s, Visit&& visit) {
  visit("slice.start", s.start_);
  visit("slice.duration", s.duration_);
  visit("slice.name", s.name_);
  visit("slice.category", s.category_);
  visit("slice.track", s.track_);
  visit("slice.parent", s.parent_);
  visit("slice.depth", s.depth_);
  visit("slice.event", s.event_index_);
  visit("slice.args", s.args_);
  s.memory_.EachColumn(
      [&](size_t number, auto& column) { visit("memory." + std::to_string(number), column); });
}

template <typename Store, typename Visit>
void StoreImage::EachColumn(Store& s, Visit&& visit) {
  visit("instants", s.instants_);
  visit("counters", s.counters_);
  visit("flows", s.flows_);
  visit("flow.args", s.flow_args_);
  visit("async", s.async_);
  visit("captured", s.captured_work_);
  visit("strings.hashes", s.strings_.hashes_);
  visit("strings.table", s.strings_.table_);
  visit("args.layouts", s.arg_table_.layouts_);
  visit("args.fields", s.arg_table_.fields_);
}

void StoreImage::Add(const TraceStore& store, ImageWriter* writer) {
  EachColumn(store, [&](const char* name, const auto& column) {
    using T = typename std::remove_reference_t<decltype(column)>::value_type;
    writer->Add<T>(name, column);
  });
  EachPacked(store,
             [&](const std::string& name, const auto& column) { AddPacked(name, column, writer); });

  std::vector<uint32_t> lengths;
  lengths.reserve(store.strings_.size());
  for (StringId id = 0; id < store.strings_.size(); ++id) {
    lengths.push_back(static_cast<uint32_t>(store.strings_.Get(id).size()));
  }
  AddNumbers("strings.lengths", lengths, writer);
  writer->AddPieces("strings.text", Pieces(store.strings_));

  std::vector<uint64_t> used;
  std::vector<std::span<const std::byte>> chunks;
  for (const ArgTable::Chunk& chunk : store.arg_table_.chunks_) {
    used.push_back(chunk.used);
    chunks.push_back(std::as_bytes(std::span(chunk.begin, chunk.used)));
  }
  // What reading the last one touches behind it.
  static constexpr std::array<std::byte, kBytesBehindValue> kBehind{};
  chunks.push_back(kBehind);
  AddNumbers("args.used", used, writer);
  writer->AddPieces("args.values", std::move(chunks));

  // The archive takes members that it could change; writing changes none.
  auto& s = const_cast<TraceStore&>(store);
  ArchiveWriter archive;
  archive(s.strings_.secret_[0], s.strings_.secret_[1], s.arg_names_, s.tracks_, s.categories_,
          s.captured_slices_, s.capture_sources_, s.metadata_, s.problems_, s.counts_,
          s.extent_.begin, s.extent_.end, s.base_ns_);
  writer->AddText("store", archive.Take());
}

bool StoreImage::OpenStrings(const ImageFile& image, StringPool* strings) {
  bool ok = true;
  const auto lengths = image.Get<uint32_t>("strings.lengths", &ok);
  std::string_view text = image.Text("strings.text", &ok);
  const size_t slots = strings->table_.size();
  if (!ok || lengths.empty() || strings->hashes_.size() != lengths.size() ||
      slots <= lengths.size() || (slots & (slots - 1)) != 0) {
    return false;
  }
  strings->views_.clear();
  strings->views_.reserve(lengths.size());
  for (const uint32_t length : lengths) {
    if (length > text.size()) return false;
    strings->views_.push_back(text.substr(0, length));
    text.remove_prefix(length);
    strings->chunk_bytes_ += length;
  }
  return text.empty();
}

bool StoreImage::OpenArgs(const ImageFile& image, ArgTable* args) {
  bool ok = true;
  const auto used = image.Get<uint64_t>("args.used", &ok);
  auto values = image.Get<uint8_t>("args.values", &ok);
  if (!ok) return false;
  for (const uint64_t bytes : used) {
    if (bytes > values.size()) return false;
    args->chunks_.push_back({values.data(), bytes});
    values = values.subspan(bytes);
    args->bytes_ += bytes;
  }
  for (const ArgTable::Layout& layout : args->layouts_) {
    if (uint64_t{layout.first} + layout.count > args->fields_.size()) return false;
  }
  return values.size() == kBytesBehindValue;
}

std::shared_ptr<const TraceStore> StoreImage::Open(const std::shared_ptr<const ImageFile>& image) {
  auto store = std::make_shared<TraceStore>();
  TraceStore& s = *store;
  bool ok = true;
  EachColumn(s, [&](const char* name, auto& column) {
    using T = typename std::remove_reference_t<decltype(column)>::value_type;
    column.Show(image->Get<T>(name, &ok));
  });
  EachPacked(
      s, [&](const std::string& name, auto& column) { ShowPacked(name, *image, &column, &ok); });
  ArchiveReader archive(image->Text("store", &ok));
  if (!ok) return nullptr;
  archive(s.strings_.secret_[0], s.strings_.secret_[1], s.arg_names_, s.tracks_, s.categories_,
          s.captured_slices_, s.capture_sources_, s.metadata_, s.problems_, s.counts_,
          s.extent_.begin, s.extent_.end, s.base_ns_);
  if (!archive.ok() || !archive.AtEnd()) return nullptr;
  const size_t n = s.start_.size();
  for (const size_t rows :
       {s.duration_.size(), s.name_.size(), s.category_.size(), s.track_.size(), s.parent_.size(),
        s.depth_.size(), s.event_index_.size(), s.args_.size()}) {
    if (rows != n) return nullptr;
  }
  bool whole = true;
  s.memory_.EachColumn(
      [&](size_t, const auto& column) { whole = whole && column.size() == s.memory_.size(); });
  if (!whole || n >= kNone || s.captured_slices_ > n) return nullptr;
  if (!OpenStrings(*image, &s.strings_) || !OpenArgs(*image, &s.arg_table_)) return nullptr;
  s.FindArgKeys();
  s.backing_ = image;
  return store;
}

}  // namespace emberline
