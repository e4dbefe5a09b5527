// Links between device work, launches and operators, and the times that follow from them.
#include "drawn.h"
#include "model/names.h"

using namespace emberline;
using namespace emberline::drawn;

TEST_CASE("a launch owns its kernels, many of a graph launch too", "[model]") {
  Drawing d;
  const int op = d.Op("aten::mm", 0, 50, "\"External id\":5");
  const int launch = d.Launch(100, 10, 5, "\"External id\":5");
  const int graph = d.Launch(101, 20, 5, "\"External id\":5");
  const int k1 = d.Kernel("k1", 100, 30, 10);
  const int k2 = d.Kernel("k2", 101, 40, 10);
  const int k3 = d.Kernel("k3", 101, 50, 10);
  const Loaded m = Load(d);
  CHECK(m->launch[m.At(k1)] == m.At(launch));
  CHECK(m->launch[m.At(k2)] == m.At(graph));
  CHECK(m->launch[m.At(k3)] == m.At(graph));
  CHECK(m->launched[m.At(graph)].size() == 2);
  CHECK(m->launched[m.At(op)].empty());
  CHECK(m->op[m.At(k3)] == m.At(op));
  CHECK(m->device_self[m.At(op)] == 30 * kUs);
  CHECK(m->unlinked_device_slices == 0);
}

TEST_CASE("driver calls launch like runtime calls (B4)", "[model]") {
  Drawing d;
  const int op = d.Op("triton_poi_fused_add_0", 0, 50, "\"External id\":5");
  const int launch = d.Launch(100, 10, 5, "\"External id\":5", "cuda_driver");
  const int kernel = d.Kernel("triton_poi_fused_add_0", 100, 30, 10, "\"External id\":5");
  const Loaded m = Load(d);
  CHECK(m->launch[m.At(kernel)] == m.At(launch));
  CHECK(m->op[m.At(kernel)] == m.At(op));
  CHECK(m->device_total[m.At(op)] == 10 * kUs);
}

TEST_CASE("a kernel without its launch falls back on its own external id (B4)", "[model]") {
  Drawing d;
  const int op = d.Op("aten::mm", 0, 50, "\"External id\":5");
  const int kernel = d.Kernel("k", 100, 30, 10, "\"External id\":5");
  const int orphan = d.Kernel("orphan", 99, 60, 10);
  const Loaded m = Load(d);
  CHECK(m->launch[m.At(kernel)] == kNone);
  CHECK(m->op[m.At(kernel)] == m.At(op));
  CHECK(m->op[m.At(orphan)] == kNone);
  CHECK(m->unlinked_device_slices == 1);
}

TEST_CASE("external ids that repeat the correlation are no ids (PyTorch 1.12 to 2.2)", "[model]") {
  Drawing d;
  const int wrong = d.Op("aten::wrong", 0, 10, "\"External id\":100");
  const int outer = d.Op("aten::linear", 20, 50, "\"External id\":7");
  const int right = d.Op("aten::addmm", 25, 40, "\"External id\":8");
  d.Launch(100, 30, 5, "\"External id\":100");
  const int kernel = d.Kernel("k", 100, 50, 10, "\"External id\":100");
  const Loaded m = Load(d);
  CHECK(m->op_link == OpLinkMethod::kContainment);
  CHECK(m->op[m.At(kernel)] == m.At(right));
  CHECK(m->device_self[m.At(wrong)] == 0);
  CHECK(m->device_self[m.At(outer)] == 0);
  CHECK(m->device_total[m.At(outer)] == 10 * kUs);
}

TEST_CASE("an external id decides where times tie, and goes across threads", "[model]") {
  Drawing d;
  const int first = d.Op("aten::a", 0, 10, "\"External id\":1");
  const int second = d.Op("aten::b", 10, 10, "\"External id\":2");
  d.Launch(100, 10, 0, "\"External id\":1");
  const int kernel = d.Kernel("k", 100, 30, 5, "\"External id\":1");
  const Loaded m = Load(d);
  CHECK(m->op_link == OpLinkMethod::kExternalId);
  CHECK(m->op[m.At(kernel)] == m.At(first));
  CHECK(m->device_self[m.At(second)] == 0);
}

