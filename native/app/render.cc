#include "app/render.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/escape.h"

namespace emberline {
namespace {

constexpr size_t kMaxCell = 72;        // characters of a text cell
constexpr size_t kMaxTreeLines = 300;  // of a tree; JSON shows all

std::string Formatted(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string Grouped(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  std::string digits = std::to_string(value < 0 ? 0 - bits : bits);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return value < 0 ? "-" + digits : digits;
}

std::string Duration(double us) {
  const double size = std::abs(us);
  if (size >= 1e6) return Formatted("%.3f s", us / 1e6);
  if (size >= 1e3) return Formatted("%.3f ms", us / 1e3);
  return Formatted("%.3f µs", us);
}

std::string Bytes(double bytes) {
  static constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int scale = 0;
  while (std::abs(bytes) >= 1024 && scale < 4) {
    bytes /= 1024;
    ++scale;
  }
  return Formatted(scale == 0 ? "%.0f " : "%.2f ", bytes) + kNames[scale];
}

std::string Flops(double value) {
  static constexpr const char* kNames[] = {"", "K", "M", "G", "T", "P"};
  int scale = 0;
  while (std::abs(value) >= 1000 && scale < 5) {
    value /= 1000;
    ++scale;
  }
  return Formatted("%.2f ", value) + kNames[scale] + "FLOP";
}

// Characters of UTF-8 text, each taken as one column wide.
size_t Width(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return width;
}

std::string Shortened(const std::string& text, size_t width = kMaxCell) {
  if (Width(text) <= width) return text;
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && ++seen == width) break;
  }
  return text.substr(0, at) + "…";
}

std::string Padded(const std::string& text, size_t width, bool right) {
  const size_t have = Width(text);
  const std::string pad(width > have ? width - have : 0, ' ');
  return right ? pad + text : text + pad;
}

bool IsTable(const Json& value) {
  return value.is_object() && value.contains("columns") && value.contains("rows") &&
         value["columns"].is_array() && value["rows"].is_array();
}

bool IsArrayOfObjects(const Json& value) {
  return value.is_array() && !value.empty() && value[0].is_object();
}

bool IsFlat(const Json& value) {
  for (const auto& [key, member] : value.items()) {
    if (member.is_structured()) return false;
  }
  return true;
}

// Numbers stand as they are; only texts, and what holds some, may be of a trace.
std::string CsvCell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number() || value.is_boolean()) return DumpJson(value);
  return CsvText(value.is_string() ? value.get_ref<const std::string&>() : DumpJson(value));
}

// "Device self" from "deviceSelfUs". Keys may be a trace's own.
std::string Title(const std::string& key) {
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
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') {
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  }
  return Escaped(title);
}

std::string Absences(const Json& absences) {
  std::string text;
  for (const Json& absence : absences) {
    text += "Missing: " + Escaped(absence.value("what", "")) + "\n";
    const std::string argument = absence.value("argument", "");
    if (!argument.empty()) text += "  torch.profiler argument: " + Escaped(argument) + "\n";
  }
  return text;
}

void AppendMember(const std::string& key, const Json& value, int depth, std::string* out);

void AppendObject(const Json& object, int depth, std::string* out) {
  for (const auto& [key, member] : object.items()) AppendMember(key, member, depth, out);
}

