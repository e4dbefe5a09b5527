#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "target.h"

namespace emberline::fuzz {
namespace {

constexpr size_t kMaxText = 1 << 17;

constexpr std::string_view kNumbers[] = {"0",
                                         "-1",
                                         "1",
                                         "7",
                                         "255",
                                         "-0.0005",
                                         "0.0005",
                                         "1e-60",
                                         "1e6",
                                         "1e308",
                                         "-1e308",
                                         "1e999",
                                         "2147483647",
                                         "-2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "9007199254740993",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "9223372036854775.807",
                                         "-9223372036854775.808",
                                         "18446744073709551615",
                                         "99999999999999999999999",
                                         "604800000001",
                                         "NaN",
                                         "-Infinity",
                                         "N/A",
                                         "0x10",
                                         "1.",
                                         ".5",
                                         "+3",
                                         "00012",
                                         "1712195495519689.047",
                                         "true",
                                         "null",
                                         "",
                                         "-"};

constexpr std::string_view kTraceTexts[] = {
    "cpu_op",
    "user_annotation",
    "gpu_user_annotation",
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "cuda_runtime",
    "cuda_driver",
    "python_function",
    "overhead",
    "cuda_sync",
    "Trace",
    "collective_comm",
    "ac2g",
    "fwdbwd",
    "cpu_instant_event",
    "async_cpu_to_gpu",
    "Operator",
    "ProfilerStep#0",
    "ProfilerStep#18446744073709551616",
    "aten::mm",
    "aten::conv2d",
    "autograd::engine::evaluate_function: AddmmBackward0",
    "cudaLaunchKernel",
    "cudaMemcpyAsync",
    "cudaDeviceSynchronize",
    "Memcpy HtoD (Pageable -> Device)",
    "nn.Module: Linear_0",
    "nn.Module: Net_0",
    "train.py(12): forward",
    "/a/b.py(3): <module>",
    "<built-in method cat>",
    "[memory]",
    "[pl][profile][Strategy]DDPStrategy.training_step",
    "process_name",
    "process_labels",
    "thread_name",
    "thread_sort_index",
    "process_sort_index",
    "stream 7",
    "stream 99999999999999999999",
    "GPU 0",
    "CPU",
    "Traces",
    "Spans",
    "Record Window End",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn",
    "nccl:all_reduce",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    "[[2, 3], [], [4, [5]]]",
    "train.py(5): a;b.py(7): b",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\u0000\\u001b[31m",
    "\xff\xfe",
    "\xe2\x82",
    "%s%n",
    "a|b",
    "X",
    "B",
    "E",
    "i",
    "s",
    "t",
    "f",
    "M",
    "C",
    "R"};

constexpr std::string_view kTraceMembers[] = {
    "\"ph\": \"X\"",
    "\"ph\": \"B\"",
    "\"ph\": \"E\"",
    "\"ph\": \"i\"",
    "\"ph\": \"C\"",
    "\"ph\": \"s\", \"id\": 1",
    "\"ph\": \"f\", \"id\": 1, \"bp\": \"e\"",
    "\"ph\": \"M\"",
    "\"cat\": \"kernel\"",
    "\"cat\": \"cpu_op\"",
    "\"cat\": \"python_function\"",
    "\"ts\": 0",
    "\"ts\": -9e12",
    "\"dur\": -5",
    "\"dur\": 9e14",
    "\"dur\": 0",
    "\"pid\": 0",
    "\"tid\": \"stream 7\"",
    "\"s\": \"p\"",
    "\"args\": {}",
    "\"args\": 5",
    "\"args\": [1]",
    "\"correlation\": 1",
    "\"External id\": 1",
    "\"external id\": 1",
    "\"Sequence number\": 1",
    "\"Fwd thread id\": 1",
    "\"device\": 0",
    "\"stream\": 7",
    "\"grid\": [1, 2, 65536]",
    "\"block\": [1024, 1, -1]",
    "\"registers per thread\": 4294967296",
    "\"shared memory\": 1e30",
    "\"blocks per SM\": 1e308",
    "\"est. achieved occupancy %\": -7",
    "\"warps per SM\": inf",
    "\"bytes\": 9223372036854775807",
    "\"memory bandwidth (GB/s)\": nan",
    "\"Input Dims\": [[9223372036854775807, 9223372036854775807], [3]]",
    "\"Input type\": [\"float\", \"\"]",
    "\"Input Strides\": [[1]]",
    "\"Concrete Inputs\": [\"\", \"[1, 1]\"]",
    "\"Call stack\": \"a.py(1): f;b.py(2): g\"",
    "\"Module Hierarchy\": \"Net.fc\"",
    "\"Python id\": 3",
    "\"Python parent id\": 2",
    "\"Python module id\": 0",
    "\"Addr\": 140000000",
    "\"Bytes\": 9223372036854775807",
    "\"Bytes\": -9223372036854775808",
    "\"Device Type\": 1",
    "\"Device Id\": 0",
    "\"Total Allocated\": 9223372036854775807",
    "\"Total Reserved\": 1",
    "\"name\": \"python\"",
    "\"sort_index\": 9223372036854775807",
    "\"In msg nelems\": 9223372036854775807",
    "\"Collective name\": \"allreduce\"",
    "\"Group size\": 0",
    "\"dtype\": \"Float\"",
    "\"wait_on_stream\": 7"};

constexpr std::string_view kTraceTop[] = {
    "\"traceEvents\": [",
    "\"deviceProperties\": [{\"id\": 0, \"name\": \"G\", \"numSms\": -1}],",
    "\"deviceProperties\": [{\"id\": 9223372036854775807}],",
    "\"schemaVersion\": 1e99,",
    "\"baseTimeNanoseconds\": 9223372036854775807,",
    "\"distributedInfo\": {\"rank\": -2, \"world_size\": 0},",
    "\"with_stack\": 1,",
    "\"traceName\": \"\\u0000\",",
    "]",
    "}",
    "{",
    "[",
    ",",
    "\"",
    ":",
    "\\"};

constexpr std::string_view kPythonTokens[] = {"def f(self, x):\n",
                                              "async def g():\n",
                                              "class A(B, metaclass=M):\n",
                                              "lambda: 0",
                                              "with a() as b, c():\n",
                                              "for i in range(3):\n",
                                              "while f(x := 1):\n",
                                              "else:\n",
                                              "elif a:\n",
                                              "try:\n",
                                              "except* E as e:\n",
                                              "finally:\n",
                                              "match x:\n",
                                              "case [a, *b] if c:\n",
                                              "yield",
                                              "yield from f()",
                                              "await g()",
                                              "return h(1)(2)[3].k",
                                              "raise E from e",
                                              "@decorator(1)\n",
                                              "if __name__ == '__main__':\n",
                                              "f'{a!r:>{w}}'",
                                              "'''",
                                              "\"\"\"",
                                              "[i for i in x if i]",
                                              "{**a, 'b': c}",
                                              "(y for y in z)",
                                              "self.fc = nn.Linear(1, 2)\n",
                                              "x = self.fc(x)\n",
                                              "x @ y",
                                              "not a",
                                              "a if b else c",
                                              "*args",
                                              "**kw",
                                              "global q\n",
                                              "nonlocal q\n",
                                              "del a[0]\n",
                                              "import a.b as c\n",
                                              "from . import *\n",
                                              "type X[T] = int\n",
                                              "assert f(), g()\n",
                                              "break\n",
                                              "continue\n",
                                              "pass\n",
                                              "\\\n",
                                              "#\n",
                                              "\t",
                                              "    ",
                                              "\f",
                                              "\r\n",
                                              "\x1e",
                                              "0x",
                                              "1_000j",
                                              "a.b.c.d()",
                                              "\xce\xb1 = 1\n",
                                              "\xff",
                                              "print(",
                                              ")",
                                              "]",
                                              "}",
                                              ":",
                                              ";",
                                              "\n"};

constexpr std::string_view kRpcTokens[] = {
    "Content-Length: ",
    "content-length:5\r\n",
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
    "\r\n\r\n",
    "\r\n",
    "Content-Length: 99999999999999\r\n\r\n",
    "Content-Length: -1\r\n\r\n",
    "Content-Length: 0\r\n\r\n",
    "Content-Length: 9999999999999999999\r\n\r\n",
    "\"jsonrpc\":\"2.0\",",
    "\"params\":{",
    "\"params\":[",
    "\"method\":\"timeline/window\",",
    "\"method\":\"view/operators\",",
    "null",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\\u0000",
    "\\ud800"};

// Where the numbers and texts of something like JSON stand.
struct Piece {
  size_t begin = 0, end = 0;
};

bool IsNumberCharacter(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

std::vector<Piece> Numbers(std::string_view text) {
  std::vector<Piece> found;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!(text[i] >= '0' && text[i] <= '9') && text[i] != '-') continue;
    size_t end = i + 1;
    while (end < text.size() && IsNumberCharacter(text[end])) ++end;
    found.push_back({i, end});
    i = end;
  }
  return found;
}

std::vector<Piece> Texts(std::string_view text) {
  std::vector<Piece> found;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    size_t end = i + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) break;
    found.push_back({i + 1, end});
    i = end;
  }
  return found;
}

