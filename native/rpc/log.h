// Messages for people, on stderr: stdout belongs to the protocol.
#pragma once

#include <string_view>

namespace emberline {

enum class LogLevel { kError, kInfo, kDebug };

// Messages above this level are left out; kInfo at first. Set before threads start.
void SetLogLevel(LogLevel level);

// One line, "[level] text"; control characters are escaped. Any thread.
void Log(LogLevel level, std::string_view text);

}  // namespace emberline
