// The args of events, kept whole in few bytes: events with the same keys and value types share a
// layout, and each event stores the layout's number and its values in few bytes (arg_encoding.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/flat_column.h"
#include "base/heap.h"
#include "base/types.h"

namespace emberline {

// Each trace's `args` object is kept whole (see TraceStore::Arg). External id, correlation and the
// like are plain args here: decode on demand.
struct ArgValue {
  // monostate: JSON null. Text holds the string (unescaped); integers beyond int64 are Text too, so
  // that no digit is lost. Json holds the text of an array or object as
  // recorded (UTF-8, without line ends, but not always valid JSON). Numbers that fit are
  // int64, others double (NaN and infinities included, which some recorders write).
  struct Text {
    StringId id;
  };
  struct Json {
    StringId id;
  };
  std::variant<std::monostate, bool, int64_t, double, Text, Json> v;
};

enum class ArgType : uint8_t { kNull, kFalse, kTrue, kInt, kDouble, kText, kJson };

// One key with its value while an event is being read.
struct ArgItem {
  StringId key = 0;
  ArgType type = ArgType::kNull;
  union {
    int64_t number;
    double real;
    StringId text;
  };
  ArgItem() : number(0) {}
};

// Append-only store of encoded args. Handles are never 0; 0 stands for "no args".
class ArgTable {
 public:
  // Stores one event's items and returns its handle; 0 for no items.
  uint64_t Add(const ArgItem* items, size_t count);
  // All items of a handle in their order.
  std::vector<std::pair<StringId, ArgValue>> Decode(uint64_t handle) const;
  // The first value under `key`, or nothing.
  std::optional<ArgValue> Find(uint64_t handle, StringId key) const;
  size_t MemoryBytes() const;
  // Frees what only Add() needs.
  void Freeze();

 private:
  friend class StoreImage;
  friend class ArgInts;
  struct Layout {
    uint64_t hash = 0;
    uint32_t first = 0, count = 0;  // in fields_
  };
  struct Field {
    StringId key = 0;
    ArgType type = ArgType::kNull;
    bool operator==(const Field&) const = default;
  };
  std::span<const Field> FieldsOf(uint64_t layout) const {
    return std::span<const Field>(fields_).subspan(layouts_[layout].first, layouts_[layout].count);
  }
  uint32_t LayoutOf(const ArgItem* items, size_t count);
  bool HasLayout(uint64_t layout, const ArgItem* items, size_t count) const;
  void MakeRoom(size_t bytes);
  const uint8_t* At(uint64_t handle) const {
    return chunks_[(handle - 1) >> kChunkShift].begin + ((handle - 1) & (kChunkBytes - 1));
  }

  static constexpr int kChunkShift = 20;
  static constexpr size_t kChunkBytes = size_t{1} << kChunkShift;

  struct Chunk {
    const uint8_t* begin = nullptr;
    size_t used = 0;  // bytes
  };

  FlatColumn<Layout> layouts_;
  FlatColumn<Field> fields_;     // of all layouts
  std::vector<uint32_t> table_;  // open addressing over layouts_, kNone marks an empty slot
  // Direct-mapped: recent layouts by what is quickly known of them. Most events repeat one of few
  // layouts, and comparing keys takes a third of the time of hashing them.
  std::array<uint32_t, 64> recent_{};
  // Of some chunks, one behind the other.
  struct Block {
    OwnedBlock<uint8_t> begin;
    size_t bytes = 0;
    size_t chunks = 0;  // begun
    size_t taken = 0;   // by them, bytes
  };

  std::vector<Chunk> chunks_;
  std::vector<Block> owned_;    // the chunks' memory, unless it lies elsewhere
  uint8_t* last_ = nullptr;     // the last chunk
  size_t used_ = 0, room_ = 0;  // of it, bytes
  size_t bytes_ = 0;            // of all chunks
};

}  // namespace emberline