// Objects without the outermost one: the events of a trace, their args, the messages of a stream.
std::vector<Piece> Objects(std::string_view text) {
  std::vector<Piece> found;
  std::vector<size_t> open;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{') {
      open.push_back(i);
    } else if (c == '}' && !open.empty()) {
      if (open.size() > 1) found.push_back({open.back(), i + 1});
      open.pop_back();
    }
  }
  return found;
}

std::vector<Piece> Lines(std::string_view text) {
  std::vector<Piece> found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    found.push_back({at, end});
    at = end;
  }
  return found;
}

std::string Cut(std::string_view text, const Piece& piece) {
  return std::string(text.substr(piece.begin, piece.end - piece.begin));
}

void Replace(std::string& text, const Piece& piece, std::string_view by) {
  text.replace(piece.begin, piece.end - piece.begin, by);
}

// Bytes, whatever they mean.
void MutateBytes(std::string& text, std::string_view other, Random& random) {
  const size_t at = random.Below(text.size() + 1);
  const size_t length = 1 + random.Below(random.OneIn(4) ? 400 : 8);
  switch (random.Below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.Next());
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.Below(8)));
      break;
    case 2:
      if (at < text.size()) text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(random.Below(text.size() + 1), length));
      break;
    case 4:
      text.insert(at, other.substr(random.Below(other.size() + 1), length));
      break;
    default:
      if (random.OneIn(8))
        text.resize(at);
      else
        text.insert(at, 1, static_cast<char>(random.Next()));
  }
}

