#include "cost/call_chain.h"

#include <algorithm>

#include "model/names.h"

namespace emberline {
namespace {

constexpr int kMaxAround = 32;

}  // namespace

CallChain::CallChain(const Model& model) : model_(model), outermost_(model), node_(model) {}

SliceIndex CallChain::Outermost(SliceIndex op) {
  return outermost_.From(op, [this](SliceIndex at) {
    const SliceIndex around = model_.op[at];
    return around == kNone || model_.frame[around] != model_.frame[at];
  });
}

SliceIndex CallChain::Node(SliceIndex op) {
  return node_.From(op, [this](SliceIndex at) {
    return IsBackwardName(model_.store().name(at)) || model_.forward[at] != kNone;
  });
}

SliceIndex CallChain::Forward(SliceIndex node) const {
  // "evaluate_function: XBackward" stands around "XBackward"; either may have the arrow.
  for (int level = 0; node != kNone && level < kMaxAround; node = model_.op[node], ++level) {
    if (model_.forward[node] != kNone) return model_.forward[node];
    if (!IsBackwardName(model_.store().name(node))) break;
  }
  return kNone;
}

SliceIndex CallChain::Listed(SliceIndex op, bool backward) {
  if (!backward) return Outermost(op);
  const SliceIndex forward = Forward(Node(op));
  return forward == kNone ? kNone : Outermost(forward);
}

SliceIndex CallChain::Shown(SliceIndex op, bool backward) {
  SliceIndex shown = Listed(op, backward);
  if (shown == kNone && backward) shown = Node(op);
  return shown == kNone ? op : shown;
}

std::string CallChain::OpName(SliceIndex op, bool backward) {
  const SliceIndex shown = Shown(op, backward);
  if (shown == kNone) return "";
  std::string_view name = model_.store().name(shown);
  for (const std::string_view prefix :
       {"autograd::engine::evaluate_function: ", "torch::autograd::", "aten::"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (IsBackwardName(model_.store().name(shown))) {
    const size_t at = name.rfind("Backward");
    if (at != std::string_view::npos && at > 0) name = name.substr(0, at);
  }
  return std::string(name);
}

std::optional<int64_t> CallChain::Sequence(SliceIndex op, bool backward) {
  if (!model_.store().HasArg(ArgRole::kSequenceNumber)) return std::nullopt;
  SliceIndex at = backward ? Node(op) : op;
  for (int level = 0; at != kNone && level < kMaxAround; at = model_.op[at], ++level) {
    const auto number = model_.store().ArgInt(at, ArgRole::kSequenceNumber);
    if (number && *number >= 0) return number;
  }
  return std::nullopt;
}

std::vector<int64_t> CallChain::OtherSequences(SliceIndex op, std::optional<int64_t> own) const {
  std::vector<int64_t> numbers;
  if (!model_.store().HasArg(ArgRole::kSequenceNumber)) return numbers;
  for (int level = 0; op != kNone && level < kMaxAround; op = model_.op[op], ++level) {
    const auto number = model_.store().ArgInt(op, ArgRole::kSequenceNumber);
    if (number && *number >= 0 && number != own) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace emberline
