// Costs of lines of Python. Where each slice belongs is known already (LineAttribution, made with
// the help of sources); this sums it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/table.h"
#include "base/cancel.h"
#include "base/number_column.h"
#include "base/packed_column.h"
#include "model/model.h"

namespace emberline {

enum class LineConfidence : uint8_t {
  kExact,      // the line was recorded
  kAligned,    // found by aligning calls with the source
  kStatement,  // only the statement is known, which begins on the line and may have more
  kFunction,   // only the function is known; the line is its first
};
// "exact", "aligned", "statement", "function"
const char* LineConfidenceName(LineConfidence confidence);

struct LineLocation {
  std::string file;       // as recorded
  int line = 0;           // in the text that was aligned; as recorded where there is none
  std::string function;   // qualified where the source is known
  int function_line = 0;  // first line of the function, in the same text
  std::string
      class_name;  // qualified class that the function is a method of; "" for none or unknown
  LineConfidence confidence = LineConfidence::kFunction;
  bool stale = false;  // the line was recorded, but its statement is not in the text any more
};

// A location and how it was reached: the user's lines on the stack, outermost at the root.
struct LineContext {
  uint32_t parent = kNone;
  uint32_t location = 0;
};

// Where a piece of device work counts. Contexts may be kNone.
struct DevicePlace {
  uint32_t blamed = kNone;   // whose own time it is
  uint32_t context = kNone;  // the stack of its launch
  uint32_t caller = kNone;   // the call on another thread that it is part of: loss.backward()
  uint32_t origin = kNone;   // the call in forward that it is part of: checkpoint(...)
  Pass pass = Pass::kForward;
  SliceIndex op = kNone;  // the operator that it is listed under
};

struct LineAttribution {
  std::vector<LineLocation> locations;
  std::vector<LineContext> contexts;
  // Per slice (host slices; kNone elsewhere and where nothing is known):
  NumberColumn context;          // by the stack around it
  NumberColumn blamed;           // the same, except that backward work has its forward op's
  std::vector<bool> is_call;     // made directly by a user's frame; see CalledFrom
  std::vector<bool> user_frame;  // frames of the user's code
  // Of calls: the first that its line made in one run of the line. False everywhere where only
  // stack strings were recorded, which do not tell one run from the next.
  std::vector<bool> begins_run;
  PackedColumn<Pass> pass;
  // Of backward work on autograd's own threads: context of the call that waits for it, such as
  // loss.backward(). Its device time is part of that call's; its host time is not, for the caller
  // waits meanwhile. Empty when there is none.
  NumberColumn caller;
  // Of what runs the user's code in backward: context of the call in forward that it is part of,
  // checkpoint(...) for what runs again, the call of a function with a backward of its own. Empty
  // when there is none.
  NumberColumn origin;
  // Device work of a graph, where it is known who recorded it at capture.
  std::unordered_map<SliceIndex, DevicePlace> captured;
  // Per memory record of the store: the slice in which it happened; kNone when in none.
  PackedColumn<SliceIndex> memory_slice;
  bool has_stacks = false;    // Python stacks were recorded
  bool has_sources = false;   // some source was read
  uint64_t placed_calls = 0;  // calls of frames with source that got a line
  uint64_t unplaced_calls = 0;
  // Frames of calls whose own context does not lie in that of the call: stacks are cut where they
  // are deep.
  std::unordered_map<SliceIndex, uint32_t> cut_calls;

  // Of a call made directly by a user's frame: context of the call; else kNone.
  uint32_t CalledFrom(SliceIndex slice) const {
    if (!is_call[slice]) return kNone;
    if (!user_frame[slice]) return context[slice];
    const auto cut = cut_calls.find(slice);
    return cut != cut_calls.end() ? cut->second : contexts[context[slice]].parent;
  }
};

// Sums of one location (or one function, or one file). Times in ns.
struct LineCost {
  uint32_t location = kNone;
  // Totals hold all passes; backward and recomputation are parts of them, which do not overlap.
  Ns device_self = 0, device_total = 0, backward_device = 0, recompute_device = 0;
  Ns host_self = 0, host_total = 0, backward_host = 0, recompute_host = 0;
  uint64_t calls = 0;
  // How often the line ran, as far as it called something; of a function, how often it was called.
  // 0 when that is not known.
  uint64_t runs = 0;
  int64_t allocated_bytes = 0;
  uint64_t collectives = 0;
  Ns collective = 0;
  Ns synchronization = 0;
  Ns idle = 0;
  std::vector<std::string> operators;  // hottest first, at most 3
};

struct LineTotals {
  Ns device = 0, host = 0;                  // everything there is
  Ns line_device = 0, function_device = 0;  // on lines, on functions only
  Ns line_host = 0, function_host = 0;
};

// A function or class: everything called from its lines, nested calls counted once.
struct LineGroup {
  std::string file;
  std::string function;  // or class, qualified
  int line = 0;
  Ns device = 0, host = 0, backward_device = 0, backward_host = 0;
  Ns recompute_device = 0, recompute_host = 0;
  uint64_t calls = 0;
  std::vector<std::string> operators;
};

struct LinesResult {
  std::vector<LineCost> rows;        // one per location with a cost, hottest self first
  std::vector<LineGroup> functions;  // hottest first
  std::vector<LineGroup> classes;    // hottest first; line is 0
  LineTotals totals;
  bool has_device_work = false;
};

// Rows by class have the class where others have the function, and line 0.
enum class LineGrouping : uint8_t { kLine, kFunction, kClass, kFile };

// Errors: kCancelled.
Result<LinesResult> AnalyzeLines(const Model& model, const LineAttribution& attribution,
                                 const StepSelection& steps, const CancelToken& cancel = {});

// The same with another figure than its duration for each piece of device work, such as the time
// that it could save. `figures`: one per slice, ns; those of host slices count nothing, and so do
// all sums over the host and over idle time. Errors: kCancelled.
Result<LinesResult> SumOverLines(const Model& model, const LineAttribution& attribution,
                                 const StepSelection& steps, const std::vector<Ns>& figures,
                                 const CancelToken& cancel = {});

// Tells functions apart that have the same name.
std::string LineFunctionKey(const LineLocation& location);

// Definitions of the columns, and the rows.
Table LinesTable(const LineAttribution& attribution, const LinesResult& result,
                 LineGrouping grouping);

// Where the device slice counts: at the line that its graph recorded it on, else by its launch,
// else by its op.
DevicePlace DevicePlaceOf(const Model& model, const LineAttribution& attribution, SliceIndex slice);

}  // namespace emberline