TEST_CASE("rows without external id match nothing by its absence (B12)", "[model]") {
  Drawing d;
  const int without = d.Op("aten::unrelated", 0, 10);
  d.Op("aten::with", 20, 10, "\"External id\":3");
  d.Launch(100, 40, 5);
  const int kernel = d.Kernel("k", 100, 50, 10);
  const int other = d.Kernel("other", 101, 70, 10, "\"External id\":3");
  d.Kernel("third", 0, 90, 10);
  const Loaded m = Load(d);
  CHECK(m->op[m.At(kernel)] == kNone);
  CHECK(m->op[m.At(other)] != kNone);
  CHECK(m->device_self[m.At(without)] == 0);
}

TEST_CASE("external id 0 is none (B13)", "[model]") {
  Drawing d;
  const int zero = d.Op("aten::zero", 0, 10, "\"External id\":0");
  const int around = d.Op("aten::around", 20, 20, "\"External id\":4");
  d.Launch(100, 25, 5, "\"External id\":0");
  const int kernel = d.Kernel("k", 100, 50, 10, "\"External id\":0");
  const Loaded m = Load(d);
  CHECK(m->op[m.At(kernel)] == m.At(around));
  CHECK(m->device_self[m.At(zero)] == 0);
}

TEST_CASE("a call that overhangs its op by rounding belongs to it (B15)", "[model]") {
  Drawing d;
  const int op = d.Op("aten::mm", 0, 20);
  d.Launch(100, 15, 6);
  const int kernel = d.Kernel("k", 100, 30, 10);
  const Loaded m = Load(d);
  CHECK(m->op[m.At(kernel)] == m.At(op));
  CHECK(m->host_api[m.At(op)] == 5 * kUs);
}

TEST_CASE("two processes with the same thread and correlation numbers stay apart (B49)",
          "[model]") {
  Drawing d;
  const int a = d.Slice("cpu_op", "aten::a", "1", "10", 0, 100);
  const int b = d.Slice("cpu_op", "aten::b", "2", "10", 50, 100);
  const int inner = d.Slice("cpu_op", "aten::inner", "2", "10", 60, 10);
  const Loaded m = Load(d);
  CHECK(m->op[m.At(b)] == kNone);
  CHECK(m->op[m.At(inner)] == m.At(b));
  CHECK(m->host_self[m.At(a)] == 100 * kUs);
}

TEST_CASE("self is total without children, calls apart", "[model]") {
  Drawing d;
  const int outer = d.Op("aten::linear", 0, 100);
  d.Python("module.py(3): f", 10, 80);
  const int inner = d.Op("aten::addmm", 20, 50);
  d.Launch(100, 30, 10);
  d.Slice("cuda_driver", "cuLaunchKernel", "1", "10", 32, 5);
  const Loaded m = Load(d);
  CHECK(m->op[m.At(inner)] == m.At(outer));
  CHECK(m->host_self[m.At(outer)] == 50 * kUs);
  CHECK(m->host_self[m.At(inner)] == 50 * kUs);
  CHECK(m->host_api[m.At(inner)] == 10 * kUs);  // the driver call is inside the runtime call
  CHECK(m->frame[m.At(inner)] != kNone);
}

TEST_CASE("what crosses inside an operator takes its time once", "[model]") {
  Drawing d;
  // Two operators inside that cross.
  const int outer = d.Op("aten::outer", 0, 100);
  const int first = d.Op("aten::first", 10, 60);
  const int second = d.Op("aten::second", 50, 45);
  // Calls that cross each other, an operator, and the end.
  const int calling = d.Op("aten::calling", 200, 100);
  d.Launch(1, 210, 40);
  d.Launch(2, 220, 50);
  const int called = d.Op("aten::called", 260, 20);
  d.Launch(3, 290, 500);
  // A call that lasts as long as everything beside it.
  const int filled = d.Op("aten::filled", 1000, 100);
  d.Launch(4, 1000, 99);
  const int inside = d.Op("aten::inside", 1010, 89);
  const Loaded m = Load(d);
  CHECK(m->host_self[m.At(outer)] == 15 * kUs);
  CHECK(m->host_self[m.At(first)] == 60 * kUs);
  CHECK(m->host_self[m.At(second)] == 45 * kUs);
  CHECK(m->op[m.At(called)] == m.At(calling));
  CHECK(m->host_self[m.At(calling)] == 80 * kUs);
  CHECK(m->host_api[m.At(calling)] == 60 * kUs);  // 210 to 260, 290 to 300
  CHECK(m->op[m.At(inside)] == m.At(filled));
  CHECK(m->host_self[m.At(filled)] == 11 * kUs);
  CHECK(m->host_api[m.At(filled)] == 10 * kUs);
}

