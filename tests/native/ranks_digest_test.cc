// Sketches, digests and what is made of them.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "drawn.h"
#include "ranks/collective_records.h"
#include "ranks/collectives.h"
#include "ranks/critical_path.h"
#include "ranks/digest_file.h"
#include "ranks/job.h"
#include "ranks/job_sums.h"
#include "ranks/launch_rows.h"
#include "ranks/make_digest.h"
#include "ranks/sequences.h"
#include "temporary_folder.h"

namespace emberline {
namespace {

using drawn::Drawing;

// The digest of a drawing, which gets a file for it.
JobDigest DigestOfDrawing(const Drawing& drawing) {
  const auto path = std::filesystem::temp_directory_path() / "emberline-drawn.json";
  std::ofstream(path) << drawing.Text();
  LoadedTrace trace;
  trace.path = path;
  trace.model = drawn::Load(drawing).model;
  trace.store = trace.model->store_ptr();
  const auto made = MakeDigest(trace, "w");
  REQUIRE(made.ok());
  return *made;
}

TEST_CASE("a worker's name tells its machine, where it names one") {
  CHECK(NodeOf("node3_1234") == "node3");
  CHECK(NodeOf("host.domain_12") == "host.domain");
  CHECK(NodeOf("Node-1/rank2") == "Node-1");
  for (const char* name : {"rank_3", "worker_0", "process_7", "node_2", "rank3", "worker"}) {
    CHECK(NodeOf(name) == name);
  }
}

TEST_CASE("steps of no length count in no mean") {
  Drawing drawing;
  drawing.Step(1, 0, 100);
  drawing.Op("aten::mm", 10, 20);
  drawing.Launch(1, 15, 5);
  drawing.Kernel("mm_kernel", 1, 30, 40);
  drawing.Step(2, 100, 0);
  drawing.Step(3, 100, 0);
  const auto digest = std::make_shared<const JobDigest>(DigestOfDrawing(drawing));
  REQUIRE(digest->ranks[0].steps.size() == 3);
  const JobBreakdown mean = BreakdownOf(BuildJob(digest, {}, JobOrigin::kDigests));
  CHECK(mean.steps == 1);
  CHECK(mean.length == 100'000);
  CHECK(mean.computation == 40'000);
}

TEST_CASE("quantiles of a sketch are within one percent, and merging is exact") {
  std::mt19937_64 random(7);
  std::vector<int64_t> values;
  Sketch whole, left, right;
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<int64_t>(std::exp((random() % 30000) / 1000.0));
    values.push_back(value);
    whole.Add(value);
    (i % 3 == 0 ? left : right).Add(value);
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
    const auto exact = static_cast<double>(
        values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))]);
    CHECK(std::abs(static_cast<double>(whole.Quantile(share)) - exact) <= exact * 0.0101 + 0.5);
  }
  Sketch other = right;
  other.Merge(left);
  left.Merge(right);
  CHECK(left == whole);
  CHECK(other == whole);
  Sketch extreme;
  extreme.Add(INT64_MAX);
  extreme.Add(0);
  extreme.Add(-5);
  CHECK(extreme.count() == 3);
  CHECK(extreme.Quantile(0) == 0);
  CHECK(extreme.Quantile(1) > INT64_MAX / 100 * 98);
}

