#include <catch2/catch.hpp>
#include <string>

#include "base/mangled.h"

namespace emberline {
namespace {

TEST_CASE("mangled: the function's name without arguments and parameters") {
  CHECK(DemangledName("_ZN2ck6kernelILi4EEEvi") == "ck::kernel");
  CHECK(DemangledName("_ZN7cutlass6KernelINS_4gemm3OpTILi1ELb0EEEE3runEv") ==
        "cutlass::Kernel::run");
  CHECK(DemangledName("_ZN12_GLOBAL__N_13addEPfi") == "(anonymous namespace)::add");
  CHECK(DemangledName("_Z9transposePKfPfii") == "transpose");
  CHECK(DemangledName("_ZNSt6vectorIiSaIiEE9push_backERKi") == "std::vector::push_back");
  CHECK(DemangledName("aten::mm").empty());
}

TEST_CASE("mangled: what is cut short or made up is read to its end, once") {
  for (const char* name : {"_Z", "_ZN", "_Z99short", "_ZN2ckI", "_ZN2ckIL", "_ZN2ckIS", "_ZNIE"}) {
    CHECK(DemangledName(name).size() < 8);
  }
  CHECK(DemangledName("_ZN2ckI" + std::string(1 << 20, 'I')) == "ck");
  CHECK(DemangledName("_ZN" + std::string(1 << 16, '9')).empty());
}

TEST_CASE("mangled: names read without their namespaces, as pages show them") {
  CHECK(ReadableName("_ZN2ck6kernelILi4EEEvi") == "ck::kernel");
  CHECK(ReadableName("void at::native::fill<c10::Half, std::array<char*, 1ul> >(int)") ==
        "void fill<Half, array<char*, 1ul> >(int)");
  CHECK(ReadableName("void (anonymous namespace)::add<at::X>(int)") == "void add<X>(int)");
  CHECK(ReadableName("f<a::(anonymous namespace)::g>()") == "f<g>()");
  // What pages show as it was recorded.
  for (const char* name : {"aten::mm", "gemm_128x64", "foo<int>(float)", "", "<", "a::"}) {
    CHECK(ReadableName(name).empty());
  }
}

}  // namespace
}  // namespace emberline
