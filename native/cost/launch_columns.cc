#include "cost/launch_columns.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/links.h"
#include "analysis/operators.h"
#include "analysis/row_table.h"
#include "cost/call_chain.h"
#include "cost/launch_places.h"
#include "cost/measured.h"
#include "cost/messages.h"
#include "cost/pyprof.h"
#include "model/names.h"

namespace emberline {
namespace {

struct Row {
  size_t cost = 0;    // index into CostAttribution::kernels
  size_t at = 0;      // index into LaunchRows
  int64_t index = 0;  // from 1
  int64_t sub = 0;
  SliceIndex slice = kNone;
};

// What a table shows at its usual place; the rest is asked for.
Column Hidden(Column column) {
  column.hidden = true;
  return column;
}

Cell AmountCell(Amount amount) { return amount.known() ? Cell(amount.value()) : Cell(); }

// Nothing else decides a cell than this number.
Alike AlikeBy(uint64_t number) { return {number, 0}; }

class Launches : public RowTable<Row> {
 public:
  Launches(const CostContext& context, const LaunchRows& rows)
      : context_(context),
        costs_(context.costs.kernels),
        rows_(rows),
        model_(context.model),
        store_(context.model.store()),
        chain_(model_),
        frames_(model_),
        places_(model_, context.stacks, chain_, frames_),
        devices_(DevicesOfTracks(context)) {
    AddPyProfOrigin();
    AddPyProfKernel();
    AddRates();
    AddFormulas();
    AddWhereAndWhen();
    AddLinkColumns();
  }

  size_t row_count() const override { return rows_.kernels.size(); }
  std::unique_ptr<LazyTable> Another() const override {
    return std::make_unique<Launches>(context_, rows_);
  }

 private:
  Row RowAt(size_t at) const override {
    const size_t cost = rows_.kernels[at];
    return {cost, at, static_cast<int64_t>(at) + 1, rows_.sub[at], costs_.kernel(cost)};
  }
  KernelCost CostOf(const Row& row) const { return costs_[row.cost]; }
  const OpCost* OpCostOf(const Row& row) const { return costs_.cost(row.cost); }
  bool Backward(SliceIndex kernel) const { return model_.pass[kernel] == Pass::kBackward; }
  SliceIndex OpOf(const Row& row) const { return model_.SourceOp(row.slice); }
  std::string_view NameOf(const Row& row) const { return store_.name(row.slice); }

  Cell TensorCoreCell(const Row& row) const {
    const MatrixUse use = context_.tensor_cores.UseOf(row.slice);
    if (use == MatrixUse::kYes) return Cell(std::string("1"));
    return Cell(std::string(CouldUseMatrixUnits(row) ? "0" : "-"));
  }
  bool CouldUseMatrixUnits(const Row& row) const {
    const KernelCost kernel = CostOf(row);
    return kernel.cost != nullptr && kernel.cost->matrix && !kernel.helper;
  }

  PyProfFigures PyProf(const Row& row) const { return rows_.figures[rows_.figures_of[row.at]]; }
  Amount Flops(const Row& row) const {
    return rows_.mode == CostMode::kPyProf2 ? Amount(PyProf(row).flops) : CostOf(row).flops;
  }
  Amount Bytes(const Row& row) const {
    return rows_.mode == CostMode::kPyProf2 ? Amount(PyProf(row).bytes) : CostOf(row).bytes();
  }
  double Seconds(const Row& row) const {
    return static_cast<double>(store_.duration(row.slice)) / 1e9;
  }
  std::optional<Roof> RoofOfRow(const Row& row) const {
    const DevicePeaks* device = devices_[store_.track(row.slice)];
    const KernelCost kernel = CostOf(row);
    if (device == nullptr || kernel.cost == nullptr ||
        kernel.cost->op_class == OpClass::kCollective) {
      return std::nullopt;
    }
    return RoofOf(*device, *kernel.cost, kernel.matrix_call);
  }

  // What limits the kernel; null where that is not known. Texts at one place are equal.
  const char* LimitOf(const Row& row) const {
    const auto roof = RoofOfRow(row);
    const auto bound = roof ? BoundOfRow(row, *roof) : std::nullopt;
    return !bound ? nullptr : bound->memory ? "memory" : roof->unit;
  }