TEST_CASE("deviations are those of the textbook, whatever is merged first") {
  std::mt19937_64 random(11);
  // Runs of some seconds that differ by microseconds: squares summed as doubles would lose that.
  std::vector<Stat> parts(5);
  std::vector<int64_t> values;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(7'000'000'000 + static_cast<int64_t>(random() % 2000));
    parts[static_cast<size_t>(i) % parts.size()].Add(values.back(), 0);
  }
  long double mean = 0;
  for (const int64_t value : values) mean += static_cast<long double>(value);
  mean /= 3000;
  long double squares = 0;
  for (const int64_t value : values) {
    const long double distance = static_cast<long double>(value) - mean;
    squares += distance * distance;
  }
  const auto expected = static_cast<double>(std::sqrt(squares / 2999));
  const Stat there = [&] {
    Stat sum;
    for (const Stat& part : parts) sum.Merge(part);
    return sum;
  }();
  Stat back = parts[4];
  Stat front = parts[1];
  front.Merge(parts[3]);
  back.Merge(parts[0]);
  back.Merge(front);
  back.Merge(parts[2]);
  CHECK(there == back);
  CHECK(*there.Deviation() == Approx(expected).epsilon(1e-12));
  CHECK_FALSE(Stat().Deviation().has_value());
  Stat one;
  one.Add(5, 0);
  CHECK_FALSE(one.Deviation().has_value());
  one.Add(5, 0);
  CHECK(*one.Deviation() == 0);
  // Sums beyond the range stay at its end, in any order.
  SquareSum huge, more;
  for (int i = 0; i < 3; ++i) huge.Add(INT64_MIN);
  for (int i = 0; i < 3; ++i) more.Add(INT64_MAX);
  SquareSum a = huge, b = more;
  a.Merge(more);
  b.Merge(huge);
  CHECK(a == b);
  CHECK(std::isfinite(*a.Deviation(6, 0)));
}

Drawing RankDrawing(int rank, int collectives) {
  Drawing d("\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":" + std::to_string(rank) +
            ",\"world_size\":64}");
  d.Step(1, 0, 1000);
  for (int i = 0; i < collectives; ++i) {
    d.Op("aten::mm", 10 + 100 * i, 20);
    d.Launch(10 * i + 1, 12 + 100 * i, 5);
    d.Kernel("gemm", 10 * i + 1, 20 + 100 * i, 30 + rank);
    d.Op("c10d::allreduce_", 40 + 100 * i, 20);
    d.Launch(10 * i + 2, 45 + 100 * i, 5);
    d.Kernel("ncclDevKernel_AllReduce_Sum_f32", 10 * i + 2, 60 + 100 * i + rank, 30 - rank,
             "\"Collective name\":\"allreduce\",\"In msg nelems\":1000,\"Out msg nelems\":1000,"
             "\"dtype\":\"Half\",\"Group size\":8,\"Process Group Name\":\"0\",\"Seq\":" +
                 std::to_string(i + 1),
             0, 9);
  }
  return d;
}

TEST_CASE("digests merge to the same bytes whatever the order") {
  std::vector<JobDigest> digests;
  for (int rank = 0; rank < 12; ++rank) {
    digests.push_back(DigestOfDrawing(RankDrawing(rank, 5)));
  }
  std::mt19937 random(3);
  std::string bytes;
  for (int round = 0; round < 60; ++round) {
    // A random tree of merges.
    std::vector<JobDigest> parts = digests;
    while (parts.size() > 1) {
      std::shuffle(parts.begin(), parts.end(), random);
      JobDigest last = std::move(parts.back());
      parts.pop_back();
      MergeDigests(&parts[0], std::move(last));
    }
    if (round == 0) bytes = EncodeDigest(parts[0]);
    CHECK(EncodeDigest(parts[0]) == bytes);
  }
  auto again = DecodeDigest(bytes);
  REQUIRE(again.ok());
  CHECK(EncodeDigest(*again) == bytes);
  CHECK(again->ranks.size() == 12);
  CHECK(again->kernels.at({"computation", "gemm"}).size() == 12);
  const auto shared = std::make_shared<const JobDigest>(std::move(*again));
  const std::vector<KernelSum> sums = SumKernels(BuildJob(shared, {}, JobOrigin::kDigests));
  const auto found = std::find_if(sums.begin(), sums.end(),
                                  [](const KernelSum& sum) { return sum.name == "gemm"; });
  REQUIRE(found != sums.end());
  const Stat& gemm = found->stat;
  CHECK(gemm.count == 60);
  CHECK(gemm.sum == 5 * (12 * 30 + 66) * 1000);
  CHECK(gemm.max == 41000);
  CHECK(gemm.max_rank == 11);
  // Each rank's five take 30 us and its number: the variance of 0 to 11, five times each.
  CHECK(*gemm.Deviation() == Approx(1000 * std::sqrt(5.0 * 143 / 59)).epsilon(1e-12));
}

