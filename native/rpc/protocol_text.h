// The files of rpc/protocol as text; the build writes the definition (native/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace emberline {

std::span<const std::string_view> ProtocolTexts();

}  // namespace emberline
