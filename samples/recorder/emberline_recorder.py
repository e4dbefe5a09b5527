"""Writes a Kineto-like trace from a torch.profiler that was built without Kineto.

Some distributions build PyTorch without Kineto: ``torch.profiler`` then records operators, Python
frames, modules and allocations, but its own exporter writes only a bare list of operators. This
module walks the profiler's event tree and writes the file that PyTorch 2.9 would write.

Use it as a trace handler::

    with torch.profiler.profile(
            activities=[ProfilerActivity.CPU],
            schedule=torch.profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
            on_trace_ready=emberline_recorder.trace_handler("slow.pt.trace.json.gz"),
            record_shapes=True, profile_memory=True, with_stack=True) as profiler:
        ...

With ``truth=True`` a second file ``<name>.truth.json`` is written: for each ``python_function``
event the line that really made the call. A trace of PyTorch 2.x does not contain it (a frame names
only the first line of its function), so it serves to measure how well lines are recovered.

Operators without a Python call of their own, such as ``a + b``, have no calling line in the profiler's
tree. A ``LineTracer`` that runs beside the profiler adds theirs to the truth file; it slows Python
down, so it is for measuring the recovery of lines, not for profiles::

    with emberline_recorder.LineTracer() as lines, torch.profiler.profile(
            on_trace_ready=emberline_recorder.trace_handler(path, truth=True, lines=lines), ...):

README.md lists how the result differs from Kineto's own.
"""

import bisect
import gzip
import json
import os
import sys
import time

import torch

# Kineto cuts time since 1970 into intervals of this many seconds and writes timestamps relative
# to the start of the current interval.
_BASE_INTERVAL_S = 7889238

# c10's device type of the CPU, and the device index that allocator records of the CPU carry.
_CPU_DEVICE_TYPE = 0
_CPU_DEVICE_ID = -1

# In absolute names of library files (they occur in the truth file only) everything up to one of
# these folders belongs to the recording machine.
_LIBRARY_FOLDERS = ("/dist-packages/", "/site-packages/", "/lib/python3")


class LineTracer:
    """Notes when the interpreter began which line, in the thread that enters it."""

    def __enter__(self):
        self._times = []  # ns since 1970, as in the profiler's events
        self._places = []  # (code, line) of the innermost frame from that time on
        self._stack = []
        frame = sys._getframe(1)
        outer = []
        while frame is not None:
            outer.append(frame)
            frame = frame.f_back
        for frame in reversed(outer):
            frame.f_trace = self._trace
            self._stack.append([frame.f_code, frame.f_lineno])
        sys.settrace(self._trace)
        return self

    def __exit__(self, *error):
        sys.settrace(None)
        return False

    def _trace(self, frame, event, argument):
        if event == "call":
            self._stack.append([frame.f_code, frame.f_lineno])
        elif event == "line":
            self._stack[-1][1] = frame.f_lineno
        elif event == "return" and len(self._stack) > 1:
            self._stack.pop()
        self._times.append(time.time_ns())
        self._places.append(tuple(self._stack[-1]))
        return self._trace

    def place(self, time_ns):
        """(file, function, line) that ran at this time; None before the first."""
        index = bisect.bisect_right(self._times, time_ns) - 1
        if index < 0:
            return None
        code, line = self._places[index]
        return code.co_filename, code.co_name, line


def trace_handler(path, truth=False, root=None, written_root=None, lines=None):
    """Returns a function for ``on_trace_ready`` that writes `path` (gzipped if it ends in .gz).

    truth         also write ``<name>.truth.json`` beside it.
    root          folder of the programs; default: the folder above this module's.
    written_root  if given, frames of files under `root` are written as absolute paths under this
                  folder; else as paths relative to `root`.
    lines         a LineTracer: the truth file has the lines of operators, too.
    """
    root = os.path.abspath(root or os.path.join(os.path.dirname(__file__), ".."))

    def handler(profiler):
        recording = _Recording(profiler, root, written_root, lines)
        _write(path, recording.document_text())
        if truth:
            _write(_truth_path(path), recording.truth_text())

    return handler


