// A store as sections of an image (base/image_file.h), and back. What comes back shows the image's
// memory: nothing of the size of the trace is copied.
#pragma once

#include <memory>

#include "base/image_file.h"
#include "store/trace_store.h"

namespace emberline {

class StoreImage {
 public:
  // Adds the store's sections; it has to stay until the image is written.
  static void Add(const TraceStore& store, ImageWriter* writer);
  // Null for an image that holds no store.
  static std::shared_ptr<const TraceStore> Open(const std::shared_ptr<const ImageFile>& image);

 private:
  // Calls `visit(name, column)` for every packed column, and for every one of plain values.
  template <typename Store, typename Visit>
  static void EachPacked(Store& store, Visit&& visit);
  template <typename Store, typename Visit>
  static void EachColumn(Store& store, Visit&& visit);
  static bool OpenStrings(const ImageFile& image, StringPool* strings);
  static bool OpenArgs(const ImageFile& image, ArgTable* args);
};

}  // namespace emberline
