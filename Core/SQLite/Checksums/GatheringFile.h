#ifndef TENON_GATHERING_FILE_H
#define TENON_GATHERING_FILE_H

#include <sqlite3.h>

// A file whose consecutive writes are gathered, so that the pages of a transaction reach the system in a few
// calls. SQLite writes each frame of a log with two calls.
//
// What is gathered is read back as if it had been written. It is passed on before anything else is written,
// synchronized, truncated or measured, and by `gathering_flush`, which must be called before another
// connection may read it. If passing it on fails, it remains gathered, and the call that needed it fails.
typedef struct GatheringFile {
  sqlite3_file base;
  sqlite3_file *below;
  unsigned char *bytes;  // null until something is written
  sqlite3_int64 start;   // the offset of the first byte
  int count;
} GatheringFile;

// Initializes a file over one that was opened.
void gathering_open(GatheringFile *file, sqlite3_file *below);
// Writes what is gathered. Returns an SQLite result code.
int gathering_flush(GatheringFile *file);
// Drops what is gathered.
void gathering_discard(GatheringFile *file);

#endif
