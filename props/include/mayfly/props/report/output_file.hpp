#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mayfly {

/// Throws InputError, naming the option, if no file can be written there. Leaves what is there untouched.
void ensure_writable(std::string_view option, const std::filesystem::path& path);

/// Writes the whole file or nothing: what was there stays until all of the new text is written. Throws InputError.
void write_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace mayfly
