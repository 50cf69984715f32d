#include "GatheringFile.h"

#include <stdlib.h>
#include <string.h>

// The header of a log and 16 frames with SQLite's usual size of a page.
enum { CAPACITY = 32 + 16 * (24 + 4096) };

static sqlite3_file *below(sqlite3_file *file) { return ((GatheringFile *)file)->below; }

int gathering_flush(GatheringFile *file) {
  if (!file->count) return SQLITE_OK;
  int result = file->below->pMethods->xWrite(file->below, file->bytes, file->count, file->start);
  if (result == SQLITE_OK) file->count = 0;
  return result;
}

void gathering_discard(GatheringFile *file) { file->count = 0; }

// Returns whether bytes continue or replace what is gathered, and there is space for them.
static int fits(const GatheringFile *file, int count, sqlite3_int64 offset) {
  sqlite3_int64 place = offset - file->start;
  return place >= 0 && place <= file->count && place + count <= CAPACITY;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  GatheringFile *file = (GatheringFile *)base;
  if (!file->count || !fits(file, count, offset)) {
    int result = gathering_flush(file);
    if (result) return result;
    file->start = offset;
    if (!file->bytes) file->bytes = malloc(CAPACITY);
    if (!file->bytes || count > CAPACITY) return below(base)->pMethods->xWrite(below(base), bytes, count, offset);
  }
  int place = (int)(offset - file->start);
  memcpy(file->bytes + place, bytes, (size_t)count);
  if (place + count > file->count) file->count = place + count;
  return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  GatheringFile *file = (GatheringFile *)base;
  sqlite3_int64 place = offset - file->start;
  if (file->count && place < file->count && place + count > 0) {
    if (place >= 0 && place + count <= file->count) return memcpy(bytes, file->bytes + place, (size_t)count), SQLITE_OK;
    int result = gathering_flush(file);
    if (result) return result;
  }
  return below(base)->pMethods->xRead(below(base), bytes, count, offset);
}

static int file_close(sqlite3_file *base) {
  free(((GatheringFile *)base)->bytes);
  return below(base)->pMethods->xClose(below(base));
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  int result = gathering_flush((GatheringFile *)base);
  return result ? result : below(base)->pMethods->xTruncate(below(base), size);
}

static int file_sync(sqlite3_file *base, int flags) {
  int result = gathering_flush((GatheringFile *)base);
  return result ? result : below(base)->pMethods->xSync(below(base), flags);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  int result = gathering_flush((GatheringFile *)base);
  return result ? result : below(base)->pMethods->xFileSize(below(base), size);
}

static int file_lock(sqlite3_file *base, int level) { return below(base)->pMethods->xLock(below(base), level); }

static int file_unlock(sqlite3_file *base, int level) { return below(base)->pMethods->xUnlock(below(base), level); }

static int file_check_lock(sqlite3_file *base, int *is_locked) {
  return below(base)->pMethods->xCheckReservedLock(below(base), is_locked);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
  return below(base)->pMethods->xFileControl(below(base), operation, argument);
}

static int file_sector_size(sqlite3_file *base) { return below(base)->pMethods->xSectorSize(below(base)); }

static int file_characteristics(sqlite3_file *base) {
  return below(base)->pMethods->xDeviceCharacteristics(below(base));
}

// Version 1 has neither shared memory, which logs don't use, nor memory mapping.
static const sqlite3_io_methods methods = {
  .iVersion = 1,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_sync,
  .xFileSize = file_size,
  .xLock = file_lock,
  .xUnlock = file_unlock,
  .xCheckReservedLock = file_check_lock,
  .xFileControl = file_control,
  .xSectorSize = file_sector_size,
  .xDeviceCharacteristics = file_characteristics,
};

void gathering_open(GatheringFile *file, sqlite3_file *below) {
  *file = (GatheringFile){.base.pMethods = &methods, .below = below};
}