TEST_CASE(
    "merging what is already there changes nothing; of halves that overlap, each trace counts "
    "once") {
  std::vector<JobDigest> digests;
  for (int rank = 0; rank < 3; ++rank) {
    digests.push_back(DigestOfDrawing(RankDrawing(rank, 2)));
  }
  JobDigest job = digests[0];
  MergeDigests(&job, digests[1]);
  const std::string bytes = EncodeDigest(job);
  MergeDigests(&job, digests[1]);
  CHECK(EncodeDigest(job) == bytes);
  JobDigest other = digests[2];
  MergeDigests(&other, digests[1]);
  JobDigest all = digests[0];
  MergeDigests(&all, digests[1]);
  MergeDigests(&all, digests[2]);
  MergeDigests(&job, other);
  CHECK(job.ranks.size() == 3);
  CHECK(EncodeDigest(job) == EncodeDigest(all));
  // A file in two places is one, whichever came first.
  JobDigest moved = digests[1];
  moved.ranks[0].path += ".copy";
  JobDigest back = moved;
  MergeDigests(&back, digests[1]);
  MergeDigests(&moved, all);
  CHECK(EncodeDigest(back) == EncodeDigest(digests[1]));
  CHECK(EncodeDigest(moved) == EncodeDigest(all));
}

TEST_CASE("damaged digests are refused, whatever is damaged") {
  JobDigest digest = DigestOfDrawing(RankDrawing(1, 3));
  const std::string bytes = EncodeDigest(digest);
  for (size_t cut = 0; cut < bytes.size(); cut += 7) {
    CHECK_FALSE(DecodeDigest(std::string_view(bytes).substr(0, cut)).ok());
  }
  for (size_t at = 0; at < bytes.size(); at += 3) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    const auto decoded = DecodeDigest(changed);
    if (at != 33) CHECK_FALSE(decoded.ok());  // the line end behind the checksum says nothing
  }
  CHECK_FALSE(DecodeDigest("").ok());
}

TEST_CASE("a digest is written through links and into pipes, which stay what they are") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a.digest", link = folder.path() / "link.digest";
  fs::create_symlink(file, link);
  std::ofstream(file) << "before";
  const JobDigest digest = DigestOfDrawing(Drawing());
  REQUIRE(WriteDigestFile(link, EncodeDigest(digest)).ok());
  CHECK(fs::is_symlink(link));
  CHECK(ReadDigestFile(file).ok());
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string bytes;
  std::thread reader([&] {
    std::ifstream from(pipe, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(from), {});
  });
  CHECK(WriteDigestFile(pipe, EncodeDigest(digest)).ok());
  reader.join();
  CHECK(fs::is_fifo(pipe));
  CHECK(bytes == EncodeDigest(digest));
}

