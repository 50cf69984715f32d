#include "LogFile.h"

#include <stdlib.h>
#include <string.h>

#include "TenonChecksums.h"

enum { LOG_HEADER_SIZE = 32, FRAME_HEADER_SIZE = 24 };

static uint32_t big_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void log_file_open(LogFile *log, sqlite3_file *file, sqlite3_vfs *disk, const char *name) {
  *log = (LogFile){.file = file, .disk = disk, .name = name, .overwritten = INT64_MAX};
}

void log_file_close(LogFile *log) {
  if (log->mark) log->mark->pMethods->xClose(log->mark);
  free(log->mark);
  free(log->mark_name);
  free(log->frame);
}

// Verifying

int64_t log_file_frame_of_page(int count, sqlite3_int64 offset) {
  if (count < 512 || count > 65536 || (count & (count - 1))) return 0;
  sqlite3_int64 start = offset - LOG_HEADER_SIZE - FRAME_HEADER_SIZE;
  int frame_size = count + FRAME_HEADER_SIZE;
  return start >= 0 && start % frame_size == 0 ? start / frame_size + 1 : 0;
}

static int has_sums(
  const unsigned char seed[8], const unsigned char *head, const unsigned char *page, int size, int is_big_endian
) {
  uint32_t sums[2] = {big_endian(seed), big_endian(seed + 4)};
  tenon_log_checksum(head, 8, is_big_endian, sums);
  tenon_log_checksum(page, (size_t)size, is_big_endian, sums);
  return sums[0] == big_endian(head + 16) && sums[1] == big_endian(head + 20);
}

int log_file_verify(LogFile *log, int64_t frame, const unsigned char *page, int size, int *is_first_page) {
  sqlite3_int64 start = LOG_HEADER_SIZE + (frame - 1) * (sqlite3_int64)(size + FRAME_HEADER_SIZE);
  unsigned char head[FRAME_HEADER_SIZE], seed[8];
  int result = log->file->pMethods->xRead(log->file, head, sizeof head, start);
  if (result) return result;
  *is_first_page = big_endian(head) == 1;
  if (frame >= log->overwritten) return SQLITE_OK;
  // The checksum of a frame continues that of the frame before, or that of the header.
  sqlite3_int64 before = frame == 1 ? 24 : start - (size + FRAME_HEADER_SIZE) + 16;
  result = log->file->pMethods->xRead(log->file, seed, sizeof seed, before);
  if (result) return result;
  // The header of the log states the byte order of the checksums. There are only two, so both are tried
  // instead of reading it.
  return has_sums(seed, head, page, size, 0) || has_sums(seed, head, page, size, 1) ? SQLITE_OK
                                                                                   : SQLITE_IOERR_DATA;
}

// The mark

// Opens the mark, and creates it if it doesn't exist. Returns 0 if that fails.
static int has_mark(LogFile *log) {
  if (log->mark) return 1;
  if (!log->mark_name) {
    log->mark_name = malloc(strlen(log->name) + sizeof TENON_LOG_MARK_SUFFIX);
    if (!log->mark_name) return 0;
    strcat(strcpy(log->mark_name, log->name), TENON_LOG_MARK_SUFFIX);
  }
  sqlite3_file *mark = calloc(1, (size_t)log->disk->szOsFile);
  if (!mark) return 0;
  // SQLite's own VFSs treat it as another log: it gets the permissions of the database and isn't locked.
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL;
  if (log->disk->xOpen(log->disk, log->mark_name, mark, flags, NULL)) {
    if (mark->pMethods) mark->pMethods->xClose(mark);
    free(mark);
    return 0;
  }
  log->mark = mark;
  return 1;
}

// Truncates a mark, so that it makes no claim, and synchronizes it.
static int withdraw(sqlite3_file *mark) {
  int result = mark->pMethods->xTruncate(mark, 0);
  return result ? result : mark->pMethods->xSync(mark, SQLITE_SYNC_NORMAL);
}

// Begins a new log. If writing its header fails halfway, that must not look like damage to the previous log,
// nothing of which is needed any more.
static int begin_log(LogFile *log) {
  sqlite3_int64 size = 0;
  if (!has_mark(log) || log->mark->pMethods->xFileSize(log->mark, &size) || size == 0) return SQLITE_OK;
  return withdraw(log->mark);
}

