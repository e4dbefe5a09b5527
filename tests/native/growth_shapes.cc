#include "growth_shapes.h"

namespace emberline::growth {
namespace {

std::string Text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.size() - 3);  // nanoseconds
  return text;
}
std::string Text(int value) { return std::to_string(value); }

std::string Slice(const char* category, const std::string& name, const std::string& pid,
                  const std::string& tid, double ts, double dur, const std::string& args) {
  return std::string(R"({"ph":"X","cat":")") + category + R"(","name":")" + name + R"(","pid":)" +
         pid + R"(,"tid":)" + tid + R"(,"ts":)" + Text(ts + 0.001) + R"(,"dur":)" + Text(dur) +
         R"(,"args":{)" + args + "}},\n";
}

std::string Op(const std::string& name, double ts, double dur, const std::string& args = "") {
  return HostEvent("cpu_op", name, ts, dur, "1", args);
}

std::string Frame(const std::string& name, double ts, double dur, int id) {
  return HostEvent("python_function", name, ts, dur, "1",
                   R"("Python id":)" + Text(id + 1) + R"(,"Python module id":)" + Text(id));
}

std::string Step(int number, double ts, double dur) {
  return HostEvent("user_annotation", "ProfilerStep#" + Text(number), ts, dur);
}

std::string Launch(int correlation, double ts, double dur, const std::string& tid = "1") {
  return HostEvent("cuda_runtime", "cudaLaunchKernel", ts, dur, tid,
                   R"("correlation":)" + Text(correlation));
}

std::string Kernel(const std::string& name, int correlation, double ts, double dur, int device = 0,
                   int stream = 7, const std::string& args = "") {
  return Slice("kernel", name, Text(device), Text(stream), ts, dur,
               R"("device":)" + Text(device) + R"(,"stream":)" + Text(stream) +
                   R"(,"correlation":)" + Text(correlation) + args);
}

std::string Memory(double ts, int address, int bytes, int device = 0) {
  return R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" + Text(ts + 0.001) +
         R"(,"args":{"Addr":)" + Text(address) + R"(,"Bytes":)" + Text(bytes) +
         R"(,"Total Allocated":512,"Total Reserved":1024,"Device Type":1,"Device Id":)" +
         Text(device) + "}},\n";
}

std::string Flow(char phase, const char* category, int id, double ts) {
  return std::string(R"({"ph":")") + phase + R"(","cat":")" + category + R"(","name":")" +
         category + R"(","id":)" + Text(id) + R"(,"pid":1,"tid":1,"ts":)" + Text(ts + 0.001) +
         R"(,"bp":"e"},)" + "\n";
}

std::string Async(char phase, int id, const std::string& name, double ts) {
  return std::string(R"({"ph":")") + phase + R"(","cat":"c","name":")" + name + R"(","id":)" +
         Text(id) + R"(,"pid":1,"tid":1,"ts":)" + Text(ts + 0.001) + "},\n";
}

// n events, drawn one by one.
template <typename Draw>
std::string Each(int n, Draw&& draw) {
  std::string events;
  for (int i = 0; i < n; ++i) events += draw(i);
  return events;
}

// n pieces of one text, joined.
template <typename Draw>
std::string Joined(int n, const char* separator, Draw&& draw) {
  std::string text;
  for (int i = 0; i < n; ++i) text += (i > 0 ? separator : "") + draw(i);
  return text;
}

std::string AFrame(int i) { return "a.py(" + Text(i + 1) + "): f" + Text(i); }
// Of the standard library: whoever looks for the user's line goes on to the next.
std::string LibraryFrame(int i) { return "threading.py(" + Text(i % 97 + 1) + "): g"; }

std::string Steps(int n) {
  std::string properties = R"("deviceProperties":[{"id":0,"name":"V","computeMajor":7}],)";
  return TraceOf(Each(n,
                      [&](int i) {
                        return Step(i, i * 10, n * 10) +
                               HostEvent("cpu_op", "aten::a", i * 10 + 1, 2, "2");
                      }),
                 properties);
}

std::string StepsInside(int n) {
  return TraceOf(Each(n, [&](int i) { return Step(i, i, 2 * (n - i)) + Op("aten::a", i, 0.5); }));
}

std::string StepsAtOnce(int n) {
  return TraceOf(Each(n, [&](int i) { return Step(i, 100, 1000); }));
}

std::string Devices(int n) {
  return TraceOf(Each(n, [](int i) {
    return Launch(i + 1, i * 10, 1) + Kernel("k", i + 1, i * 10 + 2, 5, i) +
           Slice("gpu_user_annotation", "a", Text(i), "8", i * 10 + 2, 5, "");
  }));
}

std::string DeviceKinds(int n) {
  return TraceOf(Each(n, [](int i) {
    std::string word;
    for (const char c : Text(i)) word += static_cast<char>('a' + (c - '0'));
    return R"({"ph":"M","name":"process_labels","pid":)" + Text(i) + R"(,"args":{"labels":")" +
           word + " " + Text(i) + R"("}},)" + Kernel("k", i + 1, i * 10, 5, i);
  }));
}