TEST_CASE("times of operators that take longer than 32 bits of nanoseconds", "[model]") {
  Drawing d;
  const int op = d.Op("aten::long", 0, 30'000'000, "\"External id\":5");
  const int inner = d.Op("aten::inner", 1, 9'000'000);
  d.Launch(100, 10'000'000, 6'000'000, "\"External id\":5");
  d.Kernel("k", 100, 20'000'000, 7'000'000);
  for (int i = 0; i < 1000; ++i) d.Op("aten::short", 40'000'000 + 10 * i, 5);
  const int last = d.Op("aten::last", 50'000'000, 1);
  const Loaded m = Load(d);
  CHECK(m->host_self[m.At(op)] == 21'000'000 * kUs);
  CHECK(m->host_self[m.At(inner)] == 9'000'000 * kUs);
  CHECK(m->host_api[m.At(op)] == 6'000'000 * kUs);
  CHECK(m->device_self[m.At(op)] == 7'000'000 * kUs);
  CHECK(m->device_total[m.At(op)] == 7'000'000 * kUs);
  CHECK(m->host_self[m.At(last)] == kUs);
  CHECK(m->host_self[m.At(last) - 1] == 5 * kUs);
  CHECK(m->device_total[m.At(last)] == 0);
}

TEST_CASE("ranges that old recorders wrote as operators are no operators", "[model]") {
  Drawing d;
  const int step = d.Slice("Operator", "ProfilerStep#3", "1", "\"10\"", 0, 100);
  const int optimizer = d.Slice("Operator", "Optimizer.step#SGD.step", "1", "\"10\"", 10, 50);
  const int op = d.Slice("Operator", "aten::add_", "1", "\"10\"", 20, 10);
  const Loaded m = Load(d);
  CHECK_FALSE(m->IsOp(m.At(step)));
  CHECK_FALSE(m->IsOp(m.At(optimizer)));
  CHECK(m->IsOp(m.At(op)));
  CHECK(m->op[m.At(op)] == kNone);
  CHECK(m->annotation[m.At(op)] == m.At(optimizer));
  REQUIRE(m->steps.size() == 1);
  CHECK(m->steps[0].number == 3);
}

TEST_CASE("deep nesting needs no recursion (B48)", "[model]") {
  Drawing d;
  constexpr int kDepth = 3000;
  for (int i = 0; i < kDepth; ++i) d.Op("aten::f", i, 2 * kDepth - 2 * i);
  d.Launch(5, kDepth + 0.25, 0.5);
  d.Kernel("k", 5, 10000, 7);
  const Loaded m = Load(d);
  CHECK(m->device_total[m.At(0)] == 7 * kUs);
  CHECK(m->device_self[m.At(kDepth - 1)] == 7 * kUs);
}

