#include "analysis/stacks.h"

#include <algorithm>
#include <queue>

#include "analysis/stack_of.h"
#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/views/common.h"
#include "rpc/views/tree_reply.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// Nodes of one reply: the heaviest; what is below is asked for by `root`.
constexpr size_t kStackNodesPerReply = 600;
constexpr size_t kStackNodeBytes = 200;  // without its texts

Result<StackOptions> OptionsOf(const ViewRequest& request) {
  StackOptions options;
  options.steps = request.steps;
  const std::string weight = request.params.value("weight", std::string());
  if (weight.empty()) {
    const Result<bool> device = HasDeviceWork(request);
    if (!device.ok()) return device.error();
    options.weight = device.value() ? StackWeight::kDevice : StackWeight::kHost;
  } else if (weight == "device") {
    options.weight = StackWeight::kDevice;
  } else if (weight == "host") {
    options.weight = StackWeight::kHost;
  } else {
    return MakeError(errors::kUnknownWeight, {{"weight", weight}});
  }
  options.fold_library = request.params.value("foldLibrary", false);
  options.bottom_up = request.params.value("bottomUp", false);
  options.filter = request.params.value("search", std::string());
  return options;
}

Result<std::shared_ptr<const StackTree>> StackTreeOf(const ViewRequest& request,
                                                     const StackOptions& options) {
  const auto make = [&] { return AnalyzeStacks(*request.trace.model, options, request.cancel); };
  if (!options.filter.empty()) {
    // Searches are not kept: each key typed would push out what is asked for again.
    Result<StackTree> made = make();
    if (!made.ok()) return made.error();
    return std::make_shared<const StackTree>(std::move(made.value()));
  }
  return request.trace.results.Get<StackTree>(
      "stacks/" + StepsKey(request) +
          (options.weight == StackWeight::kDevice ? "/device" : "/host") +
          (options.fold_library ? "/fold" : "") + (options.bottom_up ? "/up" : ""),
      request.cancel, make);
}

const char* KindName(StackNodeKind kind) {
  switch (kind) {
    case StackNodeKind::kFunction:
      return "function";
    case StackNodeKind::kRecompute:
      return "recompute";
    case StackNodeKind::kThreads:
      return "threads";
  }
  return "function";
}

Json StackNodeJson(const StackTree& tree, uint32_t id, const TreeReply& reply) {
  const StackNode& node = tree.nodes[id];
  const std::string_view name = tree.frames.Get(node.frame);
  const bool function = id != 0 && node.kind == StackNodeKind::kFunction;
  const Frame frame = function ? ParseFrameName(name) : Frame{};
  Json json = Json::object();
  json["id"] = id;
  json["function"] = id == 0 ? "all" : reply.Text(function ? frame.function : name);
  json["file"] = reply.Text(frame.file);
  json["line"] = frame.line;
  json["library"] = frame.library;
  json["kind"] = KindName(node.kind);
  json["selfUs"] = Us(node.self);
  json["totalUs"] = Us(node.total);
  // Frames without weight are never sent.
  json["childCount"] = std::count_if(node.children.begin(), node.children.end(),
                                     [&](uint32_t child) { return tree.nodes[child].total > 0; });
  json["children"] = Json::array();
  return json;
}

}  // namespace

Result<Json> StacksView(const ViewRequest& request) {
  auto options = OptionsOf(request);
  if (!options.ok()) return options.error();
  const auto made_tree = StackTreeOf(request, *options);
  if (!made_tree.ok()) return made_tree.error();
  const std::shared_ptr<const StackTree>& tree = made_tree.value();
  const int64_t root = request.params.value("root", int64_t{0});
  if (root < 0 || static_cast<size_t>(root) >= tree->nodes.size()) {
    return MakeError(errors::kNoSuchFrame);
  }
  TreeReply reply(request, kStackNodesPerReply, kStackNodeBytes);
  // Heaviest first: a child never weighs more than its parent, so the choice is a connected tree.
  const auto lighter = [&](uint32_t a, uint32_t b) {
    return std::pair(tree->nodes[a].total, b) < std::pair(tree->nodes[b].total, a);
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(lighter)> queue(lighter);
  std::vector<uint32_t> chosen;
  queue.push(static_cast<uint32_t>(root));
  while (!queue.empty()) {
    const uint32_t id = queue.top();
    // A frame's name holds a file and a function, which are cut each by itself.
    const std::string_view name = tree->frames.Get(tree->nodes[id].frame);
    if (!reply.Takes({name, name})) break;
    queue.pop();
    chosen.push_back(id);
    // Other threads are one box until they are asked for: most of them only wait.
    const bool folded = tree->nodes[id].kind == StackNodeKind::kThreads &&
                        id != static_cast<uint32_t>(root) && !reply.all();
    if (folded) continue;
    for (uint32_t child : tree->nodes[id].children) {
      if (tree->nodes[child].total > 0) queue.push(child);
    }
  }
  std::vector<bool> in(tree->nodes.size(), false);
  for (uint32_t id : chosen) in[id] = true;
  std::sort(chosen.begin(), chosen.end());
  std::vector<Json> made(tree->nodes.size());
  for (size_t k = chosen.size(); k-- > 0;) {
    const uint32_t id = chosen[k];
    made[id] = StackNodeJson(*tree, id, reply);
    for (uint32_t child : tree->nodes[id].children) {
      if (in[child]) made[id]["children"].push_back(std::move(made[child]));
    }
  }
  Json result = Json::object();
  result["weight"] = options->weight == StackWeight::kDevice ? "device" : "host";
  result["form"] = !tree->recorded ? "none" : tree->strings ? "strings" : "pythonFunctions";
  result["totalUs"] = Us(tree->nodes[0].total);
  result["nodeCount"] = tree->nodes.size();
  result["tree"] = std::move(made[static_cast<size_t>(root)]);
  result["absences"] = Json::array();
  if (!tree->recorded) {
    result["absences"].push_back(AbsenceJson(messages::kStacksMissing));
  }
  return result;
}

Result<Json> StackFunctionsView(const ViewRequest& request) {
  auto options = OptionsOf(request);
  if (!options.ok()) return options.error();
  options->bottom_up = false;
  const auto tree = StackTreeOf(request, *options);
  if (!tree.ok()) return tree.error();
  return TableResult(StackTable(**tree), request);
}

}  // namespace emberline
