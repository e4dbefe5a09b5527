// Where events begin, in text that may be damaged: reading goes on there after what cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {

// Text behind a place that must be at hand to tell what begins there. What is decided within it
// does not depend on how much more of the file is.
constexpr size_t kLookAhead = 64 << 10;

// Whether an event begins at `p` ('{'): an object with a key "ph" on its first level. `before`: the
// last byte in front of it that is no white space: where the object is damaged in front of that
// key, it counts only where an entry of a list may stand. 0: unknown, only sound ones count.
// `thorough`: looks past the first key. *searched grows by the bytes that were looked through.
bool BeginsEvent(const char* p, const char* end, char before, bool thorough, uint64_t* searched);

// The key at `p` ('"') with the colon behind it.
struct KeyAt {
  bool found = false;
  bool of_event = false;   // one that events have and the header of a trace has not
  bool of_header = false;  // one that recorders write into the header
};
KeyAt FindKey(const char* p, const char* end);

}  // namespace emberline
