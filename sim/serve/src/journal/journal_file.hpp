#pragma once

#include <filesystem>

#include "mayfly/serve/journal/journal.hpp"
#include "sqlite.hpp"

namespace mayfly::serve {

/// Opens or creates the file, and locks it. Throws JournalError.
SqliteDatabase open_journal_file(const std::filesystem::path& file);

/// Makes the tables of this version in a new file, and checks the format of an existing one. Returns the database.
/// Throws JournalError.
SqliteDatabase& prepare_tables(const std::filesystem::path& file, SqliteDatabase& database, JournalLimits limits);

/// The error with a message for the user that names the file.
JournalError journal_error(const std::filesystem::path& file, const SqliteError& error);

}  // namespace mayfly::serve
