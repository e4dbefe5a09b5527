#include "ranks/collective_records.h"

#include <algorithm>

#include "base/parse_integer.h"
#include "json/json.h"
#include "ranks/collective_names.h"

namespace emberline {

std::vector<int64_t> RanksOf(std::string_view text, bool* complete) {
  std::vector<int64_t> ranks;
  *complete = text.find("...") == std::string_view::npos;
  size_t at = text.find_first_of("0123456789");
  while (at != std::string_view::npos) {
    const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (const auto rank = ParseInteger(text.substr(at, end - at))) ranks.push_back(*rank);
    at = text.find_first_of("0123456789", end);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  *complete = *complete && !ranks.empty();
  return ranks;
}

std::map<std::string, CollectiveGroup> RecordedGroups(const TraceStore& store) {
  std::map<std::string, CollectiveGroup> groups;
  if (!store.metadata().distributed) return groups;
  const Result<Json> info = ParseJson(store.metadata().distributed->raw);
  if (!info.ok() || !info->is_object() || !info->contains("pg_config")) return groups;
  const Json& configs = (*info)["pg_config"];
  if (!configs.is_array()) return groups;
  for (const Json& config : configs) {
    if (!config.is_object() || groups.size() >= kMaxGroups) continue;
    CollectiveGroup group;
    const auto text = [&](const char* key) {
      return config.contains(key) && config[key].is_string() ? config[key].get<std::string>() : "";
    };
    group.name = text("pg_name");
    group.description = text("pg_desc");
    if (config.contains("pg_size") && config["pg_size"].is_number_integer()) {
      group.size = config["pg_size"];
    }
    if (config.contains("ranks")) {
      const Json& ranks = config["ranks"];
      group.ranks =
          RanksOf(ranks.is_string() ? ranks.get<std::string>() : DumpJson(ranks), &group.complete);
    }
    if (group.size < 0 && group.complete) group.size = static_cast<int64_t>(group.ranks.size());
    if (!group.name.empty()) groups[group.name] = group;
  }
  return groups;
}

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0) return -1;
  return __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

Shapes ShapesOf(std::string_view dims) {
  Shapes shapes;
  const Result<Json> parsed = ParseJson(dims);
  if (!parsed.ok() || !parsed->is_array()) return shapes;
  const auto elements = [](const Json& shape, auto&& self) -> int64_t {
    if (!shape.is_array() || shape.empty()) return -1;
    if (shape[0].is_array()) {  // a list of tensors
      int64_t sum = -1;
      for (const Json& inner : shape) {
        const int64_t count = self(inner, self);
        if (count >= 0 && sum < (int64_t{1} << 60)) sum = std::max<int64_t>(sum, 0) + count;
      }
      return sum;
    }
    int64_t product = 1;
    for (const Json& size : shape) {
      if (!size.is_number_integer()) return -1;
      product = Times(product, size.get<int64_t>());
    }
    return product < (int64_t{1} << 60) ? product : -1;
  };
  for (const Json& shape : *parsed) {
    const int64_t count = elements(shape, elements);
    if (count < 0) continue;
    if (shapes.first < 0) shapes.first = count;
    shapes.sum = std::min<int64_t>(std::max<int64_t>(shapes.sum, 0) + count, int64_t{1} << 60);
  }
  return shapes;
}

std::string FirstType(std::string_view types) {
  const Result<Json> parsed = ParseJson(types);
  if (!parsed.ok() || !parsed->is_array()) return "";
  for (const Json& type : *parsed) {
    if (type.is_string() && ElementBytes(type.get<std::string>()) > 0) return type;
  }
  return "";
}

std::vector<int64_t> PartsOf(std::string_view splits, int64_t bytes) {
  const Result<Json> list = ParseJson(splits);
  if (bytes < 0 || !list.ok() || !list->is_array()) return {};
  std::vector<int64_t> shares;
  int64_t sum = 0;
  for (const Json& one : *list) {
    const int64_t share = one.is_number_integer() ? one.get<int64_t>() : -1;
    if (share < 0 || __builtin_add_overflow(sum, share, &sum)) return {};
    shares.push_back(share);
  }
  const auto other = [&](int64_t share) { return share != shares[0]; };
  if (sum == 0 || std::none_of(shares.begin(), shares.end(), other)) return {};
  const double each = static_cast<double>(bytes) / static_cast<double>(sum);
  int64_t before = 0, begin = 0;
  for (int64_t& share : shares) {
    before += share;
    const int64_t end =
        before == sum ? bytes : static_cast<int64_t>(each * static_cast<double>(before));
    share = end - begin;
    begin = end;
  }
  return shares;
}

int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

}  // namespace emberline
