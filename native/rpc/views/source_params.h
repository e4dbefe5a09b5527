// Parameters that the methods about lines and sources share.
#pragma once

#include <string>
#include <vector>

#include "rpc/params.h"
#include "session/lines.h"

namespace emberline {

inline std::vector<std::string> TextList(const Json& params, const char* key) {
  std::vector<std::string> out;
  const auto it = params.find(key);
  if (it == params.end() || !it->is_array()) return out;
  for (const Json& item : *it) {
    if (item.is_string() && !item.get_ref<const std::string&>().empty())
      out.push_back(item.get<std::string>());
  }
  return out;
}

inline SourceSpace SpaceParam(const Json& params) {
  SourceSpace space;
  space.roots = TextList(params, "sourceRoots");
  space.site_packages = TextList(params, "sitePackages");
  const auto mappings = params.find("mappings");
  if (mappings != params.end() && mappings->is_array()) {
    for (const Json& m : *mappings) {
      if (!m.is_object()) continue;
      PathMapping mapping{TextParam(m, "from"), TextParam(m, "to")};
      if (!mapping.from.empty() && !mapping.to.empty())
        space.mappings.push_back(std::move(mapping));
    }
  }
  space.revision = TextParam(params, "revision");
  return space;
}

inline SourceDocument DocumentParam(const Json& params) {
  SourceDocument document;
  document.path = TextParam(params, "path");
  document.text = TextParam(params, "text");
  const auto cell = params.find("cell");
  document.cell = cell != params.end() && cell->is_boolean() && cell->get<bool>();
  document.digests = TextList(params, "digests");
  const auto untitled = params.find("untitled");
  document.untitled = untitled != params.end() && untitled->is_boolean() && untitled->get<bool>();
  const auto recorded = params.find("recordedText");
  if (recorded != params.end() && recorded->is_string()) {
    document.recorded_text = recorded->get<std::string>();
  }
  return document;
}

// Keys of LineCost.
Json LineCostJson(const LineAttribution& attribution, const LineCost& cost);
Json LineTotalsJson(const LineTotals& totals);

}  // namespace emberline
