#include "ranks/what_if.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.h"

namespace emberline {
namespace {

constexpr WhatIf::Times kNever = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};

}  // namespace

WhatIf::WhatIf(const WorkGraph& graph) : graph_(graph) {
  const Model& m = graph.model();
  const TraceStore& s = m.store();
  const std::vector<WorkGraph::Work>& works = graph.works();
  order_.resize(works.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(works[a].time.begin, works[a].time.end, a) <
           std::tie(works[b].time.begin, works[b].time.end, b);
  });
  for (uint32_t part = 0; part < graph.host().size(); ++part) {
    waited_.push_back(graph.WaitedFor(part));
  }
  Ns shortest = INT64_MAX;
  for (const WorkGraph::Work& work : works) {
    const SliceIndex launch = m.launch[work.slice];
    const bool bound = work.before != kNone;
    if (launch != kNone && s.start(launch) <= work.time.begin) {
      launched_.push_back(MomentOf(s.start(launch)));
      shortest = std::min(shortest, work.time.begin - s.start(launch));
    } else {
      // Without a launch, work that waits for none comes when the host came there.
      launched_.push_back(bound ? Moment{} : MomentOf(work.time.begin));
    }
  }
  latency_ = shortest == INT64_MAX ? 0 : shortest;
}

WhatIf::Moment WhatIf::MomentOf(Ns time) const {
  const std::vector<WorkGraph::HostPart>& parts = graph_.host();
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), time,
      [](Ns value, const WorkGraph::HostPart& part) { return value < part.time.begin; });
  if (after == parts.begin()) return {};
  const auto part = std::prev(after);
  return {static_cast<uint32_t>(part - parts.begin()), time - part->time.begin};
}

Ns WhatIf::At(const Moment& moment, size_t k) const {
  const Ns length = graph_.host()[moment.part].time.Length();
  const Ns begin = host_begin_[moment.part][k], end = host_end_[moment.part][k];
  if (moment.since > length) return end + (moment.since - length);
  return std::min(begin + moment.since, end);
}

void WhatIf::BeginHost(uint32_t part) {
  const std::vector<WorkGraph::HostPart>& parts = graph_.host();
  for (size_t k = 0; k < kAtOnce; ++k) {
    host_begin_[part][k] =
        part == 0 ? parts[0].time.begin
                  : host_end_[part - 1][k] + (parts[part].time.begin - parts[part - 1].time.end);
  }
}

void WhatIf::EndHost(uint32_t part, uint8_t without) {
  const WorkGraph::HostPart& one = graph_.host()[part];
  const uint32_t waited = waited_[part];
  const bool waits = waited != kNone && work_end_[waited] != kNever;
  const Ns lag = waits ? one.time.end - graph_.works()[waited].time.end : 0;
  // What had ended by then had ended before.
  const std::vector<WorkGraph::Work>& works = graph_.works();
  for (; ended_ < works.size() && works[ended_].time.end <= one.time.end; ++ended_) {
    for (size_t k = 0; k < kAtOnce; ++k) {
      last_end_[k] = std::max(last_end_[k], work_end_[ended_][k]);
    }
  }
  const bool for_all = waits && WaitsForAll(part);
  for (size_t k = 0; k < kAtOnce; ++k) {
    const Ns begin = host_begin_[part][k];
    if ((without >> k & 1) != 0) {
      host_end_[part][k] = begin;
    } else if (waits) {
      host_end_[part][k] =
          std::max(begin + std::min(lag, one.time.Length()), work_end_[waited][k] + lag);
      if (for_all && last_end_[k] != INT64_MIN) {
        const Ns back = std::min(last_end_[k] + lag, one.time.end);
        host_end_[part][k] = std::max(host_end_[part][k], back);
      }
    } else {
      host_end_[part][k] = begin + one.time.Length();
    }
  }
}

// A call that waits for whole devices, not for a stream or an event of one.
bool WhatIf::WaitsForAll(uint32_t part) const {
  const std::string_view name = graph_.model().store().name(graph_.host()[part].slice);
  return Contains(name, "Device") || Contains(name, "Ctx");
}

void WhatIf::PlayWork(uint32_t work, uint8_t without) {
  const WorkGraph::Work& one = graph_.works()[work];
  const bool bound = one.before != kNone && work_end_[one.before] != kNever;
  const Moment& launched = launched_[work];
  const bool hosted = launched.part != kNone && host_begin_[launched.part] != kNever;
  const Ns launch = hosted ? graph_.host()[launched.part].time.begin + launched.since : INT64_MIN;
  const Ns before = bound ? graph_.works()[one.before].time.end : INT64_MIN;
  for (size_t k = 0; k < kAtOnce; ++k) {
    Ns begin = hosted || bound ? INT64_MIN : one.time.begin;
    if (bound) {
      // Whoever came later held it up, and what passed from there to its begin stays.
      begin = work_end_[one.before][k] + (before >= launch ? one.time.begin - before : 0);
    }
    if (hosted) {
      const Ns delay = one.time.begin - launch;
      begin = std::max(
          begin, At(launched, k) + (bound && before >= launch ? std::min(delay, latency_) : delay));
    }
    work_end_[work][k] = begin + ((without >> k & 1) != 0 ? 0 : one.time.Length());
  }
}

WhatIf::Times WhatIf::Saved(const std::vector<uint8_t>& host, const std::vector<uint8_t>& works,
                            const PathStep& last, const CancelToken& cancel) {
  const std::vector<WorkGraph::HostPart>& parts = graph_.host();
  host_begin_.assign(parts.size(), kNever);
  host_end_.assign(parts.size(), kNever);
  work_end_.assign(graph_.works().size(), kNever);
  // A part of the host comes when it ends, work when it begins: what either needs came before.
  uint32_t part = 0;
  size_t next = 0;
  ended_ = 0;
  last_end_ = kNever;
  if (!parts.empty()) BeginHost(0);
  for (size_t played = 0; part < parts.size() || next < order_.size(); ++played) {
    if (played % kCancelStride == 0 && cancel.cancelled()) return {};
    if (next < order_.size() &&
        (part == parts.size() || graph_.works()[order_[next]].time.begin < parts[part].time.end)) {
      const uint32_t work = order_[next++];
      PlayWork(work, works[work]);
    } else {
      EndHost(part, host[part]);
      if (++part < parts.size()) BeginHost(part);
    }
  }
  const bool by_device = last.last != kNone;
  const Moment host_end = MomentOf(by_device ? last.host.end : last.time.end);
  Ns recorded = INT64_MIN;
  if (host_end.part != kNone) recorded = parts[host_end.part].time.begin + host_end.since;
  const uint32_t work = by_device ? graph_.WorkOf(last.last) : kNone;
  if (work != kNone) recorded = std::max(recorded, graph_.works()[work].time.end);
  Times saved{};
  for (size_t k = 0; k < kAtOnce && recorded != INT64_MIN; ++k) {
    Ns end = INT64_MIN;
    if (host_end.part != kNone) end = At(host_end, k);
    if (work != kNone) end = std::max(end, work_end_[work][k]);
    saved[k] = recorded - end;
  }
  return saved;
}

}  // namespace emberline
