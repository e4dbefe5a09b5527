#include "rpc/log.h"

#include <cstdio>
#include <mutex>
#include <string>

#include "base/escape.h"

namespace emberline {
namespace {

LogLevel max_level = LogLevel::kInfo;
std::mutex log_mutex;

}  // namespace

void SetLogLevel(LogLevel level) { max_level = level; }

void Log(LogLevel level, std::string_view text) {
  if (level > max_level) return;
  static constexpr const char* kNames[] = {"error", "info", "debug"};
  std::string line = std::string("[") + kNames[static_cast<int>(level)] + "] ";
  line += Escaped(text) + "\n";
  std::lock_guard lock(log_mutex);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace emberline