// Children below their parent, indented; for module trees and the like.
void AppendTree(const Json& nodes, int depth, std::vector<std::vector<std::string>>* lines,
                const std::vector<std::string>& keys) {
  if (depth > 60) return;
  for (const Json& node : nodes) {
    if (!node.is_object() || lines->size() >= kMaxTreeLines) continue;
    std::vector<std::string> cells;
    for (const std::string& key : keys) {
      const Json cell = node.value(key, Json());
      std::string text = Humane(cell, UnitOfKey(key));
      if (cells.empty()) text = std::string(static_cast<size_t>(depth) * 2, ' ') + text;
      cells.push_back(Shortened(text));
    }
    lines->push_back(std::move(cells));
    if (node.contains("children") && node["children"].is_array()) {
      AppendTree(node["children"], depth + 1, lines, keys);
    }
  }
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

std::string TreeText(const Json& nodes) {
  std::vector<std::string> keys;
  std::vector<bool> right;
  for (const auto& [key, member] : nodes[0].items()) {
    if (member.is_structured() || key == "id" || key == "parent") continue;
    const bool text = member.is_string();
    if (text && key == "name") {
      keys.insert(keys.begin(), key);
      right.insert(right.begin(), false);
    } else {
      keys.push_back(key);
      right.push_back(!text);
    }
  }
  std::vector<std::string> titles;
  for (const std::string& key : keys) titles.push_back(Title(key));
  std::vector<std::vector<std::string>> lines;
  AppendTree(nodes, 0, &lines, keys);
  std::string text = Aligned(titles, right, lines);
  if (lines.size() >= kMaxTreeLines) text += "(more below; --format json shows all)\n";
  return text;
}

// Members that only charts need: they repeat the table, or are long lists of numbers.
bool IsForCharts(const std::string& key) {
  return key == "ring" || key == "rings" || key == "roles" || key == "curve" || key == "schema";
}

// Counts that only made-up files bring above 0.
bool IsRare(const std::string& key) { return key == "unlistedRows" || key == "unlistedSlices"; }

void AppendMember(const std::string& key, const Json& value, int depth, std::string* out) {
  if (IsForCharts(key) || (IsRare(key) && value == 0)) return;
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  if (key == "absences" && value.is_array()) {
    *out += Absences(value);
  } else if (IsTable(value)) {
    *out += "\n" + Title(key) + "\n" + TableText(value);
  } else if (IsArrayOfObjects(value)) {
    const bool tree = value[0].contains("children");
    *out += "\n" + Title(key) + "\n" + (tree ? TreeText(value) : TableText(TableOfObjects(value)));
  } else if (value.is_object()) {
    if (value.empty()) return;
    *out += (depth == 0 ? "\n" : "") + indent + Title(key) + "\n";
    if (depth < 8) AppendObject(value, depth + 1, out);
  } else if (value.is_array()) {
    if (value.empty()) return;
    const std::string text = Escaped(DumpJson(value));
    *out += indent + Title(key) + ": " + Shortened(text) + "\n";
  } else if (!value.is_null()) {
    *out += indent + Title(key) + ": " + Humane(value, UnitOfKey(key)) + "\n";
  }
}

std::string OverviewText(const Json& result) {
  std::string out;
  // A part that the trace recorded nothing of is no column of zeros, as on the page.
  const auto present = [&](const std::string& part) {
    const Json roles = result.value("roles", Json::array());
    return std::none_of(roles.begin(), roles.end(), [&](const Json& role) {
      return role.value("key", "") == part && !role.value("present", true);
    });
  };
  Json rest = Json::object();
  for (const auto& [key, value] : result.items()) {
    if (key == "steps" && IsArrayOfObjects(value)) {
      // One line per step, with its parts as columns.
      Json flat = Json::array();
      Json all = value;
      if (result.contains("average") && result["average"].is_object()) {
        Json average = result["average"];
        average["name"] = "average";
        all.push_back(std::move(average));
      }
      for (const Json& step : all) {
        Json line = Json::object();
        line["step"] = step.value("name", "");
        line["durationUs"] = step.value("durationUs", Json());
        if (step.contains("parts")) {
          for (const auto& [part, us] : step["parts"].items()) {
            if (present(part)) line[part + "Us"] = us;
          }
        }
        flat.push_back(std::move(line));
      }
      out += "Steps\n" + TableText(TableOfObjects(flat));
    } else if (key == "recommendations" || key == "findings") {
      if (!value.is_array() || value.empty()) continue;
      rest[key] = value;
    } else if (key != "average") {
      rest[key] = value;
    }
  }
  for (const auto& [key, value] : rest.items()) {
    if ((key == "recommendations" || key == "findings") && IsArrayOfObjects(value)) {
      out += "\n" + Title(key) + "\n";
      for (const Json& finding : value) {
        out += "  [" + Escaped(finding.value("severity", "")) + "] " +
               Escaped(finding.value("title", finding.value("id", ""))) + "\n";
        const std::string text = finding.value("text", "");
        if (!text.empty()) out += "      " + Escaped(text) + "\n";
        const std::string action = finding.value("action", "");
        if (!action.empty()) out += "      " + Escaped(action) + "\n";
      }
    } else {
      AppendMember(key, value, 0, &out);
    }
  }
  return out;
}

}  // namespace