TEST_CASE("forward partners by arrow", "[model]") {
  Drawing d;
  const int outer = d.Op("aten::linear", 0, 30);
  const int forward = d.Op("aten::addmm", 5, 20);
  const int node = d.Op("autograd::engine::evaluate_function: AddmmBackward0", 100, 50, "", "20");
  const int inner = d.Op("AddmmBackward0", 105, 40, "", "20");
  const int mm = d.Op("aten::mm", 110, 10, "", "20");
  const int accumulate = d.Op(
      "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 160, 10, "", "20");
  d.Flow("s", 1, 5, "10");
  d.Flow("f", 1, 100, "20");
  const Loaded m = Load(d);
  for (int event : {node, inner, mm}) {
    CHECK(m->forward[m.At(event)] == m.At(forward));
    CHECK(m->pass[m.At(event)] == Pass::kBackward);
  }
  // The gradient that the node made is accumulated next.
  CHECK(m->forward[m.At(accumulate)] == m.At(forward));
  CHECK(m->forward[m.At(outer)] == kNone);
  CHECK(m->pass[m.At(forward)] == Pass::kForward);
}

TEST_CASE("forward partners by sequence number, the last that starts, on the right thread",
          "[model]") {
  Drawing d;
  d.Op("aten::conv2d", 0, 30, "\"Sequence number\":7,\"Fwd thread id\":0");
  const int forward = d.Op("aten::convolution", 5, 20, "\"Sequence number\":7,\"Fwd thread id\":0");
  d.Op("aten::relu", 40, 5, "\"Sequence number\":8,\"Fwd thread id\":0");
  // Another thread that counts on its own has a 7 too.
  d.Op("aten::elsewhere", 0, 5, "\"Sequence number\":7,\"Fwd thread id\":0", "30");
  const int relu_node = d.Op("autograd::engine::evaluate_function: ReluBackward0", 90, 5,
                             "\"Sequence number\":8,\"Fwd thread id\":1", "20");
  const int node = d.Op("autograd::engine::evaluate_function: ConvolutionBackward0", 100, 50,
                        "\"Sequence number\":7,\"Fwd thread id\":1", "20");
  const int inner =
      d.Op("ConvolutionBackward0", 105, 40, "\"Sequence number\":7,\"Fwd thread id\":1", "20");
  const Loaded m = Load(d);
  CHECK(m->forward[m.At(node)] == m.At(forward));
  CHECK(m->forward[m.At(inner)] == m.At(forward));
  CHECK(m->store().name(m->forward[m.At(relu_node)]) == "aten::relu");
}

TEST_CASE("backward on the thread of forward", "[model]") {
  Drawing d;
  const int forward = d.Op("aten::mul", 0, 10, "\"Sequence number\":1,\"Fwd thread id\":0");
  const int node = d.Op("autograd::engine::evaluate_function: MulBackward0", 20, 10,
                        "\"Sequence number\":1,\"Fwd thread id\":1");
  const Loaded m = Load(d);
  CHECK(m->forward[m.At(node)] == m.At(forward));
}

TEST_CASE("what a checkpoint computes again is recomputation", "[model]") {
  Drawing d;
  d.Op("aten::relu", 0, 10, "\"Sequence number\":1,\"Fwd thread id\":0");
  d.Op("autograd::engine::evaluate_function: ReluBackward0", 100, 100,
       "\"Sequence number\":1,\"Fwd thread id\":1", "20");
  const int again =
      d.Op("aten::conv2d", 110, 40, "\"Sequence number\":0,\"Fwd thread id\":0", "20");
  const int inside = d.Op("aten::empty", 115, 5, "", "20");
  const int grad = d.Op("aten::threshold_backward", 160, 10, "", "20");
  const Loaded m = Load(d);
  CHECK(m->pass[m.At(again)] == Pass::kRecompute);
  CHECK(m->pass[m.At(inside)] == Pass::kRecompute);
  CHECK(m->forward[m.At(again)] == kNone);
  CHECK(m->pass[m.At(grad)] == Pass::kBackward);
}

TEST_CASE("several links into one backward node do no harm (B9, B10)", "[model]") {
  Drawing d;
  d.Op("aten::a", 0, 10);
  const int later = d.Op("aten::b", 20, 10);
  const int accumulate =
      d.Op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 90, 5, "", "20");
  const int node = d.Op("autograd::engine::evaluate_function: ABackward0", 100, 10, "", "20");
  d.Flow("s", 1, 0, "10");
  d.Flow("f", 1, 100, "20");
  d.Flow("s", 2, 20, "10");
  d.Flow("f", 2, 100, "20");
  const Loaded m = Load(d);
  CHECK(m->forward[m.At(node)] == m.At(later));
  CHECK(m->forward[m.At(accumulate)] == kNone);
}

