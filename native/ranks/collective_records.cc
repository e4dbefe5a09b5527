#include "ranks/collective_records.h"

#include <algorithm>
#include <utility>

#include "base/parse_integer.h"
#include "cost/dtype.h"
#include "json/json.h"
#include "ranks/collective_names.h"

namespace emberline {

RankSet RanksOf(std::string_view text, bool* complete) {
  std::vector<int64_t> ranks;
  *complete = text.find("...") == std::string_view::npos;
  size_t at = text.find_first_of("0123456789");
  while (at != std::string_view::npos) {
    const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const auto rank = ParseInteger(text.substr(at, end - at));
    if (rank && *rank <= RankSet::kLargestRank) {
      ranks.push_back(*rank);
    } else {
      *complete = false;
    }
    at = text.find_first_of("0123456789", end);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  constexpr auto kMost = static_cast<size_t>(RankSet::kMostRanks);
  *complete = *complete && !ranks.empty() && ranks.size() <= kMost;
  if (ranks.size() > kMost) ranks.resize(kMost);
  return RankSet(ranks);
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

namespace {

constexpr int64_t kMostElements = int64_t{1} << 60;

int64_t ElementsOfList(const Json& shapes);

// Of a tensor, or of all of a list; -1 where it has no shape.
int64_t ElementsOf(const Json& shape) {
  if (!shape.is_array() || shape.empty()) return -1;
  if (shape[0].is_array()) return ElementsOfList(shape);
  int64_t product = 1;
  for (const Json& size : shape) {
    if (!size.is_number_integer()) return -1;
    product = Times(product, size.get<int64_t>());
  }
  return product < kMostElements ? product : -1;
}

int64_t ElementsOfList(const Json& shapes) {
  int64_t sum = -1;
  for (const Json& shape : shapes) {
    const int64_t count = ElementsOf(shape);
    if (count >= 0) sum = std::min(std::max<int64_t>(sum, 0) + count, kMostElements);
  }
  return sum;
}

// A word of a kernel's name, where it is a type of floating point, as recorders spell it.
std::string FloatType(std::string_view word) {
  for (const std::string_view vendor : {"__", "nv_", "hip_"}) {
    if (word.starts_with(vendor)) word.remove_prefix(vendor.size());
  }
  if (word == "f64") return "double";
  if (word == "f32") return "float";
  if (word == "f16") return "half";
  const DType type = DTypeOfName(word);
  const bool known = type != DType::kUnknown && CategoryOf(type) == DTypeCategory::kFloat;
  return known ? std::string(word) : "";
}

}  // namespace

int64_t ElementsOfAll(std::string_view dims) {
  const Result<Json> parsed = ParseJson(dims);
  return parsed.ok() && parsed->is_array() ? ElementsOfList(*parsed) : -1;
}

std::string FirstType(std::string_view types) {
  const Result<Json> parsed = ParseJson(types);
  if (!parsed.ok() || !parsed->is_array()) return "";
  for (const Json& type : *parsed) {
    if (type.is_string() && ElementBytes(type.get<std::string>()) > 0) return type;
  }
  return "";
}

std::vector<TensorArgument> TensorsOf(std::string_view dims, std::string_view types) {
  std::vector<TensorArgument> tensors;
  const Result<Json> shapes = ParseJson(dims), names = ParseJson(types);
  if (!shapes.ok() || !shapes->is_array() || !names.ok() || !names->is_array()) return tensors;
  for (size_t i = 0; i < std::min(shapes->size(), names->size()); ++i) {
    const Json& type = (*names)[i];
    const int64_t elements = ElementsOf((*shapes)[i]);
    if (elements < 0 || !type.is_string()) continue;
    std::string name = type.get<std::string>();
    if (name == "TensorList") name.clear();
    if (name.empty() || ElementBytes(name) > 0) tensors.push_back({elements, std::move(name)});
  }
  return tensors;
}

std::string ReducedType(std::string_view kernel) {
  const CollectiveOp op = CollectiveOpOf(kernel);
  if (op != CollectiveOp::kAllReduce && op != CollectiveOp::kReduceScatter &&
      op != CollectiveOp::kReduce) {
    return "";
  }
  const size_t types = kernel.find('<');
  if (types != std::string_view::npos) {
    const std::string_view rest = kernel.substr(types + 1);
    if (std::string type = FloatType(rest.substr(0, rest.find_first_of(",<>"))); !type.empty()) {
      return type;
    }
  }
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string_view name = kernel.substr(0, types);
  const size_t unnamed = name.find(kAnonymous);
  if (unnamed != std::string_view::npos) name.remove_prefix(unnamed + kAnonymous.size());
  name = name.substr(0, name.find('('));
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('_', begin), name.size());
    if (std::string type = FloatType(name.substr(begin, end - begin)); !type.empty()) return type;
    begin = end + 1;
  }
  return "";
}

Exchanged ExchangedBy(std::string_view name, const std::vector<TensorArgument>& tensors) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const CollectiveOp op = CollectiveOpOf(name);
  const bool gathers = op == CollectiveOp::kAllGather,
             scatters = op == CollectiveOp::kReduceScatter;
  // Those that multiply first exchange the product, which is none of their arguments.
  if (!gathers && (has("matmul") || has("gemm"))) return {};
  // Of exchanges whose parts are known on the device alone, tensors are as large as any could be.
  if (has("all_to_all_vdev")) return {};
  // The shared buffer comes before what is copied into it.
  const size_t own = name.starts_with("symm_mem::") && has("all_reduce_copy") ? 1 : 0;
  if (own >= tensors.size()) return {};
  Exchanged found{tensors[own].elements, -1, tensors[own].type};
  if (!gathers && !scatters) return found;
  // The whole is a multiple of the part, and which comes first differs.
  for (size_t i = own + 1; i < tensors.size(); ++i) {
    const auto [part, whole] = std::minmax(found.in, tensors[i].elements);
    if (tensors[i].type != found.type || part <= 0 || whole % part != 0) continue;
    return {gathers ? part : whole, gathers ? whole : part, found.type};
  }
  return found;
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
