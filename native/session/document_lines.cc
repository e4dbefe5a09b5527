#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "session/byte_size.h"
#include "session/lines.h"

namespace emberline {
namespace fs = std::filesystem;

namespace {

// Share of functions that an unsaved text and a recorded file have in common when they are one.
constexpr double kLikeFile = 0.6;
// Cells and unsaved documents whose recorded file is remembered.
constexpr size_t kMaxFound = 4096;

// What documents taught about the files of a trace. Frozen; a new text makes a new one.
struct Texts {
  DocumentTexts modules;
  uint64_t version = 0;  // unlike that of any other; 0 without any text
};

// What is known of the sources of a trace in one set of folders. Its mutex guards its members and
// is never held while anything is made.
class SourceState {
 public:
  using GrowsInPlace = void;  // as to MemoScope

  explicit SourceState(SourceSpace space)
      : mapper(std::move(space)), texts_(std::make_shared<const Texts>()) {}

  const PathMapper mapper;

  std::shared_ptr<const Texts> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

  // Gives each of `files` that has none the text of a document. The texts that are then known, also
  // those that other requests gave meanwhile; the same object as before where nothing came.
  std::shared_ptr<const Texts> AddTexts(const std::vector<std::string>& files,
                                        const std::shared_ptr<const PythonModule>& text) const {
    const size_t bytes = ByteSize(*text);
    const std::lock_guard lock(mutex_);
    auto next = std::make_shared<Texts>(*texts_);
    for (const std::string& file : files) next->modules.emplace(file, text);
    if (next->modules.size() == texts_->modules.size()) return texts_;
    static std::atomic<uint64_t> versions{0};
    next->version = ++versions;
    texts_ = std::move(next);
    bytes_ += bytes;
    return texts_;
  }

  // The recorded file that a cell or an unsaved document was found to be; "" when none was.
  std::string Found(const std::string& document) const {
    const std::lock_guard lock(mutex_);
    const auto at = found_.find(document);
    return at == found_.end() ? "" : at->second;
  }
  void SetFound(const std::string& document, const std::string& file) const {
    const std::lock_guard lock(mutex_);
    if (found_.size() >= kMaxFound && !found_.contains(document)) found_.erase(found_.begin());
    found_[document] = file;
    bytes_ += document.size() + file.size();
  }

