// Text for terminals and spreadsheets, and the command line's words.
#include <catch2/catch.hpp>

#include "app/options.h"
#include "render/tables.h"

using namespace emberline;

TEST_CASE("render: units") {
  CHECK(Humane(1234.5678, "us") == "1.235 ms");
  CHECK(Humane(0.5, "us") == "0.500 µs");
  CHECK(Humane(2'500'000'000, "ns") == "2.500 s");
  CHECK(Humane(1536, "bytes") == "1.50 KiB");
  CHECK(Humane(7, "bytes") == "7 B");
  CHECK(Humane(0.1234, "ratio") == "12.34 %");
  CHECK(Humane(1234567, "count") == "1,234,567");
  CHECK(Humane(-1234, "count") == "-1,234");
  CHECK(Humane(1234567, "") == "1234567");
  CHECK(Humane(nullptr, "us") == "-");
  CHECK(Humane(true, "") == "yes");
  CHECK(UnitOfKey("hostSelfUs") == "us");
  CHECK(UnitOfKey("sizeBytes") == "bytes");
  CHECK(UnitOfKey("calls") == "count");
  CHECK(UnitOfKey("line") == "");
}

TEST_CASE("render: tables align, csv quotes") {
  const Json table = {
      {"columns",
       {{{"key", "name"}, {"title", "Name"}, {"type", "text"}, {"unit", ""}},
        {{"key", "us"}, {"title", "Time"}, {"type", "number"}, {"unit", "us"}},
        {{"key", "id"}, {"title", "Id"}, {"type", "integer"}, {"unit", ""}, {"hidden", true}}}},
      {"rows",
       {{{"name", "größe"}, {"us", 1.5}, {"id", 1}},
        {{"name", "b,\"c\""}, {"us", nullptr}, {"id", 2}}}},
      {"totalRows", 3}};
  CHECK(TableText(table) ==
        "Name       Time\n"
        "-----  --------\n"
        "größe  1.500 µs\n"
        "b,\"c\"         -\n"
        "(2 of 3 rows; --limit -1 shows all)\n");
  CHECK(TableCsv(table) == "name,us,id\r\ngröße,1.5,1\r\n\"b,\"\"c\"\"\",,2\r\n");
}

TEST_CASE("options: values, flags, the end of options") {
  const auto options = ParseOptions({"operators", "--sort=-calls", "--limit", "-1", "--source", "a",
                                     "--source=b", "--", "-strange-path"});
  REQUIRE(options.ok());
  CHECK(options->command == "operators");
  CHECK(options->path == "-strange-path");
  CHECK(options->sort == "-calls");
  CHECK(options->limit == -1);
  CHECK(options->sources == std::vector<std::string>{"a", "b"});
  const auto window = ParseOptions({"timeline", "x", "--window", "-5:10", "--track", "3"});
  REQUIRE(window.ok());
  CHECK(window->window == std::pair<int64_t, int64_t>(-5, 10));
  CHECK(window->tracks == std::vector<int64_t>{3});
}

TEST_CASE("options: wrong usage says what is right") {
  const auto hint = [](std::vector<std::string> arguments) {
    const auto options = ParseOptions(arguments);
    REQUIRE(!options.ok());
    CHECK(options.error().kind == ErrorKind::kInvalidArgument);
    return options.error().message + " " + options.error().hint;
  };
  CHECK(hint({"check", "x", "--wroker", "a"}).find("--worker") != std::string::npos);
  CHECK(hint({"operators", "x", "--limit", "1e3"}).find("whole number") != std::string::npos);
  CHECK(hint({"--version=yes"}).find("no value") != std::string::npos);
  CHECK(hint({"check", "x", "--param", "novalue"}).find("KEY=VALUE") != std::string::npos);
}
