#ifndef TENON_CHECKSUMS_H
#define TENON_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

// A disk for SQLite (a VFS, https://sqlite.org/vfs.html) that detects changed bytes. It forwards every
// operation to another disk, and verifies what SQLite reads:
//
// - Each page of a database ends with a checksum, in bytes that SQLite reserves for extensions. Databases
//   that were created without these bytes are read as they are.
// - Each page in a write-ahead log is compared with the checksum that SQLite stores in the log, but verifies
//   only while it recovers a database.
// - After each commit that has reached the disk, a small file beside the log, the mark, records how far the
//   log is valid (see `tenon_log_mark`). It distinguishes a log that lost transactions from one whose last
//   transaction is incomplete.
//
// A transaction that makes the database larger also makes its file larger before it is committed, although
// the pages are in the log. Moving the log into the file then never needs space, so that the log can be
// written from its beginning again also on a full disk.
//
// Reading changed bytes fails with `SQLITE_IOERR_DATA`. All functions can be called from any thread.

// The number of bytes that SQLite must reserve at the end of each page (`SQLITE_FCNTL_RESERVE_BYTES`).
enum { TENON_CHECKSUM_SIZE = 8 };

// The suffix that turns the name of a write-ahead log into the name of its mark.
#define TENON_LOG_MARK_SUFFIX "mark"

// Returns the name of the disk that adds checksums to another one, or to the default disk if `disk` is null.
// Registers it with SQLite if necessary. Returns null if there is no such disk, or not enough memory. The
// name remains valid.
const char *tenon_checksums_disk(const char *disk);

// Returns the name of a disk that does the same, and also encrypts databases that are opened with a key (see
// PageCipher.h). SQLite can't create temporary files on it. The library of `tenon_cipher_load` must have been
// loaded.
const char *tenon_encryption_disk(const char *disk);

// Sets the key, of 32 bytes, of the databases that the calling thread opens on such a disk from now on; null
// if it opens them without a key. The bytes must remain valid until it is set again.
void tenon_encryption_use_key(const unsigned char *key);

// The number of bytes that SQLite must reserve at the end of each page of an encrypted database.
enum { TENON_ENCRYPTION_SIZE = 80, TENON_KEY_SIZE = 32 };

// Loads the library of cryptography. Returns null if that succeeds, otherwise the reason, a part of a
// sentence.
const char *tenon_cipher_load(void);

// Encrypts bytes once with AES-256-GCM (`nonce` has 12 bytes, `tag` 16) and wraps a key (`wrapped` has 40
// bytes), so that tests can compare the results with published ones. Return 0 on failure.
int tenon_cipher_seal(
  const unsigned char *key, const unsigned char *nonce, const void *additional, size_t additional_size,
  const void *bytes, unsigned char *out, size_t size, unsigned char *tag
);
int tenon_cipher_wrap(const unsigned char *wrapping_key, const unsigned char *key, unsigned char *wrapped);

// Operations of `sqlite3_file_control` on a database of such a disk:
enum {
  // Sets the `int` that the argument points to: 1 if the pages have checksums, 0 if they have none.
  TENON_CHECKSUMS_ARE_KEPT = 0x54454E01,
  // Accepts damaged pages that contain no rows, so that as much as possible of a damaged database can be
  // read. Pages that contain rows are still verified.
  TENON_CHECKSUMS_SALVAGE = 0x54454E02,
  // Sets the `int64_t` that the argument points to: where damage was last found, as the number of a page of
  // the database or the negative number of a page of the log; 0 if none was found.
  TENON_CHECKSUMS_DAMAGE = 0x54454E03,
  // Sets the `int` that the argument points to: 1 if the database or its open log is no longer at its path,
  // otherwise 0.
  TENON_FILES_HAVE_MOVED = 0x54454E04,
  // Sets the `int` that the argument points to, to a value of `tenon_encryption_state`.
  TENON_ENCRYPTION_STATE = 0x54454E07,
  // Replaces the key, to which the argument points. It takes effect with the next transaction that changes
  // page
  // 1. `TENON_ENCRYPTION_KEEP_KEY` must follow if that transaction fails.
  TENON_ENCRYPTION_REPLACE_KEY = 0x54454E05,
  TENON_ENCRYPTION_KEEP_KEY = 0x54454E06,
};

// Whether a database is encrypted, and whether the key with which it was opened is its key.
enum tenon_encryption_state {
  // It is encrypted with the key, or doesn't exist yet.
  TENON_KEY_FITS,
  // It isn't encrypted.
  TENON_NOT_ENCRYPTED,
  // It is encrypted, and was opened without a key.
  TENON_KEY_MISSING,
  // It is encrypted with another key.
  TENON_KEY_WRONG,
  // It is damaged, so that nothing is known of the key.
  TENON_ENCRYPTION_UNKNOWN,
};

// The result code of reading a database whose key is missing or wrong, `SQLITE_IOERR_AUTH`.
enum { TENON_IOERR_KEY = 10 | 28 << 8 };

// Returns the checksum of a page without its last `TENON_CHECKSUM_SIZE` bytes. The size must be a multiple of
// 8. Any change within one aligned 8-byte word changes the checksum; any other change does with a probability
// of 1 - 2^-64.
uint64_t tenon_page_checksum(const void *page, size_t size, uint64_t number);

// Adds bytes to the cumulative checksum of a write-ahead log
// (https://sqlite.org/fileformat2.html#checksum_algorithm). Their number must be a multiple of 8.
void tenon_log_checksum(const void *bytes, size_t size, int is_big_endian, uint32_t sums[2]);

// How far a write-ahead log is valid. The salts in its header and frames identify the log; `sums` is the
// checksum in the last valid frame. Both are the bytes of the log.
typedef struct tenon_log_mark {
  unsigned char salts[8];
  unsigned char sums[8];
  uint64_t frames;
} tenon_log_mark;

enum { TENON_LOG_MARK_SIZE = 40 };

// Encodes a mark as `TENON_LOG_MARK_SIZE` bytes, with their own checksum.
void tenon_encode_log_mark(const tenon_log_mark *mark, void *bytes);

// Decodes a mark. Returns 0 if the bytes aren't a valid mark.
int tenon_decode_log_mark(const void *bytes, size_t size, tenon_log_mark *mark);

#endif