  size_t MemoryBytes() const { return mapper.MemoryBytes() + bytes_.load(); }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Texts> texts_;
  mutable std::map<std::string, std::string> found_;
  mutable std::atomic<size_t> bytes_{0};  // at most what is held
};

// A document's text with its syntax.
struct ParsedText {
  std::string text;
  std::shared_ptr<const PythonModule> module;  // null for what cannot be parsed
  size_t MemoryBytes() const {
    return HeapBytes(text) + (module == nullptr ? 0 : ByteSize(*module));
  }
};

std::string SpaceKey(const SourceSpace& space) {
  std::string key = "lines";
  for (const std::string& r : space.roots) key += "\nr" + r;
  for (const PathMapping& m : space.mappings) key += "\nm" + m.from + '\0' + m.to;
  for (const std::string& p : space.site_packages) key += "\ns" + p;
  if (!space.revision.empty()) key += "\nv" + space.revision;
  return key;
}

std::shared_ptr<const SourceState> StateOf(const LoadedTrace& trace, const SourceSpace& space) {
  // Made at once, so that it is never cancelled.
  return trace.results
      .Get<SourceState>(SpaceKey(space) + "\nstate", CancelToken(),
                        [&] { return std::make_shared<const SourceState>(space); })
      .value();
}

std::string DataKey(const SourceState& state, const Texts& texts) {
  return SpaceKey(state.mapper.space()) + "\nt" + std::to_string(texts.version);
}

Result<std::shared_ptr<const LineData>> DataOf(const LoadedTrace& trace, const SourceState& state,
                                               const Texts& texts, const std::string& focus,
                                               const CancelToken& cancel) {
  const std::string key = DataKey(state, texts) + "\nf" + focus;
  return trace.results.Get<LineData>(key, cancel, [&]() -> Result<std::shared_ptr<const LineData>> {
    auto made = AttributeLines(*trace.model, state.mapper, texts.modules, focus, cancel);
    if (!made.ok()) return made.error();
    return std::make_shared<const LineData>(LineData{std::move(*made), key});
  });
}

// The syntax of a document's text. The last text of each document is kept, so that many requests
// about one version parse it once, and many versions do not pile up.
Result<std::shared_ptr<const PythonModule>> SyntaxOf(const LoadedTrace& trace,
                                                     const SourceDocument& document,
                                                     const CancelToken& cancel) {
  const std::string key = "python/" + document.path + "\n";
  const auto parse = [&] { return ParsedText{document.text, ParseSource(document.text)}; };
  const auto kept = trace.results.Get<ParsedText>(key, cancel, parse);
  if (!kept.ok()) return kept.error();
  if ((*kept)->text == document.text) return (*kept)->module;
  trace.results.ForgetPrefix(key);
  const auto next = trace.results.Get<ParsedText>(key, cancel, parse);
  if (!next.ok()) return next.error();
  // Another version may have come between.
  return (*next)->text == document.text ? (*next)->module : parse().module;
}

// "<ipython-input-3-0123456789ab>", by its digest.
bool IsCellOf(const std::string& recorded, const std::vector<std::string>& digests) {
  if (!recorded.starts_with("<ipython-input-") || !recorded.ends_with('>')) return false;
  const std::string_view inner(recorded.data(), recorded.size() - 1);
  const size_t dash = inner.rfind('-');
  return std::find(digests.begin(), digests.end(), inner.substr(dash + 1)) != digests.end();
}

// The recorded file of the user's that a text is: most of its functions have the text's bodies, or,
// where the file is not at hand, begin on the text's lines. "" when none or several fit.
std::string FileLike(const LineData& data, const PythonModule& text) {
  std::set<std::pair<std::string, uint64_t>> bodies;
  for (const PythonFunction& f : text.functions) bodies.emplace(f.qualified, f.shape);
  std::string best_file;
  double best = 0;
  for (const auto& [recorded, file] : data.files) {
    if (!file.user) continue;
    size_t same = 0, all = 0;
    if (file.module != nullptr) {
      for (const PythonFunction& f : file.module->functions) {
        if (f.kind != FunctionKind::kFunction) continue;
        ++all;
        same += bodies.count({f.qualified, f.shape});
      }
    }
    if (all == 0) {
      for (const RecordedFunction& f : file.functions) {
        if (f.name.starts_with("<")) continue;
        ++all;
        same += text.FindFunction(f.name, f.line) >= 0 ? 1 : 0;
      }
    }
    // One short function may be anybody's.
    if (same == 0 || (same < 2 && same < all)) continue;
    const double share = static_cast<double>(same) / static_cast<double>(all);
    if (share < kLikeFile || share < best) continue;
    best_file = share == best ? "" : recorded;
    best = share;
  }
  return best_file;
}

bool SamePath(const std::string& a, const std::string& b) {
  if (a == b) return true;
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

// The recorded files that a saved document is.
std::vector<std::string> FilesAt(const LineData& data, const std::string& document_path) {
  std::vector<std::string> files;
  const std::string path = NormalizePath(document_path);
  for (const auto& [recorded, file] : data.files) {
    const std::string normal = NormalizePath(recorded);
    const bool found = file.resolved.status == ResolveStatus::kFound;
    bool same = found ? SamePath(file.resolved.path, document_path) : normal == path;
    if (!same && !found && normal.find('/') != std::string::npos && !normal.starts_with("/")) {
      same = path.ends_with("/" + normal);
    }
    if (same) files.push_back(recorded);
  }
  return files;
}

// The recorded files that a document is. Cells and unsaved documents are found by their text; an
// edited one stays what it was when its text still matched.
std::vector<std::string> FilesOf(const SourceState& state, const LineData& data,
                                 const SourceDocument& document, const PythonModule* text) {
  if (!document.cell && !document.untitled) return FilesAt(data, document.path);
  if (document.cell) {
    const uint32_t hash = NotebookCellHash(document.text);
    for (const auto& [recorded, file] : data.files) {
      uint32_t number = 0;
      if ((ParseNotebookCellPath(recorded, &number) && number == hash) ||
          IsCellOf(recorded, document.digests)) {
        state.SetFound(document.path, recorded);
      }
    }
  } else if (text != nullptr) {
    const std::string recorded = FileLike(data, *text);
    if (!recorded.empty()) state.SetFound(document.path, recorded);
  }
  const std::string found = state.Found(document.path);
  if (found.empty() || !data.files.contains(found)) return {};
  return {found};
}

}  // namespace

size_t LineData::MemoryBytes() const { return HeapBytesOf(attribution, files, key); }

Result<std::shared_ptr<const LinesResult>> LineSumsOf(const LoadedTrace& trace,
                                                      const LineData& data,
                                                      const StepSelection& steps,
                                                      const CancelToken& cancel) {
  const std::string range =
      steps.all ? "all" : std::to_string(steps.first) + "-" + std::to_string(steps.last);
  return trace.results.Get<LinesResult>(data.key + "\nsums " + range, cancel, [&] {
    return AnalyzeLines(*trace.model, data.attribution, steps, cancel);
  });
}

Result<std::shared_ptr<const LineData>> LinesOf(const LoadedTrace& trace, const SourceSpace& space,
                                                const CancelToken& cancel) {
  const std::shared_ptr<const SourceState> state = StateOf(trace, space);
  return DataOf(trace, *state, *state->texts(), "", cancel);
}

ResolvedPath ResolveSource(const LoadedTrace& trace, const SourceSpace& space,
                           const std::string& recorded, SearchScope scope) {
  return StateOf(trace, space)->mapper.Resolve(recorded, scope);
}

Result<DocumentLines> DocumentLinesOf(const LoadedTrace& trace, const SourceSpace& space,
                                      const SourceDocument& document, const CancelToken& cancel) {
  const std::shared_ptr<const SourceState> state = StateOf(trace, space);
  std::shared_ptr<const Texts> texts = state->texts();
  DocumentLines out;
  auto data = DataOf(trace, *state, *texts, "", cancel);
  if (!data.ok()) return data.error();
  out.data = *data;
  if (document.untitled) {
    auto syntax = SyntaxOf(trace, document, cancel);
    if (!syntax.ok()) return syntax.error();
    out.now = *syntax;
  }
  out.files = FilesOf(*state, *out.data, document, out.now.get());
  if (out.files.empty()) {
    out.now = nullptr;
    return out;
  }
  if (out.now == nullptr) {
    auto syntax = SyntaxOf(trace, document, cancel);
    if (!syntax.ok()) return syntax.error();
    out.now = *syntax;
  }
  if (out.now == nullptr) {
    out.files.clear();
    return out;
  }

  // The text that was recorded, where it is another one than that of now.
  std::shared_ptr<const PythonModule> recorded_text;
  if (document.recorded_text && !space.revision.empty()) {
    recorded_text = ParseSource(*document.recorded_text);
  }
  std::string focus;  // a library's file that was opened
  std::vector<std::string> without_text;
  for (const std::string& recorded : out.files) {
    const SourceFile& file = out.data->files.at(recorded);
    if (!file.user && !document.cell && !document.untitled) focus = recorded;
    const bool readable =
        file.resolved.status == ResolveStatus::kFound && file.resolved.readable && !document.cell;
    if (recorded_text != nullptr || (file.module == nullptr && !(readable && recorded == focus)))
      without_text.push_back(recorded);
  }
  const std::shared_ptr<const Texts> before = texts;
  if (!without_text.empty()) {
    // Another request about the same document may have given its text first.
    texts = state->AddTexts(without_text, recorded_text != nullptr ? recorded_text : out.now);
  }
  if (texts != before) {
    trace.results.ForgetPrefix(DataKey(*state, *before) + "\n");  // nobody asks for it again
  }
  if (texts != before || !focus.empty()) {
    data = DataOf(trace, *state, *texts, focus, cancel);
    if (!data.ok()) return data.error();
    out.data = *data;
  }
  for (const std::string& recorded : out.files) {
    const SourceFile& file = out.data->files.at(recorded);
    if (file.module == nullptr) continue;
    out.drift[recorded] = std::make_shared<const Drift>(FollowEdits(*file.module, *out.now));
  }
  return out;
}

}  // namespace emberline
