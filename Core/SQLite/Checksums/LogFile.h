#ifndef TENON_LOG_FILE_H
#define TENON_LOG_FILE_H

#include <sqlite3.h>
#include <stdint.h>

// The state of an open write-ahead log (https://sqlite.org/fileformat2.html#walformat), and the mark beside
// it.
//
// Only the connection that holds the write lock changes the mark. It does so after a commit has reached the
// disk, so a mark never claims more than the log contains. The mark itself isn't synchronized: after a power
// failure it may be missing or belong to an earlier log, and then makes no claim.
typedef struct LogFile {
  sqlite3_file *file;
  sqlite3_vfs *disk;
  const char *name;
  sqlite3_file *mark;  // null until the log is first written
  char *mark_name;
  // The transaction that is being written:
  int is_writing;
  int64_t commit;  // the frame that ends it; 0 until that frame is written
  unsigned char commit_head[24];
  int has_ended;  // whether the page of that frame was written
  // Frames from this one on were overwritten in place. Their checksums don't match until the transaction
  // ends.
  int64_t overwritten;
  int64_t headed;      // the frame whose header was written last
  uint32_t page_size;  // 0 if unknown
  // Of an encrypted database only; see EncryptedLog.c:
  unsigned char *frame;  // a buffer for a frame; null until it is needed
  int is_big_endian;     // the byte order of checksums
  unsigned char salts[8];
  // The frame whose header waits for its page; 0 if there is none.
  int64_t waiting;
  unsigned char waiting_head[24];
  // The frame whose checksum is known, which the one of the next frame continues; 0 if there is none.
  int64_t summed;
  uint32_t sums[2];
  // The last frame that SQLite has recovered, and the checksum that SQLite expects of it.
  int64_t recovered;
  uint32_t recovered_sums[2];
} LogFile;

// Initializes the state of a log that was opened. The name must remain valid.
void log_file_open(LogFile *log, sqlite3_file *file, sqlite3_vfs *disk, const char *name);
// Closes the mark and releases memory. The log itself remains open.
void log_file_close(LogFile *log);

// Returns the number, from 1 on, of the frame whose page consists of `count` bytes at an offset; 0 if they
// aren't a page.
int64_t log_file_frame_of_page(int count, sqlite3_int64 offset);

// Verifies the page of a frame and sets whether it is the first page of the database. Returns
// `SQLITE_IOERR_DATA` if the checksum doesn't match.
int log_file_verify(LogFile *log, int64_t frame, const unsigned char *page, int size, int *is_first_page);

// Updates the state before a write to the log, and truncates a mark that the write would make wrong.
int log_file_will_write(LogFile *log, const unsigned char *bytes, int count, sqlite3_int64 offset);
// Updates the state after the log was synchronized. If that succeeded, records the committed transaction in
// the mark.
void log_file_did_sync(LogFile *log, int is_done);
// Updates the state after the write lock was released.
void log_file_did_unlock(LogFile *log);
// Deletes the mark of a log before the log is deleted. Does nothing for other files.
void log_file_will_delete(sqlite3_vfs *disk, const char *name);

#endif