std::string UnitOfKey(const std::string& key) {
  if (key.ends_with("Us")) return "us";
  if (key.ends_with("Ns")) return "ns";
  if (key.ends_with("Bytes")) return "bytes";
  if (key.ends_with("GbPerS")) return "gbPerS";
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
  if (unit == "us") return Duration(number);
  if (unit == "ns") return Duration(number / 1000);
  if (unit == "bytes") return Bytes(number);
  if (unit == "ratio") return Formatted("%.2f %%", number * 100);
  // A change, in percent of what was there before.
  if (unit == "percent") return Formatted("%+.1f %%", number);
  if (unit == "gbPerS") return Formatted("%.2f GB/s", number);
  if (unit == "flops") return Flops(number);
  if (value.is_number_integer()) {
    return unit == "count" ? Grouped(value.get<int64_t>()) : DumpJson(value);
  }
  return Formatted("%.3f", number);
}

std::string TableWords(const Json& table, size_t width) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string>& head = lines.emplace_back();
  std::vector<std::string> keys;
  for (const Json& column : table["columns"]) {
    if (column.value("hidden", false)) continue;
    keys.push_back(column["key"]);
    head.push_back(keys.back());
  }
  for (const Json& row : table["rows"]) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::string& key : keys) {
      const Json& cell = row[key];
      std::string text = cell.is_null()     ? "-"
                         : cell.is_string() ? Escaped(cell.get<std::string>())
                                            : DumpJson(cell);
      std::replace(text.begin(), text.end(), ' ', '_');
      line.push_back(text.empty() ? "-" : std::move(text));
    }
  }
  std::vector<size_t> widths(keys.size(), 0);
  for (auto& line : lines) {
    for (size_t c = 0; width > 0 && c < line.size(); ++c) {
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

Result<bool> ChooseColumns(const std::string& keys, Json* table) {
  Json columns = Json::array();
  std::string known;
  for (const Json& column : (*table)["columns"]) {
    known += (known.empty() ? "" : ", ") + column["key"].get<std::string>();
  }
  for (size_t at = 0; at <= keys.size();) {
    const size_t comma = std::min(keys.find(',', at), keys.size());
    const std::string key = keys.substr(at, comma - at);
    at = comma + 1;
    bool found = false;
    for (const Json& column : (*table)["columns"]) {
      if (column["key"] != key) continue;
      columns.push_back(column);
      columns.back()["hidden"] = false;
      found = true;
    }
    if (found) continue;
    return Error{ErrorKind::kInvalidArgument, "There is no column \"" + key + "\".",
                 "Columns: " + known + ".", std::nullopt};
  }
  for (Json& row : (*table)["rows"]) {
    Json kept = Json::object();
    for (const Json& column : columns) {
      const std::string& key = column["key"].get_ref<const std::string&>();
      kept[key] = std::move(row[key]);
    }
    row = std::move(kept);
  }
  (*table)["columns"] = std::move(columns);
  return true;
}

std::string MarkdownText(const std::string& text) {
  std::string out;
  for (const char c : Escaped(text)) {
    // What begins or ends something in Markdown or HTML.
    if (std::string_view("\\`*_{}[]()<>#+!|~$&@").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  // Addresses become links of themselves without any mark.
  for (const char* scheme : {"http:", "https:", "www."}) {
    for (size_t at = out.find(scheme); at != std::string::npos; at = out.find(scheme, at + 8)) {
      out.insert(at + std::string_view(scheme).size() - 1, "\\");
    }
  }
  return out;
}

std::string TableMarkdown(const Json& table) {
  std::vector<const Json*> columns;
  for (const Json& column : table["columns"]) {
    if (!column.value("hidden", false)) columns.push_back(&column);
  }
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
      return Humane(cell, column.value("unit", ""));
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
  std::vector<std::string> titles, keys, units;
  std::vector<bool> right;
  for (const Json& column : table["columns"]) {
    if (column.value("hidden", false)) continue;
    keys.push_back(column.value("key", ""));
    titles.push_back(Escaped(column.value("title", keys.back())));
    units.push_back(column.value("unit", ""));
    right.push_back(column.value("type", "text") != "text");
  }
  if (keys.empty()) return "(no columns)\n";
  std::vector<std::vector<std::string>> lines;
  for (const Json& row : table["rows"]) {
    std::vector<std::string> line;
    for (size_t c = 0; c < keys.size(); ++c) {
      line.push_back(Shortened(Humane(row.value(keys[c], Json()), units[c])));
    }
    lines.push_back(std::move(line));
  }
  std::string out = Aligned(titles, right, lines);
  const uint64_t total = table.value("totalRows", static_cast<uint64_t>(lines.size()));
  if (lines.empty()) out += "(no rows)\n";
  if (total > lines.size()) {
    out += "(" + Grouped(static_cast<int64_t>(lines.size())) + " of " +
           Grouped(static_cast<int64_t>(total)) + " rows; --limit -1 shows all)\n";
  }
  return out;
}

std::string TableCsv(const Json& table) {
  std::string out;
  const Json& columns = table["columns"];
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) out += ',';
    out += CsvCell(columns[c]["key"]);
  }
  out += "\r\n";
  for (const Json& row : table["rows"]) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) out += ',';
      out += CsvCell(row.value(columns[c]["key"].get<std::string>(), Json()));
    }
    out += "\r\n";
  }
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

