// Members of structs as bytes: integers of variable length, texts once each. What is written is the
// same on every machine; what is read is never trusted. A struct lists its members once, for both
// directions, in a member `template <typename A> void Members(A& a) { a(first, second); }` or in a
// function beside it, `void Members(A& a, T& value)`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emberline {

// What both directions share: which function serves which type.
template <typename Self>
class Archive {
 public:
  template <typename... T>
  void operator()(T&... members) {
    (One(members), ...);
  }
  // Starts a run of values that are written as differences.
  void BeginDelta() { last_ = 0; }
  void Delta(int64_t& value) { self().Relative(value, &last_); }
  // A value near another one.
  void Offset(int64_t& value, int64_t from) {
    int64_t base = from;
    self().Relative(value, &base);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  template <typename T>
  void One(T& value) {
    if constexpr (std::is_integral_v<T>) {
      self().Integer(value);
    } else if constexpr (std::is_enum_v<T>) {
      self().Enum(value);
    } else {
      self().Value(value);
    }
  }
  int64_t last_ = 0;
};

// Changes nothing of what it writes, which others may read meanwhile.
class ArchiveWriter : public Archive<ArchiveWriter> {
 public:
  std::string Take() { return std::move(out_); }
  static constexpr bool kReads = false;
  void Fail() {}  // what is written is right

  template <typename T>
  void Integer(T& value) {
    if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<int64_t>(value);
      Varint((static_cast<uint64_t>(wide) << 1) ^ static_cast<uint64_t>(wide >> 63));
    } else {
      Varint(static_cast<uint64_t>(value));
    }
  }
  template <typename T>
  void Enum(const T& value) {
    const auto number = static_cast<std::underlying_type_t<T>>(value);
    Integer(number);
  }
  void Relative(int64_t& value, int64_t* base) {
    int64_t difference =
        static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(*base));
    Integer(difference);
    *base = value;
  }
  void Value(std::string& text) {
    const auto [at, added] = texts_.try_emplace(text, texts_.size() + 1);
    Varint(added ? 0 : at->second);
    if (!added) return;
    Varint(text.size());
    out_ += text;
  }
  template <typename T>
  void Value(std::vector<T>& items) {
    Varint(items.size());
    for (T& item : items) (*this)(item);
  }
  template <typename K, typename V>
  void Value(std::pair<K, V>& both) {
    (*this)(both.first, both.second);
  }
  template <typename K, typename V>
  void Value(std::map<K, V>& entries) {
    Varint(entries.size());
    for (auto& [key, value] : entries) (*this)(const_cast<K&>(key), value);
  }
  template <typename T>
  void Value(std::optional<T>& maybe) {
    bool there = maybe.has_value();
    (*this)(there);
    if (there) (*this)(*maybe);
  }
  void Value(double& number) {
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    Varint(bits);
  }
  template <typename T>
  requires requires(T& value, ArchiveWriter& a) { value.Members(a); }
  void Value(T& value) { value.Members(*this); }
  template <typename T>
  requires requires(T& value, ArchiveWriter& a) { Members(a, value); }
  void Value(T& value) { Members(*this, value); }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string out_;
  std::unordered_map<std::string, uint64_t> texts_;
};

class ArchiveReader : public Archive<ArchiveReader> {
 public:
  explicit ArchiveReader(std::string_view in) : in_(in) {}
  static constexpr bool kReads = true;
  bool ok() const { return ok_; }
  bool AtEnd() const { return at_ == in_.size(); }

  template <typename T>
  void Integer(T& value) {
    const uint64_t raw = Varint();
    if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
      value = static_cast<T>(wide);
      if (static_cast<int64_t>(value) != wide) ok_ = false;
    } else {
      value = static_cast<T>(raw);
      if (static_cast<uint64_t>(value) != raw) ok_ = false;
    }
  }
  template <typename T>
  void Enum(T& value) {
    auto number = static_cast<std::underlying_type_t<T>>(value);
    Integer(number);
    value = static_cast<T>(number);
  }
  void Relative(int64_t& value, int64_t* base) {
    int64_t difference = 0;
    Integer(difference);
    value = static_cast<int64_t>(static_cast<uint64_t>(*base) + static_cast<uint64_t>(difference));
    *base = value;
  }
  void Value(std::string& text) {
    const uint64_t id = Varint();
    if (id > texts_.size()) return Fail();
    if (id > 0) {
      text = texts_[id - 1];
      return;
    }
    const uint64_t size = Varint();
    if (size > in_.size() - at_) return Fail();
    text = in_.substr(at_, size);
    at_ += size;
    texts_.push_back(text);
  }
  template <typename T>
  void Value(std::vector<T>& items) {
    const uint64_t count = Varint();
    // Each takes a byte at least.
    if (count > in_.size() - at_) return Fail();
    items.clear();
    // At once, but for so many that only damage says it.
    items.reserve(std::min<uint64_t>(count, 1 << 16));
    for (uint64_t i = 0; i < count && ok_; ++i) (*this)(items.emplace_back());
  }
  template <typename K, typename V>
  void Value(std::pair<K, V>& both) {
    (*this)(both.first, both.second);
  }
  template <typename K, typename V>
  void Value(std::map<K, V>& entries) {
    const uint64_t count = Varint();
    if (count > in_.size() - at_) return Fail();
    for (uint64_t i = 0; i < count && ok_; ++i) {
      K key;
      (*this)(key);
      (*this)(entries[std::move(key)]);
    }
  }
  template <typename T>
  void Value(std::optional<T>& maybe) {
    bool there = false;
    (*this)(there);
    maybe.reset();
    if (there) (*this)(maybe.emplace());
  }
  void Value(double& number) {
    const uint64_t bits = Varint();
    std::memcpy(&number, &bits, sizeof number);
  }
  template <typename T>
  requires requires(T& value, ArchiveReader& a) { value.Members(a); }
  void Value(T& value) { value.Members(*this); }
  template <typename T>
  requires requires(T& value, ArchiveReader& a) { Members(a, value); }
  void Value(T& value) { Members(*this, value); }

  // What was read says something that cannot be.
  void Fail() { ok_ = false; }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ >= in_.size()) break;
      const auto byte = static_cast<unsigned char>(in_[at_++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view in_;
  size_t at_ = 0;
  bool ok_ = true;
  std::vector<std::string> texts_;
};

}  // namespace emberline
