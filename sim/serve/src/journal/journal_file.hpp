#pragma once

#include <filesystem>

#include "mayfly/serve/journal/journal.hpp"
#include "sqlite.hpp"

namespace mayfly::serve {

/// Opens the file or creates it, and locks it. Throws JournalError.
SqliteDatabase open_journal_file(const std::filesystem::path& file);

/// Makes the tables of this version in a new file, and checks those of another. Returns the database. Throws
/// JournalError.
SqliteDatabase& prepare_tables(const std::filesystem::path& file, SqliteDatabase& database, JournalLimits limits);

/// What to tell the user of the file.
JournalError told(const std::filesystem::path& file, const SqliteError& error);

}  // namespace mayfly::serve
