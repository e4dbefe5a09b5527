// Numbers and tables as text for people, for spreadsheets and for Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace emberline {

// A value in the unit of its column, for people: "1.230 ms", "4.00 MiB", "12.30 %", "1,234".
std::string Humane(const Json& value, const std::string& unit);
// A difference, with its sign: "+1.230 ms"; of shares in percentage points, which nobody takes for
// a part of what it differs from.
std::string HumaneSigned(const Json& delta, const std::string& unit);

// "1 rank", "1,024 ranks".
std::string Counted(const Json& count, const std::string& one);

// The unit that a key names ("durationUs" -> "us", "sizeBytes" -> "bytes"): "" for ids and lines,
// else "count".
std::string UnitOfKey(const std::string& key);

// A {columns, rows} object as an aligned table, or as CSV (RFC 4180) with every column and raw
// numbers. Texts are escaped in both. A column with "signed" holds differences. The table for
// people leaves out columns without a value in any row, but those with "kept".
std::string TableText(const Json& table);
std::string TableCsv(const Json& table);
// The parts of the latter, for tables that are never whole.
std::string CsvHead(const Json& columns);
std::string CsvRow(const Json& columns, const Json& row);
// The same as a table of Markdown, with the columns that are shown: names are text, whatever they
// hold.
std::string TableMarkdown(const Json& table);
// The same for awk and column: a line of keys, then one line for each row, cells separated by
// blanks and without any inside; "-" for what is empty. `width`: lines columns up and cuts what is
// longer; 0: as they come.
std::string TableWords(const Json& table, size_t width);
// The parts of the latter as they come.
std::string WordsHead(const Json& columns);
std::string WordsRow(const Json& columns, const Json& row);
// The columns that `keys` (separated by commas) names, in that order and shown. Errors:
// kInvalidArgument, which names the keys there are.
Result<Json> ChosenColumns(const std::string& keys, const Json& columns);
// Leaves only these in `table`, in its rows too. Errors: the same.
Result<bool> ChooseColumns(const std::string& keys, Json* table);
// A text of a trace in Markdown: nothing in it becomes more than text, or than code, which words
// are that renderers make links of by themselves.
std::string MarkdownText(const std::string& text);

// The {columns, rows} form of an array of flat objects; nested members become compact JSON.
Json TableOfObjects(const Json& objects);

// --- For what is no table.
bool IsTable(const Json& value);
bool IsArrayOfObjects(const Json& value);
// "Device self" from "deviceSelfUs". Keys may be a trace's own.
std::string Title(const std::string& key);
inline constexpr size_t kMaxCell = 72;  // characters of a text cell
std::string Shortened(const std::string& text, size_t width = kMaxCell);
// Lines of cells below their titles; `right`: columns that stand at their right edge.
std::string Aligned(const std::vector<std::string>& titles, const std::vector<bool>& right,
                    const std::vector<std::vector<std::string>>& lines);

}  // namespace emberline