namespace {

// The boxes of timeline/window, one per line: {columns, rows}.
Json BoxTable(const Json& window) {
  Json boxes = Json::array();
  for (const Json& row : window["rows"]) {
    for (size_t i = 0; i < row["start"].size(); ++i) {
      boxes.push_back({{"track", row["track"]},
                       {"lane", row["lane"][i]},
                       {"startNs", row["start"][i]},
                       {"durationNs", row["length"][i]},
                       {"slices", row["count"][i]},
                       {"slice", row["slice"][i]},
                       {"kind", window["kinds"][row["kind"][i].get<size_t>()]},
                       {"name", window["names"][row["name"][i].get<size_t>()]}});
    }
  }
  return TableOfObjects(boxes);
}

bool IsWindow(const std::string& view, const Json& result) {
  return view == "timeline" && result.contains("names") && result.contains("kinds");
}

}  // namespace

std::string ResultText(const std::string& view, const Json& result) {
  if (view == "overview") return OverviewText(result);
  if (IsWindow(view, result)) return TableText(BoxTable(result));
  std::string out;
  if (IsTable(result)) out += TableText(result);
  // Sums of what there is nothing of would read like measured zeros.
  const bool nothing = IsTable(result) && result.value("unfilteredRows", 1) == 0;
  for (const auto& [key, value] : result.items()) {
    if (IsTable(result) && (key == "columns" || key == "rows" || key == "totalRows" ||
                            key == "unfilteredRows" || key == "defaultSort")) {
      continue;
    }
    if (nothing && !value.is_structured()) continue;
    AppendMember(key, value, 0, &out);
  }
  return out;
}

// The nodes of trees, each parent before its children, which are told by their depth.
Json RowsOfTrees(const Json& roots) {
  Json rows = Json::array();
  std::vector<std::pair<const Json*, int64_t>> open;
  const auto push = [&](const Json& nodes, int64_t depth) {
    for (size_t k = nodes.size(); k-- > 0;) open.emplace_back(&nodes[k], depth);
  };
  push(roots, 0);
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    Json row = {{"depth", depth}};
    for (const auto& [key, value] : node->items()) {
      if (key != "children") row[key] = value;
    }
    rows.push_back(std::move(row));
    if (node->contains("children")) push((*node)["children"], depth + 1);
  }
  return rows;
}

std::string ResultCsv(const std::string& view, const Json& result) {
  if (IsTable(result)) return TableCsv(result);
  for (const char* key : {"tree", "modules"}) {
    if (!result.contains(key)) continue;
    const Json& tree = result[key];
    const Json rows = RowsOfTrees(tree.is_array() ? tree : Json::array({tree}));
    if (!rows.empty()) return TableCsv(TableOfObjects(rows));
  }
  if (IsWindow(view, result)) return TableCsv(BoxTable(result));
  static constexpr const char* kPreferred[] = {"statistics", "tracks", "steps", "rows"};
  for (const char* key : kPreferred) {
    if (!result.contains(key)) continue;
    if (IsTable(result[key])) return TableCsv(result[key]);
    if (!IsArrayOfObjects(result[key])) continue;
    Json objects = Json::array();
    for (const Json& object : result[key]) {
      Json flat = object;
      if (view == "overview" && flat.contains("parts") && IsFlat(flat["parts"])) {
        for (const auto& [part, us] : object["parts"].items()) flat[part + "Us"] = us;
        flat.erase("parts");
      }
      objects.push_back(std::move(flat));
    }
    return TableCsv(TableOfObjects(objects));
  }
  for (const auto& [key, value] : result.items()) {
    if (IsTable(value)) return TableCsv(value);
    if (IsArrayOfObjects(value)) return TableCsv(TableOfObjects(value));
  }
  return "";
}

}  // namespace emberline
