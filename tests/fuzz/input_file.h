// Inputs as files, for what reads files.
#pragma once

#include <filesystem>
#include <string_view>

namespace emberline::fuzz {

// Writes the one input file of this process; it is removed at the end.
const std::filesystem::path& OnDisk(std::string_view bytes);

}  // namespace emberline::fuzz
