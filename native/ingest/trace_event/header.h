// The keys of a trace file besides its events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/trace_event/event_reader.h"
#include "store/problems.h"
#include "store/trace_store.h"

namespace emberline {

class HeaderReader {
 public:
  // Longer values of other keys are cut.
  static constexpr size_t kMaxTextBytes = 64 << 10;

  HeaderReader(TraceMetadata* metadata, Problems* problems);

  // True for keys whose value is understood and thus kept whole.
  static bool NeedsWhole(std::string_view key);
  // True when `text` begins with a key (and its closing quote) that recorders write.
  static bool IsKnownKey(std::string_view text);

  // Takes one key with its value's text. A key that comes again replaces the earlier one.
  // `complete`: the text was not cut.
  void Take(const std::string& key, const std::string& value, uint64_t offset, bool complete);

 private:
  bool TakeDevices(const std::string& value);
  bool TakeDistributed(const std::string& value, uint64_t offset);
  std::string TextOf(const ArgItem& item) const;
  static std::string Unquote(std::string_view value);

  TraceMetadata* metadata_;
  Problems* problems_;
  StringPool strings_;
  EventReader reader_;
};

}  // namespace emberline
