#include <string.h>

#include "File.h"
#include "TenonChecksums.h"

// The key

// Looks for a record in the frames of page 1 in the log: replacing the key commits the new record to the log
// first, and the record in the file may be damaged. Returns the best of what was found and `state`.
static RecordState adopt_from_log(File *database, RecordState state) {
  enum { LOG_HEADER_SIZE = 32, FRAME_HEADER_SIZE = 24 };
  const char *name = sqlite3_filename_wal(database->name);
  sqlite3_vfs *disk = database->disk;
  int exists = 0;
  if (!name || disk->xAccess(disk, name, SQLITE_ACCESS_EXISTS, &exists) || !exists) return state;
  sqlite3_file *log = sqlite3_malloc(disk->szOsFile);
  if (!log) return state;
  memset(log, 0, (size_t)disk->szOsFile);
  unsigned char head[LOG_HEADER_SIZE], record[KEY_RECORD_SIZE];
  if (disk->xOpen(disk, name, log, SQLITE_OPEN_READONLY | SQLITE_OPEN_WAL, NULL) == SQLITE_OK
      && log->pMethods->xRead(log, head, LOG_HEADER_SIZE, 0) == SQLITE_OK) {
    sqlite3_int64 size = (sqlite3_int64)head[8] << 24 | head[9] << 16 | head[10] << 8 | head[11];
    sqlite3_int64 next = LOG_HEADER_SIZE;
    while (size >= 512 && size <= 65536 && state != RECORD_FITS
           && log->pMethods->xRead(log, head, FRAME_HEADER_SIZE, next) == SQLITE_OK) {
      next += FRAME_HEADER_SIZE + size;
      if (head[0] || head[1] || head[2] || head[3] != 1) continue;
      if (log->pMethods->xRead(log, record, KEY_RECORD_SIZE, next - KEY_RECORD_SIZE)) break;
      RecordState found = page_cipher_adopt(database->cipher, record);
      if (found != RECORD_IS_DAMAGED) state = found;
    }
  }
  if (log->pMethods) log->pMethods->xClose(log);
  sqlite3_free(log);
  return state;
}

static RecordState adopt_from_file(File *database, size_t page_size) {
  sqlite3_file *below = real(&database->base);
  unsigned char record[KEY_RECORD_SIZE];
  RecordState state = RECORD_IS_DAMAGED;
  sqlite3_int64 offset = (sqlite3_int64)page_size - KEY_RECORD_SIZE;
  if (page_size && below->pMethods->xRead(below, record, KEY_RECORD_SIZE, offset) == SQLITE_OK)
    state = page_cipher_adopt(database->cipher, record);
  return state == RECORD_FITS ? state : adopt_from_log(database, state);
}

int encrypted_state(File *database) {
  sqlite3_file *below = real(&database->base);
  unsigned char head[PAGE_CLEAR_SIZE];
  sqlite3_int64 size = 0;
  PageCipher *cipher = database->cipher;
  if (below->pMethods->xFileSize(below, &size) || size == 0) return cipher ? TENON_KEY_FITS : TENON_NOT_ENCRYPTED;
  if (below->pMethods->xRead(below, head, sizeof head, 0)) return TENON_ENCRYPTION_UNKNOWN;
  if (!cipher) {
    int is_encrypted = memcmp(head, encrypted_signature, sizeof encrypted_signature) == 0;
    return is_encrypted ? TENON_KEY_MISSING : TENON_NOT_ENCRYPTED;
  }
  if (memcmp(head, plain_signature, sizeof plain_signature) == 0) return TENON_NOT_ENCRYPTED;
  if (cipher->cipher) return TENON_KEY_FITS;
  switch (adopt_from_file(database, page_size_in(head))) {
    case RECORD_FITS: return TENON_KEY_FITS;
    case RECORD_HAS_OTHER_KEY: return TENON_KEY_WRONG;
    default: return TENON_ENCRYPTION_UNKNOWN;
  }
}

