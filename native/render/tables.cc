#include "render/tables.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "render/errors.h"

namespace emberline {
namespace {

// Characters of UTF-8 text, each taken as one column wide.
size_t Width(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return width;
}

std::string Padded(const std::string& text, size_t width, bool right) {
  const size_t have = Width(text);
  const std::string pad(width > have ? width - have : 0, ' ');
  return right ? pad + text : text + pad;
}

// Numbers stand as they are; only texts, and what holds some, may be of a trace.
std::string CsvCell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number() || value.is_boolean()) return DumpJson(value);
  return CsvText(value.is_string() ? value.get_ref<const std::string&>() : DumpJson(value));
}

// Whether renderers make a link of `word` without any mark, which a backslash does not prevent:
// addresses of any scheme or none (files, too, whose ending is that of a country), of mail,
// mentions, and numbers of issues. Figures and the ends of sentences are none.
bool IsAddress(std::string_view word) {
  if (word.find('@') != std::string_view::npos || word.find("://") != std::string_view::npos) {
    return true;
  }
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  for (size_t i = 0; i + 1 < word.size(); ++i) {
    if (word[i] == '.' && is_letter(word[i + 1])) return true;
    if (word[i] == '#' && IsDigit(word[i + 1])) return true;
  }
  return false;
}

// A cell for awk: nothing in it separates, and it is never empty.
std::string WordOf(const Json& cell) {
  std::string text = cell.is_null()     ? "-"
                     : cell.is_string() ? Escaped(cell.get_ref<const std::string&>())
                                        : DumpJson(cell);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text.empty() ? "-" : text;
}

// A cell as people read it in its column.
std::string ReadableCell(const Json& cell, const Json& column) {
  if (cell.is_number_integer() && cell.get<int64_t>() < 0 && column.value("key", "") == "device") {
    return "host";
  }
  const std::string unit = column.value("unit", "");
  return column.value("signed", false) ? HumaneSigned(cell, unit) : Humane(cell, unit);
}

// Whether a column says nothing: each row was read, and none has a value in it. A time or number
// that is 0 everywhere says nothing either; a share or a difference of 0 does.
bool IsSilent(const Json& table, const Json& column) {
  const Json& rows = table["rows"];
  if (rows.empty() || table.value("totalRows", rows.size()) > rows.size()) return false;
  const bool zeros = column.value("role", "") == "measure" && column.value("unit", "") != "ratio" &&
                     !column.value("signed", false);
  const std::string& key = column["key"].get_ref<const std::string&>();
  return std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
    const auto cell = row.find(key);
    return cell == row.end() || cell->is_null() || *cell == "" || (zeros && *cell == 0);
  });
}

// The columns that people see. The first one stays, and what was asked for by name.
std::vector<const Json*> ColumnsForPeople(const Json& table) {
  std::vector<const Json*> shown;
  for (const Json& column : table["columns"]) {
    if (column.value("hidden", false)) continue;
    const bool stays = shown.empty() || column.value("kept", false);
    if (stays || !IsSilent(table, column)) shown.push_back(&column);
  }
  return shown;
}

// A line of what `word` gives for each column that is shown.
template <typename Word>
std::string JoinedWords(const Json& columns, Word&& word) {
  std::string out;
  for (const Json& column : columns) {
    if (column.value("hidden", false)) continue;
    if (!out.empty()) out += ' ';
    out += word(column["key"].get_ref<const std::string&>());
  }
  return out + "\n";
}

}  // namespace

bool IsTable(const Json& value) {
  return value.is_object() && value.contains("columns") && value.contains("rows") &&
         value["columns"].is_array() && value["rows"].is_array();
}

bool IsArrayOfObjects(const Json& value) {
  return value.is_array() && !value.empty() && value[0].is_object();
}

