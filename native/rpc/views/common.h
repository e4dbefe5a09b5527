// What the adapters of several views share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings.h"
#include "analysis/memory.h"
#include "analysis/stack_of.h"
#include "analysis/tensor_cores.h"
#include "rpc/messages.h"
#include "rpc/views/view.h"
#include "session/byte_size.h"

namespace emberline {

// Frame and SliceRef of rpc/protocol/common.json.
Json FrameJson(const Frame& frame);
// The slice that params name. Errors: kNotFound where the trace has no such slice.
Result<SliceIndex> SliceOf(const ViewRequest& request);

// Kernel names reach kilobytes; a reference carries enough of them to be recognized.
Json SliceRefJson(const TraceStore& store, SliceIndex slice, size_t max_name_bytes = 400);

// Finding of rpc/protocol/view-overview.json.
Json FindingJson(const Model& model, const Finding& finding);

// Absence of rpc/protocol/common.json.
Json AbsenceJson(const AbsenceText& absence, MessageArgs args = {});
// That no kernels were recorded, or that the selected steps have none.
Json NoKernelsJson(const ViewRequest& request);
// What a result lacks is said without advice on how to record it where that advice would be wrong:
// nobody knows what was recorded in the missing part of a cut file, and the arguments of PyTorch's
// profiler mean nothing to another program.
void DropMisplacedAdvice(const TraceStore& store, Json* result);
// The same of a job with cut files: `sentence` says so once, behind {what} is absent last.
void DropAdvice(const Sentence& sentence, const MessageArgs& arguments, Json* result);
// Why a trace holds no allocator records: not asked for, or asked for in vain.
Json NoMemoryJson(const TraceStore& store);

// The rules for the trace's vendor with the user's own of params.tensorCoreRules.
Result<TensorCoreRules> RulesOf(const ViewRequest& request);

// Part of a cache key for what depends on the selected steps.
std::string StepsKey(const ViewRequest& request);
// The same for what depends on the user's rules too.
std::string SelectionKey(const ViewRequest& request);

// A table of a view with the figures beside it.
template <typename Data>
struct Tabled {
  Data data;
  Table table;
  std::string key = {};  // under which it is kept
  size_t MemoryBytes() const { return HeapBytesOf(data, table, key); }
};
// The table called `name` under the selected steps and the user's rules: made once by
// make(rules), which returns a Result, and kept with the trace. Errors: those of `make`,
// kCancelled.
template <typename Data, typename Make>
Result<std::shared_ptr<const Tabled<Data>>> TabledOf(const ViewRequest& request,
                                                     const std::string& name, Make&& make) {
  const Result<TensorCoreRules> rules = RulesOf(request);
  if (!rules.ok()) return rules.error();
  const std::string key = name + "/" + SelectionKey(request);
  return request.trace.results.Get<Tabled<Data>>(key, request.cancel,
                                                 [&]() -> Result<Tabled<Data>> {
                                                   Result<Tabled<Data>> made = make(*rules);
                                                   if (made.ok()) made->key = key;
                                                   return made;
                                                 });
}

// An answer that is kept with the trace, for views whose answers are few.
struct KeptJson {
  Json json;
  size_t MemoryBytes() const;  // about as many as it takes
};

// A ring chart: the largest positive times, as many as params.topN asks for and at most about
// `max_bytes` of text.
Json RingJson(const ViewRequest& request, std::vector<std::pair<StringId, Ns>> parts,
              size_t max_bytes);

// The first rows of a table about one row of another, so that a few fit into a reply.
Table Shortened(Table table);

// What several views need is made once and kept with the trace. Errors of all three: kCancelled.
// Stack numbers of the trace.
Result<std::shared_ptr<const StackIds>> StacksOf(const ViewRequest& request);
// Allocator records of the trace, paired and attributed.
Result<std::shared_ptr<const MemoryData>> MemoryOf(const ViewRequest& request);
// Whether anything ran on a device.
Result<bool> HasDeviceWork(const ViewRequest& request);
// What texts call the trace's devices: "GPU", "NPU"; where none is known, a GPU.
std::string DeviceKindOf(const Model& model);

}  // namespace emberline
