#include "analysis/modules.h"

#include <algorithm>
#include <deque>
#include <span>

#include "rpc/errors.h"
#include "rpc/messages.h"
#include "rpc/views/common.h"
#include "rpc/views/tree_reply.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

// Nodes of one reply; what is below them is asked for by `root`.
constexpr size_t kNodesPerReply = 400;
constexpr size_t kNodeBytes = 420;  // without its texts

Json NodeJson(const ModuleTree& tree, uint32_t id, const TreeReply& reply) {
  const ModuleNode& node = tree.nodes[id];
  Json json = Json::object();
  json["id"] = id;
  json["name"] = reply.Text(node.name);
  json["className"] = reply.Text(node.class_name);
  json["occurrences"] = node.occurrences;
  json["operators"] = node.operators;
  json["hostTotalUs"] = Us(node.host_total);
  json["hostSelfUs"] = Us(node.host_self);
  json["deviceTotalUs"] = Us(node.device_total);
  json["deviceSelfUs"] = Us(node.device_self);
  json["backwardHostUs"] = Us(node.backward_host);
  json["backwardDeviceTotalUs"] = Us(node.backward_device_total);
  json["backwardDeviceSelfUs"] = Us(node.backward_device_self);
  json["recomputed"] = node.recomputed;
  json["recomputeHostUs"] = Us(node.recompute_host);
  json["recomputeDeviceTotalUs"] = Us(node.recompute_device_total);
  json["recomputeDeviceSelfUs"] = Us(node.recompute_device_self);
  json["allocatedBytes"] = node.allocated_bytes;
  json["slice"] = node.first_slice == kNone ? Json(nullptr) : Json(node.first_slice);
  json["file"] = reply.Text(node.file);
  json["line"] = node.line;
  json["function"] = reply.Text(node.function);
  json["childCount"] = node.children.size();
  json["children"] = Json::array();
  return json;
}

// Where a reply begins.
struct TreeStart {
  std::vector<uint32_t> roots;
  // Children of the first root that earlier replies had.
  size_t told_children = 0;
};

std::span<const uint32_t> From(const std::vector<uint32_t>& ids, size_t offset) {
  return std::span(ids).subspan(std::min(offset, ids.size()));
}

// The trees below the roots, breadth first as far as the reply goes, so that upper levels are
// whole.
Json TreeJson(const ModuleTree& tree, const TreeStart& start, TreeReply reply) {
  std::vector<bool> chosen(tree.nodes.size(), false);
  const std::vector<uint32_t>& roots = start.roots;
  size_t told = start.told_children;
  std::deque<uint32_t> queue(roots.begin(), roots.end());
  while (!queue.empty()) {
    const uint32_t id = queue.front();
    const ModuleNode& node = tree.nodes[id];
    if (!reply.Takes({node.name, node.class_name, node.file, node.function})) break;
    queue.pop_front();
    chosen[id] = true;
    const std::span<const uint32_t> children = From(node.children, told);
    queue.insert(queue.end(), children.begin(), children.end());
    told = 0;  // of the first node alone
  }
  // Parents stand before children, so building from the back finds every child finished.
  std::vector<Json> made(tree.nodes.size());
  for (uint32_t id = static_cast<uint32_t>(tree.nodes.size()); id-- > 0;) {
    if (!chosen[id]) continue;
    made[id] = NodeJson(tree, id, reply);
    for (uint32_t child : tree.nodes[id].children) {
      if (chosen[child]) made[id]["children"].push_back(std::move(made[child]));
    }
  }
  Json list = Json::array();
  for (uint32_t root : roots) {
    if (chosen[root]) list.push_back(std::move(made[root]));
  }
  return list;
}

const char* SourceName(ModuleSource source) {
  switch (source) {
    case ModuleSource::kNone:
      return "none";
    case ModuleSource::kPythonModules:
      return "pythonModules";
    case ModuleSource::kModuleHierarchy:
      return "moduleHierarchy";
    case ModuleSource::kLightning:
      return "lightning";
  }
  return "none";
}

// Of a node that is asked for its children from `offset` on, or of all roots from `offset` on.
Result<TreeStart> StartOf(const ViewRequest& request, const ModuleTree& tree) {
  const auto offset =
      static_cast<size_t>(std::max(int64_t{0}, request.params.value("offset", int64_t{0})));
  if (!request.params.contains("root")) {
    const std::span<const uint32_t> roots = From(tree.roots, offset);
    return TreeStart{{roots.begin(), roots.end()}};
  }
  const int64_t root = request.params["root"].get<int64_t>();
  if (root < 0 || static_cast<size_t>(root) >= tree.nodes.size()) {
    return MakeError(errors::kNoSuchModule);
  }
  return TreeStart{{static_cast<uint32_t>(root)}, offset};
}

TreeReply Reply(const ViewRequest& request) { return {request, kNodesPerReply, kNodeBytes}; }

}  // namespace

Result<Json> ModulesView(const ViewRequest& request) {
  const auto memory = MemoryOf(request);
  if (!memory.ok()) return memory.error();
  const auto made =
      request.trace.results.Get<ModuleTree>("modules/" + StepsKey(request), request.cancel, [&] {
        return AnalyzeModules(*request.trace.model, request.steps, memory->get(), request.cancel);
      });
  if (!made.ok()) return made.error();
  const std::shared_ptr<const ModuleTree>& tree = made.value();
  const Result<TreeStart> start = StartOf(request, *tree);
  if (!start.ok()) return start.error();
  Json result = Json::object();
  result["source"] = SourceName(tree->source);
  result["nodeCount"] = tree->nodes.size();
  result["rootCount"] = tree->roots.size();
  result["modules"] = TreeJson(*tree, *start, Reply(request));
  result["absences"] = Json::array();
  if (tree->nodes.empty()) {
    result["absences"].push_back(AbsenceJson(messages::kNoModuleCalls));
  }
  return result;
}

Result<Json> LightningView(const ViewRequest& request) {
  const auto memory = MemoryOf(request);
  if (!memory.ok()) return memory.error();
  const auto made = request.trace.results.Get<LightningResult>(
      "lightning/" + StepsKey(request), request.cancel, [&] {
        return AnalyzeLightning(*request.trace.model, request.steps, memory->get(), request.cancel);
      });
  if (!made.ok()) return made.error();
  const std::shared_ptr<const LightningResult>& data = made.value();
  Json result = Json::object();
  result["modules"] = TreeJson(data->modules, {data->modules.roots}, Reply(request));
  result["hooks"] = TreeJson(data->hooks, {data->hooks.roots}, Reply(request));
  result["absences"] = Json::array();
  if (data->modules.nodes.empty() && data->hooks.nodes.empty()) {
    result["absences"].push_back(AbsenceJson(messages::kNoLightning));
  } else if (data->modules.nodes.empty()) {
    result["absences"].push_back(AbsenceJson(messages::kNoLightningModules));
  }
  return result;
}

}  // namespace emberline