// Numbers and texts, from lists of what matters and from the input itself, so that ids meet.
template <typename TextList>
void MutateTokens(std::string& text, const TextList& texts, Random& random) {
  if (random.OneIn(2)) {
    const std::vector<Piece> numbers = Numbers(text);
    if (numbers.empty()) return;
    const Piece piece = random.Pick(numbers);
    Replace(text, piece,
            random.OneIn(2) ? std::string(random.Pick(kNumbers)) : Cut(text, random.Pick(numbers)));
    return;
  }
  const std::vector<Piece> found = Texts(text);
  if (found.empty()) return;
  const Piece piece = random.Pick(found);
  std::string by =
      random.OneIn(2) ? std::string(random.Pick(texts)) : Cut(text, random.Pick(found));
  if (random.OneIn(40)) {
    const std::string once = by.empty() ? "n" : by;
    while (by.size() < 5000) by += once;
  }
  Replace(text, piece, by);
}

void MutateObjects(std::string& text, std::string_view other, Random& random) {
  const std::vector<Piece> objects = Objects(text);
  if (objects.empty()) return;
  const Piece piece = random.Pick(objects);
  switch (random.Below(5)) {
    case 0: {  // more of it
      const std::string copy = "," + Cut(text, piece);
      std::string copies;
      for (size_t n = 1 + random.Below(random.OneIn(10) ? 200 : 3); n > 0; --n) copies += copy;
      text.insert(piece.end, copies);
      break;
    }
    case 1:
      Replace(text, piece, Cut(text, random.Pick(objects)));
      break;
    case 2: {
      const std::vector<Piece> foreign = Objects(other);
      if (!foreign.empty()) text.insert(piece.end, "," + Cut(other, random.Pick(foreign)));
      break;
    }
    case 3: {  // one inside the other
      const std::string inner = Cut(text, random.Pick(objects));
      text.insert(piece.begin + 1, "\"inner\": " + inner + ",");
      break;
    }
    default:
      text.erase(piece.begin, piece.end - piece.begin);
  }
}

