// The slices of a line of Python, and what they ran. `wanted` of all functions: a flag for each of
// LineAttribution::locations. All functions are pure and may run on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/lines.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/model.h"

namespace emberline {

// The locations on a line of a file.
std::vector<bool> LocationsAt(const LineAttribution& at, const std::string& file, int64_t line);

// Slices of locations, by start: the calls made there (or the frames, where only the function is
// known) and the device work blamed on them. Ends early when cancelled.
std::vector<SliceIndex> SlicesOfLocations(const Model& model, const LineAttribution& at,
                                          const std::vector<bool>& wanted,
                                          const StepSelection& steps, const CancelToken& cancel);
// The longest of them, longest first.
std::vector<SliceIndex> LongestSlices(const TraceStore& store, std::vector<SliceIndex> slices,
                                      size_t most);

// An operator or kernel of a line.
struct LinePart {
  StringId name = 0;
  uint64_t calls = 0;
  Ns device = 0, host = 0, backward = 0;
  std::vector<std::string> shapes;  // of inputs, the most frequent first, at most 3
};
// A line that a line was reached from.
struct LineCaller {
  uint32_t location = kNone;
  Ns device = 0, host = 0;
};
// Hottest first: by device time where there is any, else by that of the host.
struct LineBreakdown {
  std::vector<LinePart> operators;  // at most 12
  std::vector<LinePart> kernels;    // at most 8
  std::vector<LineCaller> callers;  // at most 8
};
// Everything that ran on a line or was called from it. Errors: kCancelled.
Result<LineBreakdown> BreakDownLine(const Model& model, const LineAttribution& at,
                                    const std::vector<bool>& wanted, const StepSelection& steps,
                                    bool has_device_work, const CancelToken& cancel);

// A call on a line, and its time without the others inside it.
struct LineCall {
  SliceIndex slice = kNone;
  Ns exclusive = 0;
};
// The calls made from wanted locations, in the order of the store. Errors: kCancelled.
Result<std::vector<LineCall>> CallsFrom(const TraceStore& store, const LineAttribution& at,
                                        const std::vector<bool>& wanted, const CancelToken& cancel);

}  // namespace emberline
