#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mayfly::app {

/// Throws InputError, naming the option, if no file can be written there. Leaves what is there untouched.
void ensure_writable(std::string_view option, const std::filesystem::path& path);

/// Files by the option that names them, if any does.
using NamedFiles = std::vector<std::pair<std::string_view, std::optional<std::string>>>;

/// Throws InputError if two options name the same file.
void ensure_apart(const NamedFiles& files);

/// Writes the whole file or nothing: what was there stays until all of the new text is written. Throws InputError.
void write_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace mayfly::app