// Begins a transaction at a frame. A commit that failed after it had reached the disk may have left a mark
// that counts frames which are about to be overwritten; such a mark is truncated.
static int begin(LogFile *log, const unsigned char *head, int64_t frame) {
  log->is_writing = 1;
  log->commit = log->has_ended = 0;
  unsigned char bytes[TENON_LOG_MARK_SIZE];
  tenon_log_mark mark;
  if (!has_mark(log)) return SQLITE_OK;
  sqlite3_file *file = log->mark;
  int result = file->pMethods->xRead(file, bytes, sizeof bytes, 0);
  // A new mark is empty. One that can't be read may count the frames.
  if (result) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
  if (!tenon_decode_log_mark(bytes, sizeof bytes, &mark)) return SQLITE_OK;
  if (memcmp(mark.salts, head + 8, 8) || mark.frames < (uint64_t)frame) return SQLITE_OK;
  return withdraw(file);
}

// Finds the number of the frame whose header is at an offset; 0 if there is no such frame. Without the size of
// pages it isn't known whether a write ends a transaction, and that must not be guessed: what is gathered of a
// transaction that hasn't ended is dropped.
static int find_frame_of_header(LogFile *log, sqlite3_int64 offset, int64_t *frame) {
  if (!log->page_size) {
    unsigned char size[4];
    int result = log->file->pMethods->xRead(log->file, size, sizeof size, 8);
    if (result) return result;
    log->page_size = big_endian(size);
  }
  sqlite3_int64 frame_size = (sqlite3_int64)log->page_size + FRAME_HEADER_SIZE;
  sqlite3_int64 start = offset - LOG_HEADER_SIZE;
  *frame = start >= 0 && start % frame_size == 0 ? start / frame_size + 1 : 0;
  return SQLITE_OK;
}

static int will_write_header(LogFile *log, const unsigned char *head, int64_t frame) {
  int result = log->is_writing ? SQLITE_OK : begin(log, head, frame);
  if (result) return result;
  log->headed = frame;
  // At the end of a transaction, SQLite rewrites the checksums of the frames that it overwrote, in their
  // order.
  if (frame == log->overwritten) log->overwritten += 1;
  // The header of a commit frame has the size of the database.
  if (big_endian(head + 4)) {
    log->commit = frame;
    memcpy(log->commit_head, head, sizeof log->commit_head);
  }
  return SQLITE_OK;
}

int log_file_will_write(LogFile *log, const unsigned char *bytes, int count, sqlite3_int64 offset) {
  if (offset == 0) {
    int result = begin_log(log);
    if (result) return result;
    *log = (LogFile){
      .file = log->file, .disk = log->disk, .name = log->name, .mark = log->mark, .mark_name = log->mark_name,
      .frame = log->frame, .overwritten = INT64_MAX,
    };
    return SQLITE_OK;
  }
  if (count == FRAME_HEADER_SIZE) {
    int64_t frame = 0;
    int result = find_frame_of_header(log, offset, &frame);
    return result || !frame ? result : will_write_header(log, bytes, frame);
  }
  int64_t frame = log_file_frame_of_page(count, offset);
  if (frame && frame != log->headed && frame < log->overwritten) log->overwritten = frame;
  if (log->commit) log->has_ended = 1;
  return SQLITE_OK;
}

void log_file_did_sync(LogFile *log, int is_done) {
  if (is_done && log->commit && has_mark(log)) {
    tenon_log_mark mark = {.frames = (uint64_t)log->commit};
    memcpy(mark.salts, log->commit_head + 8, 8);
    memcpy(mark.sums, log->commit_head + 16, 8);
    unsigned char bytes[TENON_LOG_MARK_SIZE];
    tenon_encode_log_mark(&mark, bytes);
    // If this fails, the previous mark or none remains, so less damage can be detected.
    log->mark->pMethods->xWrite(log->mark, bytes, sizeof bytes, 0);
  }
  log->commit = log->has_ended = 0;
  log->is_writing = 0;
}

void log_file_did_unlock(LogFile *log) {
  log->commit = log->has_ended = 0;
  log->is_writing = 0;
  log->overwritten = INT64_MAX;
  log->summed = 0;
}

void log_file_will_delete(sqlite3_vfs *disk, const char *name) {
  static const char ending[] = "-wal";
  size_t length = strlen(name);
  if (length < sizeof ending || strcmp(name + length - (sizeof ending - 1), ending)) return;
  char *mark = malloc(length + sizeof TENON_LOG_MARK_SUFFIX);
  if (!mark) return;
  strcat(strcpy(mark, name), TENON_LOG_MARK_SUFFIX);
  disk->xDelete(disk, mark, 0);
  free(mark);
}
