// Entries of the list that are no events, such as {} or null, in front of the place where reading
// goes on behind damage.
#pragma once

#include <cstdint>

namespace emberline {

struct SilentEntries {
  // Objects without a type, and what is no object: how many, and where the first one begins.
  uint64_t objects = 0, others = 0;
  const char* first_object = nullptr;
  const char* first_other = nullptr;
  uint64_t count() const { return objects + others; }
};

// Entries at the end of [begin, end), which begins with something damaged and ends where an event
// begins or the list ends. Read backward: the text is sound from the damage on, so that brackets
// and texts are as they seem to be until it is reached, which reading forward cannot tell.
SilentEntries FindSilentEntries(const char* begin, const char* end);

// Whether at `p` nothing but a comma and such entries follow until the list is closed.
bool EntriesFollow(const char* p, const char* end);

}  // namespace emberline