// A small change of a time makes ranges touch, cross and nest.
void MoveNumber(std::string& text, Random& random) {
  const std::vector<Piece> numbers = Numbers(text);
  if (numbers.empty()) return;
  const Piece piece = random.Pick(numbers);
  const std::string before = Cut(text, piece);
  char* end = nullptr;
  const long long value = std::strtoll(before.c_str(), &end, 10);
  const long long delta = static_cast<long long>(random.Below(41)) - 20;
  long long sum = 0;
  if (__builtin_add_overflow(value, delta, &sum)) return;
  Replace(text, piece, std::to_string(sum) + std::string(end));
}

void MutateTraceText(std::string& text, std::string_view other, Random& random) {
  switch (random.Below(8)) {
    case 0:
      return MutateBytes(text, other, random);
    case 1:
    case 2:
      return MutateTokens(text, kTraceTexts, random);
    case 3:
    case 4:
      return MutateObjects(text, other, random);
    case 5:
      return MoveNumber(text, random);
    case 6: {
      const std::vector<Piece> objects = Objects(text);
      if (objects.empty()) return;
      const std::string member = std::string(random.Pick(kTraceMembers)) + ",";
      text.insert(random.Pick(objects).begin + 1, member);
      return;
    }
    default:
      text.insert(random.Below(text.size() + 1), random.Pick(kTraceTop));
  }
}

bool Inflate(std::string_view packed, std::string* text) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return false;
  text->resize(kMaxText);
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<unsigned>(packed.size());
  stream.next_out = reinterpret_cast<unsigned char*>(text->data());
  stream.avail_out = static_cast<unsigned>(text->size());
  inflate(&stream, Z_FINISH);
  text->resize(text->size() - stream.avail_out);
  inflateEnd(&stream);
  return !text->empty();
}

std::string Deflate(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

void MutateTrace(std::string& text, std::string_view other, Random& random) {
  const bool gzip = text.starts_with("\x1f\x8b");
  std::string plain;
  if (gzip && !random.OneIn(4) && Inflate(text, &plain)) {
    MutateTraceText(plain, other, random);
    text = Deflate(plain);
  } else if (gzip) {
    MutateBytes(text, other, random);
  } else {
    MutateTraceText(text, other, random);
    if (random.OneIn(500)) text = Deflate(text);
  }
  if (text.size() > kMaxText) text.resize(kMaxText);
}

void MutatePython(std::string& text, std::string_view other, Random& random) {
  const std::vector<Piece> lines = Lines(text);
  if (lines.empty()) {
    text += random.Pick(kPythonTokens);
    return;
  }
  const Piece piece = random.Pick(lines);
  switch (random.Below(8)) {
    case 0:
      MutateBytes(text, other, random);
      break;
    case 1:
      text.insert(random.Below(text.size() + 1), random.Pick(kPythonTokens));
      break;
    case 2:
      text.insert(piece.begin, Cut(text, random.Pick(lines)));
      break;
    case 3:
      text.erase(piece.begin, piece.end - piece.begin);
      break;
    case 4:
      text.insert(piece.begin, random.OneIn(2) ? "    " : " ");
      break;
    case 5:
      if (text[piece.begin] == ' ') text.erase(piece.begin, 1 + random.Below(4));
      break;
    case 6: {  // deep
      std::string nested;
      const std::string_view token = random.Pick(kPythonTokens);
      for (size_t n = random.Below(300); n > 0; --n) nested += token;
      text.insert(random.OneIn(2) ? piece.begin : random.Below(text.size() + 1), nested);
      break;
    }
    default: {  // another version of the whole
      if (text.find('\x1e') == std::string::npos && text.size() < kMaxText / 2)
        text += '\x1e' + text;
      else
        text.insert(piece.begin, random.Pick(kPythonTokens));
    }
  }
  if (text.size() > kMaxText) text.resize(kMaxText);
}

void MutateRpc(std::string& text, std::string_view other, Random& random) {
  switch (random.Below(5)) {
    case 0:
      MutateBytes(text, other, random);
      break;
    case 1:
    case 2:
      MutateTokens(text, kTraceTexts, random);
      break;
    case 3:
      MutateObjects(text, other, random);
      break;
    default:
      text.insert(random.Below(text.size() + 1), random.Pick(kRpcTokens));
  }
  if (text.size() > kMaxText) text.resize(kMaxText);
}

}  // namespace emberline::fuzz
