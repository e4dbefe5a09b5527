// Values of a trace's header, which may be damaged, endless, or hold quotes that nobody escaped.
#pragma once

#include <cstddef>
#include <string>

#include "ingest/trace_event/cursor.h"
#include "store/problems.h"

namespace emberline {

// A value that is larger is not looked at as a whole.
inline constexpr size_t kMaxHeaderBytes = 8 << 20;

// How a value of the header ends.
enum class ValueExtent {
  kSound,
  kDamaged,  // it is no value, or holds what does not belong to it
  kEndless,  // cut off, or too large to be looked at whole
};

// The value at the cursor, which stays: *length in bytes where it is sound. *flawed: it can be
// read, but is no JSON.
ValueExtent MeasureValue(Cursor* cursor, Problems* problems, size_t* length, bool* flawed);

// Takes one value of any kind, however long and whatever its brackets. Keeps at most `limit` bytes
// of its text; *complete tells whether these are all of it.
void CaptureValue(Cursor* cursor, std::string* text, size_t limit, bool* complete);

}  // namespace emberline