// Makes sure that the data key is known. The pages of a database that doesn't exist yet get a new one.
static int need_data_key(File *database, int may_create) {
  if (database->cipher->cipher) return SQLITE_OK;
  switch (encrypted_state(database)) {
    case TENON_KEY_FITS:
      if (database->cipher->cipher) return SQLITE_OK;
      return may_create && page_cipher_create(database->cipher) ? SQLITE_OK : SQLITE_IOERR_AUTH;
    case TENON_ENCRYPTION_UNKNOWN: return SQLITE_IOERR_DATA;
    default: return SQLITE_IOERR_AUTH;
  }
}

// Pages

int encrypted_open_page(File *database, unsigned char *page, size_t size, uint64_t number, int is_current) {
  PageCipher *cipher = database->cipher;
  if (number == 1) {
    if (memcmp(page, plain_signature, sizeof plain_signature) == 0) return SQLITE_IOERR_AUTH;
    RecordState state = page_cipher_adopt(cipher, page + size - KEY_RECORD_SIZE);
    // The record in the file may still have the former key while the one in the log has a new one.
    int must_fit = !cipher->cipher || (is_current && !cipher->is_admitted);
    if (state == RECORD_HAS_OTHER_KEY && must_fit) return SQLITE_IOERR_AUTH;
    if (state == RECORD_FITS && is_current) cipher->is_admitted = 1;
  } else {
    int result = need_data_key(database, 0);
    if (result) return result;
  }
  if (cipher->cipher && page_cipher_open(cipher, page, size, number)) return SQLITE_OK;
  if (cipher->cipher && database->salvages && file_is_interior(page, number)) return SQLITE_OK;
  database->damage = (int64_t)number;
  return SQLITE_IOERR_DATA;
}

// Encrypts a page into the scratch buffer of the database; sets `result` and returns null on failure.
static unsigned char *seal_page(File *database, const unsigned char *page, int size, uint64_t number, int *result) {
  unsigned char *out = file_scratch(database, (size_t)size);
  if (!out) return *result = SQLITE_IOERR_NOMEM, NULL;
  // The last bytes of a page that has no space for the nonce, the tag and the key would be lost.
  if (number == 1 && page[RESERVED_OFFSET] != PAGE_RESERVED_SIZE) return *result = SQLITE_IOERR_WRITE, NULL;
  if (page_cipher_seal(database->cipher, page, out, (size_t)size, number)) return out;
  return *result = SQLITE_IOERR_WRITE, NULL;
}

// The database

// Reads the beginning of the header, from which SQLite learns the size of pages. It reads the rest as a part
// of page 1.
static int read_header(File *database, unsigned char *bytes, int count) {
  sqlite3_file *below = real(&database->base);
  memset(bytes, 0, (size_t)count);
  unsigned char clear[PAGE_CLEAR_SIZE];
  int result = below->pMethods->xRead(below, clear, sizeof clear, 0);
  if (result) return result;
  database->page_size = page_size_in(clear);
  memcpy(clear, plain_signature, sizeof plain_signature);
  memcpy(bytes, clear, count < PAGE_CLEAR_SIZE ? (size_t)count : PAGE_CLEAR_SIZE);
  return SQLITE_OK;
}

// Returns whether the file is empty. The data key may be known nevertheless: a process was killed while it
// created the database, and SQLite has rolled that back after the key had been read from page 1.
static int is_empty(File *database) {
  sqlite3_int64 size = 0;
  return real(&database->base)->pMethods->xFileSize(real(&database->base), &size) == SQLITE_OK && size == 0;
}

static int read_page(File *database, void *bytes, int count, sqlite3_int64 offset) {
  int result = real(&database->base)->pMethods->xRead(real(&database->base), bytes, count, offset);
  if (result == SQLITE_IOERR_SHORT_READ && database->cipher->cipher && !is_empty(database)) {
    // SQLite would treat the missing bytes as zeros.
    database->damage = offset / count + 1;
    return SQLITE_IOERR_DATA;
  }
  if (result) return result;
  if (offset == 0) database->page_size = (size_t)count;
  return encrypted_open_page(database, bytes, (size_t)count, (uint64_t)(offset / count + 1), 1);
}

