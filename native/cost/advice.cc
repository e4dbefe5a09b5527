#include "cost/advice.h"

#include <algorithm>
#include <map>

#include "analysis/frame_finder.h"
#include "analysis/lazy_table.h"
#include "cost/messages.h"

namespace emberline {
namespace {

// Gains below this are not worth a finding: share of the kernels' time.
constexpr double kLeastGain = 0.005;
constexpr double kFarBelow = 0.2;  // of the roof
constexpr size_t kMaxSlices = 20;
constexpr size_t kLeastChain = 3;

// Sizes that keep the matrix units busy are multiples of so many elements: 16 bytes.
int64_t AlignmentOf(DType type) {
  switch (type) {
    case DType::kFloat8:
    case DType::kInt8:
    case DType::kUInt8:
      return 16;
    case DType::kFloat16:
    case DType::kBFloat16:
      return 8;
    default:
      return 0;
  }
}

// Kernels of libraries that only turn one layout of images into another.
bool NamesLayoutChange(std::string_view name) {
  constexpr std::string_view kNames[] = {"nchwToNhwc",          "nhwcToNchw",
                                         "batched_transpose",   "transpose_readWrite",
                                         "transpose_NCHW2CNHW", "transpose_CNHW2NCHW"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

int64_t Padded(int64_t size, int64_t to) { return (size + to - 1) / to * to; }

// What one advice collects over kernels.
struct Gathered {
  double gain = 0;  // ns
  Ns time = 0;
  int64_t kernels = 0;
  struct Part {
    double gain = 0;
    uint32_t number = 0;  // of the part, from 0
    SliceIndex slice = kNone;
    // Largest gains first, equal ones as they came.
    bool operator<(const Part& other) const {
      return gain != other.gain ? gain > other.gain : number < other.number;
    }
  };
  std::vector<Part> slices;
  std::map<std::string, double> examples;  // gain by text
  void Add(double gain_ns, Ns duration, SliceIndex slice) {
    gain += gain_ns;
    time += duration;
    ++kernels;
    slices.push_back({gain_ns, static_cast<uint32_t>(slices.size()), slice});
  }
  // Adds to the example whose text `make` gives; it is made once for all that are alike.
  template <typename Make>
  void AddExample(double gain_ns, Alike alike, const Make& make) {
    double*& known = examples_of_alike[alike];
    if (known == nullptr) known = &examples[make()];
    *known += gain_ns;
  }
  std::map<Alike, double*> examples_of_alike;
  std::string Largest() const {
    const auto best =
        std::max_element(examples.begin(), examples.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return best == examples.end() ? "" : best->first;
  }
};

class Adviser {
 public:
  Adviser(const CostContext& context, double target)
      : context_(context),
        store_(context.model.store()),
        devices_(DevicesOfTracks(context)),
        target_(std::clamp(target, 0.01, 1.0)) {}

  Result<std::vector<Finding>> Run(const CancelToken& cancel) {
    if (!Collect(cancel)) {
      return Cancelled();
    }
    Misaligned();
    Gains();
    Chains();
    Layouts();
    SmallProducts();
    Write();
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
      return a.gain_us.value_or(0) > b.gain_us.value_or(0);
    });
    return std::move(findings_);
  }

 private:
  struct Judged {
    KernelCost kernel;
    const DevicePeaks* device = nullptr;
    Roof roof;
    std::optional<RoofBound> bound;
    Ns duration = 0;
  };

  bool Collect(const CancelToken& cancel) {
    size_t seen = 0;
    for (const KernelCost& kernel : context_.costs.kernels) {
      if (++seen % 4096 == 0 && cancel.cancelled()) return false;
      const uint32_t step = context_.model.step[kernel.kernel];
      if (step == kNone || !context_.steps.Contains(step)) continue;
      Judged judged{kernel, devices_[store_.track(kernel.kernel)]};
      judged.duration = store_.duration(kernel.kernel);
      total_ += judged.duration;
      const bool has_roof = judged.device != nullptr && kernel.cost != nullptr &&
                            kernel.cost->op_class != OpClass::kCollective;
      if (has_roof) {
        judged.roof = RoofOf(*judged.device, *kernel.cost, kernel.matrix_call);
        judged.bound = BoundOf(judged.roof, kernel.flops, kernel.bytes());
      }
      kernels_.push_back(judged);
    }
    for (uint32_t i = 0; i < context_.model.steps.size(); ++i) {
      if (context_.steps.Contains(i)) ++step_count_;
    }
    return true;
  }

  // What the sizes of a call stand on, and the name of its operator.
  Alike AlikeCall(const Judged& judged) const {
    return {store_.name_id(judged.kernel.owner), reinterpret_cast<uintptr_t>(judged.kernel.cost)};
  }
  void AddOwner(Gathered& gathered, double gain, const KernelCost& kernel) const {
    gathered.AddExample(gain, {store_.name_id(kernel.owner), 0},
                        [&] { return std::string(store_.name(kernel.owner)); });
  }
  // Names are searched once each.
  bool ConvertsLayout(SliceIndex kernel) {
    if (converts_.empty()) converts_.resize(store_.strings().size());
    uint8_t& known = converts_[store_.name_id(kernel)];
    if (known == 0) known = NamesLayoutChange(store_.name(kernel)) ? 2 : 1;
    return known == 2;
  }

  static bool IsMatrixKernel(const Judged& judged) {
    return judged.kernel.cost != nullptr && judged.kernel.cost->matrix && !judged.kernel.helper &&
           judged.bound && !judged.bound->memory && judged.duration > 0;
  }

  // Products whose sizes are no multiples of what the units take, against those of this trace that
  // are: how much nearer to the roof the aligned ones come.
  void Misaligned() {
    double aligned_bound = 0, aligned_time = 0;
    std::vector<const Judged*> missed;
    for (const Judged& judged : kernels_) {
      if (!IsMatrixKernel(judged)) continue;
      const OpCost& cost = *judged.kernel.cost;
      const int64_t to = AlignmentOf(cost.type);
      if (to == 0 || cost.m == 0) continue;
      // Rows of the left factor may be any number; the two that lie in memory must fit.
      if (cost.n % to == 0 && cost.k % to == 0) {
        aligned_bound += judged.bound->seconds * 1e9;
        aligned_time += static_cast<double>(judged.duration);
      } else {
        missed.push_back(&judged);
      }
    }
    if (aligned_time <= 0) return;
    const double reached = aligned_bound / aligned_time;
    for (const Judged* judged : missed) {
      const double share = judged->bound->seconds * 1e9 / static_cast<double>(judged->duration);
      if (share >= reached) continue;
      const OpCost& cost = *judged->kernel.cost;
      const int64_t to = AlignmentOf(cost.type);
      const double growth = static_cast<double>(Padded(cost.n, to)) / static_cast<double>(cost.n) *
                            static_cast<double>(Padded(cost.k, to)) / static_cast<double>(cost.k);
      const double gain = static_cast<double>(judged->duration) * (1 - share * growth / reached);
      if (gain <= 0) continue;
      misaligned_.Add(gain, judged->duration, judged->kernel.kernel);
      misaligned_.AddExample(gain, AlikeCall(*judged), [&] {
        return Say(messages::kMisalignedExample, {{"operator", store_.name(judged->kernel.owner)},
                                                  {"n", cost.n},
                                                  {"k", cost.k},
                                                  {"paddedN", Padded(cost.n, to)},
                                                  {"paddedK", Padded(cost.k, to)}})
            .text;
      });
    }
  }

  void Gains() {
    for (const Judged& judged : kernels_) {
      if (!judged.bound || judged.duration <= 0) continue;
      const auto duration = static_cast<double>(judged.duration);
      const OpCost& cost = *judged.kernel.cost;
      if (IsMatrixKernel(judged) && cost.type == DType::kFloat32 &&
          std::max(judged.device->tf32, judged.device->bf16) * 1e12 > judged.roof.flops_per_s) {
        // TF32 where the device has it: the program's types stay as they are.
        const double peak = (judged.device->tf32 > 0 ? judged.device->tf32 : judged.device->bf16);
        const double factor = judged.roof.flops_per_s / (peak * 1e12);
        const double memory =
            judged.kernel.bytes().known()
                ? static_cast<double>(judged.kernel.bytes().value()) / judged.roof.bytes_per_s * 1e9
                : 0;
        const double gain = duration - std::max(duration * factor, memory);
        if (factor < 1 && gain > 0) wide_.Add(gain, judged.duration, judged.kernel.kernel);
      }
      const double share = judged.bound->seconds * 1e9 / duration;
      const double gain = duration - judged.bound->seconds * 1e9 / target_;
      if (share < kFarBelow && gain > 0 && !judged.kernel.helper) {
        far_.Add(gain, judged.duration, judged.kernel.kernel);
        AddOwner(far_, gain, judged.kernel);
      }
    }
  }

  // Neighbors on a stream that memory limits: fused, they would read what the first reads and write
  // what the last writes.
  void Chains() {
    std::map<TrackIndex, std::vector<const Judged*>> streams;
    for (const Judged& judged : kernels_) {
      streams[store_.track(judged.kernel.kernel)].push_back(&judged);
    }
    for (const auto& [track, list] : streams) {
      std::vector<const Judged*> chain;
      for (const Judged* judged : list) {
        if (Fuses(*judged)) {
          chain.push_back(judged);
        } else {
          AddChain(chain);
          chain.clear();
        }
      }
      AddChain(chain);
    }
  }
  static bool Fuses(const Judged& judged) {
    if (!judged.bound || !judged.bound->memory || judged.kernel.helper) return false;
    const OpClass op_class = judged.kernel.cost->op_class;
    return op_class == OpClass::kPointwise || op_class == OpClass::kRandom;
  }
  void AddChain(const std::vector<const Judged*>& chain) {
    if (chain.size() < kLeastChain) return;
    double bytes = 0, time = 0;
    int64_t largest = 0;
    for (const Judged* judged : chain) {
      bytes += static_cast<double>(judged->kernel.bytes().value());
      time += static_cast<double>(judged->duration);
      largest = std::max(largest, judged->kernel.bytes().value());
    }
    // At least the largest of them stays.
    const double kept =
        std::max(static_cast<double>(largest),
                 static_cast<double>(chain.front()->kernel.read_bytes.value()) +
                     static_cast<double>(chain.back()->kernel.written_bytes.value()));
    if (bytes <= kept) return;
    const double gain = time * (1 - kept / bytes);
    chains_.Add(gain, static_cast<Ns>(time), chain.front()->kernel.kernel);
    chains_.kernels += static_cast<int64_t>(chain.size()) - 1;
    const SliceIndex first = chain.front()->kernel.owner, last = chain.back()->kernel.owner;
    chains_.AddExample(gain, {store_.name_id(first), store_.name_id(last)}, [&] {
      return Say(messages::kChainExample,
                 {{"first", store_.name(first)}, {"last", store_.name(last)}})
          .text;
    });
  }

  // Layouts that a library changes around its own kernels, forth and back.
  void Layouts() {
    for (const Judged& judged : kernels_) {
      if (judged.duration <= 0 || !ConvertsLayout(judged.kernel.kernel)) continue;
      const auto gain = static_cast<double>(judged.duration);
      layouts_.Add(gain, judged.duration, judged.kernel.kernel);
      if (judged.kernel.owner != kNone) AddOwner(layouts_, gain, judged.kernel);
    }
  }

  // Neighbors on a stream that compute products of the same sizes, each too small for the device:
  // together they would take what their operations and bytes ask for, but no less than one.
  void SmallProducts() {
    std::map<TrackIndex, std::vector<const Judged*>> runs;
    for (const Judged& judged : kernels_) {
      if (judged.kernel.helper) continue;
      std::vector<const Judged*>& run = runs[store_.track(judged.kernel.kernel)];
      if (!run.empty() && !(IsSmallProduct(judged) && SameSizes(*run.back(), judged))) {
        AddProducts(run);
        run.clear();
      }
      if (IsSmallProduct(judged)) run.push_back(&judged);
    }
    for (const auto& [track, run] : runs) AddProducts(run);
  }
  static bool IsSmallProduct(const Judged& judged) {
    return judged.bound && judged.kernel.cost->op_class == OpClass::kMatmul &&
           judged.duration > 0 &&
           judged.bound->seconds * 1e9 < kFarBelow * static_cast<double>(judged.duration);
  }
  static bool SameSizes(const Judged& a, const Judged& b) {
    const OpCost &x = *a.kernel.cost, &y = *b.kernel.cost;
    return a.kernel.call != b.kernel.call && !x.params.empty() &&
           (&x == &y || x.params == y.params);
  }
  void AddProducts(const std::vector<const Judged*>& run) {
    if (run.size() < kLeastChain) return;
    double bound = 0;
    Ns time = 0, longest = 0;
    for (const Judged* judged : run) {
      bound += judged->bound->seconds * 1e9;
      time += judged->duration;
      longest = std::max(longest, judged->duration);
    }
    const double gain =
        static_cast<double>(time) - std::max(bound / target_, static_cast<double>(longest));
    if (gain <= 0) return;
    products_.Add(gain, time, run.front()->kernel.kernel);
    products_.kernels += static_cast<int64_t>(run.size()) - 1;
    products_.AddExample(gain, AlikeCall(*run.front()), [&] {
      return Say(messages::kProductExample, {{"operator", store_.name(run.front()->kernel.owner)},
                                             {"sizes", run.front()->kernel.cost->params}})
          .text;
    });
  }

  void Add(const FindingText& text, Gathered& gathered) {
    const double least = kLeastGain * static_cast<double>(total_);
    if (gathered.kernels == 0 || gathered.gain <= least || gathered.gain <= 0) return;
    const std::string example = gathered.Largest();
    Finding finding =
        MakeFinding(text, gathered.gain > 0.05 * static_cast<double>(total_) ? "warning" : "info",
                    {{"example", example},
                     {"known", example.empty() ? "no" : "yes"},
                     {"target", target_, Unit::kRatio}});
    const auto steps = static_cast<double>(std::max<size_t>(step_count_, 1));
    finding.gain_us = gathered.gain / 1000 / steps;
    finding.evidence = {
        {Say(messages::kAdvisedKernels), static_cast<double>(gathered.kernels), Unit::kCount},
        {Say(messages::kAdvisedTime), static_cast<double>(gathered.time) / 1000 / steps, Unit::kUs},
        {Say(messages::kAdvisedShare),
         static_cast<double>(gathered.time) / static_cast<double>(std::max<Ns>(total_, 1)),
         Unit::kRatio}};
    const size_t shown = std::min(gathered.slices.size(), kMaxSlices);
    std::partial_sort(gathered.slices.begin(),
                      gathered.slices.begin() + static_cast<ptrdiff_t>(shown),
                      gathered.slices.end());
    gathered.slices.resize(shown);
    FrameFinder frames(context_.model);
    for (const auto& [gain, number, slice] : gathered.slices) {
      finding.slices.push_back(slice);
      const std::optional<Frame> frame = frames.UserFrame(slice);
      const bool known =
          std::any_of(finding.frames.begin(), finding.frames.end(), [&](const Frame& other) {
            return frame && other.file == frame->file && other.line == frame->line;
          });
      if (frame && !known) finding.frames.push_back(*frame);
    }
    findings_.push_back(std::move(finding));
  }

  void Write() {
    Add(messages::kMisalignedProducts, misaligned_);
    Add(messages::kWideProducts, wide_);
    Add(messages::kFarBelowRoofs, far_);
    Add(messages::kMemoryBoundChains, chains_);
    Add(messages::kLayoutConversions, layouts_);
    Add(messages::kSmallProducts, products_);
  }

  const CostContext& context_;
  const TraceStore& store_;
  std::vector<const DevicePeaks*> devices_;
  double target_;
  std::vector<Judged> kernels_;
  std::vector<uint8_t> converts_;  // by name: 0 not asked yet, 1 no, 2 yes
  Ns total_ = 0;
  size_t step_count_ = 0;
  Gathered misaligned_, wide_, far_, chains_, layouts_, products_;
  std::vector<Finding> findings_;
};

}  // namespace

Result<std::vector<Finding>> CostFindings(const CostContext& context, double target,
                                          const CancelToken& cancel) {
  return Adviser(context, target).Run(cancel);
}

}  // namespace emberline
