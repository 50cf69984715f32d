#include <stdlib.h>
#include <string.h>

#include "File.h"
#include "TenonChecksums.h"

// The log of an encrypted database is a valid log of SQLite whose pages are encrypted as in the file. Its
// checksums are those of the encrypted pages, so that they reveal nothing of the content, damage is found
// without the key, and a program that moves the log into the file without the key does no harm.
//
// SQLite, on the other hand, computes the checksums of the pages that it passes. It uses them only to recover
// a log, when it reads whole frames from the first one on. They are replaced then by those that it expects.

enum { LOG_HEADER_SIZE = 32, FRAME_HEADER_SIZE = 24, SUMS_OFFSET = 16 };

static uint32_t load(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store(uint32_t number, unsigned char *bytes) {
  for (int index = 0; index < 4; index++) bytes[index] = (unsigned char)(number >> (24 - 8 * index));
}

// Reads the size of pages, the salts and the byte order of checksums from the log's header.
static int read_layout(LogFile *log) {
  unsigned char head[LOG_HEADER_SIZE];
  int result = log->file->pMethods->xRead(log->file, head, sizeof head, 0);
  if (result) return result;
  log->page_size = load(head + 8);
  if (!is_page_size((int)log->page_size)) return log->page_size = 0, SQLITE_IOERR_READ;
  log->is_big_endian = load(head) & 1;
  memcpy(log->salts, head + 16, sizeof log->salts);
  if (!log->frame) log->frame = malloc(65536 + FRAME_HEADER_SIZE);
  return log->frame ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static sqlite3_int64 start_of(const LogFile *log, int64_t frame) {
  return LOG_HEADER_SIZE + (frame - 1) * ((sqlite3_int64)log->page_size + FRAME_HEADER_SIZE);
}

// Reads the checksum that the one of a frame continues.
static int read_seed(LogFile *log, int64_t frame, uint32_t sums[2]) {
  if (frame > 1 && log->summed == frame - 1) {
    memcpy(sums, log->sums, sizeof log->sums);
    return SQLITE_OK;
  }
  unsigned char bytes[8];
  sqlite3_int64 offset = frame == 1 ? 24 : start_of(log, frame - 1) + SUMS_OFFSET;
  int result = log->file->pMethods->xRead(log->file, bytes, sizeof bytes, offset);
  sums[0] = load(bytes);
  sums[1] = load(bytes + 4);
  return result;
}

static void add_frame(const LogFile *log, const unsigned char *head, const unsigned char *page, uint32_t sums[2]) {
  tenon_log_checksum(head, 8, log->is_big_endian, sums);
  tenon_log_checksum(page, log->page_size, log->is_big_endian, sums);
}

static void store_sums(const uint32_t sums[2], unsigned char *head) {
  store(sums[0], head + SUMS_OFFSET);
  store(sums[1], head + SUMS_OFFSET + 4);
}

// Writing

// Completes a header with the checksum of an encrypted page, and makes the checksum the seed of the next one.
static int complete(LogFile *log, int64_t frame, unsigned char *head, const unsigned char *page) {
  uint32_t sums[2];
  int result = read_seed(log, frame, sums);
  if (result) return result;
  add_frame(log, head, page, sums);
  store_sums(sums, head);
  log->summed = frame;
  memcpy(log->sums, sums, sizeof log->sums);
  return log_file_will_write(log, head, FRAME_HEADER_SIZE, start_of(log, frame));
}

// At the end of a transaction, SQLite rewrites the headers of frames whose pages were overwritten.
int encrypted_finish_header(File *file) {
  LogFile *log = &file->log;
  int64_t frame = log->waiting;
  if (!frame) return SQLITE_OK;
  log->waiting = 0;
  sqlite3_int64 start = start_of(log, frame);
  unsigned char *page = log->frame + FRAME_HEADER_SIZE;
  int result = log->file->pMethods->xRead(log->file, page, (int)log->page_size, start + FRAME_HEADER_SIZE);
  if (result == SQLITE_OK) result = complete(log, frame, log->waiting_head, page);
  if (result) return result;
  return log->file->pMethods->xWrite(log->file, log->waiting_head, FRAME_HEADER_SIZE, start);
}

static int write_page(File *file, const void *bytes, int64_t frame) {
  LogFile *log = &file->log;
  sqlite3_int64 start = start_of(log, frame);
  unsigned char *head = log->frame, *page = log->frame + FRAME_HEADER_SIZE;
  int has_header = log->waiting == frame;
  int result = SQLITE_OK;
  if (has_header) {
    memcpy(head, log->waiting_head, FRAME_HEADER_SIZE);
    log->waiting = 0;
  } else {
    // A page that replaces the one of a frame of the same transaction.
    result = encrypted_finish_header(file);
    if (result == SQLITE_OK) result = log->file->pMethods->xRead(log->file, head, FRAME_HEADER_SIZE, start);
    log->summed = 0;
  }
  if (result) return result;
  const unsigned char *plain = bytes;
  if (!file->partner->cipher->cipher) return SQLITE_IOERR_AUTH;
  if (load(head) == 1 && plain[RESERVED_OFFSET] != PAGE_RESERVED_SIZE) return SQLITE_IOERR_WRITE;
  if (!page_cipher_seal(file->partner->cipher, plain, page, log->page_size, load(head))) return SQLITE_IOERR_WRITE;
  if (has_header) result = complete(log, frame, head, page);
  if (result == SQLITE_OK)
    result = log_file_will_write(log, page, (int)log->page_size, start + FRAME_HEADER_SIZE);
  if (result) return result;
  int skipped = has_header ? 0 : FRAME_HEADER_SIZE;
  return log->file->pMethods->xWrite(
    log->file, log->frame + skipped, FRAME_HEADER_SIZE + (int)log->page_size - skipped, start + skipped);
}

int encrypted_write_log(File *file, const void *bytes, int count, sqlite3_int64 offset) {
  LogFile *log = &file->log;
  if (offset == 0 && count == LOG_HEADER_SIZE) {
    int result = log_file_will_write(log, bytes, count, offset);
    return result ? result : log->file->pMethods->xWrite(log->file, bytes, count, offset);
  }
  int result = log->page_size && log->frame ? SQLITE_OK : read_layout(log);
  if (result) return result;
  sqlite3_int64 place = offset - LOG_HEADER_SIZE, frame_size = (sqlite3_int64)log->page_size + FRAME_HEADER_SIZE;
  int64_t frame = place / frame_size + 1;
  if (count == FRAME_HEADER_SIZE && place % frame_size == 0) {
    // The header contains the checksum of the encrypted page, so both are written together.
    result = encrypted_finish_header(file);
    memcpy(log->waiting_head, bytes, FRAME_HEADER_SIZE);
    log->waiting = frame;
    return result;
  }
  if (count == (int)log->page_size && place % frame_size == FRAME_HEADER_SIZE) return write_page(file, bytes, frame);
  // Whatever else may be part of a page isn't written in clear.
  return SQLITE_IOERR_WRITE;
}

// Reading

// Decrypts a page. If it was changed, records its frame.
static int open_page(File *file, unsigned char *page, int64_t frame, uint32_t number, int is_current) {
  int result = encrypted_open_page(file->partner, page, file->log.page_size, number, is_current);
  if (result == SQLITE_IOERR_DATA) file->partner->damage = -frame;
  return result;
}

// Prepares a whole frame for SQLite, which recovers the log or rewrites checksums. A frame that doesn't
// continue the log is left as it is, and SQLite ignores it and all later ones.
static int open_frame(File *file, unsigned char *head, int64_t frame) {
  LogFile *log = &file->log;
  unsigned char *page = head + FRAME_HEADER_SIZE;
  uint32_t sums[2], plain[2];
  if (frame == 1) log->recovered = log->summed = 0;
  int result = read_seed(log, frame, sums);
  if (result) return result;
  if (frame == 1) memcpy(log->recovered_sums, sums, sizeof sums);
  add_frame(log, head, page, sums);
  int follows = sums[0] == load(head + SUMS_OFFSET) && sums[1] == load(head + SUMS_OFFSET + 4)
    && memcmp(head + 8, log->salts, sizeof log->salts) == 0;
  int is_recovered = follows && log->recovered == frame - 1;
  // At the end of a transaction that has overwritten pages, frames that don't match are read as well.
  if (!follows && !log->is_writing) return SQLITE_OK;
  result = open_page(file, page, frame, load(head), 0);
  if (result || !is_recovered) return result;
  log->summed = frame;
  memcpy(log->sums, sums, sizeof sums);
  memcpy(plain, log->recovered_sums, sizeof plain);
  add_frame(log, head, page, plain);
  store_sums(plain, head);
  log->recovered = frame;
  memcpy(log->recovered_sums, plain, sizeof plain);
  return SQLITE_OK;
}

int encrypted_read_log(File *file, void *bytes, int count, sqlite3_int64 offset) {
  LogFile *log = &file->log;
  int result = encrypted_finish_header(file);
  if (result == SQLITE_OK) result = log->file->pMethods->xRead(log->file, bytes, count, offset);
  sqlite3_int64 place = offset - LOG_HEADER_SIZE;
  if (result || place < 0 || count < 512) return result;
  // Another process may have begun the log again.
  if (!log->page_size || !log->frame || place == 0) result = read_layout(log);
  if (result) return result;
  sqlite3_int64 frame_size = (sqlite3_int64)log->page_size + FRAME_HEADER_SIZE;
  int64_t frame = place / frame_size + 1;
  if (count == frame_size && place % frame_size == 0) return open_frame(file, bytes, frame);
  if (count != (int)log->page_size || place % frame_size != FRAME_HEADER_SIZE) return SQLITE_IOERR_READ;
  unsigned char number[4];
  result = log->file->pMethods->xRead(log->file, number, sizeof number, offset - FRAME_HEADER_SIZE);
  return result ? result : open_page(file, bytes, frame, load(number), 1);
}