std::string Title(const std::string& key) {
  // As the page says, and the columns of the same figures.
  static constexpr std::pair<std::string_view, std::string_view> kTitles[] = {
      {"recommendations", "Findings"},
      {"gpus", "Devices"},
      {"roofShare", "Share of roof"},
      {"savedUs", "Potential gain"},
      {"unknownRoofShare", "Unknown of the roof"}};
  for (const auto& [known, title] : kTitles) {
    if (key == known) return std::string(title);
  }
  std::string title;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') {
      title += ' ';
      title += static_cast<char>(c - 'A' + 'a');
    } else {
      title += c;
    }
  }
  for (const char* unit : {" us", " ns", " bytes"}) {
    const std::string_view ending(unit);
    if (title.size() > ending.size() && title.ends_with(ending)) {
      title.resize(title.size() - ending.size());
    }
  }
  static constexpr std::pair<std::string_view, std::string_view> kRates[] = {
      {"tflops per s", "TFLOP/s"}, {"gb per s", "GB/s"}};
  for (const auto& [plain, form] : kRates) {
    if (title.ends_with(plain)) title.replace(title.size() - plain.size(), plain.size(), form);
  }
  // Keys hold no capitals but those that begin a word.
  static constexpr std::pair<std::string_view, std::string_view> kWritten[] = {
      {"cpu", "CPU"}, {"est", "est."}, {"flops", "FLOPs"}, {"gpu", "GPU"},
      {"hfu", "HFU"}, {"id", "ID"},    {"mfu", "MFU"},     {"npu", "NPU"},
      {"sm", "SM"},   {"pid", "PID"},  {"tid", "TID"}};
  std::string written;
  for (size_t at = 0; at < title.size();) {
    const size_t end = std::min(title.find(' ', at), title.size());
    std::string_view word = std::string_view(title).substr(at, end - at);
    for (const auto& [plain, form] : kWritten) {
      if (word == plain) {
        word = form;
        break;
      }
    }
    written += (written.empty() ? "" : " ") + std::string(word);
    at = end + 1;
  }
  if (!written.empty() && written[0] >= 'a' && written[0] <= 'z') {
    written[0] = static_cast<char>(written[0] - 'a' + 'A');
  }
  return Escaped(written);
}

std::string Shortened(const std::string& text, size_t width) {
  if (Width(text) <= width) return text;
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && ++seen == width) break;
  }
  return text.substr(0, at) + "…";
}

std::string Aligned(const std::vector<std::string>& titles, const std::vector<bool>& right,
                    const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths;
  for (const std::string& title : titles) widths.push_back(Width(title));
  for (const auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], Width(line[c]));
  }
  const auto join = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) text += "  ";
      text += Padded(cells[c], widths[c], right[c]);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text + "\n";
  };
  std::string out = join(titles);
  std::vector<std::string> rules;
  for (const size_t width : widths) rules.push_back(std::string(width, '-'));
  out += join(rules);
  for (const auto& line : lines) out += join(line);
  return out;
}

std::string UnitOfKey(const std::string& key) {
  if (key.ends_with("Us")) return "us";
  if (key.ends_with("Ns")) return "ns";
  if (key.ends_with("Bytes")) return "bytes";
  if (key == "gbPerS" || key.ends_with("GbPerS")) return "gbPerS";
  if (key == "flops" || key.ends_with("Flops")) return "flops";
  if (key == "mfu" || key == "hfu" || key == "target") return "ratio";
  for (const char* ratio : {"utilization", "Utilization", "Efficiency", "Occupancy", "Share",
                            "share", "Ratio", "ratio"}) {
    if (key.ends_with(ratio)) return "ratio";
  }
  for (const char* name : {"id", "line", "index", "track", "slice", "number", "rank", "device"}) {
    if (key == name) return "";
  }
  return "count";
}

std::string Humane(const Json& value, const std::string& unit) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return Escaped(value.get<std::string>());
  if (!value.is_number()) return Escaped(DumpJson(value));
  const double number = value.get<double>();
  for (const Unit known : {Unit::kUs, Unit::kNs, Unit::kBytes, Unit::kRatio, Unit::kPercent,
                           Unit::kGbPerS, Unit::kFlops}) {
    if (unit == UnitName(known)) return QuantityText(number, known);
  }
  if (value.is_number_integer()) {
    return unit == "count" ? GroupedText(value.get<int64_t>()) : DumpJson(value);
  }
  return QuantityText(number, Unit::kNone);
}

