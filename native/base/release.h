// Memory that is not needed any more.
#pragma once

namespace emberline {

// Gives back what a container holds. `container = {}` would not: that assigns an empty list, and
// the room for what was there stays.
template <typename Container>
void Release(Container& container) {
  container = Container();
}

}  // namespace emberline
