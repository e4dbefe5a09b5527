#include "session/memo.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>

namespace emberline {
namespace {

// A cancelled waiter leaves within this time, although its value is still being made for others.
constexpr std::chrono::milliseconds kWaitSlice(20);
// What a kept value costs besides itself: its nodes in the order and in the index.
constexpr size_t kEntryBytes = 256;
// Share of the limit that is left to results beside a trace that takes all of it.
constexpr size_t kLeastShare = 8;

}  // namespace

Result<Memo::Value> Memo::Get(Scope scope, const std::string& key_text, Role role,
                              const CancelToken& cancel,
                              const std::function<Result<Made>()>& make) {
  const Key key(scope, key_text);
  // Whoever leaves may be the last one to hold the value, which goes after the lock.
  std::shared_ptr<Making> other;
  std::unique_lock lock(mutex_);
  while (true) {
    if (Value value = Touch(key)) return value;
    const auto running = making_.find(key);
    if (running == making_.end()) break;
    other = running->second;
    while (!other->done) {
      changed_.wait_for(lock, kWaitSlice);
      if (cancel.cancelled()) {
        return Cancelled();
      }
    }
    const bool left = !other->outcome || (!other->outcome->ok() &&
                                          other->outcome->error().kind == ErrorKind::kCancelled);
    if (!left) return *other->outcome;
  }
  const auto mine = std::make_shared<Making>();
  making_[key] = mine;
  lock.unlock();

  const auto finish = [&] {  // needs the lock
    mine->done = true;
    making_.erase(key);
    changed_.notify_all();
  };
  std::vector<Value> dropped;  // destroyed after the lock is released
  try {
    Result<Made> made = make();
    Result<Value> outcome = made.ok() ? Result<Value>(made->value) : Result<Value>(made.error());
    std::unique_lock again(mutex_);
    if (made.ok()) Keep(key, role, std::move(made.value()), &dropped);
    mine->outcome = outcome;
    finish();
    again.unlock();
    return outcome;
  } catch (...) {
    const std::lock_guard again(mutex_);
    if (!mine->done) finish();
    throw;
  }
}

Memo::Value Memo::Find(Scope scope, const std::string& key) {
  const std::lock_guard lock(mutex_);
  return Touch(Key(scope, key));
}

void Memo::Forget(Scope scope, const std::string& key) {
  std::vector<Value> dropped;
  const std::lock_guard lock(mutex_);
  const auto at = by_key_.find(Key(scope, key));
  if (at != by_key_.end()) Drop(at, &dropped);
}

void Memo::ForgetPrefix(Scope scope, std::string_view prefix) {
  std::vector<Value> dropped;
  const std::lock_guard lock(mutex_);
  auto at = by_key_.lower_bound(Key(scope, prefix));
  while (at != by_key_.end() && at->first.first == scope && at->first.second.starts_with(prefix)) {
    at = Drop(at, &dropped);
  }
}

void Memo::ForgetScope(Scope scope) { ForgetPrefix(scope, ""); }

void Memo::Clear() {
  std::vector<Value> dropped;
  const std::lock_guard lock(mutex_);
  for (auto at = by_key_.begin(); at != by_key_.end();) at = Drop(at, &dropped);
}

size_t Memo::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::vector<std::string> Memo::Keys(Scope scope) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> keys;
  for (auto at = by_key_.lower_bound(Key(scope, ""));
       at != by_key_.end() && at->first.first == scope; ++at) {
    keys.push_back(at->first.second);
  }
  return keys;
}

Memo::Scope Memo::NewScope() {
  const std::lock_guard lock(mutex_);
  return next_scope_++;
}

Memo::Value Memo::Touch(const Key& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  const Order::iterator at = found->second;
  order_.splice(order_.begin(), order_, at);
  if (at->role == Role::kAnchor) anchor_ = at;
  if (at->made.measure != nullptr) {
    const size_t now = at->made.measure(at->made.value.get());
    bytes_ += now - at->made.bytes;
    at->bytes += now - at->made.bytes;
    at->made.bytes = now;
  }
  return at->made.value;
}

void Memo::Keep(const Key& key, Role role, Made made, std::vector<Value>* dropped) {
  const auto [at, fresh] = by_key_.emplace(key, order_.end());
  assert(fresh);  // only its maker keeps it
  (void)fresh;
  order_.push_front({&at->first, std::move(made), 0, role});
  at->second = order_.begin();
  Held& held = order_.front();
  held.bytes = held.made.bytes + key.second.capacity() + kEntryBytes;
  bytes_ += held.bytes;
  if (role == Role::kAnchor) anchor_ = order_.begin();
  Evict(dropped);
}

Memo::Index::iterator Memo::Drop(Index::iterator at, std::vector<Value>* dropped) {
  const Order::iterator held = at->second;
  bytes_ -= held->bytes;
  if (anchor_ == held) anchor_ = order_.end();
  dropped->push_back(std::move(held->made.value));
  order_.erase(held);
  return by_key_.erase(at);
}

void Memo::Evict(std::vector<Value>* dropped) {
  size_t limit = limit_;
  if (anchor_ != order_.end()) limit = std::max(limit, anchor_->bytes + limit_ / kLeastShare);
  // From the least recently used on; what was used last, and the anchor, stay.
  for (auto at = order_.end(); bytes_ > limit && at != order_.begin();) {
    --at;
    if (at == order_.begin()) break;
    if (at == anchor_) continue;
    const auto next = std::next(at);
    Drop(by_key_.find(*at->key), dropped);
    at = next;
  }
}

MemoScope::MemoScope() : MemoScope(std::make_shared<Memo>(std::numeric_limits<size_t>::max())) {}

MemoScope::MemoScope(std::shared_ptr<Memo> memo)
    : memo_(std::move(memo)), scope_(memo_->NewScope()) {}

MemoScope::~MemoScope() { memo_->ForgetScope(scope_); }

}  // namespace emberline