  std::optional<RoofBound> BoundOfRow(const Row& row, const Roof& roof) const {
    return CredibleBound(*devices_[store_.track(row.slice)], BoundOf(roof, Flops(row), Bytes(row)),
                         Seconds(row));
  }

  // PyProf2's columns, in its order: where the kernel was launched from ...
  void AddPyProfOrigin() {
    using R = Row;
    table_.Add(IntegerFact("idx", "#", "Number of the kernel, counted from 1 by start time."),
               &R::index);
    table_.Add(Hidden(IntegerFact("seq", "Seq",
                                  "Autograd sequence number of the operator that launched the "
                                  "kernel; in the backward pass, of the autograd node.")),
               [this](const R& row) {
                 return OptionalCell(chain_.Sequence(OpOf(row), Backward(row.slice)));
               });
    table_.Add(Hidden(TextFact("altseq", "Other seq",
                               "Other autograd sequence numbers of operators around the launch.")),
               [this](const R& row) {
                 const SliceIndex op = OpOf(row);
                 const auto own = chain_.Sequence(op, Backward(row.slice));
                 const std::string text = ShapeText(chain_.OtherSequences(op, own));
                 return text == "[]" ? Cell() : Cell(text.substr(1, text.size() - 2));
               });
    table_.Add(
        Hidden(TextFact("tid", "Thread", "Thread that launched the kernel.")),
        [this](const R& row) {
          const SliceIndex launch = model_.launch[row.slice];
          if (launch == kNone) return Cell();
          const RecordedId& id = store_.tracks()[store_.track(launch)].tid;
          return id.is_text ? TextCell(store_.strings().Get(id.text))
                            : Cell(std::to_string(id.number));
        },
        [this](const R& row) {
          const SliceIndex launch = model_.launch[row.slice];
          return AlikeBy(launch == kNone ? kNone : store_.track(launch));
        });
    table_.Add(
        Hidden(TextFact("layer", "Layer",
                        "Names of the record_function(\"layer:...\") ranges around the launch, "
                        "outermost first; in the backward pass, those of the forward call.")),
        [this](const R& row) { return places_.Layer(row.slice); });
    table_.Add(
        Hidden(TextFact(
            "trace", "Trace",
            "Frames of user code at the launch as file:line, outermost first, 64 at most.")),
        [this](const R& row) { return places_.Trace(row.slice); },
        [this](const R& row) { return places_.TraceAlike(row.slice); });
    table_.Add(
        TextFact("dir", "Direction",
                 "fprop in the forward pass, bprop in the backward pass. What activation "
                 "checkpointing recomputes is fprop, with a note."),
        [this](const R& row) {
          if (OpOf(row) == kNone) return Cell();
          return Cell(std::string(Backward(row.slice) ? "bprop" : "fprop"));
        },
        [this](const R& row) {
          return AlikeBy(OpOf(row) == kNone ? 0 : Backward(row.slice) ? 1 : 2);
        });
    table_.Add(IntegerFact("sub", "Sub",
                           "Number of the kernel within one call of the operator, or within one "
                           "autograd node in the backward pass, from 0."),
               &R::sub);
    table_.Add(
        TextFact("mod", "Module",
                 "Class of the innermost nn.Module around the launch; outside of modules, the "
                 "operator's namespace."),
        [this](const R& row) { return places_.Mod(row.slice); },
        [this](const R& row) { return places_.ModAlike(row.slice); });
    table_.Add(
        TextFact("op", "Op",
                 "Outermost operator of the call, as the program called it; in the backward pass, "
                 "that of the forward call."),
        [this](const R& row) { return TextOrEmpty(chain_.OpName(OpOf(row), Backward(row.slice))); },
        [this](const R& row) {
          const SliceIndex shown = chain_.Shown(OpOf(row), Backward(row.slice));
          return AlikeBy(shown == kNone ? kNone : store_.name_id(shown));
        });
  }

