#pragma once

#include <string_view>
#include <vector>

// The key of an account, as it is handed around: in base64.

namespace mayfly::rest {

/// The key that emulators of the service have in common. It is published, and so protects nothing.
inline constexpr std::string_view emulator_key =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// The bytes of a key. Throws InputError if the text is not base64.
std::vector<unsigned char> key_bytes(std::string_view base64_key);

/// Throws InputError unless the key is base64 text of at least 32 bytes: a shorter one can be guessed.
void check_own_key(std::string_view base64_key);

}  // namespace mayfly::rest
