// Writes the rows of a result's table, or the text of an export, to stdout while they are made, so
// that neither is ever whole in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/options.h"
#include "json/json.h"
#include "rpc/views/view.h"

namespace emberline {

class ResultOutput {
 public:
  // For JSON and CSV, and for tables of words that are not lined up. `columns`: keys of the columns
  // that are wanted, "" for all. `limit`: rows that are wanted, none for all. `head`: members that
  // stand before the table in JSON. `before`: called before the first output.
  ResultOutput(OutputFormat format, std::string columns, std::optional<int64_t> limit, Json head,
               std::function<void()> before);

  const ResultSink& sink() const { return sink_; }
  // False when the result had neither rows nor a text; nothing was written then.
  bool begun() const { return begun_; }
  // The other members of the result; false when something could not be written,
  // and errno says why.
  bool Finish(const Json& result);

 private:
  Result<bool> Begin(const Json& columns);
  bool Row(const Json& row);
  bool Text(std::string_view piece);
  void Write(std::string_view text);
  void WriteJsonText(const Json& value);

  const OutputFormat format_;
  const std::string keys_;
  const int64_t limit_;
  const Json head_;
  const std::function<void()> before_;
  ResultSink sink_;
  Json columns_;
  int64_t rows_ = 0;
  bool begun_ = false, text_ = false, good_ = true;
  int why_ = 0;  // errno where it is not good
};

}  // namespace emberline
