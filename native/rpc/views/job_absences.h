// Why a table of a job has no rows.
#pragma once

#include <string>

#include "ranks/job.h"
#include "rpc/messages.h"

namespace emberline {

// What was looked for and not found, where the table `by` of `job` has no rows, and how to get it.
// `named`: it is of operators with a name that was asked for.
const AbsenceText& WhyNoRows(const Job& job, const std::string& by, bool named);

}  // namespace emberline
