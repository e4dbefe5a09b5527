// Where the command line keeps traces that it read.
#pragma once

#include <memory>

#include "app/options.h"
#include "session/image_cache.h"

namespace emberline {

// What the options say, else the environment; null when nothing is kept.
std::shared_ptr<ImageCache> ImagesOf(const Options& options);

}  // namespace emberline
