#include "render/results.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "render/tables.h"

namespace emberline {
namespace {

// Of a tree; JSON shows all.
constexpr size_t kMaxTreeLines = 300;
constexpr int kMaxTreeDepth = 60;

bool IsFlat(const Json& value) {
  for (const auto& [key, member] : value.items()) {
    if (member.is_structured()) return false;
  }
  return true;
}

std::string Absences(const Json& absences) {
  std::string text;
  for (const Json& absence : absences) text += "Missing: " + AbsenceSentences(absence);
  return text;
}

void AppendMember(const std::string& key, const Json& value, int depth, std::string* out);

// Numbers of nodes and slices, which only lead from one view to another.
bool IsLink(const std::string& key) {
  return key == "id" || key == "parent" || key == "slice" || key == "childCount";
}

bool HasValue(const Json& member) { return !member.is_null() && member != 0 && member != ""; }

void AppendObject(const Json& object, int depth, std::string* out) {
  // A node alone says what it would say in a tree.
  const bool node = object.contains("childCount");
  for (const auto& [key, member] : object.items()) {
    if (node && (IsLink(key) || !HasValue(member))) continue;
    AppendMember(key, member, depth, out);
  }
}

// Children below their parent, indented; for module trees and the like.
void AppendTree(const Json& nodes, int depth, std::vector<std::vector<std::string>>* lines,
                const std::vector<std::string>& keys) {
  if (depth > kMaxTreeDepth) return;
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

// Keys that have something to say: a value other than zero in any node of a tree.
void CollectKeysWithValues(const Json& nodes, int depth, std::set<std::string>* keys) {
  if (depth > kMaxTreeDepth) return;
  for (const Json& node : nodes) {
    if (!node.is_object()) continue;
    for (const auto& [key, member] : node.items()) {
      if (HasValue(member) && !member.is_structured()) keys->insert(key);
    }
    if (node.contains("children")) CollectKeysWithValues(node["children"], depth + 1, keys);
  }
}

std::string TreeText(const Json& nodes) {
  std::set<std::string> with_values;
  CollectKeysWithValues(nodes, 0, &with_values);
  std::vector<std::string> keys;
  std::vector<bool> right;
  for (const auto& [key, member] : nodes[0].items()) {
    if (IsLink(key) || !with_values.contains(key)) continue;
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

// Members that only charts and choices need: they repeat the table, or are long lists.
bool IsForCharts(const std::string& key) {
  return key == "ring" || key == "rings" || key == "roles" || key == "curve" || key == "schema" ||
         key == "knownDevices" || key == "hasRecordedSteps" || key == "hasDeviceWork";
}

// Counts that only made-up files bring above 0.
bool IsRare(const std::string& key) { return key == "unlistedRows" || key == "unlistedSlices"; }

bool IsFindings(const std::string& key, const Json& value) {
  return (key == "recommendations" || key == "findings") && IsArrayOfObjects(value);
}

std::string FindingsText(const std::string& key, const Json& findings) {
  std::string out = "\n" + Title(key) + "\n";
  for (const Json& finding : findings) {
    out += "  [" + Escaped(finding.value("severity", "")) + "] " +
           Escaped(finding.value("title", finding.value("id", "")));
    const Json gain = finding.value("gainUs", Json());
    out += (gain.is_number() && gain > 0 ? ": up to " + Humane(gain, "us") : "") + "\n";
    const std::string text = finding.value("text", "");
    if (!text.empty()) out += "      " + Escaped(text) + "\n";
    const std::string action = finding.value("action", "");
    if (!action.empty()) out += "      " + Escaped(action) + "\n";
  }
  return out;
}

// A list of small objects in a cell: "fp64 vector 34.0, fp64 matrix 67.0". Anything else as JSON.
std::string ListText(const Json& list) {
  std::string text;
  for (const Json& object : list) {
    if (!list.is_array() || !object.is_object()) return DumpJson(list);
    std::string words;
    for (const auto& [key, value] : object.items()) {
      if (value.is_structured()) return DumpJson(list);
      if (value.is_null()) continue;
      words += (words.empty() ? "" : " ") + Humane(value, UnitOfKey(key));
      if (key.ends_with("Mib")) words += " MiB";
    }
    text += (text.empty() ? "" : ", ") + words;
  }
  return text;
}

// The objects as a table to be read: what is nested as words.
std::string ObjectsText(Json objects) {
  for (Json& object : objects) {
    for (auto& [key, value] : object.items()) {
      if (value.is_structured()) value = ListText(value);
    }
  }
  return TableText(TableOfObjects(objects));
}

void AppendMember(const std::string& key, const Json& value, int depth, std::string* out) {
  if (IsForCharts(key) || (IsRare(key) && value == 0)) return;
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  if (key == "absences" && value.is_array()) {
    *out += (value.empty() ? "" : "\n") + Absences(value);
  } else if (IsFindings(key, value)) {
    *out += FindingsText(key, value);
  } else if (IsTable(value)) {
    *out += "\n" + Title(key) + "\n" + TableText(value);
  } else if (IsArrayOfObjects(value)) {
    const bool tree = value[0].contains("children");
    *out += "\n" + Title(key) + "\n" + (tree ? TreeText(value) : ObjectsText(value));
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

// One line per step and one for their mean, with the parts as columns. Of a trace without steps,
// one line for the whole.
std::string StepsText(const Json& result) {
  const bool recorded = result.value("hasRecordedSteps", true);
  const Json roles = result.value("roles", Json::array());
  // A part that the trace recorded nothing of is no column of zeros, as on the page.
  const auto present = [&](const std::string& part) {
    return std::none_of(roles.begin(), roles.end(), [&](const Json& role) {
      return role.value("key", "") == part && !role.value("present", true);
    });
  };
  Json all = result["steps"];
  if (all.size() > 1 && result.contains("average")) {
    all.push_back(result["average"]);
    all.back()["name"] = "average";
  }
  Json flat = Json::array();
  for (const Json& step : all) {
    Json line = Json::object();
    if (recorded) line["step"] = step.value("name", "");
    line["durationUs"] = step.value("durationUs", Json());
    if (step.contains("parts")) {
      for (const auto& [part, us] : step["parts"].items()) {
        if (present(part)) line[part + "Us"] = us;
      }
    }
    flat.push_back(std::move(line));
  }
  Json table = TableOfObjects(flat);
  for (Json& column : table["columns"]) {
    for (const Json& role : roles) {
      if (column["key"] == role.value("key", "") + "Us") column["title"] = role["title"];
    }
  }
  return (recorded ? "Steps\n" : "Whole trace\n") + TableText(table);
}

// The answer, then what to do, then the figures.
std::string OverviewText(const Json& result) {
  std::string out;
  const std::string answer = result.value("headline", Json::object()).value("text", "");
  if (!answer.empty()) out += Escaped(answer) + "\n";
  for (const auto& [key, value] : result.items()) {
    if (IsFindings(key, value)) out += FindingsText(key, value);
  }
  if (!out.empty()) out += "\n";
  Json rest = Json::object();
  for (const auto& [key, value] : result.items()) {
    if (key == "steps" && IsArrayOfObjects(value)) {
      out += StepsText(result);
    } else if (key == "totalSteps" && !result.value("hasRecordedSteps", true)) {
      continue;  // the whole trace counts as one
    } else if (key != "average" && key != "headline" && !IsFindings(key, value)) {
      rest[key] = value;
    }
  }
  for (const auto& [key, value] : rest.items()) {
    AppendMember(key, value, 0, &out);
  }
  return out;
}

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

std::string AbsenceSentences(const Json& absence) {
  std::string text = Escaped(absence.value("what", "")) + "\n";
  const std::string argument = absence.value("argument", "");
  if (!argument.empty()) text += "  torch.profiler argument: " + Escaped(argument) + "\n";
  return text;
}

void DropCodes(Json* result) {
  if (result->is_array()) {
    for (Json& part : *result) DropCodes(&part);
  } else if (result->is_object()) {
    if (result->contains("code") && result->contains("arguments")) {
      result->erase("code");
      result->erase("arguments");
    }
    // Of labels: {"group": {"code", "arguments"}, ...}.
    result->erase("said");
    for (const char* text : {"title", "definition", "accuracy"}) {
      if (result->contains(text)) result->erase(std::string(text) + "Code");
    }
    // Trees may be as deep as a trace wants, and say nothing.
    for (auto& [key, part] : result->items()) {
      if (key != "children") DropCodes(&part);
    }
  }
}

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
