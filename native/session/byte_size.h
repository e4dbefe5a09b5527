// How many bytes the results of analyses, sources and models own (base/byte_size.h). A struct that
// is kept with a trace and gains a member with memory of its own gets it added here.
#pragma once

#include "analysis/findings.h"
#include "analysis/kernels.h"
#include "analysis/lines.h"
#include "analysis/memory.h"
#include "analysis/modules.h"
#include "analysis/operators.h"
#include "analysis/stacks.h"
#include "analysis/table.h"
#include "analysis/timeline.h"
#include "analysis/timeline_lanes.h"
#include "attribution/attribute.h"
#include "base/byte_size.h"
#include "model/model.h"
#include "source/path_mapper.h"
#include "source/python_syntax.h"

namespace emberline {

// --- Model.
inline size_t HeapBytes(const Csr& lists) { return HeapBytesOf(lists.begin, lists.items); }
inline size_t HeapBytes(const Step& step) { return HeapBytes(step.name); }
inline size_t HeapBytes(const Device& d) { return HeapBytesOf(d.kind, d.name, d.streams); }
inline size_t HeapBytes(const Model& m) {
  return HeapBytesOf(m.launch, m.launched, m.captured, m.op, m.frame, m.annotation, m.forward,
                     m.pass, m.repeats, m.step, m.host_self, m.host_api, m.device_self,
                     m.device_total, m.steps, m.devices, m.is_op, m.is_communication);
}

// --- Tables and what stands beside them.
inline size_t HeapBytes(const Column& c) { return HeapBytesOf(c.key, c.title, c.definition); }
inline size_t HeapBytes(const Table& table) { return HeapBytesOf(table.columns, table.rows); }
inline size_t HeapBytes(const KernelData& data) { return HeapBytes(data.rows); }
inline size_t HeapBytes(const OperatorData& data) { return HeapBytes(data.rows); }

// --- Overview.
inline size_t HeapBytes(const StepBreakdown& steps) { return HeapBytes(steps.steps); }
inline size_t HeapBytes(const GpuSummary& gpu) {
  return HeapBytesOf(gpu.label, gpu.name, gpu.compute_capability);
}
inline size_t HeapBytes(const ConfigEntry& entry) { return HeapBytesOf(entry.name, entry.value); }
inline size_t HeapBytes(const Overview& overview) {
  return HeapBytesOf(overview.steps, overview.gpus, overview.configuration);
}
inline size_t HeapBytes(const Frame& frame) { return HeapBytesOf(frame.file, frame.function); }
inline size_t HeapBytes(const MessageArg& argument) {
  const auto* text = std::get_if<std::string>(&argument.value);
  return HeapBytes(argument.name) + (text == nullptr ? 0 : HeapBytes(*text));
}
inline size_t HeapBytes(const Message& m) { return HeapBytesOf(m.code, m.text, m.arguments); }
inline size_t HeapBytes(const Evidence& evidence) { return HeapBytes(evidence.label); }
inline size_t HeapBytes(const Finding& f) {
  return HeapBytesOf(f.id, f.severity, f.title, f.text, f.evidence, f.action, f.snippet, f.slices,
                     f.frames, f.arguments);
}

// --- Memory.
inline size_t HeapBytes(const MemoryDevice& d) {
  return HeapBytesOf(d.name, d.allocator_name, d.records, d.events, d.running);
}
inline size_t HeapBytes(const MemoryData& data) { return HeapBytesOf(data.devices, data.owners); }

// --- Stacks and modules.
inline size_t HeapBytes(const StackNode& node) { return HeapBytes(node.children); }
inline size_t HeapBytes(const StackTree& tree) { return HeapBytesOf(tree.frames, tree.nodes); }
inline size_t HeapBytes(const ModuleNode& n) {
  return HeapBytesOf(n.name, n.class_name, n.children, n.file, n.function);
}
inline size_t HeapBytes(const ModuleTree& tree) { return HeapBytesOf(tree.nodes, tree.roots); }
inline size_t HeapBytes(const LightningResult& r) { return HeapBytesOf(r.modules, r.hooks); }

// --- Timeline.
inline size_t HeapBytes(const TimelineRow& row) {
  return HeapBytesOf(row.group, row.name, row.detail, row.unit, row.instants);
}
inline size_t HeapBytes(const TimelineIndex& index) {
  return HeapBytesOf(index.rows, index.row_of, index.series, index.device_busy, index.host_busy);
}
inline size_t HeapBytes(const TimelineFlowSet& flows) {
  return HeapBytesOf(flows.arrows, flows.ends);
}

// --- Lines.
inline size_t HeapBytes(const LineLocation& l) {
  return HeapBytesOf(l.file, l.function, l.class_name);
}
inline size_t HeapBytes(const LineAttribution& a) {
  return HeapBytesOf(a.locations, a.contexts, a.context, a.blamed, a.is_call, a.user_frame,
                     a.begins_run, a.pass, a.caller, a.origin, a.captured, a.cut_calls,
                     a.memory_slice);
}
inline size_t HeapBytes(const LineCost& cost) { return HeapBytes(cost.operators); }
inline size_t HeapBytes(const LineGroup& g) { return HeapBytesOf(g.file, g.function, g.operators); }
inline size_t HeapBytes(const LinesResult& r) {
  return HeapBytesOf(r.rows, r.functions, r.classes);
}

// --- Sources.
// The family of a class is shared by all sites that name the class; it counts at none of them.
inline size_t HeapBytes(const Site& s) {
  return HeapBytesOf(s.name, s.receiver, s.class_names, s.is_any, s.is_none, s.aliases,
                     s.imported_from);
}
inline size_t HeapBytes(const PythonFunction& f) {
  return HeapBytesOf(f.name, f.qualified, f.parameters, f.returned, f.decorators, f.sites, f.edges,
                     f.back_edges, f.resumptions);
}
inline size_t HeapBytes(const PythonClass& c) {
  return HeapBytesOf(c.name, c.qualified, c.bases, c.attributes, c.registered, c.plain, c.unsure);
}
inline size_t HeapBytes(const PythonStatement& s) {
  return HeapBytesOf(s.token_lines, s.called, s.bound);
}
inline size_t HeapBytes(const PythonModule& m) {
  return HeapBytesOf(m.functions, m.classes, m.statements);
}
inline size_t HeapBytes(const RecordedFunction& f) { return HeapBytesOf(f.name, f.class_hint); }
inline size_t HeapBytes(const ResolvedPath& r) { return HeapBytesOf(r.path, r.candidates); }
inline size_t HeapBytes(const SourceFile& f) {
  return HeapBytesOf(f.recorded, f.resolved, f.functions) +
         (f.module == nullptr ? 0 : ByteSize(*f.module));
}

}  // namespace emberline