std::string Streams(int n) {
  return TraceOf(Each(n, [](int i) {
    return Launch(i + 1, i, 0.5) +
           Kernel("k", i + 1, i + 1, 5000, 0, i,
                  R"(,"blocks per SM":0.001,"est. achieved occupancy %":3)");
  }));
}

std::string Threads(int n) {
  return TraceOf(Each(n, [](int i) {
    return HostEvent("cpu_op", "aten::a", i, 5, Text(i)) + Launch(i + 1, i + 1, 2, Text(i)) +
           Kernel("k", i + 1, i + 2, 5);
  }));
}

std::string TextProcesses(int n) {
  return TraceOf(Each(n, [](int i) {
    return Slice("cpu_op", "aten::a", "\"process " + Text(i) + "\"", "1", i, 5, "");
  }));
}

std::string LongProcessName(int n) {
  return TraceOf(R"({"ph":"M","name":"process_name","pid":1,"args":{"name":")" +
                 std::string(static_cast<size_t>(n) * 20, 'x') + "\"}},\n" +
                 Each(n, [](int i) { return HostEvent("cpu_op", "aten::a", i, 1, Text(i)); }));
}

std::string Counters(int n) {
  return TraceOf(Each(n, [](int i) {
    return R"({"ph":"C","pid":1,"name":"counter )" + Text(i) + R"(","ts":)" + Text(i + 0.5) +
           R"(,"args":{"a )" + Text(i) + R"(":1,"b":2}},)" + "\n";
  }));
}

std::string Names(int n) {
  return TraceOf(Each(n, [](int i) {
    return Op("aten::a" + Text(i), i, 0.9) + Launch(i + 1, i + 0.1, 0.1) +
           Kernel("k" + Text(i), i + 1, i + 0.5, 0.5);
  }));
}

std::string DeepOps(int n) {
  return TraceOf(Each(n, [&](int i) {
    return Op("aten::a" + Text(i), i, 2 * (n - i)) + Launch(i + 1, i + 0.1, 0.1) +
           Kernel("k", i + 1, i + 0.5, 0.2);
  }));
}

std::string DeepFrames(int n) {
  return TraceOf(Each(n, [&](int i) {
    return Frame(AFrame(i), i, 2 * (n - i), i) + Op("aten::a" + Text(i), i + 0.1, 0.5) +
           Launch(i + 1, i + 0.2, 0.1) + Kernel("k" + Text(i), i + 1, i + 0.5, 0.2);
  }));
}

std::string DeepLibrary(int n) {
  return TraceOf(Frame("a.py(1): f", 0, 9 * n, 0) + Each(n, [&](int i) {
                   return Frame(LibraryFrame(i), i + 1, 2 * (n - i), i + 1) +
                          Op("aten::a" + Text(i), i + 1.1, 0.5) + Launch(i + 1, i + 1.2, 0.1) +
                          Kernel("k" + Text(i), i + 1, i + 1.5, 0.2);
                 }));
}

std::string DeepModules(int n) {
  return TraceOf(Each(n, [&](int i) {
    return Frame("nn.Module: M_" + Text(i), i, 2 * (n - i), i) +
           Op("aten::a" + Text(i), i + 0.1, 0.5) + Memory(i + 0.2, 512 * i, 512);
  }));
}

std::string FlatFrames(int n) {
  return TraceOf(Each(n, [](int i) {
    return Frame("f" + Text(i) + ".py(" + Text(i + 1) + "): g" + Text(i), i, 0.9, i);
  }));
}