TEST_CASE("collectives are known by name and by metadata") {
  CHECK(CollectiveOpOf("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)") ==
        CollectiveOp::kAllReduce);
  CHECK(CollectiveOpOf("_reduce_scatter_base") == CollectiveOp::kReduceScatter);
  CHECK(CollectiveOpOf("nccl:_all_gather_base") == CollectiveOp::kAllGather);
  CHECK(CollectiveOpOf("all_to_allv") == CollectiveOp::kAllToAll);
  CHECK(CollectiveOpOf("hcom_allReduce__586_3_1") == CollectiveOp::kAllReduce);
  CHECK(CollectiveOpOf("void cross_device_reduce_1stage<float, 8>(...)") ==
        CollectiveOp::kAllReduce);
  CHECK(CollectiveOpOf("multimem_all_reduce_kernel") == CollectiveOp::kAllReduce);
  CHECK(CollectiveOpOf("void deep_ep::internode::dispatch<true>(int)") == CollectiveOp::kAllToAll);
  CHECK(CollectiveOpOf("allreduce_coalesced") == CollectiveOp::kAllReduce);
  CHECK(CollectiveOpOf("void deep_ep::intranode::barrier<8>(int**, int)") ==
        CollectiveOp::kBarrier);
  CHECK(CollectiveOpOf("void hybrid_ep::dispatch_kernel<x>(x)") == CollectiveOp::kAllToAll);
  CHECK(CollectiveOpOf("ncclReduceRingLLKernel_sum_f32(ncclColl)") == CollectiveOp::kReduce);
  CHECK(CollectiveOpOf("void broadcast_on_stream_kernel<char>(x)") == CollectiveOp::kBroadcast);
  CHECK(CollectiveOpOf("wait") == CollectiveOp::kUnknown);
  CHECK(CollectiveLibraryOf("ncclDevKernel_Generic", true) == "rccl");
  CHECK(CollectiveLibraryOf("gloo:all_reduce", false) == "gloo");
  CHECK(CollectiveLibraryOf("xccl::allreduce", false) == "oneccl");
  CHECK(CollectiveLibraryOf("void dpsk::ep::dispatch<8>(int)", false) == "custom");
  CHECK(CollectiveLibraryOf("all2all_kernel", false) == "custom");
  CHECK(CollectiveLibraryOf("void cross_device_reduce_1stage<float, 8>(...)", false) == "custom");
  CHECK(CollectiveLibraryOf("triton_red_fused_all_reduce_0", false).empty());
  CHECK(ElementBytes("c10::BFloat16") == 2);
  CHECK(ElementBytes("long int") == 8);
  CHECK(ElementBytes("Float8_e4m3fn") == 1);
  CHECK(ElementBytes("Scalar") == 0);
  CHECK(ReducedType("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)") == "bf16");
  CHECK(ReducedType("ncclAllReduceRingLLKernel_sum_f16") == "half");
  CHECK(ReducedType("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(int)") == "bfloat16");
  CHECK(ReducedType("void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<"
                    "c10::BFloat16, 16>(c10::BFloat16*)") == "c10::BFloat16");
  CHECK(ReducedType("ncclDevKernel_AllReduce_Generic(float)").empty());
  CHECK(ReducedType("ncclKernel_AllGather_RING_LL_Sum_float").empty());
  CHECK(BusFactor(CollectiveOp::kAllReduce, 4) == 1.5);
  CHECK(BusFactor(CollectiveOp::kBroadcast, 4) == 1);
}

TEST_CASE("bytes come from elements and type, also where only shapes were recorded") {
  Drawing d("\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":0,\"world_size\":4}");
  d.Op("nccl:_all_gather_base", 0, 40, R"("Input Dims":[[8,4]],"Input type":["double"])");
  d.Launch(1, 10, 5);
  d.Kernel("ncclKernel_AllGather_RING_LL_Sum_int8_t", 1, 20, 30);
  d.Op("gloo:all_reduce", 100, 50, R"("Input Dims":[[3],[5]],"Input type":["float","float"])",
       "77");
  const auto loaded = drawn::Load(d);
  const auto found = FindCollectives(*loaded);
  REQUIRE(found.ok());
  REQUIRE(found->calls.size() == 2);
  CHECK(found->calls[0].op == CollectiveOp::kAllGather);
  CHECK(found->calls[0].bytes == 4 * 8 * 4 * 8);  // what comes out of four ranks
  CHECK(found->calls[1].host_only);
  CHECK(found->calls[1].library == "gloo");
  CHECK(found->calls[1].bytes == 8 * 4);
}

TEST_CASE("elements beyond any machine give no bytes") {
  Drawing d;
  d.Launch(1, 10, 5);
  d.Kernel("ncclDevKernel_AllReduce", 1, 20, 30,
           "\"Collective name\":\"allreduce\",\"dtype\":\"Double\",\"In msg nelems\":"
           "9223372036854775807,\"Out msg nelems\":-4,\"Seq\":-1,\"Group size\":-2,"
           "\"Process Group Ranks\":\"[1, 99999999999999999999999, 2\"");
  const auto loaded = drawn::Load(d);
  const auto found = FindCollectives(*loaded);
  REQUIRE(found.ok());
  REQUIRE(found->calls.size() == 1);
  CHECK(found->calls[0].bytes == -1);
  CHECK(found->calls[0].sequence == -1);
}

