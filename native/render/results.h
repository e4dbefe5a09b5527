// Whole results of views as text for people and for spreadsheets.
#pragma once

#include <string>

#include "json/json.h"

namespace emberline {

// Takes out the codes and arguments of messages, which stand there as text, too.
void DropCodes(Json* result);

// What a view lacks, and the argument that records it, one to a line.
std::string AbsenceSentences(const Json& absence);

// A whole result of a view as text: its table, then its other members.
std::string ResultText(const std::string& view, const Json& result);

// The main table of a result as CSV. Empty when the result holds no table.
std::string ResultCsv(const std::string& view, const Json& result);

}  // namespace emberline
