// What a profiler saw inside a function, in the words that a source is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emberline {

enum class ObservedKind : uint8_t {
  kFrame,     // a Python function
  kModule,    // a call of an nn.Module
  kBuiltin,   // a C function
  kOperator,  // an operator without a Python call of its own
  kRuntime,   // a runtime call without an operator
};

// Whether reading an attribute runs a function, by the function's definition.
enum class Accessor : uint8_t { kUnknown, kProperty, kMethod };

// One kind of thing that ran directly inside a frame.
struct Observed {
  ObservedKind kind = ObservedKind::kFrame;
  std::string name;    // function; module class; builtin; operator without its namespace
  std::string owner;   // class of an __init__, where known
  std::string file{};  // path of a constructor, with forward slashes
  std::vector<std::string> heirs{};  // of a constructor: classes of its text that inherit it
  std::vector<std::string> bases{};  // of a module: classes that it is known to be derived from
  bool generator = false;  // a part of a generator function: runs when consumed, not when called
  bool metaclass = false;  // __call__ of a metaclass: runs where its class is called
  bool coroutine = false;  // a part of a coroutine: runs where it is awaited
  bool manages = false;    // a constructor: the object is entered by a `with` at once
  bool wrapper = false;    // what a decorator returned
  std::string inner;       // of a wrapper: the function that it ran, where that is seen
  Accessor accessor = Accessor::kUnknown;
  int definition_line = 0;  // of a frame of the same file, in the coordinates of the source; else 0
  bool operator==(const Observed&) const = default;
};

}  // namespace emberline
