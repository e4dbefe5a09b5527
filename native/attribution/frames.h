// What the names of Python frames say, and the files that they name.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/lines.h"
#include "attribution/attribute.h"
#include "base/cancel.h"
#include "base/hash.h"
#include "source/path_mapper.h"
#include "store/trace_store.h"

namespace emberline {

// Of a builtin, by what Python prints for it.
std::string BuiltinName(std::string_view repr);
// Of an operator, without its namespace and overload.
std::string OperatorName(std::string_view name);
// The line that a call was recorded with (CallFrom); 0 where there is none.
int RecordedCallLine(const TraceStore& store, SliceIndex call);

// What the name of a python_function slice says, and what the sources add to it.
struct FrameName {
  enum Kind : uint8_t { kUnread, kFrame, kModule, kBuiltin } kind = kUnread;
  uint32_t file = kNone;  // index into Frames::files()
  int line = 0;
  std::string name;          // function, class of the module, builtin
  bool module_call = false;  // _call_impl of nn.Module, which stands for the module that it calls
  bool unseen = false;       // a method that Python calls where the text shows no call
  int function = -1;         // index in the file's module; -1 unknown
  int moved = 0;             // by how many lines the text around it has moved
  bool inside = false;       // it is named by the line where it went on
  int goes_on = 0;           // that line in the text; 0 where it can be none
  std::string owner;         // class of a constructor
  std::vector<std::string> heirs;  // and classes of its text that inherit it
  std::set<std::string> bases;  // of a module: classes that it is derived from, as far as is seen
};

// A file that frames or recorded stacks name.
struct FrameFile {
  SourceFile file;
  std::vector<RecordedFunction> functions;
  std::vector<StringId> names;  // parallel to functions
};

// Each name is read once. Not thread-safe.
class Frames {
 public:
  // `focus`: a recorded file that counts as the user's own wherever it lies; "" for none.
  Frames(const TraceStore& store, const PathMapper& mapper, const std::string& focus)
      : s_(store), mapper_(mapper), focus_(focus) {}

  // Reads all names; notes in `attribution` whether there are stacks, and the user's frames. False
  // when cancelled.
  bool Read(const CancelToken& cancel, LineAttribution* attribution);

  // Of a name of python_function slices.
  FrameName& Name(StringId id) { return names_[name_ids_[id]]; }
  const FrameName& Name(StringId id) const { return names_[name_ids_[id]]; }

  // The file of a recorded path, which is added where it is new.
  uint32_t FileIndex(const std::string& path);
  std::vector<FrameFile>& files() { return files_; }
  const std::vector<FrameFile>& files() const { return files_; }

  // True where the trace names a statement of a notebook's cell that begins on this line. Consoles
  // name all of their inputs alike, so that their lines say nothing about each other.
  bool StatementAt(uint32_t file, int line) const {
    return statements_.count(static_cast<uint64_t>(file) << 32 | static_cast<uint32_t>(line)) != 0;
  }

  // The function in the source that a frame runs; null where it is not known.
  const PythonFunction* FunctionOf(SliceIndex frame) const;

 private:
  void ReadName(StringId id, FrameName* info);

  const TraceStore& s_;
  const PathMapper& mapper_;
  const std::string& focus_;
  std::vector<uint32_t> name_ids_;  // string id -> index into names_
  std::vector<FrameName> names_;
  std::vector<FrameFile> files_;
  std::unordered_map<std::string, uint32_t> file_ids_;
  std::unordered_set<uint64_t, NumberHash> statements_;  // of cells: file << 32 | line
};

}  // namespace emberline
