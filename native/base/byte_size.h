// How many bytes of memory a value takes, for what is kept within a limit. Containers are counted
// by their capacity; a struct with memory of its own has an overload of HeapBytes beside it (see
// session/byte_size.h) or a member MemoryBytes().
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace emberline {

// HeapBytes(value): bytes that the value owns outside of itself. Declared before they are defined,
// so that containers of containers find each other.
template <typename T>
requires std::is_trivially_copyable_v<T> size_t HeapBytes(const T&) { return 0; }
inline size_t HeapBytes(const std::string& text);
inline size_t HeapBytes(const std::vector<bool>& flags);
template <typename T, typename A>
size_t HeapBytes(const std::vector<T, A>& items);
template <typename A, typename B>
requires(!std::is_trivially_copyable_v<std::pair<A, B>>) size_t
    HeapBytes(const std::pair<A, B>& both);
template <typename T>
requires(!std::is_trivially_copyable_v<std::optional<T>>) size_t
    HeapBytes(const std::optional<T>& maybe);
template <typename... T>
requires(!std::is_trivially_copyable_v<std::variant<T...>>) size_t
    HeapBytes(const std::variant<T...>& one);
template <typename K, typename V, typename C>
size_t HeapBytes(const std::map<K, V, C>& entries);
template <typename K, typename C>
size_t HeapBytes(const std::set<K, C>& items);
template <typename K, typename V, typename H>
size_t HeapBytes(const std::unordered_map<K, V, H>& entries);
template <typename T>
requires requires(const T& value) { value.MemoryBytes(); }
size_t HeapBytes(const T& value) { return value.MemoryBytes(); }

// Sum over the members of a struct.
template <typename... T>
size_t HeapBytesOf(const T&... members) {
  return (HeapBytes(members) + ... + size_t{0});
}

// Bytes of the value and of all that it owns.
template <typename T>
size_t ByteSize(const T& value) {
  return sizeof(T) + HeapBytes(value);
}

// What an allocator adds to each block, and the links of a node of a tree or a hash table.
inline constexpr size_t kBlockOverheadBytes = 16;
inline constexpr size_t kTreeNodeBytes = 32 + kBlockOverheadBytes;
inline constexpr size_t kHashNodeBytes = 16 + kBlockOverheadBytes;

size_t HeapBytes(const std::string& text) {
  static const size_t inside = std::string().capacity();
  return text.capacity() > inside ? text.capacity() + 1 + kBlockOverheadBytes : 0;
}

size_t HeapBytes(const std::vector<bool>& flags) {
  return flags.capacity() == 0 ? 0 : flags.capacity() / 8 + kBlockOverheadBytes;
}

template <typename T, typename A>
size_t HeapBytes(const std::vector<T, A>& items) {
  size_t bytes = items.capacity() == 0 ? 0 : items.capacity() * sizeof(T) + kBlockOverheadBytes;
  if constexpr (!std::is_trivially_copyable_v<T>) {
    for (const T& item : items) bytes += HeapBytes(item);
  }
  return bytes;
}

template <typename A, typename B>
requires(!std::is_trivially_copyable_v<std::pair<A, B>>) size_t
    HeapBytes(const std::pair<A, B>& both) {
  return HeapBytes(both.first) + HeapBytes(both.second);
}

template <typename T>
requires(!std::is_trivially_copyable_v<std::optional<T>>) size_t
    HeapBytes(const std::optional<T>& maybe) {
  return maybe ? HeapBytes(*maybe) : 0;
}

template <typename... T>
requires(!std::is_trivially_copyable_v<std::variant<T...>>) size_t
    HeapBytes(const std::variant<T...>& one) {
  return std::visit([](const auto& value) { return HeapBytes(value); }, one);
}

template <typename K, typename V, typename C>
size_t HeapBytes(const std::map<K, V, C>& entries) {
  size_t bytes = entries.size() * (sizeof(std::pair<const K, V>) + kTreeNodeBytes);
  for (const auto& [key, value] : entries) bytes += HeapBytes(key) + HeapBytes(value);
  return bytes;
}

template <typename K, typename C>
size_t HeapBytes(const std::set<K, C>& items) {
  size_t bytes = items.size() * (sizeof(K) + kTreeNodeBytes);
  for (const K& item : items) bytes += HeapBytes(item);
  return bytes;
}

template <typename K, typename V, typename H>
size_t HeapBytes(const std::unordered_map<K, V, H>& entries) {
  size_t bytes = entries.bucket_count() * sizeof(void*) +
                 entries.size() * (sizeof(std::pair<const K, V>) + kHashNodeBytes);
  for (const auto& [key, value] : entries) bytes += HeapBytes(key) + HeapBytes(value);
  return bytes;
}

}  // namespace emberline
