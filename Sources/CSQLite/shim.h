#pragma once
#include <sqlite3.h>

// Swift cannot call sqlite3_config and sqlite3_db_config, which are variadic, nor write SQLITE_TRANSIENT, a cast macro.

/// Sets what holds for the whole process, before its first connection: no memory set apart for each of them, no statistics
/// of memory. Returns SQLITE_OK or why it is too late.
static inline int csqlite_be_small(void) {
    int code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return code;
}

/// Makes a connection distrust what is written in its file: no function of ours runs from within a schema, and SQLite's own
/// tables cannot be written to.
static inline int csqlite_be_wary(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK) code = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    return code;
}

/// Binds `length` bytes of UTF-8, which are copied.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}