// Reads a part of a page. Verifies the whole page.
static int read_part(File *database, void *bytes, int count, sqlite3_int64 offset) {
  unsigned char clear[PAGE_CLEAR_SIZE];
  int result = database->page_size ? SQLITE_OK : read_header(database, clear, sizeof clear);
  if (result) return memset(bytes, 0, (size_t)count), result;
  sqlite3_int64 size = (sqlite3_int64)database->page_size, start = size ? offset - offset % size : 0;
  if (!size || offset + count > start + size) return SQLITE_IOERR_READ;
  unsigned char *page = file_scratch(database, (size_t)size);
  if (!page) return SQLITE_IOERR_NOMEM;
  result = read_page(database, page, (int)size, start);
  // SQLite expects zeros beyond the end of the file.
  if (result == SQLITE_IOERR_SHORT_READ) memset(bytes, 0, (size_t)count);
  if (result == SQLITE_OK) memcpy(bytes, page + (offset - start), (size_t)count);
  return result;
}

int encrypted_read(File *database, void *bytes, int count, sqlite3_int64 offset) {
  if (is_page(count, offset)) return read_page(database, bytes, count, offset);
  return offset == 0 && count <= HEADER_SIZE ? read_header(database, bytes, count)
                                             : read_part(database, bytes, count, offset);
}

int encrypted_write(File *database, const void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *below = real(&database->base);
  if (!is_page(count, offset)) return SQLITE_IOERR_WRITE;
  int result = need_data_key(database, 1);
  if (result) return result;
  unsigned char *page = seal_page(database, bytes, count, (uint64_t)(offset / count + 1), &result);
  if (page && offset == 0) database->page_size = (size_t)count;
  return page ? below->pMethods->xWrite(below, page, count, offset) : result;
}

// The rollback journal (https://sqlite.org/fileformat2.html#the_rollback_journal), which SQLite uses while a
// database is created or stops using a log. Each of its records consists of the number of a page, the page,
// and a checksum, each at an offset that is 4 bytes from a multiple of 8.

static int is_journal_page(int count, sqlite3_int64 offset) { return is_page_size(count) && offset % 8 == 4; }

static int journal_page_number(File *journal, sqlite3_int64 offset, uint64_t *number) {
  unsigned char bytes[4];
  int result = real(&journal->base)->pMethods->xRead(real(&journal->base), bytes, sizeof bytes, offset - 4);
  *number = (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
  return result;
}

int encrypted_read_journal(File *journal, void *bytes, int count, sqlite3_int64 offset) {
  int result = real(&journal->base)->pMethods->xRead(real(&journal->base), bytes, count, offset);
  if (result || !is_journal_page(count, offset)) return result;
  uint64_t number = 0;
  result = journal_page_number(journal, offset, &number);
  return result ? result : encrypted_open_page(journal->partner, bytes, (size_t)count, number, 0);
}

int encrypted_write_journal(File *journal, const void *bytes, int count, sqlite3_int64 offset) {
  enum { JOURNAL_HEADER_SIZE = 28, SECTOR_SIZE = 512 };
  sqlite3_file *below = real(&journal->base);
  if (is_journal_page(count, offset)) {
    uint64_t number = 0;
    int result = journal_page_number(journal, offset, &number);
    if (result == SQLITE_OK) result = need_data_key(journal->partner, 0);
    if (result) return result;
    unsigned char *page = seal_page(journal->partner, bytes, count, number, &result);
    return page ? below->pMethods->xWrite(below, page, count, offset) : result;
  }
  // Whatever else may be part of a page isn't written in clear.
  int is_header = offset % SECTOR_SIZE == 0;
  if (count > JOURNAL_HEADER_SIZE && !is_header) return SQLITE_IOERR_WRITE;
  return below->pMethods->xWrite(below, bytes, count, offset);
}