std::string HumaneSigned(const Json& delta, const std::string& unit) {
  std::string text = Humane(delta, unit);
  if (!delta.is_number()) return text;
  const double number = delta.get<double>();
  if (unit == UnitName(Unit::kRatio)) {
    text = QuantityText(number * 100, Unit::kPercent);
    text = (text.ends_with(" %") ? text.substr(0, text.size() - 2) : text) + " points";
  }
  return number > 0 && text[0] != '+' ? "+" + text : text;
}

std::string Counted(const Json& count, const std::string& one) {
  return Humane(count, "count") + " " + one + (count == 1 ? "" : "s");
}

std::string WordsHead(const Json& columns) {
  return JoinedWords(columns, [](const std::string& key) { return key; });
}

std::string WordsRow(const Json& columns, const Json& row) {
  return JoinedWords(columns, [&](const std::string& key) { return WordOf(row[key]); });
}

std::string TableWords(const Json& table, size_t width) {
  const Json& columns = table["columns"];
  if (width == 0) {
    std::string out = WordsHead(columns);
    for (const Json& row : table["rows"]) out += WordsRow(columns, row);
    return out;
  }
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string>& head = lines.emplace_back();
  std::vector<std::string> keys;
  for (const Json& column : columns) {
    if (column.value("hidden", false)) continue;
    keys.push_back(column["key"]);
    head.push_back(keys.back());
  }
  for (const Json& row : table["rows"]) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::string& key : keys) line.push_back(WordOf(row[key]));
  }
  std::vector<size_t> widths(keys.size(), 0);
  for (auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) {
      line[c] = Shortened(line[c], width);
      widths[c] = std::max(widths[c], Width(line[c]));
    }
  }
  std::string out;
  for (const auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) {
      if (c > 0) out += ' ';
      out += c + 1 == line.size() ? line[c] : Padded(line[c], widths[c], false);
    }
    out += '\n';
  }
  return out;
}

Result<Json> ChosenColumns(const std::string& keys, const Json& columns) {
  Json chosen = Json::array();
  std::string known;
  for (const Json& column : columns) {
    known += (known.empty() ? "" : ", ") + column["key"].get<std::string>();
  }
  for (size_t at = 0; at <= keys.size();) {
    const size_t comma = std::min(keys.find(',', at), keys.size());
    const std::string key = keys.substr(at, comma - at);
    at = comma + 1;
    bool found = false;
    for (const Json& column : columns) {
      if (column["key"] != key) continue;
      chosen.push_back(column);
      chosen.back()["hidden"] = false;
      found = true;
    }
    if (found) continue;
    return MakeError(errors::kNoSuchShownColumn, {{"column", key}, {"columns", known}});
  }
  return chosen;
}

Result<bool> ChooseColumns(const std::string& keys, Json* table) {
  Result<Json> columns = ChosenColumns(keys, (*table)["columns"]);
  if (!columns.ok()) return columns.error();
  for (Json& row : (*table)["rows"]) {
    Json kept = Json::object();
    for (const Json& column : columns.value()) {
      const std::string& key = column["key"].get_ref<const std::string&>();
      kept[key] = std::move(row[key]);
    }
    row = std::move(kept);
  }
  (*table)["columns"] = std::move(columns.value());
  return true;
}

