#ifndef TENON_LOG_FILE_H
#define TENON_LOG_FILE_H

#include <sqlite3.h>
#include <stdint.h>

// What is known of a write-ahead log that is open (https://sqlite.org/fileformat2.html#walformat), and the mark beside it.
//
// Only the connection that writes changes the mark, while it holds the lock for that. It does so after the commit has reached
// the disk, so a mark never claims more than is there. The mark itself isn't synchronized: after a loss of power it may be
// missing or belong to an earlier log, and then says nothing.
typedef struct LogFile {
  sqlite3_file *file;
  sqlite3_vfs *disk;
  const char *name;
  sqlite3_file *mark;  // null until the log is first written
  char *mark_name;
  // Of the transaction that is being written
  int is_writing;
  int64_t commit;  // the frame that ends it; 0 before that is written
  unsigned char commit_head[24];
  // Frames from here on were overwritten in place. Their checksums don't fit until the transaction ends.
  int64_t overwritten;
  int64_t headed;      // the frame whose header was written last
  uint32_t page_size;  // 0 if unknown
} LogFile;

// Begins with a log that was opened. The name must stay valid.
void log_file_open(LogFile *log, sqlite3_file *file, sqlite3_vfs *disk, const char *name);
void log_file_close(LogFile *log);

// Returns the number of the frame, from 1 on, whose page consists of `count` bytes at an offset; 0 if it is something else.
int64_t log_file_frame_of_page(int count, sqlite3_int64 offset);

// Verifies the page of a frame. Returns `SQLITE_IOERR_DATA` if it was changed.
int log_file_verify(LogFile *log, int64_t frame, const unsigned char *page, int size, int *is_first_page);

// Takes notice of what is about to be written, and withdraws a mark that wouldn't hold any more.
int log_file_will_write(LogFile *log, const unsigned char *bytes, int count, sqlite3_int64 offset);
// Records the transaction that was written, once it has reached the disk.
void log_file_did_sync(LogFile *log, int is_done);
void log_file_did_unlock(LogFile *log);
// A file is about to be deleted. If it is a log, its mark goes with it.
void log_file_will_delete(sqlite3_vfs *disk, const char *name);

#endif
