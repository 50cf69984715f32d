#ifndef TENON_FILE_H
#define TENON_FILE_H

#include <sqlite3.h>
#include <stdint.h>

#include "GatheringFile.h"
#include "LogFile.h"
#include "PageCipher.h"

// A database, its log or, on a disk for encrypted databases, its rollback journal. It is followed in memory
// by the file of the underlying disk.
typedef struct File {
  sqlite3_file base;
  int is_log, is_journal;
  // Of a database only:
  int has_checksums;
  int salvages;
  int64_t damage;
  int has_waited;  // whether damage to page 1 was found again after a pause
  size_t page_size;        // 0 if unknown
  unsigned char *scratch;  // a page, or null
  size_t scratch_size;
  uint32_t page_count;  // the pages for which the file has space, as far as is known
  PageCipher *cipher;  // null if no key was given
  const char *name;
  sqlite3_vfs *disk;  // the underlying disk
  // A database and its log refer to each other while both are open. A journal refers to its database.
  struct File *partner;
  LogFile log;
  GatheringFile writes;  // of a log only: its writes on the way to the underlying disk
} File;

// Returns the file of the underlying disk.
static inline sqlite3_file *real(sqlite3_file *file) {
  return ((File *)file)->is_log ? &((File *)file)->writes.base : (sqlite3_file *)((File *)file + 1);
}

enum { HEADER_SIZE = 100, PAGE_SIZE_OFFSET = 16, RESERVED_OFFSET = 20 };

static inline int is_page_size(int count) { return count >= 512 && count <= 65536 && (count & (count - 1)) == 0; }

// Returns whether bytes that are read or written are a page of a database.
static inline int is_page(int count, sqlite3_int64 offset) { return is_page_size(count) && offset % count == 0; }

// Returns the size of a page that a database's header states; 0 if it isn't valid.
static inline size_t page_size_in(const unsigned char *header) {
  size_t size = (size_t)header[PAGE_SIZE_OFFSET] << 8 | (size_t)header[PAGE_SIZE_OFFSET + 1] << 16;
  return is_page_size((int)size) ? size : 0;
}

// Returns a buffer for a page; null without memory.
unsigned char *file_scratch(File *file, size_t size);

// Returns whether a page contains no rows: an interior page of a b-tree, or page 1, which begins the schema.
int file_is_interior(const unsigned char *page, uint64_t number);

// Encrypted.c: databases with a key. The results are those of the methods of a file, with `SQLITE_IOERR_AUTH`
// if the key isn't that of the database.

// Returns one of the values of `TENON_ENCRYPTION_STATE`.
int encrypted_state(File *database);
// Decrypts a page in place, which may come from the database, its log or its journal. If it is `current`,
// which pages that SQLite recovers needn't be, a page 1 determines whether the key with which the database
// was opened is its key.
int encrypted_open_page(File *database, unsigned char *page, size_t size, uint64_t number, int is_current);
int encrypted_read(File *database, void *bytes, int count, sqlite3_int64 offset);
int encrypted_write(File *database, const void *bytes, int count, sqlite3_int64 offset);
int encrypted_read_journal(File *journal, void *bytes, int count, sqlite3_int64 offset);
int encrypted_write_journal(File *journal, const void *bytes, int count, sqlite3_int64 offset);

// EncryptedLog.c: the log of a database with a key.
int encrypted_read_log(File *file, void *bytes, int count, sqlite3_int64 offset);
int encrypted_write_log(File *file, const void *bytes, int count, sqlite3_int64 offset);
// Writes the header of a frame that waits for its page.
int encrypted_finish_header(File *file);

#endif
