// A model as sections of an image (base/image_file.h), and back; see store/store_image.h.
#pragma once

#include <memory>

#include "base/image_file.h"
#include "model/model.h"

namespace emberline {

// Adds the model's sections; it has to stay until the image is written.
void AddModelImage(const Model& model, ImageWriter* writer);
// The model of a store that came from the same image. Null for an image that holds no such model.
std::shared_ptr<const Model> OpenModelImage(const std::shared_ptr<const ImageFile>& image,
                                            std::shared_ptr<const TraceStore> store);

}  // namespace emberline