std::string MarkdownText(const std::string& text) {
  // What begins or ends something in Markdown or HTML. No address holds one of the first.
  constexpr std::string_view kBorders = " \\`{}[]()<>|\"'", kMarks = "\\`*_{}[]()<>#!|~$&@";
  const std::string shown = Escaped(text);
  std::string out;
  for (size_t at = 0; at < shown.size();) {
    if (kBorders.find(shown[at]) != std::string_view::npos) {
      if (kMarks.find(shown[at]) != std::string_view::npos) out += '\\';
      out += shown[at++];
      continue;
    }
    const std::string word = shown.substr(at, shown.find_first_of(kBorders, at) - at);
    at += word.size();
    if (IsAddress(word)) {
      out += '`' + word + '`';
      continue;
    }
    for (const char c : word) {
      if (kMarks.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  // A text that begins so would be a list; signs of figures stay readable.
  if (out.starts_with("+ ") || out.starts_with("- ")) out.insert(0, "\\");
  return out;
}

std::string TableMarkdown(const Json& table) {
  const std::vector<const Json*> columns = ColumnsForPeople(table);
  const auto line = [&](auto&& cell) {
    std::string text = "|";
    for (const Json* column : columns) text += " " + cell(*column) + " |";
    return text + "\n";
  };
  const auto is_text = [](const Json& column) { return column.value("type", "text") == "text"; };
  std::string out = line([](const Json& column) { return MarkdownText(column["title"]); });
  out += line([&](const Json& column) { return std::string(is_text(column) ? "---" : "---:"); });
  for (const Json& row : table["rows"]) {
    out += line([&](const Json& column) {
      const Json cell = row.value(column["key"].get<std::string>(), Json());
      if (cell.is_null()) return std::string();
      if (cell.is_string()) return MarkdownText(Shortened(cell.get<std::string>()));
      return ReadableCell(cell, column);
    });
  }
  const uint64_t total = table.value("totalRows", uint64_t{0});
  if (total > table["rows"].size()) {
    out +=
        "\n" + std::to_string(table["rows"].size()) + " of " + std::to_string(total) + " rows.\n";
  }
  return out;
}

std::string TableText(const Json& table) {
  std::vector<std::string> titles, keys;
  std::vector<bool> right;
  const std::vector<const Json*> columns = ColumnsForPeople(table);
  for (const Json* column : columns) {
    keys.push_back(column->value("key", ""));
    titles.push_back(Escaped(column->value("title", keys.back())));
    right.push_back(column->value("type", "text") != "text");
  }
  if (keys.empty()) return "(no columns)\n";
  std::vector<std::vector<std::string>> lines;
  for (const Json& row : table["rows"]) {
    std::vector<std::string> line;
    for (size_t c = 0; c < keys.size(); ++c) {
      line.push_back(Shortened(ReadableCell(row.value(keys[c], Json()), *columns[c])));
    }
    lines.push_back(std::move(line));
  }
  std::string out = Aligned(titles, right, lines);
  const uint64_t total = table.value("totalRows", static_cast<uint64_t>(lines.size()));
  if (lines.empty()) out += "(no rows)\n";
  if (total > lines.size()) {
    out += "(" + GroupedText(static_cast<int64_t>(lines.size())) + " of " +
           GroupedText(static_cast<int64_t>(total)) + " rows; --limit -1 shows all)\n";
  }
  return out;
}

std::string CsvHead(const Json& columns) {
  std::string out;
  for (const Json& column : columns) {
    if (&column != &columns.front()) out += ',';
    out += CsvCell(column["key"]);
  }
  return out + "\r\n";
}

std::string CsvRow(const Json& columns, const Json& row) {
  std::string out;
  for (const Json& column : columns) {
    if (&column != &columns.front()) out += ',';
    const auto cell = row.find(column["key"].get_ref<const std::string&>());
    if (cell != row.end()) out += CsvCell(*cell);
  }
  return out + "\r\n";
}

std::string TableCsv(const Json& table) {
  std::string out = CsvHead(table["columns"]);
  for (const Json& row : table["rows"]) out += CsvRow(table["columns"], row);
  return out;
}

Json TableOfObjects(const Json& objects) {
  Json columns = Json::array();
  std::vector<std::string> keys;
  for (const Json& object : objects) {
    if (!object.is_object()) continue;
    for (const auto& [key, value] : object.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      keys.push_back(key);
      columns.push_back({{"key", key},
                         {"title", Title(key)},
                         {"type", value.is_number() ? "number" : "text"},
                         {"unit", UnitOfKey(key)}});
    }
  }
  Json rows = Json::array();
  for (const Json& object : objects) {
    Json row = Json::object();
    for (const std::string& key : keys) {
      const Json value = object.is_object() ? object.value(key, Json()) : Json();
      row[key] = value.is_structured() ? Json(DumpJson(value)) : value;
    }
    rows.push_back(std::move(row));
  }
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

}  // namespace emberline