std::string StackOfDeepOps(int n) {
  return TraceOf(Op("aten::first", 0, 9 * n, R"("Call stack":"a.py(1): f;b.py(2): g")") +
                 Each(n, [&](int i) {
                   return Op("aten::a" + Text(i), i + 1, 2 * (n - i)) +
                          Launch(i + 1, i + 1.1, 0.1) + Kernel("k", i + 1, i + 1.5, 0.2);
                 }));
}

std::string LongStacks(int n) {
  constexpr int kFrames = 250;
  return TraceOf(Each(n / 50, [&](int i) {
    return Op("aten::a", i, 0.9, R"("Call stack":")" + Joined(kFrames, ";", [&](int k) {
                                   return AFrame(i + k);
                                 }) + "\"");
  }));
}

std::string Hierarchy(int n) {
  return TraceOf(Each(n / 10, [](int i) {
    return Op("aten::a", i, 0.9, R"("Module Hierarchy":")" + Joined(10, ".", [&](int k) {
                                   return "l" + Text((i + k) % 977) + "(B)";
                                 }) + "\"");
  }));
}

std::string OneDeepHierarchy(int n) {
  return TraceOf(Op("aten::a", 0, 1, R"("Module Hierarchy":")" + Joined(n, ".", [](int k) {
                                       return "l" + Text(k) + "(B)";
                                     }) + "\""));
}

std::string FlowsOfOneId(int n) {
  return TraceOf(Each(n, [](int i) {
    return Op("aten::a", i, 0.9) + Flow(i % 2 == 0 ? 's' : 'f', "x", 1, i) +
           Flow(i % 2 == 0 ? 's' : 'f', "fwdbwd", 1, i);
  }));
}

std::string FlowsIntoDeepOps(int n) {
  return TraceOf(Each(n, [&](int i) { return Op("aten::a", i, 4 * n - 2 * i); }) +
                 Each(n, [&](int i) {
                   return Flow('s', "fwdbwd", i + 1, i) + Flow('f', "fwdbwd", i + 1, n - 0.5);
                 }));
}

std::string SequenceNumbers(int n) {
  return TraceOf(Each(n,
                      [](int i) {
                        return HostEvent("cpu_op", "aten::a", i, 0.5, Text(i % 100),
                                         R"("Sequence number":)" + Text(i / 2));
                      }) +
                 Each(n, [&](int i) {
                   return HostEvent(
                       "cpu_op", "autograd::engine::evaluate_function: AddBackward0", n + i, 0.5,
                       "100000",
                       R"("Sequence number":)" + Text(i) + R"(,"Fwd thread id":)" + Text(i + 1));
                 }));
}

std::string AsyncOfOneId(int n) {
  return TraceOf(Each(n, [](int i) { return Async('b', 1, "a" + Text(i), i); }) +
                 Each(n, [&](int i) { return Async('e', 1, "a" + Text(i), n + i); }));
}

std::string AsyncIds(int n) {
  return TraceOf(Each(n, [](int i) { return Async('b', i, "a", i); }) +
                 Each(n, [&](int i) { return Async('e', i, "a", n + i); }));
}

std::string BeginsAndEnds(int n) {
  const auto event = [](char phase, const std::string& name, double ts) {
    return std::string(R"({"ph":")") + phase + R"(","cat":"cpu_op","name":")" + name +
           R"(","pid":1,"tid":1,"ts":)" + Text(ts + 0.001) + "},\n";
  };
  return TraceOf(Each(n, [&](int i) { return event('B', "a" + Text(i), i); }) +
                 Each(n, [&](int i) { return event('E', "a" + Text(i), n + i); }));
}

std::string OneMoment(int n) {
  return TraceOf(Each(n, [](int i) {
    return Op("aten::a", 100, 10) + Launch(i + 1, 100, 10) + Kernel("k", i + 1, 100, 10) +
           Flow('s', "ac2g", i + 1, 100) + Memory(100, 4096, 512);
  }));
}

std::string NoLength(int n) {
  return TraceOf(Each(n, [](int i) { return Op("aten::a", 100, 0) + Kernel("k", i, 100, 0); }));
}

