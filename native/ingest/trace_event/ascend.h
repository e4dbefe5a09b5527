// What torch_npu's recorder for Ascend NPUs writes (trace_view.json): processes are layers of one
// machine, and only their names and the tasks' args tell what a slice is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "store/builder.h"
#include "store/problems.h"

namespace emberline {

// What a task of the row "Ascend Hardware" is, by its "Task Type" ("AI_CORE", "SDMA_SQE", "Notify
// Wait", in the spelling of any release) and its name. kHostOther: the type is not known.
SliceKind KindOfAscendTask(std::string_view task_type, std::string_view name);

// True when the processes are those of torch_npu.
bool IsAscend(const TraceBuilder& builder);

// Gives every row of an Ascend trace its place and meaning: the layers of a device become rows of
// one NPU, CANN's calls become runtime calls, a collective counts once, without its tasks, and
// ranges that the recorder derived count nowhere. For traces for which IsAscend() holds, once, when
// all events were taken.
void SettleAscend(TraceBuilder* builder, Problems* problems);

}  // namespace emberline
