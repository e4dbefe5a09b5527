// Packed columns in an image: two sections each.
#pragma once

#include <string>
#include <string_view>

#include "base/image_file.h"
#include "base/packed_column.h"

namespace emberline {

// What `column` holds has to stay until the writer is done.
template <typename T>
void AddPacked(std::string_view name, const PackedColumn<T>& column, ImageWriter* writer) {
  using Block = typename PackedColumn<T>::Block;
  writer->Add<Block>(std::string(name) + ".blocks", column.blocks());
  writer->Add<uint8_t>(name, column.bytes());
}

// `*ok` becomes false where the image has no such column.
template <typename T>
void ShowPacked(std::string_view name, const ImageFile& image, PackedColumn<T>* column, bool* ok) {
  using Block = typename PackedColumn<T>::Block;
  const auto blocks = image.Get<Block>(std::string(name) + ".blocks", ok);
  const auto bytes = image.Get<uint8_t>(name, ok);
  if (!column->Show(blocks, bytes)) *ok = false;
}

}  // namespace emberline
