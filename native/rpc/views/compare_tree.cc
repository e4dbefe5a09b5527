#include <algorithm>

#include "base/text.h"
#include "compare/aligned_tree.h"
#include "rpc/params.h"
#include "rpc/views/common.h"
#include "rpc/views/compare_sides.h"
#include "rpc/views/compare_tables.h"

namespace emberline {
namespace {

// Nodes of a level in one reply.
constexpr size_t kMaxItems = 400;
constexpr size_t kItemBytes = 160 << 10;
// Names of one item that stands for several nodes.
constexpr size_t kMaxNames = 12;

std::string NamesOf(const ViewRequest& side, const StepTree& tree,
                    const std::vector<uint32_t>& nodes) {
  std::string text;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i == kMaxNames) return text + " + " + std::to_string(nodes.size() - i) + " more";
    text += (i > 0 ? " + " : "") + Shortened(StepNodeName(*side.trace.model, tree, nodes[i]), 200);
  }
  return text;
}

Json NodesJson(const ViewRequest& side, const StepTree& tree, const std::vector<uint32_t>& nodes) {
  if (nodes.empty()) return nullptr;
  Ns host = 0, device = 0;
  for (const uint32_t node : nodes) {
    host += tree.HostOf(*side.trace.model, node);
    device += tree.DeviceOf(*side.trace.model, node);
  }
  const SliceIndex slice = tree.slices[nodes[0]];
  return {{"name", NamesOf(side, tree, nodes)},
          {"hostUs", Us(host)},
          {"deviceUs", Us(device)},
          {"nodes", nodes.size()},
          {"slice", slice == kNone ? Json() : Json(slice)}};
}

// Time of a matched node that lies in none of its children.
Json BetweenJson(const Model& model, const StepTree& tree, uint32_t node) {
  Ns host = tree.HostOf(model, node), device = tree.DeviceOf(model, node);
  for (const uint32_t child : tree.ChildrenOf(node)) {
    if (!tree.IsConcurrent(child)) host -= tree.HostOf(model, child);
    device -= tree.DeviceOf(model, child);
  }
  return {{"hostUs", Us(std::max<Ns>(0, host))}, {"deviceUs", Us(std::max<Ns>(0, device))}};
}

Json ItemJson(const CompareRequest& request, const StepTree& left, const StepTree& right,
              const AlignedItem& item, const Replacements& found) {
  const bool gone = item.candidate.empty();
  const StepTree& tree = gone ? left : right;
  const Model& model = *(gone ? request.baseline : request.candidate).trace.model;
  const uint32_t shown = gone ? item.baseline[0] : item.candidate[0];
  const bool inside =
      IsPair(item) && (!left.IsLeaf(item.baseline[0]) || !right.IsLeaf(item.candidate[0]));
  const bool alone = gone || item.baseline.empty();
  const std::string* elsewhere = alone ? ElsewhereOf(found, gone, shown) : nullptr;
  const CompareStatus status = elsewhere != nullptr ? CompareStatus::kReplaced : item.status;
  static constexpr const char* kPasses[] = {"forward", "backward", "recompute"};
  return {{"kind", StepNodeKindName(tree.KindOf(shown))},
          {"pass", kPasses[static_cast<size_t>(tree.PassOf(model, shown))]},
          {"status", CompareStatusName(status)},
          {"elsewhere", ElsewhereJson(elsewhere)},
          {"moved", item.moved},
          {"concurrent", tree.IsConcurrent(shown)},
          {"baseline", NodesJson(request.baseline, left, item.baseline)},
          {"candidate", NodesJson(request.candidate, right, item.candidate)},
          {"hasChildren", inside}};
}

}  // namespace

Result<Json> CompareTree(const CompareRequest& request) {
  const auto trees = TreesOf(request);
  if (!trees.ok()) return trees.error();
  const StepTree &left = *trees->baseline, &right = *trees->candidate;
  const auto item = ItemAt(left, right, TextParam(request.params, "path"));
  if (!item.ok()) return item.error();
  const auto found = ReplacementsOf(request);
  if (!found.ok()) return found.error();
  Json result = {{"item", ItemJson(request, left, right, *item, **found)},
                 {"children", Json::array()},
                 {"totalChildren", 0},
                 {"between", Json()}};
  if (!IsPair(*item)) return result;
  const auto offset =
      static_cast<size_t>(std::max<int64_t>(0, IntegerParam(request.params, "offset", 0)));
  const std::vector<AlignedItem> children =
      AlignChildren(left, item->baseline[0], right, item->candidate[0]);
  result["totalChildren"] = children.size();
  size_t bytes = 0;
  for (size_t i = offset; i < children.size() && i < offset + kMaxItems; ++i) {
    Json child = ItemJson(request, left, right, children[i], **found);
    child["position"] = i;
    bytes += DumpJson(child).size();
    if (bytes > kItemBytes && i > offset) break;
    result["children"].push_back(std::move(child));
  }
  result["between"] = {
      {"baseline", BetweenJson(*request.baseline.trace.model, left, item->baseline[0])},
      {"candidate", BetweenJson(*request.candidate.trace.model, right, item->candidate[0])}};
  return result;
}

}  // namespace emberline
