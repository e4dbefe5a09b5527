#include "app/result_output.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/escape.h"
#include "json/write_json.h"
#include "render/tables.h"

namespace emberline {

ResultOutput::ResultOutput(OutputFormat format, std::string columns, std::optional<int64_t> limit,
                           Json head, std::function<void()> before)
    : format_(format),
      keys_(std::move(columns)),
      limit_(limit && *limit >= 0 ? *limit : INT64_MAX),
      head_(std::move(head)),
      before_(std::move(before)),
      sink_{[this](const Json& told) { return Begin(told); },
            [this](const Json& row) { return Row(row); },
            [this](std::string_view piece) { return Text(piece); }} {}

void ResultOutput::Write(std::string_view text) {
  if (!good_) return;
  good_ = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!good_) why_ = errno;
}

void ResultOutput::WriteJsonText(const Json& value) {
  good_ = WriteJson(value, [this](std::string_view piece) {
    Write(EscapedJson(std::string(piece)));
    return good_;
  });
}

Result<bool> ResultOutput::Begin(const Json& columns) {
  columns_ = columns;
  if (!keys_.empty()) {
    Result<Json> chosen = ChosenColumns(keys_, columns);
    if (!chosen.ok()) return chosen.error();
    columns_ = std::move(chosen.value());
  }
  begun_ = true;
  before_();
  switch (format_) {
    case OutputFormat::kJson:
      Write("{");
      for (const auto& [key, value] : head_.items()) {
        WriteJsonText(key);
        Write(":");
        WriteJsonText(value);
        Write(",");
      }
      Write("\"columns\":");
      WriteJsonText(columns_);
      Write(",\"rows\":[");
      break;
    case OutputFormat::kCsv:
      Write(CsvHead(columns_));
      break;
    case OutputFormat::kTable:
    case OutputFormat::kMarkdown:
      Write(WordsHead(columns_));
      break;
  }
  return true;
}

bool ResultOutput::Row(const Json& row) {
  if (rows_ == limit_) return false;
  ++rows_;
  switch (format_) {
    case OutputFormat::kJson:
      if (rows_ > 1) Write(",");
      if (keys_.empty()) {
        WriteJsonText(row);
      } else {
        Json kept = Json::object();
        for (const Json& column : columns_) {
          const std::string& key = column["key"].get_ref<const std::string&>();
          kept[key] = row[key];
        }
        WriteJsonText(kept);
      }
      break;
    case OutputFormat::kCsv:
      Write(CsvRow(columns_, row));
      break;
    case OutputFormat::kTable:
    case OutputFormat::kMarkdown:
      Write(WordsRow(columns_, row));
      break;
  }
  return good_;
}

bool ResultOutput::Text(std::string_view piece) {
  begun_ = text_ = true;
  Write(EscapedJson(std::string(piece)));
  return good_;
}

bool ResultOutput::Finish(const Json& result) {
  if (format_ == OutputFormat::kJson && !text_) {
    Write("]");
    for (const auto& [key, value] : result.items()) {
      if (key == "columns" || key == "rows") continue;
      Write(",");
      WriteJsonText(key);
      Write(":");
      WriteJsonText(value);
    }
    Write("}\n");
  }
  if (!good_) errno = why_;
  return good_ && std::fflush(stdout) == 0;
}

}  // namespace emberline