TEST_CASE("stripped args: arrows link launches", "[model]") {
  Drawing d;
  const int launch = d.Slice("cuda_runtime", "cudaLaunchKernel", "1", "10", 10, 5);
  const int kernel = d.Slice("kernel", "k", "0", "7", 30, 10);
  d.Event(R"({"ph":"s","cat":"ac2g","name":"ac2g","id":9,"pid":1,"tid":10,"ts":10})");
  d.Event(R"({"ph":"f","cat":"ac2g","name":"ac2g","id":9,"pid":0,"tid":7,"ts":30,"bp":"e"})");
  const Loaded m = Load(d);
  CHECK(m->launch[m.At(kernel)] == m.At(launch));
}

TEST_CASE("devices take their properties by number, not by place (B60)", "[model]") {
  Drawing d(
      R"("deviceProperties":[{"id":0,"name":"A","numSms":1},{"id":1,"name":"B","numSms":2}])");
  d.Kernel("k", 1, 0, 10, "", 1, 7);
  d.Kernel("k", 2, 0, 50, "", 1, 8);
  const Loaded m = Load(d);
  REQUIRE(m->devices.size() == 1);
  CHECK(m->devices[0].ordinal == 1);
  CHECK(m->devices[0].name == "B");
  REQUIRE(m->devices[0].streams.size() == 2);
  CHECK(m->store().tracks()[m->devices[0].streams[0]].stream == 8);  // the heavier one
}

TEST_CASE("ROCm's agent numbers find the only kind of device there is (B60)", "[model]") {
  Drawing d(
      R"("deviceProperties":[{"id":0,"name":"AMD Instinct MI300X","numSms":304,"warpSize":64}])");
  d.Kernel("k", 1, 0, 10, "", 2, 0);
  const Loaded m = Load(d);
  REQUIRE(m->devices.size() == 1);
  CHECK(m->devices[0].name == "AMD Instinct MI300X");
}

TEST_CASE("cancelling stops the model", "[model]") {
  Drawing d;
  d.Op("aten::a", 0, 1);
  auto read = ReadTraceText(d.Text());
  REQUIRE(read.ok());
  CancelToken cancel;
  cancel.Cancel();
  const auto model = BuildModel(read->store, cancel);
  REQUIRE_FALSE(model.ok());
  CHECK(model.error().kind == ErrorKind::kCancelled);
}

TEST_CASE("an empty trace has an empty model", "[model]") {
  auto read = ReadTraceText(R"({"schemaVersion":1,"traceEvents":[]})");
  REQUIRE(read.ok());
  const auto model = BuildModel(read->store);
  REQUIRE(model.ok());
  CHECK((*model)->steps.empty());
  CHECK((*model)->devices.empty());
}

TEST_CASE("calls by which the host waits for the device, by their name") {
  for (const char* name :
       {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize",
        "cudaStreamSynchronize_v3020", "cuCtxSynchronize", "cuStreamSynchronize", "cudaMemcpy",
        "hipStreamSynchronize", "hipDeviceSynchronize", "hipMemcpy", "hipMemcpyWithStream",
        "urQueueFinish", "urEventWait", "piQueueFinish", "piEventsWait", "zeEventHostSynchronize",
        "synchronizeStream", "synchronize"}) {
    CAPTURE(name);
    CHECK(IsSynchronizingCall(name));
  }
  for (const char* name :
       {"cudaMemcpyAsync", "hipMemcpyAsync", "cudaStreamWaitEvent", "cudaEventRecord",
        "cudaEventQuery", "cudaLaunchKernel", "urEnqueueKernelLaunch", "aten::copy_", ""}) {
    CAPTURE(name);
    CHECK_FALSE(IsSynchronizingCall(name));
  }
}