  // ... and what it is and did.
  void AddPyProfKernel() {
    using R = Row;
    const auto by_name = [this](const R& row) { return AlikeBy(store_.name_id(row.slice)); };
    const auto by_cost = [this](const R& row) {
      return AlikeBy(reinterpret_cast<uintptr_t>(OpCostOf(row)));
    };
    table_.Add(
        TextFact("kernel", "Kernel", "Kernel name without template arguments and parameters."),
        [this](const R& row) { return TextCell(PyProfKernelName(NameOf(row))); }, by_name);
    table_.Add(
        TextFact("params", "Params",
                 "Sizes and data type that the operator was called with, by the letters that its "
                 "formula uses."),
        [this](const R& row) {
          return OpCostOf(row) == nullptr ? Cell() : TextOrEmpty(OpCostOf(row)->params);
        },
        by_cost);
    table_.Add(IntegerFact("sil", "Duration",
                           "Duration of the kernel in nanoseconds; PyProf2 calls it silicon time.",
                           Unit::kNs),
               [this](const R& row) { return Cell(store_.duration(row.slice)); });
    table_.Add(
        TextFact("tc", "TC",
                 "1: the kernel uses matrix units (tensor cores, MFMA), judged by its name. 0: it "
                 "does not, although the operator could run on them. -: the operator could not."),
        [this](const R& row) { return TensorCoreCell(row); },
        [this](const R& row) {
          const bool could = CouldUseMatrixUnits(row);
          const bool uses = context_.tensor_cores.UseOf(row.slice) == MatrixUse::kYes;
          return AlikeBy(uses ? 2 : could ? 1 : 0);
        });
    table_.Add(
        Hidden(IntegerFact("device", "Device", "Number of the device that ran the kernel.")),
        [this](const R& row) { return Cell(store_.tracks()[store_.track(row.slice)].device); });
    table_.Add(
        Hidden(IntegerFact("stream", "Stream", "Number of the stream that ran the kernel.")),
        [this](const R& row) { return Cell(store_.tracks()[store_.track(row.slice)].stream); });
    table_.Add(
        Hidden(TextFact("grid", "Grid", "Thread blocks of the grid in x, y, and z.")),
        [this](const R& row) { return places_.Geometry(row.slice, ArgRole::kGrid); },
        [this](const R& row) { return places_.GeometryAlike(row.slice, ArgRole::kGrid); });
    table_.Add(
        Hidden(TextFact("block", "Block", "Threads per block in x, y, and z.")),
        [this](const R& row) { return places_.Geometry(row.slice, ArgRole::kBlock); },
        [this](const R& row) { return places_.GeometryAlike(row.slice, ArgRole::kBlock); });
    Column flops = Count(
        "flops", "FLOPs",
        "Floating-point operations by the operator's formula; a fused multiply-add counts as two. "
        "They are shared among the kernels of a call, which add up to the call. Empty if unknown.");
    flops.unit = Unit::kFlops;
    table_.Add(std::move(flops), [this](const R& row) { return AmountCell(Flops(row)); });
    table_.Add(ByteCount("bytes", "Bytes",
                         "Minimum bytes of device memory that the operator reads and writes, "
                         "shared among the kernels of a call. Empty if unknown."),
               [this](const R& row) { return AmountCell(Bytes(row)); });
  }

  // How fast the kernel was, and how fast it could have been.
  void AddRates() {
    using R = Row;
    table_.Add(Quotient("tflopsPerS", "TFLOP/s",
                        "Achieved rate in 10^12 FLOPs per second: FLOPs divided by duration."),
               [this](const R& row) {
                 const Amount flops = Flops(row);
                 const double seconds = Seconds(row);
                 if (!flops.known() || seconds <= 0) return Cell();
                 return Cell(static_cast<double>(flops.value()) / seconds / 1e12);
               });
    table_.Add(Quotient("gbPerS", "Bandwidth",
                        "Achieved bandwidth: bytes divided by duration; 1 GB is 10^9 bytes.",
                        Unit::kGbPerS),
               [this](const R& row) {
                 const Amount bytes = Bytes(row);
                 const double seconds = Seconds(row);
                 if (!bytes.known() || seconds <= 0) return Cell();
                 return Cell(static_cast<double>(bytes.value()) / seconds / 1e9);
               });
    table_.Add(
        Quotient("intensity", "FLOP/B", "Arithmetic intensity: FLOPs per byte read or written."),
        [this](const R& row) {
          const Amount flops = Flops(row), bytes = Bytes(row);
          if (!flops.known() || !bytes.known() || bytes.value() == 0) return Cell();
          return Cell(static_cast<double>(flops.value()) / static_cast<double>(bytes.value()));
        });
    table_.Add(Share("roofShare", "Share of roof",
                     "Shortest time in which the device could do the FLOPs or move the bytes, "
                     "whichever takes longer, as a share of the duration. Can exceed 100 % if data "
                     "was in caches. Empty if the device or the cost is unknown, for "
                     "communication, and if the kernel was faster than the device can be."),
               [this](const R& row) {
                 const auto roof = RoofOfRow(row);
                 if (!roof || Seconds(row) <= 0) return Cell();
                 const auto bound = BoundOfRow(row, *roof);
                 return bound ? Cell(bound->seconds / Seconds(row)) : Cell();
               });
    table_.Add(
        Hidden(TextFact("bound", "Bound by",
                        "What limits the kernel: memory bandwidth, or the compute unit whose peak "
                        "is its roof.")),
        [this](const R& row) {
          const char* const limit = LimitOf(row);
          return limit == nullptr ? Cell() : Cell(std::string(limit));
        },
        [this](const R& row) { return AlikeBy(reinterpret_cast<uintptr_t>(LimitOf(row))); });
  }

