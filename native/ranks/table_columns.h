// Columns that several tables of a job have.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analysis/columns.h"
#include "ranks/job.h"

namespace emberline {

inline Column RankKey() { return IntegerKey("rank", "Rank", "Global rank of the process."); }
inline Column DeviceKey() {
  return IntegerKey("device", "Device",
                    "Number of the device within its process; -1 for the host.");
}

// "0", "mesh_tp", or "stream 1" where groups were not recorded.
inline std::string GroupName(const JobGroup& group) {
  if (!group.about.name.empty()) return group.about.name;
  if (!group.about.description.empty()) return group.about.description;
  if (group.about.lane < 0) return "host";
  return "stream " + std::to_string(group.about.lane);
}

inline Cell BytesCell(int64_t bytes) { return bytes >= 0 ? Cell(bytes) : Cell(); }
inline Cell RateCell(double gigabytes) { return gigabytes > 0 ? Cell(gigabytes) : Cell(); }

// A standard deviation, given in ns: in us; empty of fewer than two.
inline Cell DeviationCell(const std::optional<double>& deviation) {
  return deviation ? Cell(*deviation / 1000.0) : Cell();
}
inline Column DeviationColumn(const char* key, const std::string& what) {
  return Duration(key, "Std dev",
                  ("Sample standard deviation of " + what + "; empty for a single one.").c_str(),
                  Merge::kNone);
}

// count, sum, mean, standard deviation, min, median, p95 and max, of times in ns; with a `prefix`,
// neither the count nor the deviation. `prefix`
// stands before each key, `title` before each title; `what` names the times in the plural.
template <typename Row>
void AddStat(TableBuilder<Row>& table, const std::string& prefix, const std::string& title,
             const std::string& what, std::function<const Stat&(const Row&)> stat) {
  const auto key = [&](const char* part) {
    std::string text = prefix + part;
    if (!prefix.empty()) text[prefix.size()] = static_cast<char>(std::toupper(text[prefix.size()]));
    return text;
  };
  const auto head = [&](const char* part) {
    std::string text = title.empty() ? part : title + " " + part;
    text[0] = static_cast<char>(std::toupper(text[0]));
    return text;
  };
  const auto time = [&](const char* part, const std::string& definition, Merge merge,
                        std::function<double(const Stat&)> value) {
    table.Add(Duration(key((std::string(part) + "Us").c_str()).c_str(), head(part).c_str(),
                       (definition + " " + what + ".").c_str(), merge),
              [stat, value](const Row& row) {
                const Stat& s = stat(row);
                return s.count > 0 ? Cell(value(s) / 1000.0) : Cell();
              });
  };
  if (prefix.empty()) {
    table.Add(Count("count", "Count", "Number of runs."),
              [stat](const Row& row) { return Cell(static_cast<int64_t>(stat(row).count)); });
  }
  time("sum", "Sum of", Merge::kSum, [](const Stat& s) { return static_cast<double>(s.sum); });
  time("mean", "Mean of", Merge::kNone, [](const Stat& s) { return s.Mean(); });
  if (prefix.empty()) {
    table.Add(DeviationColumn("stdUs", what),
              [stat](const Row& row) { return DeviationCell(stat(row).Deviation()); });
  }
  time("min", "Smallest of", Merge::kMin, [](const Stat& s) { return static_cast<double>(s.min); });
  time("median", "Median, accurate to 1 %, of", Merge::kNone,
       [](const Stat& s) { return static_cast<double>(s.Quantile(0.5)); });
  time("p95", "95th percentile, accurate to 1 %, of", Merge::kNone,
       [](const Stat& s) { return static_cast<double>(s.Quantile(0.95)); });
  time("max", "Largest of", Merge::kMax, [](const Stat& s) { return static_cast<double>(s.max); });
}

}  // namespace emberline
