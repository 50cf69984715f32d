#include <sqlite3.h>
#include <stdint.h>

// Swift can't import the macro of this result code, with which reads of changed bytes fail.
enum { TENON_IOERR_DATA = SQLITE_IOERR_DATA };

// With this one, a connection that may not write to the index of a log finds no reader's mark that it can
// share at the moment.
enum { TENON_READONLY_CANTLOCK = SQLITE_READONLY_CANTLOCK };

// `SQLITE_TRANSIENT`, which makes SQLite copy a bound value, is a cast that Swift can't import.
static inline int tenon_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 size) {
  return sqlite3_bind_text64(statement, index, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int tenon_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 size) {
  if (size == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, size, SQLITE_TRANSIENT);
}

// Locks a connection's file without reading it, which SQLite offers only through the methods of the file. The
// connection must not have read or written yet. A connection in WAL mode holds a shared lock while it is
// open, so only the sole connection of all processes gets the exclusive lock, and keeps others from opening
// the database.
static inline int tenon_lock_exclusively(sqlite3 *connection) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  if (!file || !file->pMethods) return SQLITE_MISUSE;
  result = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
  if (result == SQLITE_OK) result = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
  if (result != SQLITE_OK) file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
  return result;
}

static inline void tenon_unlock(sqlite3 *connection) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return;
  if (file && file->pMethods) file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
}

static inline int tenon_read(sqlite3 *connection, void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  return file && file->pMethods ? file->pMethods->xRead(file, bytes, count, offset) : SQLITE_MISUSE;
}

// A busy handler (https://sqlite.org/c3ref/busy_handler.html): waits 1 ms up to 20 times, then 3 ms at a
// time, until `limit` milliseconds have passed. SQLite's own handler soon waits 100 ms at a time, in which a
// process that writes without a pause releases the lock and acquires it again many times.
static inline int tenon_wait(void *limit, int count) {
  intptr_t waited = count < 20 ? count : 20 + (intptr_t)(count - 20) * 3;
  if (waited >= (intptr_t)limit) return 0;
  sqlite3_sleep(count < 20 ? 1 : 3);
  return 1;
}

// Makes statements wait for the locks of other connections, for up to a number of milliseconds.
static inline int tenon_busy_timeout(sqlite3 *connection, int limit) {
  return sqlite3_busy_handler(connection, limit > 0 ? tenon_wait : 0, (void *)(intptr_t)limit);
}

// Keeps the last connection that closes a database from moving the log into the file. The function of SQLite
// has variable arguments, which Swift can't pass.
static inline int tenon_keep_log(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
