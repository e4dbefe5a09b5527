#include "compare/modules.h"

#include "analysis/columns.h"
#include "base/text.h"
#include "compare/sequences.h"
#include "compare/spread.h"

namespace emberline {
namespace {

// A path that is longer keeps its beginning and its last name, or the paths of modules that are
// nested a thousand deep would take the square of that.
constexpr size_t kMaxPath = 1000, kPathBeginning = 200;

// Paths from the outermost module on. Those that were cut say so; with `unique`, a hash tells them
// apart.
std::vector<std::string> PathsOf(const ModuleTree& tree, bool unique) {
  std::vector<std::string> paths(tree.nodes.size());
  std::vector<uint64_t> hashes(tree.nodes.size(), 0);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {  // parents stand before their children
    const ModuleNode& node = tree.nodes[i];
    const std::string name = Shortened(node.name, kMaxPath / 2);
    if (node.parent == kNone) {
      hashes[i] = StableHash(node.name);
      paths[i] = name;
      continue;
    }
    hashes[i] = StableHash(hashes[node.parent], StableHash(node.name));
    const std::string& parent = paths[node.parent];
    if (parent.size() + name.size() <= kMaxPath) {
      paths[i] = parent + " / " + name;
      continue;
    }
    paths[i] = Shortened(parent, kPathBeginning) + " / " + name;
    if (unique) paths[i] += " (" + std::to_string(hashes[i]) + ")";
  }
  return paths;
}

std::vector<uint64_t> ContentsOf(const ModuleTree& tree) {
  std::vector<uint64_t> contents(tree.nodes.size(), 0);
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    for (const uint32_t child : tree.nodes[i].children) {
      contents[i] = StableHash(
          contents[i], StableHash(StableHash(tree.nodes[child].class_name), contents[child]));
    }
  }
  return contents;
}

std::vector<ElementLabel> ModuleLabels(const ModuleTree& tree,
                                       const std::vector<uint64_t>& contents,
                                       const std::vector<uint32_t>& nodes) {
  std::vector<ElementLabel> labels;
  for (const uint32_t node : nodes) {
    const ModuleNode& module = tree.nodes[node];
    labels.push_back({StableHash(module.class_name.empty() ? module.name : module.class_name),
                      StableHash(module.name), contents[node]});
  }
  return labels;
}

struct Row {
  const ModuleNode* node = nullptr;
  std::string path;
};

}  // namespace

Table ModuleTable(const ModuleTree& tree) {
  const std::vector<std::string> paths = PathsOf(tree, false);
  std::vector<Row> rows;
  for (size_t i = 0; i < tree.nodes.size(); ++i) rows.push_back({&tree.nodes[i], paths[i]});
  const auto time = [](auto sum) {
    return [sum](const Row& row) { return TimeCell(sum(*row.node)); };
  };
  TableBuilder<Row> table;
  table.Add(TextKey("module", "Module", "Path of the module, from the outermost module inward."),
            [](const Row& row) { return TextCell(row.path); });
  table.Add(Count("calls", "Calls", "Number of forward calls."),
            [](const Row& row) { return Cell(static_cast<int64_t>(row.node->occurrences)); });
  table.Add(Duration("deviceSelfUs", "Device self",
                     "Time of the device work launched by the module's forward calls, their "
                     "backward pass, and their recomputation, excluding submodules."),
            time([](const ModuleNode& n) {
              return n.device_self + n.backward_device_self + n.recompute_device_self;
            }));
  table.Add(Duration("deviceTotalUs", "Device total",
                     "Device self of the module and all its submodules."),
            time([](const ModuleNode& n) {
              return n.device_total + n.backward_device_total + n.recompute_device_total;
            }));
  table.Add(
      Duration("hostSelfUs", "Host self",
               "Host time of the module's forward calls, their backward pass, and their "
               "recomputation, excluding submodules."),
      time([](const ModuleNode& n) { return n.host_self + n.backward_host + n.recompute_host; }));
  table.Add(Duration("hostTotalUs", "Host total",
                     "Host time of the module's forward calls, including submodules."),
            time([](const ModuleNode& n) { return n.host_total; }));
  table.Add(
      ByteCount(
          "allocatedBytes", "Allocated",
          "Bytes allocated during the module's forward calls; freed bytes are not subtracted."),
      [](const Row& row) { return Cell(row.node->allocated_bytes); });
  table.AddAll(
      {Link("slice", "Slice", "The module's first call, to show in the timeline.",
            CellType::kInteger),
       Link("file", "File", "File that defines the module's forward.", CellType::kText),
       Link("line", "Line", "First line of the module's forward.", CellType::kInteger),
       Link("function", "Function", "Name of the module's forward function.", CellType::kText)},
      [](const Row& row, std::vector<Cell>& cells) {
        const ModuleNode& node = *row.node;
        // In place: GCC takes a cell that is chosen and then moved for uninitialized.
        const auto add = [&](bool known, int64_t number) {
          cells.emplace_back();
          if (known) cells.back() = number;
        };
        add(node.first_slice != kNone, node.first_slice);
        cells.push_back(TextOrEmpty(node.file));
        add(node.line > 0, node.line);
        cells.push_back(TextOrEmpty(node.function));
      });
  return table.Make(rows);
}

std::vector<Sample> ModuleSamples(const Model& model, const StepSelection& steps,
                                  const ModuleTree& tree, const ModuleStepTimes& by_step,
                                  bool host) {
  StepSums sums(model, steps);
  for (const auto& [at, time] : host ? by_step.host : by_step.device) {
    sums.Add(static_cast<uint32_t>(at >> 32), static_cast<uint32_t>(at), time);
  }
  return sums.Samples(tree.nodes.size(), kNsOfUs);
}

std::pair<std::vector<std::string>, std::vector<std::string>> MatchModules(
    const ModuleTree& baseline, const ModuleTree& candidate) {
  // What is only on one side is not what has the same path on the other.
  std::vector<std::string> left = PathsOf(baseline, true), right = PathsOf(candidate, true);
  const std::vector<std::string> names = right;
  for (std::string& key : left) key.insert(0, "- ");
  for (std::string& key : right) key.insert(0, "+ ");
  const std::vector<uint64_t> left_contents = ContentsOf(baseline);
  const std::vector<uint64_t> right_contents = ContentsOf(candidate);
  struct Level {
    const std::vector<uint32_t>* left;
    const std::vector<uint32_t>* right;
  };
  std::vector<Level> levels = {{&baseline.roots, &candidate.roots}};
  for (size_t at = 0; at < levels.size(); ++at) {
    const Level level = levels[at];
    for (const Match& match :
         MatchSequences(ModuleLabels(baseline, left_contents, *level.left),
                        ModuleLabels(candidate, right_contents, *level.right))) {
      const uint32_t i = (*level.left)[match.baseline], j = (*level.right)[match.candidate];
      left[i] = right[j] = names[j];
      levels.push_back({&baseline.nodes[i].children, &candidate.nodes[j].children});
    }
  }
  return {std::move(left), std::move(right)};
}

}  // namespace emberline
