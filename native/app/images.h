// How much the command line keeps of traces that it read, and where.
#pragma once

#include <cstddef>
#include <memory>

#include "app/options.h"
#include "session/image_cache.h"

namespace emberline {

// Bytes of traces that stay in memory where a command uses each trace once.
inline constexpr size_t kKeptOfUsedOnce = size_t{64} << 20;

// What the options say, else the environment; null when nothing is kept.
std::shared_ptr<ImageCache> ImagesOf(const Options& options);

}  // namespace emberline
