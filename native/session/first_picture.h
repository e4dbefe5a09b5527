// The beginning of a large trace, read once more beside the whole of it, so that there is something
// to look at long before the whole is read. Takes nothing from the load and gives nothing to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "base/cancel.h"
#include "session/session.h"

namespace emberline {

// A trace as far as it was read: a cut file to everyone who asks (IsIncomplete of
// store/recorder.h). Steps whose end lies behind what was read are partial, and end there.
struct FirstPart {
  std::shared_ptr<const LoadedTrace> trace;
  double fraction = 0;  // of the file's bytes, above 0 and at most 1
};

struct FirstPictureOptions {
  // Shorter traces are read before anybody has looked at a picture of their beginning; bytes of
  // text.
  uint64_t least_text_bytes = uint64_t{128} << 20;
  // Of the file's bytes. Reading them a second time takes its share of the cores from the load:
  // where there are only two, that is felt, and a quarter as many are read.
  double fraction = 0.25;
  // At most so much text, however long the trace: more takes longer to read, and says little more.
  // Where there are few cores, a quarter of this, too.
  uint64_t most_text_bytes = uint64_t{512} << 20;
};

// What suits this machine. EMBERLINE_FIRST_PICTURE_LEAST_KB says which traces have one; tests lower
// it.
FirstPictureOptions FirstPictureOptionsOfMachine();

// The beginning of a trace. Null for a trace that is too short, cannot be read, or begins without
// anything that takes time, and when cancelled.
std::shared_ptr<const FirstPart> ReadFirstPart(const std::filesystem::path& path,
                                               std::shared_ptr<Memo> memo,
                                               const FirstPictureOptions& options,
                                               const CancelToken& cancel);

// The same on a thread of its own.
class FirstPicture {
 public:
  using Ready = std::function<void(std::shared_ptr<const FirstPart>)>;
  // Starts. `ready` is called at most once, on the other thread, and never where there is no
  // picture. Where no thread is to be had, there is none.
  FirstPicture(std::filesystem::path path, std::shared_ptr<Memo> memo,
               const FirstPictureOptions& options, Ready ready);
  // Gives up what is not ready; `ready` is not called any more.
  ~FirstPicture();
  FirstPicture(const FirstPicture&) = delete;
  FirstPicture& operator=(const FirstPicture&) = delete;

 private:
  const CancelToken cancel_;
  std::thread thread_;
};

}  // namespace emberline
