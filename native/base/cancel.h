// Cooperative cancellation and progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace emberline {

// Shared flag; loops over events ask it every kCancelStride iterations. Any thread.
class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void Cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

// How many iterations of a loop over events may pass between two looks at a token: they take well
// below a millisecond.
inline constexpr uint32_t kCancelStride = 8192;

// Called with a stage's name and the fraction of the whole work that is done, 0..1. May be called
// from any thread; may be empty.
using ProgressFn = std::function<void(std::string_view stage, double fraction)>;

}  // namespace emberline
