#ifndef TENON_CHECKSUMS_H
#define TENON_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

// A disk for SQLite (a VFS, https://sqlite.org/vfs.html) that notices changed bytes. It passes everything on to another disk,
// and verifies what SQLite reads:
//
// - Every page of a database ends with a checksum, in bytes that SQLite reserves for extensions. Databases that were created
//   without these bytes are read as they are.
// - Every page in a write-ahead log is compared with the checksum that SQLite itself keeps in the log, but verifies only
//   while it recovers a database.
// - After each commit that has reached the disk, a small file beside the log records how far the log is valid (see
//   `tenon_log_mark`), so that a log that lost transactions can be told from one whose last transaction wasn't finished.
//
// A read of changed bytes fails with `SQLITE_IOERR_DATA`. All functions can be called from any thread.

// The number of bytes that SQLite must reserve at the end of each page (`SQLITE_FCNTL_RESERVE_BYTES`).
enum { TENON_CHECKSUM_SIZE = 8 };

// What is appended to the name of a write-ahead log to name the file that records how far it is valid.
#define TENON_LOG_MARK_SUFFIX "mark"

// Returns the name of the disk that adds checksums to another one, which is the default disk if `disk` is null; registers it
// with SQLite if necessary. Returns null if there is no such disk, or no memory. The name stays valid.
const char *tenon_checksums_disk(const char *disk);

// Operations of `sqlite3_file_control` on a database of such a disk.
enum {
  // Sets the `int` at the argument to 1 if the pages have checksums, and to 0 if they have none.
  TENON_CHECKSUMS_ARE_KEPT = 0x54454E01,
  // Lets damaged pages pass that only lead to others, so that as much as possible can be read of a damaged database. Pages
  // that hold rows are verified all the same.
  TENON_CHECKSUMS_SALVAGE = 0x54454E02,
  // Sets the `int64_t` at the argument to where damage was last found: the number of a page of the database, the negative
  // number of a page of the log, or 0.
  TENON_CHECKSUMS_DAMAGE = 0x54454E03,
};

// Returns the checksum of a page without its last `TENON_CHECKSUM_SIZE` bytes. The size is a multiple of 8. It differs for
// any change within 8 bytes, and almost certainly (1 - 2^-64) for any other change.
uint64_t tenon_page_checksum(const void *page, size_t size, uint64_t number);

// Adds bytes, whose number is a multiple of 8, to the checksum of a write-ahead log
// (https://sqlite.org/fileformat2.html#checksum_algorithm).
void tenon_log_checksum(const void *bytes, size_t size, int is_big_endian, uint32_t sums[2]);

// How far a write-ahead log is valid: which log, by the salts in its header and frames, how many frames, and the checksum
// in the last of them; the bytes are as in the log.
typedef struct tenon_log_mark {
  unsigned char salts[8];
  unsigned char sums[8];
  uint64_t frames;
} tenon_log_mark;

enum { TENON_LOG_MARK_SIZE = 40 };

// Writes the `TENON_LOG_MARK_SIZE` bytes of a mark.
void tenon_encode_log_mark(const tenon_log_mark *mark, void *bytes);

// Reads a mark. Returns 0 if the bytes are none.
int tenon_decode_log_mark(const void *bytes, size_t size, tenon_log_mark *mark);

#endif
