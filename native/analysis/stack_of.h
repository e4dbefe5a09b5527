// Python stacks of slices, in whatever form the trace recorded them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/number_column.h"
#include "model/model.h"

namespace emberline {

// How many ops around one are asked for what it lacks. Ops nest a few deep below one that has a
// stack or a partner; every op of a hostile file may ask.
inline constexpr uint32_t kMaxOpsAround = 128;

struct Frame {
  std::string file;      // as recorded; "" for builtins
  int64_t line = 0;      // as recorded, 1-based; 0 unknown
  std::string function;  // "forward", "<module>", "<built-in method randn>" (addresses stripped)
  // The recorder named the function's first line, not the calling line. Input of a notebook or
  // console is compiled statement by statement: the line of its "<module>" is that of the
  // statement.
  bool line_is_definition = false;
  bool library = false;      // standard library or installed package, not the user's own code
  SliceIndex slice = kNone;  // the python_function slice, when it is one
  bool operator==(const Frame&) const = default;
};

// Parses the name of a python_function slice: "path(line): function", matched from the right;
// "<built-in ...>" and "nn.Module: X_0" give a frame without a file.
Frame ParseFrameName(std::string_view name);

// Parses one recorded "Call stack" string (frames joined by ';', innermost first), or a launch
// stack of a captured graph (lines of "file:line:function").
std::vector<Frame> ParseCallStack(std::string_view text);

// The line that a frame was called at, where the recorder says so ("file:line"); else 0.
int64_t CallLine(std::string_view call_from);

// The stack that an annotation of capture time gives to device work of a graph; "" when none does.
// Annotations are args of the kernel's row, merged there by the name the recorder used.
std::string_view CaptureStack(const TraceStore& store, SliceIndex device_slice);

// True for what notebooks and consoles name their input by: "<ipython-input-3-...>",
// "/tmp/ipykernel_123/456.py", "<stdin>", "<console>", "<command-17>".
bool IsCellPath(std::string_view file);

// True for paths of the standard library, site-packages, dist-packages, torch/ and frozen modules.
bool IsLibraryPath(std::string_view file);

// "nn.Module: Linear_3" -> "Linear_3"; nothing for other names.
std::optional<std::string_view> ModuleName(std::string_view python_function_name);

// The Python stack of a slice, innermost first, module-call pseudo frames left out. Device slices
// take that of their graph's capture where it was recorded, else their launch's; backward ops
// without one of their own take their forward op's.
std::vector<Frame> StackOf(const Model& model, SliceIndex slice);

// Innermost frame of the user's own code in StackOf(), or nothing.
std::optional<Frame> UserFrameOf(const Model& model, SliceIndex slice);

// Innermost python_function slice "nn.Module: ..." that encloses the slice (through launch and
// forward op as above); kNone when there is none.
SliceIndex ModuleOf(const Model& model, SliceIndex slice);

// The slice is an operator as the views list it (SEMANTICS.md): a cpu op that is no step,
// data loader, optimizer or DataParallel wrapper range.
bool IsListedOperator(const Model& model, SliceIndex slice);

// Which stack a slice has, as a number: slices with equal numbers have equal stacks, so that many
// slices group without building a stack for each. Linear to build.
class StackIds {
 public:
  explicit StackIds(const Model& model);
  struct Id {
    uint64_t id = 0;            // 0: no stack
    bool from_forward = false;  // lent by the forward partner of a backward op
    bool own = false;           // recorded for this very op, or by frames around it
  };
  Id Of(SliceIndex slice) const;
  size_t MemoryBytes() const {
    return by_frame_.MemoryBytes() + captures_.size() * 4 * sizeof(void*);
  }

 private:
  const Model* model_;
  NumberColumn by_frame_;  // per python_function slice; empty when there are none
  // Texts of captured graphs that are stacks, by the place at which the trace keeps them.
  std::unordered_set<const char*> captures_;
};

}  // namespace emberline
