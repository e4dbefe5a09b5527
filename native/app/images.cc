#include "app/images.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "rpc/log.h"

namespace emberline {

std::shared_ptr<ImageCache> ImagesOf(const Options& options) {
  ImageCacheOptions cache = ImageCacheOfEnvironment();
  if (options.trace_cache == "off") {
    cache.folder.clear();
  } else if (!options.trace_cache.empty()) {
    cache.folder = options.trace_cache;
  }
  if (options.trace_cache_mb) {
    cache.limit_bytes = static_cast<uint64_t>(std::max<int64_t>(0, *options.trace_cache_mb)) << 20;
  }
  if (cache.folder.empty() || cache.limit_bytes == 0) return nullptr;
  if (options.command == "serve") {
    cache.log = [](std::string_view text) { Log(LogLevel::kInfo, text); };
  }
  return std::make_shared<ImageCache>(std::move(cache));
}

}  // namespace emberline
