// The tables of a job.
#pragma once

#include <string>
#include <vector>

#include "analysis/table.h"
#include "base/result.h"
#include "ranks/job.h"

namespace emberline {

struct JobTable {
  const char* name;  // as params.by names it
  const char* title;
  Table (*make)(const Job& job);  // null: its rows are those of one rank's trace
};

// Every table, in the order in which people look at them.
const std::vector<JobTable>& JobTables();

// The table called `name`, of those that digests hold. Errors: kInvalidArgument, naming those there
// are.
Result<Table> MakeJobTable(const Job& job, const std::string& name);

// One for each entry, in the file of its subject.
Table RanksTable(const Job& job);
Table GroupsTable(const Job& job);
Table RankStepsTable(const Job& job);
Table TemporalTable(const Job& job);
Table OverlapTable(const Job& job);
Table KernelTypesTable(const Job& job);
Table JobKernelsTable(const Job& job);
Table KernelRanksTable(const Job& job);
Table OperationsTable(const Job& job);
Table CallsTable(const Job& job);
Table SizesTable(const Job& job);
Table StragglersTable(const Job& job);
Table ReasonsTable(const Job& job);
Table LateWorkTable(const Job& job);
Table LatenessTable(const Job& job);
Table MatrixTable(const Job& job);
Table NodeMatrixTable(const Job& job);
Table IdleTable(const Job& job);
Table GapsTable(const Job& job);
Table LaunchesTable(const Job& job);
Table QueuesTable(const Job& job);
Table JobCopiesTable(const Job& job);
Table JobSequencesTable(const Job& job);
Table OperatorKernelsTable(const Job& job);
Table AnnotationsTable(const Job& job);
Table CountersTable(const Job& job);
Table CriticalPathTable(const Job& job);
Table CriticalOperatorsTable(const Job& job);
Table CriticalLinesTable(const Job& job);
Table CriticalKernelsTable(const Job& job);

}  // namespace emberline
