// The members of an object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/ordered_map.hpp>
#include <utility>

namespace emberline {

// nlohmann::ordered_map is a vector of pairs whose keys are constant. Such pairs cannot be moved
// without an exception, so a vector that grows copies them, each value with all that it holds. Here
// values are moved. As with a vector, members have another address once one was added.
template <class Key, class T, class IgnoredLess = std::less<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>>
struct MovingMap : nlohmann::ordered_map<Key, T, IgnoredLess, Allocator> {
  using Base = nlohmann::ordered_map<Key, T, IgnoredLess, Allocator>;
  using iterator = typename Base::iterator;
  using Base::Base;

  template <class Name>
  std::pair<iterator, bool> emplace(Name&& key, T&& value) {
    MakeRoom();
    return Base::emplace(std::forward<Name>(key), std::move(value));
  }
  template <class Name>
  T& operator[](Name&& key) {
    MakeRoom();
    return Base::operator[](std::forward<Name>(key));
  }
  template <class Name>
  const T& operator[](Name&& key) const {
    return Base::operator[](std::forward<Name>(key));
  }

 private:
  // For one more.
  void MakeRoom() {
    constexpr size_t kFirst = 4;
    if (this->size() < this->capacity()) return;
    Base larger;
    larger.reserve(std::max(kFirst, 2 * this->size()));
    for (auto& [key, value] : *this) larger.emplace_back(key, std::move(value));
    this->swap(larger);
  }
};

}  // namespace emberline
