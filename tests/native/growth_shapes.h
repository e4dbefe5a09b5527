// Traces of shapes that recorders do not write and attackers may. Each is drawn in any size; the
// number of events follows it.
#pragma once

#include <string>
#include <vector>

namespace emberline::growth {

struct Shape {
  const char* name;
  std::string (*draw)(int size);
};
extern const std::vector<Shape> kShapes;

// A slice of process 1 as JSON, with a comma behind. Times in microseconds; they get a fraction,
// so that they count as exact.
std::string HostEvent(const char* category, const std::string& name, double ts, double dur,
                      const std::string& tid = "1", const std::string& args = "");
// A trace of such events.
std::string TraceOf(const std::string& events, const std::string& top_level = "");

}  // namespace emberline::growth