// Every eighth operator has a damaged time: seconds, hours or days away from all others.
std::string DamagedTimes(int n) {
  return TraceOf(Each(n, [](int i) {
    constexpr double kFar[] = {30e6, 3600e6, 86400e6};
    const double ts = i % 8 == 3 ? kFar[i / 8 % 3] * (1 + i / 24 % 5) : i;
    return Op("aten::a", ts, 0.5) + Launch(i + 1, i + 0.1, 0.2) + Kernel("k", i + 1, i + 0.5, 0.4);
  }));
}

std::string Staircase(int n) {
  return TraceOf(Each(n, [&](int i) {
    return Op("aten::a", i, n) + Frame(AFrame(i), i + 0.5, n, i) + Kernel("k", 0, i, n);
  }));
}

std::string Shapes(int n) {
  return TraceOf(Each(n, [](int i) {
    return Op("aten::mm", i, 0.5,
              R"("Input Dims":[[)" + Text(i) + R"(,2],[3,4]],"Input type":["float","float"])");
  }));
}

std::string OneAddress(int n) {
  return TraceOf(Op("aten::a", 0, n + 1) + Each(n, [](int i) { return Memory(i, 4096, 512); }) +
                 Each(n, [&](int i) { return Memory(n + i, 4096, -512); }));
}

std::string MemoryOfDeepOps(int n) {
  return TraceOf(Each(n, [&](int i) { return Op("aten::a" + Text(i), i, 4 * n - 2 * i); }) +
                 Each(n, [&](int i) { return Memory(n + i, 512 * i, 512); }));
}

std::string MemoryDevices(int n) {
  return TraceOf(Op("aten::a", 0, n) + Each(n, [](int i) { return Memory(i, 512 * i, 512, i); }));
}

std::string Instants(int n) {
  return TraceOf(Op("aten::a", 0, n) + Each(n, [](int i) {
                   return R"({"ph":"i","s":"t","name":"i)" + Text(i) + R"(","pid":1,"tid":)" +
                          Text(i) + R"(,"ts":)" + Text(i + 0.5) + "},\n" +
                          R"({"ph":"i","s":"g","name":"g","ts":)" + Text(i + 0.5) + "},\n";
                 }));
}

std::string Categories(int n) {
  return TraceOf(Each(n, [](int i) {
    return HostEvent(("c" + Text(i)).c_str(), "a", i, 0.5) +
           Slice(("d" + Text(i)).c_str(), "a", "0", "7", i, 0.5, "");
  }));
}

std::string ArgKeys(int n) {
  return TraceOf(Each(n, [](int i) { return Op("a", i, 0.5, "\"k" + Text(i) + "\":1"); }) +
                 Op("b", n, 1, Joined(n, ",", [](int i) { return "\"k" + Text(i) + "\":2"; })));
}

std::string OneCorrelation(int n) {
  return TraceOf(Each(n, [](int i) { return Launch(1, i, 0.4) + Kernel("k", 1, i + 0.5, 0.2); }));
}

std::string OneLaunch(int n) {
  return TraceOf(Op("aten::a", 0, n) + Launch(1, 1, 0.5) +
                 Each(n, [](int i) { return Kernel("k" + Text(i % 77), 1, i + 2, 0.5); }));
}

std::string GapsBelowDeepFrames(int n) {
  return TraceOf(
      Each(n, [&](int i) { return Frame(AFrame(i), i, 30 * n - 2 * i, i); }) + Each(n, [&](int i) {
        const double at = n + i * 10;
        return Op("aten::a", at, 3) + Launch(i + 1, at + 1, 1) + Kernel("k", i + 1, at + 4, 0.5) +
               HostEvent("cuda_runtime", "cudaStreamSynchronize", at + 5, 4);
      }));
}

std::string GapsBelowLongCalls(int n) {
  return TraceOf(Each(n,
                      [&](int i) {
                        return HostEvent("cuda_runtime", "cudaDeviceSynchronize", i * 0.01, 20 * n,
                                         Text(i + 10));
                      }) +
                 Each(n, [&](int i) {
                   return Launch(i + 1, n + i * 10, 1) + Kernel("k", i + 1, n + i * 10 + 4, 0.5);
                 }));
}

