#include "rpc/views/job_absences.h"

#include <algorithm>
#include <map>

#include "rpc/views/messages.h"

namespace emberline {
namespace {

// What the rows of a table come from, and why there are none although the job has it.
struct Subject {
  enum Needs : uint8_t { kWork, kDevice, kCalls, kMatched, kPairs } needs;
  const AbsenceText* otherwise;
};

const std::map<std::string, Subject>& Subjects() {
  static const std::map<std::string, Subject> subjects = {
      {"reasons", {Subject::kMatched, &messages::kNobodyLate}},
      {"lateWork", {Subject::kPairs, &messages::kNoLateWork}},
      {"lateness", {Subject::kMatched, &messages::kNothingMatched}},
      {"sizes", {Subject::kMatched, &messages::kNoKnownSizes}},
      {"matrix", {Subject::kMatched, &messages::kNothingMatched}},
      {"nodeMatrix", {Subject::kMatched, &messages::kNothingMatched}},
      {"operations", {Subject::kCalls, &messages::kNoCommunicationRecorded}},
      {"calls", {Subject::kCalls, &messages::kNoCommunicationRecorded}},
      {"groups", {Subject::kCalls, &messages::kNoCommunicationRecorded}},
      {"idle", {Subject::kDevice, &messages::kNoIdleStream}},
      {"gaps", {Subject::kDevice, &messages::kNoIdleDevice}},
      {"kernelTypes", {Subject::kDevice, &messages::kNoDeviceWorkOfJob}},
      {"kernels", {Subject::kDevice, &messages::kNoDeviceWorkOfJob}},
      {"kernelRanks", {Subject::kDevice, &messages::kNoDeviceWorkOfJob}},
      {"launches", {Subject::kDevice, &messages::kNoLinkedLaunches}},
      {"queues", {Subject::kDevice, &messages::kNoLinkedLaunches}},
      {"copies", {Subject::kDevice, &messages::kNoCopiesOfJob}},
      {"sequences", {Subject::kDevice, &messages::kNoSequences}},
      {"operatorKernels", {Subject::kDevice, &messages::kNoLaunchingOperators}},
      {"annotations", {Subject::kWork, &messages::kNoNamedRanges}},
      {"counters", {Subject::kWork, &messages::kNoCounters}},
      {"criticalPath", {Subject::kWork, &messages::kNoWholeStep}},
      {"criticalOperators", {Subject::kWork, &messages::kNoWholeStep}},
      {"criticalLines", {Subject::kWork, &messages::kNoWholeStep}},
      {"criticalKernels", {Subject::kDevice, &messages::kNoKernelOnPath}},
  };
  return subjects;
}

}  // namespace

const AbsenceText& WhyNoRows(const Job& job, const std::string& by, bool named) {
  const auto found = Subjects().find(by);
  if (found == Subjects().end()) return messages::kNothingInJob;
  const Subject& subject = found->second;
  const auto any = [&](const auto& has) {
    return std::any_of(job.ranks.begin(), job.ranks.end(),
                       [&](const JobRank& rank) { return has(*rank.digest); });
  };
  switch (subject.needs) {
    case Subject::kWork:
      break;
    case Subject::kDevice:
      if (!any([](const RankDigest& rank) { return !rank.devices.empty(); })) {
        return messages::kNoDeviceWorkOfJob;
      }
      break;
    case Subject::kPairs:
      if (!any([](const RankDigest& rank) {
            return std::any_of(rank.collectives.begin(), rank.collectives.end(),
                               [](const CollectiveDigest& call) {
                                 return IsPointToPoint(static_cast<CollectiveOp>(call.op));
                               });
          })) {
        return messages::kNoSendsOrReceives;
      }
      break;
    case Subject::kMatched:
      if (!job.calls.empty() &&
          std::none_of(job.calls.begin(), job.calls.end(),
                       [](const MatchedCall& call) { return call.members.size() > 1; })) {
        return messages::kNothingMatched;
      }
      [[fallthrough]];
    case Subject::kCalls:
      if (job.calls.empty()) return messages::kNoCommunicationRecorded;
      break;
  }
  return named ? messages::kNoNamedSequences : *subject.otherwise;
}

}  // namespace emberline
