// Regular expressions: what they match, what is refused and where, and that none explodes.
#include <catch2/catch.hpp>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "base/pattern.h"

using namespace emberline;

namespace {

bool Matches(const std::string& pattern, const std::string& text) {
  Result<Pattern> parsed = Pattern::Parse(pattern);
  INFO(pattern);
  REQUIRE(parsed.ok());
  return parsed->Matches(text);
}

std::string ErrorOf(const std::string& pattern) {
  const Result<Pattern> parsed = Pattern::Parse(pattern);
  INFO(pattern);
  REQUIRE(!parsed.ok());
  CHECK(parsed.error().kind == ErrorKind::kInvalidArgument);
  CHECK(!parsed.error().hint.empty());
  return parsed.error().message;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("pattern: matches anywhere, in any case") {
  CHECK(Matches("^aten::(addmm|mm)$", "aten::mm"));
  CHECK_FALSE(Matches("^aten::(addmm|mm)$", "aten::mm_"));
  CHECK(Matches("GEMM", "void gemm_kernel<float>"));
  CHECK(Matches("\\bconv\\d+d", "aten::conv2d"));
  CHECK(Matches("[[:alpha:]]+_v\\d", "x_v3"));
  CHECK(Matches("", "anything"));
  CHECK(Matches("a.c",
                "a\xc3\xa9"
                "c"));  // a character of two bytes
  CHECK_FALSE(Matches("a.c",
                      "a\xff\xff\xff"
                      "d"));  // not UTF-8
}

TEST_CASE("pattern: what cannot be used says where") {
  CHECK(Holds(ErrorOf("conv(2d"), "not closed: `(2d` at character 5"));
  CHECK(Holds(ErrorOf("conv2d)"), "not opened: `)` at character 7"));
  CHECK(Holds(ErrorOf("a[bc"), "not closed: `[bc` at character 2"));
  CHECK(Holds(ErrorOf("ab|*c"), "nothing here to repeat: `*` at character 4"));
  CHECK(Holds(ErrorOf("x[z-a]"), "backwards: `z-a` at character 3"));
  CHECK(Holds(ErrorOf("ab(?=c)"), "look-around"));
  CHECK(Holds(ErrorOf("(a)\\1"), "back references: `\\1` at character 4"));
  CHECK(Holds(ErrorOf("abc\\"), "backslash: `\\` at character 4"));
  CHECK(Holds(ErrorOf("xa{2000}"), "repeats too much: `{2000}` at character 3"));
  CHECK(Holds(ErrorOf(std::string(501, 'a')), "longer than 500 bytes"));
  for (const char* huge : {"((a?){100}){100}", "(((a{0,99}){1,99}){99})b"}) {
    (void)ErrorOf(huge);
  }
}

TEST_CASE("pattern: an expression with thousands of states is refused, an ordinary one is not") {
  for (const char* large : {"(.*){1,1000}x", ".{999}z", "(a|b|c|.)*.{900}z", "(\\w.*){9}.{700}"}) {
    CHECK(Holds(ErrorOf(large), "repeats too much"));
  }
  for (const char* ordinary :
       {".{0,200}gemm", "^(aten|c10d|nccl)::[a-z_]{1,200}$", "void .*<.*>.*\\(.*\\)",
        "(ampere|volta|sm(70|80|90)).*gemm.*_(nn|nt|tn|tt)", "[\\p{L}\\d]+_v\\d",
        "(?:a?){30}a{30}b"}) {
    INFO(ordinary);
    CHECK(Pattern::Parse(ordinary).ok());
  }
}

TEST_CASE(
    "pattern: a search ends when it has cost enough, and ordinary ones cost next to nothing") {
  std::mt19937 random(5);
  // Letters in which hardly any set of states comes twice.
  std::vector<std::string> texts(300, std::string(4000, ' '));
  for (std::string& text : texts) {
    for (char& c : text) c = "ab"[random() % 2];
  }
  // One million letters, and how many of the texts were looked at.
  const auto looked_at = [&](const std::string& pattern) {
    const Result<Pattern> parsed = Pattern::Parse(pattern);
    INFO(pattern);
    REQUIRE(parsed.ok());
    MatchBudget budget;
    size_t count = 0;
    for (; count < texts.size() && !budget.spent(); ++count) {
      CHECK_FALSE(parsed->Matches(texts[count], &budget));
    }
    return count;
  };
  for (const char* costly : {"a.{250}z", "(a|b)*a[ab]{500}z", "(a?b?){200}a.{100}z"}) {
    const std::clock_t begin = std::clock();
    INFO(costly);
    CHECK(looked_at(costly) < texts.size());
    // Generous: about a second on a machine that does nothing else.
    CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 10);
  }
  for (const char* ordinary :
       {"gemm|aten::(mm|bmm)", "^.*z$", "a.*b.*c", "\\ba+z", "(a+)+z", "[ab]{1,20}z"}) {
    CHECK(looked_at(ordinary) == texts.size());
  }
  MatchBudget budget;
  CHECK(budget.error().kind == ErrorKind::kInvalidArgument);
  CHECK(!budget.error().hint.empty());
}

TEST_CASE("pattern: the classic explosions are linear") {
  // With backtracking, each of these takes longer than the age of the universe; the limit is a
  // thousand times what it takes.
  const std::string text = std::string(100'000, 'a') + "!";
  std::string nested = "a";
  for (int i = 0; i < 20; ++i) nested = "(" + nested + ")*";
  const std::clock_t begin = std::clock();
  for (const std::string& pattern :
       {std::string("(a+)+$"), std::string("^(a|a)*$"), std::string("(a|aa)+$"),
        std::string("^([a-z]+)*$"), std::string("(.*)*(.*)*(.*)*b"), std::string("(x+x+)+y|(a*)*b"),
        std::string("^(([a-z])+.)+[A-Z]([a-z])+$"), std::string("(?:a?){30}a{30}b"),
        std::string("(a|b|ab)*c"), "^" + nested + "$"}) {
    CHECK_FALSE(Matches(pattern, text));
  }
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 30);
}
