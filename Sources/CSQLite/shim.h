// CSQLite: the C gate to <sqlite3.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <sqlite3.h>
#include <sys/file.h>

/// Binds UTF-8 text that SQLite copies (SQLITE_TRANSIENT is a cast that the importer leaves out).
static inline int flashline_sqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(statement, index, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds bytes that SQLite copies.
static inline int flashline_sqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
