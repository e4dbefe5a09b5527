// Texts of traces made harmless for terminals, spreadsheets and readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace emberline {

// A character that is not seen but changes what is: control characters (escape sequences begin with
// one), bidirectional marks and overrides, line separators, and what fonts draw as nothing.
bool IsHidden(uint32_t code);

// `text` with its hidden characters written out: \n, \t, \xNN up to U+009F, \u{NNNN} above. Bytes
// that are no UTF-8 become \xNN.
std::string Escaped(std::string_view text);

// A JSON document in which hidden characters of its texts are \uNNNN: the same document, safe to
// print. What is no UTF-8 stays.
std::string EscapedJson(std::string json);

// One cell of CSV (RFC 4180) with a text of a trace: escaped, quoted where that is needed, and with
// an apostrophe before what a spreadsheet would take for a formula.
std::string CsvText(std::string_view text);

}  // namespace emberline
