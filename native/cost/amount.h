// Counts that are known or say why not.
#pragma once

#include <cstdint>
#include <limits>

#include "cost/reasons.h"

namespace emberline {

// A count of elements, operations or bytes, never negative, or the reason why it is not known.
// Arithmetic keeps the first reason, and a result that does not fit becomes unknown: no figure is
// ever wrong because a recorded number was.
class Amount {
 public:
  constexpr Amount(int64_t value)  // NOLINT: implicit on purpose
      : value_(value < 0 ? 0 : value), why_(value < 0 ? &reasons::kNegativeNumber : nullptr) {}
  // `why`: an entry of cost/reasons.h.
  static constexpr Amount Unknown(const Sentence& why) { return Amount(Reason{&why}); }
  static constexpr Amount Unknown(const Sentence&& why) = delete;  // would be gone when it is said

  constexpr bool known() const { return why_ == nullptr; }
  constexpr int64_t value() const { return value_; }      // 0 when unknown
  constexpr const Sentence* why() const { return why_; }  // null when known

  friend constexpr Amount operator*(Amount a, Amount b) {
    if (!a.known()) return a;
    if (!b.known()) return b;
    int64_t value = 0;
    if (__builtin_mul_overflow(a.value_, b.value_, &value)) return TooLarge();
    return value;
  }
  friend constexpr Amount operator+(Amount a, Amount b) {
    if (!a.known()) return a;
    if (!b.known()) return b;
    int64_t value = 0;
    if (__builtin_add_overflow(a.value_, b.value_, &value)) return TooLarge();
    return value;
  }
  // Whole part; unknown for a divisor of 0.
  friend constexpr Amount operator/(Amount a, Amount b) {
    if (!a.known()) return a;
    if (!b.known()) return b;
    return b.value_ == 0 ? Unknown(reasons::kZeroSize) : Amount(a.value_ / b.value_);
  }
  Amount& operator*=(Amount other) { return *this = *this * other; }
  Amount& operator+=(Amount other) { return *this = *this + other; }

 private:
  struct Reason {
    const Sentence* why;
  };
  constexpr explicit Amount(Reason reason) : why_(reason.why) {}
  static constexpr Amount TooLarge() { return Unknown(reasons::kSizesTooLarge); }
  int64_t value_ = 0;
  const Sentence* why_ = nullptr;
};

inline Amount Least(Amount a, Amount b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  return a.value() < b.value() ? a : b;
}

}  // namespace emberline