def _truth_path(path):
    for suffix in (".pt.trace.json.gz", ".pt.trace.json", ".json.gz", ".json"):
        if path.endswith(suffix):
            return path[:-len(suffix)] + ".truth.json"
    return path + ".truth.json"


def _write(path, text):
    if path.endswith(".gz"):
        # No file name and no time in the gzip header: the same events give the same bytes.
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
            file.write(text.encode("utf-8"))
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _json(value):
    return json.dumps(value, separators=(",", ":"))


def _microseconds(nanoseconds):
    """Time in microseconds with three decimals, computed without a float."""
    return "%d.%03d" % divmod(nanoseconds, 1000)


class _Recording:
    """The events of one finished profile, in the order in which the trace lists them."""

    def __init__(self, profiler, root, written_root, lines=None):
        self._profiler = profiler
        self._root = root
        self._written_root = written_root
        self._lines = lines
        results = profiler.profiler.kineto_results
        # The tree lacks the thread number of the forward pass; the flat list has it.
        self._forward_threads = {
            event.correlation_id(): event.fwd_thread_id()
            for event in results.events()
            if event.correlation_id() > 0
        }
        self._entries = []  # (event, python parent entry index or None), in order of start
        self._collect(results.experimental_event_tree())
        self._pid = os.getpid()
        starts = [event.start_time_ns for event, _ in self._entries]
        ends = [self._raw_end(event) for event, _ in self._entries]
        self._first_ns = min(starts, default=0)
        self._last_ns = max(ends, default=0)
        base_s = self._first_ns // 1000000000 // _BASE_INTERVAL_S * _BASE_INTERVAL_S
        self._base_ns = base_s * 1000000000
        self._rows = []
        self._truth = []
        self._emit()

    # -- reading the event tree

    @staticmethod
    def _kind(event):
        return str(event.tag).rsplit(".", 1)[-1]

    @staticmethod
    def _raw_end(event):
        """End in ns; an event that was open when the recording stopped has no valid end."""
        return max(event.end_time_ns, event.start_time_ns)

    def _end(self, event):
        if event.end_time_ns < event.start_time_ns or event.end_time_ns > self._last_ns:
            return self._last_ns
        return event.end_time_ns

    def _collect(self, roots):
        # A loop, not a recursion: trees of deep programs exceed Python's recursion limit.
        pending = [(event, None) for event in reversed(roots)]
        while pending:
            event, python_parent = pending.pop()
            index = len(self._entries)
            self._entries.append((event, python_parent))
            if self._kind(event) in ("PyCall", "PyCCall"):
                python_parent = index
            pending.extend((child, python_parent) for child in reversed(event.children))

    # -- names

    @staticmethod
    def _name(event):
        """The event's name. Reading one whose bytes are no UTF-8 raises; what can be read is kept."""
        try:
            return event.name
        except UnicodeDecodeError as error:
            return error.object.decode("utf-8", "replace")

    def _tid(self, event):
        # The profiler numbers threads from 1; the operating system's first thread has the id of
        # its process.
        return self._pid + max(event.start_tid, 1) - 1

    def _written_path(self, path):
        """The path of a program's file as the trace names it; others unchanged."""
        if not os.path.isabs(path):
            candidate = os.path.join(self._root, path)
            if not os.path.isfile(candidate):
                return path
            path = candidate
        relative = os.path.relpath(path, self._root)
        if relative.startswith(".."):
            return path
        return self._written_root.rstrip("/") + "/" + relative if self._written_root else relative

    def _truth_file(self, path):
        written = self._written_path(path)
        for folder in _LIBRARY_FOLDERS:
            if folder in written:
                tail = written.rsplit(folder, 1)[1]
                return tail.split("/", 1)[1] if folder == "/lib/python3" else tail
        return written

    def _python_name(self, event):
        name = self._name(event)
        fields = event.extra_fields
        if self._kind(event) != "PyCall" or fields.module is not None or "(" not in name:
            return name
        path, rest = name.rsplit("(", 1)
        # Function names such as <lambda> contain no bracket, so the last one opens the line.
        return self._written_path(path) + "(" + rest

    # -- writing the events

    def _emit(self):
        python_ids = {}
        flow_starts = {}
        for index, (event, python_parent) in enumerate(self._entries):
            kind = self._kind(event)
            if kind == "TorchOp":
                self._note_operator_line(event, python_parent)
                self._emit_op(event, index, flow_starts)
            elif kind in ("PyCall", "PyCCall"):
                self._emit_python(event, index, python_parent, python_ids)
            elif kind == "Allocation":
                self._emit_allocation(event, index)
        self._emit_flows(flow_starts)
        self._emit_metadata()

    def _slice(self, category, name, event, args):
        start = event.start_time_ns
        end = max(self._end(event), start)
        self._rows.append(
            '{"ph":"X","cat":%s,"name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":%s}' % (
                _json(category), _json(name), self._pid, self._tid(event),
                _microseconds(start - self._base_ns), _microseconds(end - start), _json(args)))

    def _emit_op(self, event, index, flow_starts):
        fields = event.extra_fields
        scope = str(fields.scope).rsplit(".", 1)[-1]
        args = {"External id": event.correlation_id, "Record function id": 0}
        if scope == "USER_SCOPE":
            args["Ev Idx"] = index
            self._slice("user_annotation", self._name(event), event, args)
            return
        if fields.sequence_number >= 0:
            forward_thread = self._forward_threads.get(event.correlation_id, 0)
            args["Sequence number"] = fields.sequence_number
            args["Fwd thread id"] = forward_thread
            self._note_flow(event, fields.sequence_number, forward_thread, scope, flow_starts)
        args["Ev Idx"] = index
        inputs = fields.inputs
        if self._profiler.record_shapes and inputs.shapes:
            args["Input Dims"] = inputs.shapes
            args["Input Strides"] = inputs.strides
            args["Input type"] = inputs.dtypes
            args["Concrete Inputs"] = [self._concrete(value) for value in inputs.ivalues]
        self._slice("cpu_op", self._name(event), event, args)

    def _note_operator_line(self, event, python_parent):
        """Adds the line of an operator that a Python function runs itself."""
        if self._lines is None or python_parent is None or event.parent is None:
            return
        if event.parent.id != self._entries[python_parent][0].id:
            return  # inside another operator
        name = self._name(self._entries[python_parent][0])
        place = self._lines.place(event.start_time_ns)
        # A builtin's name holds no line; a module's no function.
        if place is None or not name.endswith("): " + place[1]):
            return
        self._truth.append(_json({
            "event": len(self._rows),
            "file": self._truth_file(place[0]),
            "line": place[2],
        }))

    @staticmethod
    def _concrete(value):
        if isinstance(value, float):
            return "%d." % value if value.is_integer() else repr(value)
        if isinstance(value, (bool, int)) or (
                isinstance(value, list) and all(isinstance(item, int) for item in value)):
            return str(value)
        return ""

    @staticmethod
    def _note_flow(event, sequence_number, forward_thread, scope, flow_starts):
        if forward_thread == 0:
            # Nested forward operators share a number; the one that starts last is meant.
            flow_starts[(event.start_tid, sequence_number)] = [event, None]
        elif scope == "BACKWARD_FUNCTION":
            pair = flow_starts.get((forward_thread, sequence_number))
            if pair is not None and pair[1] is None:
                pair[1] = event

    def _emit_flows(self, flow_starts):
        pairs = [pair for pair in flow_starts.values() if pair[1] is not None]
        pairs.sort(key=lambda pair: pair[0].start_time_ns)
        for number, (forward, backward) in enumerate(pairs, 1):
            for phase, event, extra in (("s", forward, ""), ("f", backward, ',"bp":"e"')):
                self._rows.append(
                    '{"ph":"%s","id":%d,"pid":%d,"tid":%d,"ts":%s,"cat":"fwdbwd",'
                    '"name":"fwdbwd"%s}' % (
                        phase, number, self._pid, self._tid(event),
                        _microseconds(event.start_time_ns - self._base_ns), extra))

    def _emit_python(self, event, index, python_parent, python_ids):
        python_ids[index] = len(python_ids) + 1
        fields = event.extra_fields
        name = self._python_name(event)
        args = {
            "Python id": python_ids[index],
            "Python parent id": None if python_parent is None else python_ids[python_parent],
        }
        if name.startswith("nn.Module: "):
            number = name.rsplit("_", 1)[1]
            args["Python module id"] = int(number)
        args["Ev Idx"] = index
        caller = fields.caller
        if caller is not None and caller.line_number > 0:
            self._truth.append(_json({
                "event": len(self._rows),
                "file": self._truth_file(caller.file_name),
                "line": caller.line_number,
            }))
        self._slice("python_function", name, event, args)

    def _emit_allocation(self, event, index):
        fields = event.extra_fields
        args = {
            "Total Reserved": fields.total_reserved,
            "Total Allocated": fields.total_allocated,
            "Bytes": fields.alloc_size,
            "Addr": fields.ptr,
            "Device Id": _CPU_DEVICE_ID,
            "Device Type": _CPU_DEVICE_TYPE,
            "Ev Idx": index,
        }
        self._rows.append(
            '{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":%d,"tid":%d,'
            '"ts":%s,"args":%s}' % (
                self._pid, self._tid(event), _microseconds(event.start_time_ns - self._base_ns),
                _json(args)))

    def _emit_metadata(self):
        start = _microseconds(self._first_ns - self._base_ns)
        end = _microseconds(self._last_ns - self._base_ns)
        threads = sorted({self._tid(event) for event, _ in self._entries})

        def metadata(name, pid, tid, args):
            self._rows.append('{"name":"%s","ph":"M","ts":%s,"pid":%s,"tid":%s,"args":%s}' % (
                name, start, _json(pid), tid, _json(args)))

        metadata("process_name", self._pid, 0, {"name": "python3"})
        metadata("process_labels", self._pid, 0, {"labels": "CPU"})
        metadata("process_sort_index", self._pid, 0, {"sort_index": self._pid})
        for tid in threads:
            metadata("thread_name", self._pid, tid, {"name": "thread %d (python3)" % tid})
            metadata("thread_sort_index", self._pid, tid, {"sort_index": tid})
        self._rows.append(
            '{"ph":"X","cat":"Trace","ts":%s,"dur":%s,"pid":"Spans","tid":"PyTorch Profiler",'
            '"name":"PyTorch Profiler (0)","args":{"Op count":0}}' % (
                start, _microseconds(self._last_ns - self._first_ns)))
        metadata("process_sort_index", "Spans", 0, {"sort_index": 536870912})
        self._rows.append(
            '{"name":"Iteration Start: PyTorch Profiler","ph":"i","s":"g","pid":"Traces",'
            '"tid":"Trace PyTorch Profiler","ts":%s}' % start)
        self._rows.append(
            '{"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":%s}' % end)

    # -- the two documents

    def document_text(self):
        header = {"schemaVersion": 1, "deviceProperties": []}
        for flag in ("record_shapes", "profile_memory", "with_stack", "with_modules"):
            if getattr(self._profiler, flag):
                header[flag] = 1
        header["recorder"] = "emberline_recorder with PyTorch " + torch.__version__
        header["displayTimeUnit"] = "ms"
        header["baseTimeNanoseconds"] = self._base_ns
        lines = ["%s: %s" % (_json(key), _json(value)) for key, value in header.items()]
        return "{\n  %s,\n  \"traceEvents\": [\n  %s\n  ]\n}\n" % (
            ",\n  ".join(lines), ",\n  ".join(self._rows))

    def truth_text(self):
        return '{"frames":[\n%s\n]}\n' % ",\n".join(self._truth)
