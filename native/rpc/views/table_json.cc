#include <algorithm>
#include <cmath>

#include "analysis/text_cell.h"
#include "base/text.h"
#include "rpc/params.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr uint64_t kDefaultLimit = 200;
constexpr uint64_t kMaxLimit = 2000;
// A page ends early when its text grows beyond this, so that a reply stays below 256 KiB.
constexpr size_t kPageBytes = 192 << 10;

const char* TypeName(CellType type) {
  switch (type) {
    case CellType::kText:
      return "text";
    case CellType::kInteger:
      return "integer";
    case CellType::kNumber:
      return "number";
    case CellType::kBool:
      return "bool";
  }
  return "text";
}

Json ColumnsJson(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"key", column.key},
                       {"title", column.title},
                       {"definition", column.definition},
                       {"type", TypeName(column.type)},
                       {"unit", UnitName(column.unit)},
                       {"role", ColumnRoleName(column.role)},
                       {"hidden", column.hidden}});
  }
  return columns;
}

Json CellJson(const Cell& cell, size_t max_text) {
  if (const bool* b = std::get_if<bool>(&cell)) return *b;
  if (const int64_t* i = std::get_if<int64_t>(&cell)) return *i;
  if (const double* d = std::get_if<double>(&cell)) return std::isfinite(*d) ? Json(*d) : Json();
  if (const std::string* s = std::get_if<std::string>(&cell)) return Shortened(*s, max_text);
  return nullptr;
}

size_t CellBytes(const Cell& cell) {
  const std::string* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return 20;
  // Control characters, quotes and backslashes are escaped.
  const auto escaped = std::count_if(text->begin(), text->end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\';
  });
  return 12 + text->size() + 5 * static_cast<size_t>(escaped);
}

// Collects rows as objects by column key, at most about `max_bytes` of text but at least one row,
// whose texts are then cut to a part of that.
class RowList {
 public:
  RowList(const std::vector<Column>& columns, size_t max_bytes)
      : columns_(columns),
        max_bytes_(max_bytes),
        max_text_(std::min(max_bytes / 8, kMaxCellText)) {}

  // False when the row does not fit any more.
  bool Add(const std::vector<Cell>& cells) {
    Json::object_t row;
    row.reserve(columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c) {
      const bool given = c < cells.size();
      // Keys differ, so none is looked up.
      row.emplace_back(columns_[c].key, given ? CellJson(cells[c], max_text_) : Json());
      bytes_ += columns_[c].key.size() + (given ? CellBytes(cells[c]) : 8);
    }
    if (bytes_ > max_bytes_ && !rows_.empty()) return false;
    rows_.emplace_back(std::move(row));
    return true;
  }
  Json Take() { return std::move(rows_); }

 private:
  const std::vector<Column>& columns_;
  const size_t max_bytes_;
  const size_t max_text_;
  size_t bytes_ = 0;
  Json::array_t rows_;
};

}  // namespace

double Us(Ns ns) { return static_cast<double>(ns) / 1000.0; }

Json TableJson(const Table& table) {
  RowList rows(table.columns, SIZE_MAX);
  for (const std::vector<Cell>& cells : table.rows) rows.Add(cells);
  return {{"columns", ColumnsJson(table)},
          {"rows", rows.Take()},
          {"totalRows", table.rows.size()},
          {"unfilteredRows", table.rows.size()}};
}

namespace {

struct AskedRows {
  TableQuery query;
  bool all = false;  // for exports: no page

  explicit AskedRows(const Json& params) {
    query.sort = TextParam(params, "sort");
    query.filter = TextParam(params, "filter");
    query.offset = static_cast<uint64_t>(std::max<int64_t>(0, IntegerParam(params, "offset", 0)));
    const int64_t limit = IntegerParam(params, "limit", kDefaultLimit);
    all = limit < 0;
    query.limit = all ? UINT64_MAX : std::min<uint64_t>(static_cast<uint64_t>(limit), kMaxLimit);
  }
  // A page is a copy of its rows, which the whole table does not need.
  bool Whole() const {
    return all && query.sort.empty() && query.filter.empty() && query.offset == 0;
  }
};

}  // namespace

Result<Json> TableResult(const Table& table, const Json& params) {
  const AskedRows asked(params);
  if (asked.Whole()) return TableJson(table);
  Result<TablePage> page = QueryTable(table, asked.query);
  if (!page.ok()) return page.error();
  return PageJson(*page, asked.all);
}

Result<Json> TableResult(const ViewRequest& request, const std::string& key, const Table& table) {
  const AskedRows asked(request.params);
  // What is typed into a filter changes with each key, and what is not sorted has its order.
  if (!asked.query.filter.empty() || asked.query.sort.empty()) {
    return TableResult(table, request.params);
  }
  const auto order = request.trace.results.Get<std::vector<uint32_t>>(
      key + "\nsorted " + asked.query.sort, request.cancel,
      [&] { return OrderRows(table, asked.query); });
  if (!order.ok()) return order.error();
  return PageJson(CutPage(table, **order, asked.query), asked.all);
}

Json PageJson(const TablePage& page, bool all) {
  RowList rows(page.table.columns, all ? SIZE_MAX : kPageBytes);
  for (const std::vector<Cell>& cells : page.table.rows) {
    if (!rows.Add(cells)) break;
  }
  return Json{{"columns", ColumnsJson(page.table)},
              {"rows", rows.Take()},
              {"totalRows", page.total_rows},
              {"unfilteredRows", page.unfiltered_rows}};
}

}  // namespace emberline
