// Text for terminals and spreadsheets, and the command line's words.
#include <catch2/catch.hpp>

#include "app/options.h"
#include "render/tables.h"

using namespace emberline;

TEST_CASE("render: units") {
  CHECK(Humane(1234.5678, "us") == "1.23 ms");
  CHECK(Humane(0.5, "us") == "500 ns");
  CHECK(Humane(0, "us") == "0 µs");
  CHECK(Humane(999.96, "us") == "1.00 ms");
  CHECK(Humane(2'500'000'000, "ns") == "2.50 s");
  CHECK(Humane(-15'100, "ns") == "\u221215.1 µs");
  CHECK(Humane(1536, "bytes") == "1.50 KiB");
  CHECK(Humane(7, "bytes") == "7 B");
  CHECK(Humane(84'992, "bytes") == "83.0 KiB");
  CHECK(Humane(0.1234, "ratio") == "12.3 %");
  CHECK(Humane(0.0004, "ratio") == "< 0.1 %");
  CHECK(Humane(0.9999, "ratio") == "> 99.9 %");
  CHECK(Humane(10312.29, "") == "10,312");
  CHECK(Humane(0.00312, "") == "0.003");
  CHECK(Humane(0.000004, "") == "< 0.001");
  CHECK(Humane(2.5e12, "flops") == "2.50 TFLOP");
  CHECK(Humane(3.04, "percent") == "+3.0 %");
  CHECK(Humane(1234567, "count") == "1,234,567");
  CHECK(Humane(-1234, "count") == "\u22121,234");
  CHECK(Humane(1234567, "") == "1234567");
  CHECK(Humane(nullptr, "us") == "-");
  CHECK(Humane(true, "") == "yes");
  CHECK(UnitOfKey("hostSelfUs") == "us");
  CHECK(UnitOfKey("sizeBytes") == "bytes");
  CHECK(UnitOfKey("calls") == "count");
  CHECK(UnitOfKey("line") == "");
  CHECK(UnitOfKey("forwardFlops") == "flops");
  CHECK(UnitOfKey("mfu") == "ratio");
  CHECK(Title("hfu") == "HFU");
  CHECK(Title("peakTflopsPerS") == "Peak TFLOP/s");
  CHECK(Title("estSmEfficiency") == "Est. SM efficiency");
  CHECK(Title("hostSelfUs") == "Host self");
  CHECK(Title("gpuKernelDurationUs") == "GPU kernel duration");
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
        "Name      Time\n"
        "-----  -------\n"
        "größe  1.50 µs\n"
        "b,\"c\"        -\n"
        "(2 of 3 rows; --limit -1 shows all)\n");
  CHECK(TableCsv(table) == "name,us,id\r\ngröße,1.5,1\r\n\"b,\"\"c\"\"\",,2\r\n");
}

TEST_CASE("render: the host is no device with a number, but for programs") {
  const Json table = {{"columns",
                       {{{"key", "device"}, {"title", "Device"}, {"type", "integer"}, {"unit", ""}},
                        {{"key", "delta"}, {"title", "Delta"}, {"type", "integer"}, {"unit", ""}}}},
                      {"rows", {{{"device", -1}, {"delta", -1}}, {{"device", 0}, {"delta", 0}}}},
                      {"totalRows", 2}};
  CHECK(TableText(table) == "Device  Delta\n------  -----\n  host     -1\n     0      0\n");
  CHECK(TableCsv(table) == "device,delta\r\n-1,-1\r\n0,0\r\n");
}

TEST_CASE("render: people see no columns without a value, but those they ask for") {
  const auto column = [](const char* key, const char* role) {
    return Json{{"key", key}, {"title", key}, {"type", "number"}, {"unit", "us"}, {"role", role}};
  };
  Json table = {{"columns",
                 {column("name", "key"), column("none", "measure"), column("zero", "measure"),
                  column("some", "measure"), column("fact", "fact"), column("delta", "measure")}},
                {"rows",
                 {{{"name", nullptr},
                   {"none", nullptr},
                   {"zero", 0.0},
                   {"some", 0},
                   {"fact", 0},
                   {"delta", 0}},
                  {{"name", nullptr},
                   {"none", nullptr},
                   {"zero", 0},
                   {"some", 2},
                   {"fact", 0},
                   {"delta", 0}}}}};
  table["columns"][5]["signed"] = true;
  const auto head = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  CHECK(head(TableText(table)) == "name     some  fact  delta");
  CHECK(head(TableMarkdown(table)) == "| name | some | fact | delta |");
  CHECK(head(TableCsv(table)) == "name,none,zero,some,fact,delta\r");
  // What other rows hold is not known.
  Json part = table;
  part["totalRows"] = 3;
  CHECK(head(TableText(part)) == "name  none  zero     some  fact  delta");
  REQUIRE(ChooseColumns("name,zero", &table).ok());
  for (Json& one : table["columns"]) one["kept"] = true;
  CHECK(head(TableText(table)) == "name  zero");
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