std::string Collectives(int n) {
  return TraceOf(Each(n, [](int i) {
    return HostEvent("user_annotation", "nccl:all_reduce", i * 10, 3) +
           Op("record_param_comms", i * 10 + 0.1, 2) + Launch(i + 1, i * 10 + 1, 0.5) +
           Kernel("ncclDevKernel_AllReduce_" + Text(i), i + 1, i * 10 + 4, 3, 0, 7,
                  R"(,"Collective name":"a)" + Text(i) + "\"");
  }));
}

std::string Loaders(int n) {
  return TraceOf(Each(n, [&](int i) {
    return HostEvent("user_annotation",
                     "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", i * 10,
                     n * 10) +
           Op("aten::item", i * 10 + 1, 2);
  }));
}

std::string DeviceList(int n) {
  return TraceOf(Each(n, [](int i) { return Kernel("k", i + 1, i * 10, 5, i); }),
                 R"("deviceProperties":[)" + Joined(n, ",", [](int i) {
                   return R"({"id":)" + Text(i) + R"(,"name":"d)" + Text(i) + "\"}";
                 }) + "],");
}

// Sends and receives of which many run as one, and kernels that never were asked for.
std::string Coalesced(int size) {
  std::string events;
  for (int i = 0; i < size; ++i) {
    const double ts = i * 100.0;
    for (int k = 0; k < 3; ++k) {
      events += Op("record_param_comms", ts + k, 0.5,
                   std::string(R"("Collective name":")") + (k % 2 == 0 ? "send" : "recv") +
                       R"(","Dst Rank":1,"Src Rank":1,"In msg nelems":8,"dtype":"Float")");
    }
    // One in three launches what was recorded since the one before.
    if (i % 3 != 0) continue;
    events += Launch(i, ts + 20, 5) + Kernel("ncclDevKernel_SendRecv", i, ts + 30, 50);
  }
  return TraceOf(events);
}

}  // namespace

std::string HostEvent(const char* category, const std::string& name, double ts, double dur,
                      const std::string& tid, const std::string& args) {
  return Slice(category, name, "1", tid, ts, dur, args);
}

std::string TraceOf(const std::string& events, const std::string& top_level) {
  return "{" + top_level + "\"traceEvents\":[\n" + events.substr(0, events.rfind(',')) + "\n]}\n";
}

const std::vector<Shape> kShapes = {
    {"overlapping steps", Steps},
    {"steps inside steps", StepsInside},
    {"steps at one time", StepsAtOnce},
    {"many devices", Devices},
    {"many kinds of devices", DeviceKinds},
    {"a long list of devices", DeviceList},
    {"many streams", Streams},
    {"many threads", Threads},
    {"many processes with text ids", TextProcesses},
    {"many threads of a process with a long name", LongProcessName},
    {"many counters", Counters},
    {"many names", Names},
    {"deep operators", DeepOps},
    {"deep frames", DeepFrames},
    {"deep frames of a library", DeepLibrary},
    {"deep modules", DeepModules},
    {"many frames", FlatFrames},
    {"deep operators below one recorded stack", StackOfDeepOps},
    {"long recorded stacks", LongStacks},
    {"many places of modules", Hierarchy},
    {"one deep place of a module", OneDeepHierarchy},
    {"flows of one id", FlowsOfOneId},
    {"flows into deep operators", FlowsIntoDeepOps},
    {"sequence numbers of many threads", SequenceNumbers},
    {"asynchronous events of one id", AsyncOfOneId},
    {"many asynchronous ids", AsyncIds},
    {"begins and ends that cross", BeginsAndEnds},
    {"everything at one moment", OneMoment},
    {"everything without length", NoLength},
    {"damaged times at all distances", DamagedTimes},
    {"slices that overlap as a staircase", Staircase},
    {"many shapes", Shapes},
    {"allocations at one address", OneAddress},
    {"allocations below deep operators", MemoryOfDeepOps},
    {"allocations on many devices", MemoryDevices},
    {"instants on many threads", Instants},
    {"many categories", Categories},
    {"many keys of args", ArgKeys},
    {"one correlation", OneCorrelation},
    {"many kernels of one launch", OneLaunch},
    {"idle time below deep frames", GapsBelowDeepFrames},
    {"idle time below long calls", GapsBelowLongCalls},
    {"many collectives", Collectives},
    {"calls that run as one", Coalesced},
    {"overlapping loaders", Loaders},
};

}  // namespace emberline::growth