  // Whose cost it is, and by which formula.
  void AddFormulas() {
    using R = Row;
    const auto by_cost = [this](const R& row) {
      return AlikeBy(reinterpret_cast<uintptr_t>(OpCostOf(row)));
    };
    table_.Add(
        Hidden(TextFact("owner", "Costed operator",
                        "Operator whose formula gives the cost: the innermost one around the "
                        "launch that has a formula.")),
        [this](const R& row) {
          const SliceIndex owner = costs_.owner(row.cost);
          return owner == kNone ? Cell() : TextCell(store_.name(owner));
        },
        [this](const R& row) {
          const SliceIndex owner = costs_.owner(row.cost);
          return AlikeBy(owner == kNone ? kNone : store_.name_id(owner));
        });
    table_.Add(
        Hidden(TextFact("class", "Class", "Kind of the cost formula.")),
        [this](const R& row) {
          const OpCost* cost = OpCostOf(row);
          return Cell(
              std::string(OpClassName(cost == nullptr ? OpClass::kUnknown : cost->op_class)));
        },
        by_cost);
    table_.Add(Hidden(ByteCount("readBytes", "Read", "Minimum bytes that the kernel must read.")),
               [this](const R& row) { return AmountCell(CostOf(row).read_bytes); });
    table_.Add(
        Hidden(ByteCount("writtenBytes", "Written", "Minimum bytes that the kernel must write.")),
        [this](const R& row) { return AmountCell(CostOf(row).written_bytes); });
    table_.Add(
        Hidden(TextFact("flopsFormula", "Formula of the FLOPs",
                        "FLOPs formula and its inputs, for the whole call.")),
        [this](const R& row) {
          const OpCost* cost = OpCostOf(row);
          return cost == nullptr ? Cell() : TextOrEmpty(cost->flops_formula);
        },
        by_cost);
    table_.Add(
        Hidden(TextFact("bytesFormula", "Formula of the bytes",
                        "Formula of the bytes read and written, for the whole call.")),
        [this](const R& row) {
          const OpCost* cost = OpCostOf(row);
          return cost == nullptr ? Cell() : TextOrEmpty(cost->bytes_formula);
        },
        by_cost);
    table_.Add(
        Hidden(TextFact("note", "Note",
                        "Why a figure is unknown, or how far it can be trusted: upper bound, "
                        "estimate, partial, helper kernel, recomputed.")),
        [this](const R& row) { return NoteCell(row, false); },
        [this](const R& row) { return NoteAlike(row); });
    table_.Add(
        Hidden(TextFact("noteCodes", "Codes of the note",
                        "Codes for the note, with \"flops:\" or \"bytes:\" before the reason why "
                        "that figure is unknown.")),
        [this](const R& row) { return NoteCell(row, true); },
        [this](const R& row) { return NoteAlike(row); });
  }

