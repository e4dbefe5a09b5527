// Costly results that are asked for again: made once, counted in bytes, let go least recently used.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/cancel.h"
#include "base/result.h"

namespace emberline {

// One store of values for a whole session: its traces and all results that belong to them share one
// limit in bytes. Whoever holds a value keeps it alive after it was let go. Thread-safe. No lock is
// held while a value is made or destroyed.
class Memo {
 public:
  using Value = std::shared_ptr<const void>;
  // A value that was just made.
  struct Made {
    Value value;
    size_t bytes = 0;
    // For values that grow while they are kept: asked again at each use, so it must be cheap. May
    // be null.
    size_t (*measure)(const void*) = nullptr;
  };
  // Whose value: 0 the session, else a MemoScope's.
  using Scope = uint64_t;
  // Of the values that others depend on (traces), the one used last is never let go, and leaves an
  // eighth of the limit to other values however large it is.
  enum class Role : uint8_t { kResult, kAnchor };

  explicit Memo(size_t limit_bytes) : limit_(limit_bytes) {}

  // The value under `key`. The first caller makes it; those who come meanwhile wait, and leave when
  // their `cancel` is set. When the maker is cancelled (kCancelled) or throws, one of them makes it
  // instead. Another error is the answer for all who waited, and is not kept: the next call tries
  // again. Errors: kCancelled, and those of `make`.
  Result<Value> Get(Scope scope, const std::string& key, Role role, const CancelToken& cancel,
                    const std::function<Result<Made>()>& make);
  // The value if it is there; counts as a use.
  Value Find(Scope scope, const std::string& key);
  // Lets go of one value, of those whose key begins with `prefix`, or of all of a scope.
  void Forget(Scope scope, const std::string& key);
  void ForgetPrefix(Scope scope, std::string_view prefix);
  void ForgetScope(Scope scope);
  void Clear();

  // Bytes of what is kept, keys included.
  size_t bytes() const;
  size_t limit_bytes() const { return limit_; }
  // Keys of a scope, in order.
  std::vector<std::string> Keys(Scope scope) const;
  Scope NewScope();

 private:
  using Key = std::pair<Scope, std::string>;
  struct Held {
    const Key* key = nullptr;  // in by_key_
    Made made;
    size_t bytes = 0;  // with key and bookkeeping
    Role role = Role::kResult;
  };
  using Order = std::list<Held>;  // most recently used first
  // A value that some thread makes at this moment.
  struct Making {
    bool done = false;
    std::optional<Result<Value>> outcome;  // empty: the maker threw
  };
  using Index = std::map<Key, Order::iterator>;

  // All of these need the lock.
  Value Touch(const Key& key);
  void Keep(const Key& key, Role role, Made made, std::vector<Value>* dropped);
  Index::iterator Drop(Index::iterator at, std::vector<Value>* dropped);
  void Evict(std::vector<Value>* dropped);

  const size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  Order order_;
  Index by_key_;
  Order::iterator anchor_ = order_.end();  // the anchor used last
  size_t bytes_ = 0;
  Scope next_scope_ = 1;
  std::map<Key, std::shared_ptr<Making>> making_;
};

// The results that belong to one owner, let go with it. Any thread may use it.
class MemoScope {
 public:
  MemoScope();  // with a memo of its own, for owners outside of a session
  explicit MemoScope(std::shared_ptr<Memo> memo);
  ~MemoScope();
  MemoScope(const MemoScope&) = delete;
  MemoScope& operator=(const MemoScope&) = delete;

  // The T under `key`, made by make(), which returns a T, a Result<T> or a
  // Result<std::shared_ptr<const T>>; see Memo::Get. A T that grows in place has a member type
  // GrowsInPlace, and is measured again at each use.
  template <typename T, typename Make>
  Result<std::shared_ptr<const T>> Get(const std::string& key, const CancelToken& cancel,
                                       Make&& make) const {
    Result<Memo::Value> value =
        memo_->Get(scope_, key, Memo::Role::kResult, cancel,
                   [&]() -> Result<Memo::Made> { return Measured<T>(make()); });
    if (!value.ok()) return value.error();
    return std::static_pointer_cast<const T>(std::move(value.value()));
  }
  void ForgetPrefix(std::string_view prefix) const { memo_->ForgetPrefix(scope_, prefix); }
  std::vector<std::string> Keys() const { return memo_->Keys(scope_); }
  // Tells the owner from all others of the memo, for results that depend on two owners.
  Memo::Scope id() const { return scope_; }

 private:
  template <typename T>
  static Result<Memo::Made> Measured(Result<std::shared_ptr<const T>> made) {
    if (!made.ok()) return made.error();
    Memo::Made out;
    out.bytes = ByteSize(**made);
    if constexpr (requires { typename T::GrowsInPlace; }) {
      out.measure = [](const void* value) { return ByteSize(*static_cast<const T*>(value)); };
    }
    out.value = std::move(made.value());
    return out;
  }
  template <typename T>
  static Result<Memo::Made> Measured(Result<T> made) {
    if (!made.ok()) return made.error();
    return Measured<T>(
        Result<std::shared_ptr<const T>>(std::make_shared<const T>(std::move(made.value()))));
  }
  template <typename T>
  static Result<Memo::Made> Measured(T made) {
    return Measured<T>(
        Result<std::shared_ptr<const T>>(std::make_shared<const T>(std::move(made))));
  }

  const std::shared_ptr<Memo> memo_;
  const Memo::Scope scope_;
};

}  // namespace emberline
