// The daemon: JSON-RPC 2.0 over stdin and stdout.
#pragma once

#include <memory>
#include <string>

namespace emberline {

class ImageCache;

// Version of the definition in rpc/protocol.
inline constexpr int kProtocolVersion = 2;

// Serves until `exit`, the end of input, or the end of the client's process. Returns the exit
// status: 0, or 1 after `exit` without `shutdown`, or 4 when stdin or stdout cannot be used.
// `images`: where traces are kept on the disk; may be null.
int Serve(const std::string& version, std::shared_ptr<ImageCache> images);

}  // namespace emberline