  // Where and when it ran.
  void AddWhereAndWhen() {
    using R = Row;
    table_.Add(
        Hidden(TextFact("modulePath", "Module instance",
                        "Innermost nn.Module around the launch, with the number of its instance.")),
        [this](const R& row) { return TextOrEmpty(frames_.ModuleText(row.slice)); },
        [this](const R& row) {
          const std::string_view module = frames_.ModuleText(row.slice);
          return AlikeBy(module.empty() ? 0 : reinterpret_cast<uintptr_t>(module.data()));
        });
    table_.Add(Hidden(MomentFact("startUs", "Start",
                                 "When the kernel started, from the start of the profile.")),
               [this](const R& row) { return TimeCell(store_.start(row.slice)); });
    table_.Add(Hidden(Duration("durationUs", "Duration", "Duration of the kernel.")),
               [this](const R& row) { return TimeCell(store_.duration(row.slice)); });
    table_.Add(
        Hidden(TextFact("step", "Step", "Profiler step during which the kernel was launched.")),
        [this](const R& row) {
          const uint32_t step = model_.step[row.slice];
          return step == kNone ? Cell() : TextCell(model_.steps[step].name);
        },
        [this](const R& row) { return AlikeBy(model_.step[row.slice]); });
    table_.Add(
        Hidden(TextFact("name", "Full name", "Kernel name, as recorded.")),
        [this](const R& row) { return TextCell(NameOf(row)); },
        [this](const R& row) { return AlikeBy(store_.name_id(row.slice)); });
  }

  // As AddLinks() does, one by one: sorting by one of them makes no others.
  void AddLinkColumns() {
    using Place = FrameFinder::Place;
    const std::vector<Column> columns = LinkColumns("The kernel itself.");
    const auto of_place = [this](auto&& cell) {
      return [this, cell](const Row& row) {
        const Place at = places_.UserPlace(row.slice);
        return at ? cell(at) : Cell();
      };
    };
    const auto by_frame = [this](const Row& row) {
      return AlikeBy(reinterpret_cast<uintptr_t>(places_.UserPlace(row.slice).frame));
    };
    table_.Add(columns[0], [](const Row& row) { return Cell(static_cast<int64_t>(row.slice)); });
    table_.Add(columns[1], of_place([](const Place& at) { return TextCell(at.frame->file); }),
               by_frame);
    table_.Add(columns[2],
               of_place([](const Place& at) { return at.line > 0 ? Cell(at.line) : Cell(); }));
    table_.Add(columns[3], of_place([](const Place& at) { return TextCell(at.frame->function); }),
               by_frame);
    table_.Add(columns[4], of_place([](const Place& at) { return Cell(at.line_is_definition); }),
               [this](const Row& row) {
                 const Place at = places_.UserPlace(row.slice);
                 return AlikeBy(!at ? 0 : at.line_is_definition ? 1 : 2);
               });
  }

  // What NoteCell() stands on. A sum of known bytes may be too large to be known.
  Alike NoteAlike(const Row& row) const {
    const bool again = model_.pass[row.slice] == Pass::kRecompute;
    const uint64_t known = CostOf(row).bytes().known() ? 2 : 0;
    return {costs_.kind(row.cost), known | (again ? 1 : 0)};
  }

  // What the figures of a kernel leave out and why they are not known, in words or by `codes`.
  Cell NoteCell(const Row& row, bool codes) const {
    const KernelCost kernel = CostOf(row);
    std::string text;
    const auto add = [&](std::string_view figure, const Sentence& sentence) {
      if (!text.empty()) text += codes ? " " : "; ";
      text += figure;
      text += codes ? sentence.code : sentence.text.text();
    };
    if (model_.pass[row.slice] == Pass::kRecompute) add("", messages::kNoteRecomputed);
    if (kernel.helper) add("", messages::kNoteHelperKernel);
    if (kernel.cost != nullptr) {
      if (kernel.cost->upper_bound) add("", messages::kNoteUpperBound);
      if (kernel.cost->estimate) add("", messages::kNoteEstimate);
      if (kernel.cost->partial) add("", messages::kNotePartial);
    }
    if (!kernel.flops.known()) add(codes ? "flops:" : "FLOPs: ", *kernel.flops.why());
    if (!kernel.bytes().known()) add(codes ? "bytes:" : "bytes: ", *kernel.bytes().why());
    return TextOrEmpty(text);
  }

  const CostContext& context_;
  const KernelCosts& costs_;
  const LaunchRows& rows_;
  const Model& model_;
  const TraceStore& store_;
  CallChain chain_;
  FrameFinder frames_;
  LaunchPlaces places_;
  std::vector<const DevicePeaks*> devices_;
};

}  // namespace

std::unique_ptr<LazyTable> LaunchTable(const CostContext& context, const LaunchRows& rows) {
  return std::make_unique<Launches>(context, rows);
}

}  // namespace emberline
