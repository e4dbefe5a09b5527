#include "cost/pyprof_of_kernels.h"

#include <string_view>

namespace emberline {

size_t PyProfOfKernels::CallHash::operator()(const Call& call) const {
  uint64_t hash = HashPair(call.op, call.kernel);
  hash = HashPair(hash ^ call.shapes, call.types);
  hash = HashPair(hash ^ call.strides, call.values);
  return static_cast<size_t>(
      HashPair(hash ^ static_cast<uint64_t>(call.sub), call.backward ? 1 : 0));
}

uint32_t PyProfOfKernels::Of(SliceIndex kernel, SliceIndex op, int64_t sub, bool backward) {
  op = chain_.Listed(op, backward);
  if (op == kNone) return 0;
  const Call call{store_.name_id(op),
                  store_.name_id(kernel),
                  store_.ArgTextId(op, ArgRole::kInputShapes),
                  store_.ArgTextId(op, ArgRole::kInputTypes),
                  store_.ArgTextId(op, ArgRole::kInputStrides),
                  store_.ArgTextId(op, ArgRole::kInputValues),
                  sub,
                  backward};
  const auto [it, added] = by_call_.try_emplace(call, static_cast<uint32_t>(figures_.size()));
  if (added) {
    std::string_view name = store_.name(op);
    if (name.starts_with("aten::")) name.remove_prefix(6);
    figures_.push_back(
        PyProfCost(name, recorded_.ArgumentsOf(op), store_.name(kernel), backward, sub));
  }
  return it->second;
}

}  // namespace emberline