TEST_CASE("names tell what ranges and kernels are", "[model]") {
  CHECK(ClassifyRange("ProfilerStep#12") == RangeKind::kStep);
  CHECK(ClassifyRange("ProfilerStep#x") == RangeKind::kPlain);  // B28: not an error
  CHECK(ClassifyRange("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") ==
        RangeKind::kDataLoader);
  CHECK(ClassifyRange("enumerate(DataPipe)#ShufflerIterDataPipe") == RangeKind::kDataLoader);
  CHECK(ClassifyRange("Optimizer.step#SGD.step") == RangeKind::kOptimizer);
  CHECK(ClassifyRange("aten::add") == RangeKind::kPlain);
  CHECK(StepNumber("ProfilerStep#-3") == -3);
  CHECK(CollectiveLibrary("nccl:all_reduce") == "nccl");
  CHECK(CollectiveLibrary("gloo:broadcast") == "gloo");
  CHECK(CollectiveLibrary("aten::nccl:x").empty());
  CHECK(IsCommunicationKernelName(
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"));
  CHECK(IsCommunicationKernelName("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"));
  for (const char* name :
       {"void deep_ep::internode_ll::dispatch<false, true, 7168>",
        "void deep_ep::intranode::combine<__nv_bfloat16, 4, 768>",
        "void dpsk::ep::internode::notify_dispatch<false>",
        "nvshmemi_transfer_rma_block",
        "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<true>",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>",
        "void quickreduce::allreduce_prototype_twoshot<float>",
        "void tensorrt_llm::kernels::mnnvl::twoshotAllreduceKernel<__nv_bfloat16>(x)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<x>(x)",
        ("void flashinfer::trtllm_moe_allreduce_fusion::"
         "moereduction_allreduce_fusion_kernel_oneshot_lamport<x>(x)"),
        "void sglang::cross_device_reduce_2stage<nv_bfloat16, 4>(x)",
        "void aiter::reduce_scatter_cross_device_store<__hip_bfloat16, 8>(x)",
        "void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>(x)",
        "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 8>(x)",
        "void c10d::symmetric_memory::(anonymous namespace)::barrier_kernel(x)",
        "mscclpp::allreduce7",
        "void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<x>(x)",
        "void tensorrt_llm::kernels::moe_comm::moeA2ACombineKernel<x>(x)",
        "void pplx::intranode_dispatch_kernel<x>(x)",
        "void pplx::internode_combine_kernel<x>(x)",
        "void mori::moe::EpDispatchIntraNodeKernel<x>(x)",
        "void mori::moe::(anonymous namespace)::EpCombineInterNodeKernel<x>(x)",
        "ncclBroadcastRingLLKernel_copy_i8(ncclColl)",
        "ncclReduceRingLL128Kernel_sum_f32(ncclColl)",
        "ncclSendRecvKernel_copy_i8(ncclColl)",
        "void hybrid_ep::dispatch_kernel<x>(x)",
        "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)1>(int, int)",
        "void broadcast_on_stream_kernel<char, (threadgroup_t)2>(x)"}) {
    INFO(name);
    CHECK(IsCommunicationKernelName(name));
  }
  for (const char* name :
       {"ampere_sgemm_32x32_sliced1x4_tn", "triton_poi_fused_all_reduce_add_0",
        "triton_unk_fused_reduce_scatter_tensor_1", "triton_spl_fused_all_gather_0",
        "void splitKreduce_kernel<32, 16, int, float>(x)", "void cub::DeviceReduceKernel<x>(x)",
        "void flash::flash_fwd_splitkv_combine_kernel<x>(x)", "_fwd_kernel_ep_scatter_1",
        "void at::native::vectorized_gather_kernel<16, long>(char*, char*)",
        "void deep_ep::layout::get_dispatch_layout<256, 32, 8>", "void blockAllReduceKernel<float>",
        "void dispatch_gather<float>", "void at::native::reduce_scatter_indices<int>(x)",
        "void vllm::moe::dispatch_to_experts<x>(x)", "void moe_combine_kernel",
        "_fwd_kernel_stage2_combine", "void at::native::dispatch_elementwise<mori::T>(pplx::X)"}) {
    INFO(name);
    CHECK_FALSE(IsCommunicationKernelName(name));
  }
  CHECK(IsBackwardName("AddmmBackward0"));
  CHECK(IsBackwardName("SumBackward1"));
  CHECK_FALSE(IsBackwardName("aten::convolution_backward"));
}