TEST_CASE("the critical path fills the step and passes from the device to its launches") {
  Drawing d;
  d.Step(1, 0, 1000);
  d.Op("aten::mm", 10, 30);
  d.Launch(1, 20, 10);
  d.Kernel("gemm", 1, 40, 500);
  d.Op("aten::relu", 50, 20);
  d.Launch(2, 55, 10);
  d.Kernel("relu", 2, 545, 100);
  d.Slice("cuda_runtime", "cudaDeviceSynchronize", "1", "10", 80, 570);
  d.Python("train.py(7): tail", 700, 250);
  const auto loaded = drawn::Load(d);
  const CriticalPathFinder finder(*loaded, {});
  const auto path = finder.Find(loaded->steps[0].time, kNone);
  Ns at = loaded->steps[0].time.begin;
  std::map<std::string, Ns> sums;
  for (const PathSegment& segment : path) {
    CHECK(segment.time.begin == at);
    at = segment.time.end;
    sums[PathKindName(segment.kind)] += segment.time.Length();
  }
  CHECK(at == loaded->steps[0].time.end);
  CHECK(sums["computation"] == 600'000);
  CHECK(sums["kernelGap"] == 5'000);
  CHECK(sums["launch"] == 20'000);
  CHECK(sums["synchronization"] == 5'000);
  CHECK(sums["host"] == 260'000);         // the frame, and the operator before its launch
  CHECK(sums["hostUnknown"] == 110'000);  // Python time between operators weighs too
}

TEST_CASE("kernel sequences are counted per operator") {
  Drawing d;
  for (int i = 0; i < 4; ++i) {
    const double t = 1000.0 * i;
    d.Op("aten::layer_norm", t, 100);
    for (int k = 0; k < 3; ++k) {
      d.Launch(10 * i + k + 1, t + 10 + 10 * k, 5);
      d.Kernel(k == 2 && i == 3 ? "other" : "k" + std::to_string(k), 10 * i + k + 1,
               t + 200 + 10 * k, 8);
    }
  }
  const auto loaded = drawn::Load(d);
  const auto found = SequencesOf(*loaded, "layer_norm");
  REQUIRE(found.size() == 2);
  CHECK(found[0].count == 3);
  CHECK(found[0].kernels == std::vector<std::string>{"k0", "k1", "k2"});
  CHECK(found[0].device_time == 3 * 24'000);
  CHECK(found[1].count == 1);
}

TEST_CASE("a graph waits as one launch, which begins with its first work") {
  Drawing d;
  d.Slice("cuda_runtime", "cudaGraphLaunch", "1", "10", 0, 5, "\"correlation\":1");
  for (int i = 0; i < 1500; ++i) d.Kernel("k", 1, 100 + 2 * i, 1);
  d.Kernel("beside", 1, 150, 1, "", 0, 8);
  d.Launch(2, 10, 5);
  d.Kernel("last", 2, 4000, 1);
  const auto digest = DigestOfDrawing(d);
  REQUIRE(digest.ranks.size() == 1);
  const auto& queues = digest.ranks[0].queues;
  REQUIRE(queues.size() == 2);
  CHECK(queues[0].stream == 7);
  CHECK(queues[0].points.count == 4);
  CHECK(queues[0].points.max == 2);
  CHECK(queues[0].full == 0);
  CHECK(queues[1].points.count == 2);
  REQUIRE(digest.ranks[0].launches.size() == 1);
  CHECK(digest.ranks[0].launches[0].graph_launches == 1);
  CHECK(digest.ranks[0].launches[0].graph_work == 1501);
  CHECK(digest.ranks[0].launches[0].call.count == 1);
}

TEST_CASE("a queue is full from 1,022 waiting launches on, not from about so many") {
  // The queue fills by one each microsecond; then its work begins, one piece each microsecond.
  const auto full = [](int launches) {
    Drawing d;
    for (int i = 0; i < launches; ++i) {
      d.Launch(i + 1, i, 1);
      d.Kernel("k", i + 1, 2000 + i, 1);
    }
    return DigestOfDrawing(d).ranks.at(0).queues.at(0).full;
  };
  CHECK(full(1021) == 0);
  CHECK(full(1022) == (2000 - 1021) * 1000);
  CHECK(full(1024) == (2000 - 1021 + 2) * 1000);
}

namespace {

// A copy of 4,000 bytes in 4 us, which only its call names.
Drawing CopyOfRocm() {
  Drawing d;
  d.Slice("cuda_runtime", "hipMemcpyAsync", "1", "10", 0, 5, "\"correlation\":1,\"size\":4000");
  d.Device("gpu_memcpy", "Memcpy HtoD (Host -> Device)", 1, 20, 4);
  return d;
}

}  // namespace

TEST_CASE("where a copy lacks its bytes, its call has them") {
  const Drawing d = CopyOfRocm();
  const auto digest = DigestOfDrawing(d);
  const auto& copies = digest.ranks.at(0).copies;
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].bytes == 4000);
  CHECK(copies[0].rate_max == 1'000'000);
}

TEST_CASE("a copy without bytes takes no part in the bandwidth of its kind") {
  Drawing d = CopyOfRocm();
  d.Slice("cuda_runtime", "hipMemcpyAsync", "1", "10", 30, 5, "\"correlation\":2");
  d.Device("gpu_memcpy", "Memcpy HtoD (Host -> Device)", 2, 40, 12);
  const auto digest = DigestOfDrawing(d);
  const auto& copies = digest.ranks.at(0).copies;
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].bytes == 4000);
  CHECK(copies[0].busy == 16'000);
  CHECK(copies[0].sized_busy == 4'000);
}

TEST_CASE("rows of streams may have numbers of their own: the work says its stream") {
  Drawing d;
  d.Launch(1, 0, 5);
  d.Slice("kernel", "k", "0", "408", 20, 4, "\"device\":0,\"stream\":102,\"correlation\":1");
  d.Launch(2, 30, 5);
  d.Slice("kernel", "k", "0", "12", 50, 4, "\"device\":0,\"correlation\":2");
  const auto digest = DigestOfDrawing(d);
  const auto& queues = digest.ranks.at(0).queues;
  REQUIRE(queues.size() == 2);
  CHECK(queues[0].stream == 12);
  CHECK(queues[1].stream == 102);
}

TEST_CASE("work belongs to the innermost operator that launched it, in the order of the launches") {
  Drawing d;
  for (const int at : {0, 1000}) {
    d.Op("aten::linear", at, 100);
    d.Op("aten::addmm", at + 10, 60);
    // The second launch runs first, on another stream.
    d.Launch(at + 1, at + 14, 4);
    d.Launch(at + 2, at + 30, 4);
    d.Kernel("gemm", at + 1, at == 0 ? 200 : 1210, 50);
    d.Kernel("epilogue", at + 2, at + 150, 7, "", 0, 8);
    d.Launch(at + 3, at + 80, 4);
    d.Kernel("bias", at + 3, at + 300, 20);
  }
  d.Launch(9, 2000, 5);
  d.Kernel("of no operator", 9, 2010, 3);
  const auto list = DigestOfDrawing(d).ranks.at(0).operator_kernels;
  REQUIRE(list.size() == 2);
  CHECK(list[0].operation == "aten::addmm");
  CHECK(list[0].kernels == std::vector<std::string>{"gemm", "epilogue"});
  CHECK(list[0].launched == 2);
  CHECK(list[0].count == 2);
  CHECK(list[0].time == 114'000);
  CHECK(list[0].call_delay == 8'000);
  CHECK(list[0].start_delay == 186'000 + 196'000);
  CHECK(list[0].start_delay_max == 196'000);
  CHECK(list[1].operation == "aten::linear");
  CHECK(list[1].call_delay_max == 80'000);
}

TEST_CASE("ranges count where they run; work counts in the shortest one") {
  Drawing d;
  d.Annotation("## forward ##", 0, 100);
  d.Annotation("layer", 10, 20);
  d.Annotation("layer", 40, 40);
  d.Launch(1, 12, 5);
  d.Launch(2, 45, 5);
  d.Launch(3, 90, 5);
  d.Device("gpu_user_annotation", "## forward ##", 0, 200, 300);
  d.Device("gpu_user_annotation", "layer", 0, 220, 50);
  d.Device("cuda_profiler_range", "a counter's", 0, 200, 300);
  d.Kernel("a", 1, 220, 10);
  d.Kernel("b", 2, 230, 40);
  d.Kernel("c", 3, 400, 100);
  d.Kernel("after all", 4, 500, 5);
  d.Kernel("another stream's", 5, 230, 5, "", 0, 9);
  const auto list = DigestOfDrawing(d).ranks.at(0).annotations;
  REQUIRE(list.size() == 4);
  const auto is = [&](size_t at, int64_t device, const char* name, uint64_t count, Ns sum,
                      uint64_t work, Ns work_time) {
    INFO(at);
    CHECK(list[at].device == device);
    CHECK(list[at].name == name);
    CHECK(list[at].count == count);
    CHECK(list[at].sum == sum);
    CHECK(list[at].work == work);
    CHECK(list[at].work_time == work_time);
  };
  is(0, -1, "## forward ##", 1, 100'000, 1, 100'000);
  is(1, -1, "layer", 2, 60'000, 2, 50'000);
  is(2, 0, "## forward ##", 1, 300'000, 1, 100'000);
  is(3, 0, "layer", 1, 50'000, 2, 50'000);
  CHECK(list[1].min == 20'000);
  CHECK(list[1].max == 40'000);
}

TEST_CASE("each launch is a row; a graph is one, from its first work on any stream") {
  Drawing d;
  d.Op("aten::mm", 0, 30);
  d.Launch(1, 5, 10);
  d.Launch(2, 20, 5);
  d.Kernel("first", 1, 100, 40);
  d.Kernel("second", 2, 140, 3);
  d.Slice("cuda_runtime", "cudaGraphLaunch", "1", "10", 40, 60, "\"correlation\":3");
  d.Kernel("late", 3, 400, 10);
  d.Kernel("early", 3, 350, 10, "", 0, 9);
  d.Kernel("unlaunched", 77, 500, 10);
  const auto loaded = drawn::Load(d);
  const Model& model = *loaded;
  const auto list = FindLaunches(model, {});
  REQUIRE(list.ok());
  const auto lazy = LaunchRowsTable(model, *list, 4);
  REQUIRE(lazy->row_count() == 3);
  const std::vector<uint32_t> all = {0, 1, 2};
  const Table table = lazy->Make(all);
  const auto text = [&](size_t row, const char* key) {
    return TextIn(table, table.rows[row], key);
  };
  const auto number = [&](size_t row, const char* key) {
    return NumberIn(table, table.rows[row], key);
  };
  const auto cell = [&](size_t row, const char* key) {
    return table.rows[row][static_cast<size_t>(table.ColumnIndex(key))];
  };
  CHECK(number(0, "rank") == 4);
  CHECK(text(0, "name") == "first");
  CHECK(text(0, "operator") == "aten::mm");
  CHECK(number(0, "launchDelayUs") == 85);
  CHECK(number(0, "avoidableDelayUs") == 85);
  CHECK(cell(0, "shortKernel") == Cell(false));
  // Its stream was busy all the while.
  CHECK(number(1, "launchDelayUs") == 115);
  CHECK(number(1, "avoidableDelayUs") == 0);
  CHECK(cell(1, "shortKernel") == Cell(true));
  CHECK(cell(1, "launchDelayOutlier") == Cell(true));
  CHECK(text(2, "name") == "early");
  CHECK(number(2, "stream") == 9);
  CHECK(number(2, "workCount") == 2);
  CHECK(number(2, "gpuDurationUs") == 20);
  CHECK(number(2, "launchDelayUs") == 250);
  for (const char* key : {"avoidableDelayUs", "shortKernel", "runtimeOutlier"}) {
    CHECK(cell(2, key) == Cell());
  }
  // The sums are those of the rows with one work.
  const auto launches = DigestOfDrawing(d).ranks.at(0).launches;
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].call.count == 2);
  CHECK(launches[0].delay.sum == 200'000);
  CHECK(launches[0].avoidable.sum == 85'000);
  CHECK(launches[0].graph_launches == 1);
  CHECK(launches[0].graph_work == 2);
}

TEST_CASE("work that follows at once leaves no gap") {
  Drawing d;
  for (int i = 0; i < 4; ++i) d.Launch(i + 1, i, 1);
  d.Kernel("k", 1, 10, 5);
  d.Kernel("k", 2, 15, 5);  // at once
  d.Kernel("k", 3, 23, 5);
  d.Kernel("k", 4, 24, 2);  // inside of the one before
  for (const IdleDigest& idle : DigestOfDrawing(d).ranks.at(0).idle) {
    if (idle.stream < 0) continue;
    CHECK(idle.cause == "kernelWait");
    CHECK(idle.count == 1);
    CHECK(idle.time == 3000);
  }
}

}  // namespace
}  // namespace emberline
