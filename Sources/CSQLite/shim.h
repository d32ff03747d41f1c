#include <sqlite3.h>

/// sqlite3_db_config is variadic, which Swift does not import.
static inline int lockstep_sqlite_db_config(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

/// The destructor constant that makes SQLite copy a bound value.
static inline sqlite3_destructor_type lockstep_sqlite_transient(void) { return SQLITE_TRANSIENT; }
