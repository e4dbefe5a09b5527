// Results as text for people and for spreadsheets.
#pragma once

#include <string>

#include "base/result.h"
#include "json/json.h"

namespace emberline {

// A value in the unit of its column, for people: "1.230 ms", "4.00 MiB", "12.30 %", "1,234".
std::string Humane(const Json& value, const std::string& unit);

// The unit that a key names ("durationUs" -> "us", "sizeBytes" -> "bytes"): "" for ids and lines,
// else "count".
std::string UnitOfKey(const std::string& key);

// A {columns, rows} object as an aligned table, or as CSV (RFC 4180) with every column and raw
// numbers. Texts are escaped in both.
std::string TableText(const Json& table);
std::string TableCsv(const Json& table);
// The same as a table of Markdown, with the columns that are shown: names are text, whatever they
// hold.
std::string TableMarkdown(const Json& table);
// The same for awk and column: a line of keys, then one line for each row, cells separated by
// blanks and without any inside; "-" for what is empty. `width`: lines columns up and cuts what is
// longer; 0: as they come.
std::string TableWords(const Json& table, size_t width);
// Takes the columns out of `table` that `keys` (separated by commas) does not name, puts the others
// in that order and shows them. Errors: kInvalidArgument, which names the keys there are.
Result<bool> ChooseColumns(const std::string& keys, Json* table);
// A text of a trace in Markdown: nothing in it becomes more than text.
std::string MarkdownText(const std::string& text);

// The {columns, rows} form of an array of flat objects; nested members become compact JSON.
Json TableOfObjects(const Json& objects);

// A whole result of a view as text: its table, then its other members.
std::string ResultText(const std::string& view, const Json& result);

// The main table of a result as CSV. Empty when the result holds no table.
std::string ResultCsv(const std::string& view, const Json& result);

}  // namespace emberline
