#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/select_rows.h"
#include "analysis/text_cell.h"
#include "base/text.h"
#include "rpc/params.h"
#include "rpc/views/view.h"

namespace emberline {
namespace {

constexpr int64_t kDefaultLimit = 200;
constexpr int64_t kMaxLimit = 2000;
// A page ends early when its text grows beyond this, so that a reply stays below 256 KiB.
constexpr size_t kPageBytes = 192 << 10;
// The same for exports, which ask for everything.
constexpr size_t kLargePageBytes = 32 << 20;

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

Json ColumnsJson(const std::vector<Column>& table_columns) {
  Json columns = Json::array();
  for (const Column& column : table_columns) {
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

bool WantsAll(const Json& params) { return IntegerParam(params, "limit", kDefaultLimit) < 0; }

// `paged`: the rows are those of a reply.
TableQuery QueryOf(const Json& params, bool paged) {
  TableQuery query;
  query.sort = TextParam(params, "sort");
  query.filter = TextParam(params, "filter");
  query.offset = static_cast<uint64_t>(std::max<int64_t>(0, IntegerParam(params, "offset", 0)));
  if (!WantsAll(params)) {
    const int64_t limit = IntegerParam(params, "limit", kDefaultLimit);
    query.limit = static_cast<uint64_t>(paged ? std::min(limit, kMaxLimit) : limit);
  }
  return query;
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

Json RowJson(const std::vector<Column>& columns, const std::vector<Cell>& cells, size_t max_text) {
  Json::object_t row;
  row.reserve(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    // Keys differ, so none is looked up.
    row.emplace_back(columns[c].key, c < cells.size() ? CellJson(cells[c], max_text) : Json());
  }
  return row;
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
    for (size_t c = 0; c < columns_.size(); ++c) {
      bytes_ += columns_[c].key.size() + (c < cells.size() ? CellBytes(cells[c]) : 8);
    }
    if (bytes_ > max_bytes_ && !rows_.empty()) return false;
    rows_.push_back(RowJson(columns_, cells, max_text_));
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

// Rows of a result: into its list, or out to a sink.
class Output {
 public:
  Output(const std::vector<Column>& columns, const Json& params, const ResultSink* sink)
      : columns_(columns),
        sink_(sink),
        list_(columns, WantsAll(params) ? kLargePageBytes : kPageBytes) {}

  Result<bool> Begin() { return sink_ == nullptr ? true : sink_->begin(ColumnsJson(columns_)); }
  // False when no more are wanted.
  bool Add(const std::vector<Cell>& cells) {
    return sink_ == nullptr ? list_.Add(cells) : sink_->row(RowJson(columns_, cells, kMaxCellText));
  }
  Json Take() { return list_.Take(); }

 private:
  const std::vector<Column>& columns_;
  const ResultSink* sink_;
  RowList list_;
};

Json ResultOf(const std::vector<Column>& columns, Json rows, RowCounts counts) {
  return {{"columns", ColumnsJson(columns)},
          {"rows", std::move(rows)},
          {"totalRows", counts.total_rows},
          {"unfilteredRows", counts.unfiltered_rows}};
}

}  // namespace

double Us(Ns ns) { return static_cast<double>(ns) / 1000.0; }

Json TableJson(const Table& table) {
  RowList rows(table.columns, kLargePageBytes);
  for (const std::vector<Cell>& cells : table.rows) {
    if (!rows.Add(cells)) break;
  }
  return ResultOf(table.columns, rows.Take(), {table.rows.size(), table.rows.size()});
}

namespace {

Result<Json> SelectedResult(const Table& table, const SelectedRows& selected, const Json& params,
                            const ResultSink* sink) {
  Output output(table.columns, params, sink);
  if (auto begun = output.Begin(); !begun.ok()) return begun.error();
  for (const uint32_t row : selected.rows) {
    if (!output.Add(table.rows[row])) break;
  }
  return ResultOf(table.columns, output.Take(), {selected.total_rows, table.rows.size()});
}

}  // namespace

Result<Json> TableResult(const Table& table, const ViewRequest& request) {
  return TableResult(table, request.params, request.sink);
}

Result<Json> TableResult(const Table& table, const Json& params, const ResultSink* sink) {
  const Result<SelectedRows> selected = SelectRows(table, QueryOf(params, sink == nullptr));
  if (!selected.ok()) return selected.error();
  return SelectedResult(table, *selected, params, sink);
}

Result<Json> TableResult(const ViewRequest& request, const std::string& key, const Table& table) {
  const TableQuery query = QueryOf(request.params, request.sink == nullptr);
  // What is typed into a filter changes with each key, and what is not sorted has its order.
  if (!query.filter.empty() || query.sort.empty()) return TableResult(table, request);
  const auto order = request.trace.results.Get<std::vector<uint32_t>>(
      key + "\nsorted " + query.sort, request.cancel, [&] { return OrderRows(table, query); });
  if (!order.ok()) return order.error();
  return SelectedResult(table, CutRows(**order, query), request.params, request.sink);
}

Result<Json> TableResult(const ViewRequest& request, const std::string& key,
                         const LazyTable& table) {
  using Order = std::vector<uint32_t>;
  const TableQuery query = QueryOf(request.params, request.sink == nullptr);
  std::shared_ptr<const Order> order;
  const auto make = [&] { return OrderRows(table, query, request.cancel); };
  if (!query.filter.empty()) {
    // What is typed into a filter changes with each key: it is not kept.
    Result<Order> made = make();
    if (!made.ok()) return made.error();
    order = std::make_shared<const Order>(std::move(*made));
  } else if (!query.sort.empty()) {
    auto kept =
        request.trace.results.Get<Order>(key + "\nsorted " + query.sort, request.cancel, make);
    if (!kept.ok()) return kept.error();
    order = std::move(*kept);
  }
  Output output(table.columns(), request.params, request.sink);
  if (auto begun = output.Begin(); !begun.ok()) return begun.error();
  const auto counts =
      VisitTable(table, order.get(), query, request.cancel, [&](const Table& piece) {
        return std::all_of(piece.rows.begin(), piece.rows.end(),
                           [&](const auto& cells) { return output.Add(cells); });
      });
  if (!counts.ok()) return counts.error();
  return ResultOf(table.columns(), output.Take(), *counts);
}

}  // namespace emberline
