#include "cost/kernel_costs.h"

#include "base/hash.h"

namespace emberline {

size_t KernelCosts::KindHash::operator()(const Kind& kind) const {
  const auto number = [](const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  const uint64_t flags = (kind.helper ? 1 : 0) | (kind.matrix_call ? 2 : 0);
  const uint64_t reasons = HashPair(number(kind.no_flops), number(kind.no_read));
  return HashPair(HashPair(number(kind.cost), flags), HashPair(reasons, number(kind.no_written)));
}

void KernelCosts::Pack(std::span<const KernelCost> kernels) {
  const size_t n = kernels.size();
  Distinct<Kind, KindHash> kinds;
  kernel_.Pack(n, [&](size_t i) { return kernels[i].kernel; });
  owner_.Pack(n, [&](size_t i) { return kernels[i].owner; });
  call_.Pack(n, [&](size_t i) { return kernels[i].call; });
  kind_.Pack(n, [&](size_t i) {
    const KernelCost& k = kernels[i];
    return kinds.NumberOf({k.cost, k.helper, k.matrix_call, k.flops.why(), k.read_bytes.why(),
                           k.written_bytes.why()});
  });
  flops_.Pack(n, [&](size_t i) { return kernels[i].flops.value(); });
  read_.Pack(n, [&](size_t i) { return kernels[i].read_bytes.value(); });
  written_.Pack(n, [&](size_t i) { return kernels[i].written_bytes.value(); });
  kinds_.assign(kinds.values().begin(), kinds.values().end());
}

KernelCost KernelCosts::operator[](size_t i) const {
  const Kind& kind = kinds_[kind_[i]];
  const auto amount = [i](const PackedColumn<int64_t>& values, const Sentence* why) {
    return why == nullptr ? Amount(values[i]) : Amount::Unknown(*why);
  };
  return {.kernel = kernel_[i],
          .owner = owner_[i],
          .cost = kind.cost,
          .call = call_[i],
          .helper = kind.helper,
          .matrix_call = kind.matrix_call,
          .flops = amount(flops_, kind.no_flops),
          .read_bytes = amount(read_, kind.no_read),
          .written_bytes = amount(written_, kind.no_written)};
}

}  // namespace emberline
