#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "File.h"
#include "TenonChecksums.h"

typedef struct Disk {
  sqlite3_vfs vfs;  // first, so that a pointer to it is a pointer to the disk
  char *real;       // the name of the underlying disk; null for the default one
  int encrypts;
  struct Disk *next;
} Disk;

// Pages

static uint64_t stored_checksum(const unsigned char *page, size_t size) {
  uint64_t sum = 0;
  for (int index = 7; index >= 0; index--) sum = sum << 8 | page[size - 8 + index];
  return sum;
}

static void store_checksum(uint64_t sum, unsigned char *page, size_t size) {
  for (int index = 0; index < 8; index++) page[size - 8 + index] = (unsigned char)(sum >> 8 * index);
}

static int fits(const unsigned char *page, size_t size, uint64_t number) {
  return stored_checksum(page, size) == tenon_page_checksum(page, size, number);
}

unsigned char *file_scratch(File *file, size_t size) {
  if (file->scratch_size < size) {
    free(file->scratch);
    file->scratch = malloc(size);
    file->scratch_size = file->scratch ? size : 0;
  }
  return file->scratch;
}

// Learns from a database's header, which was read or written in the file or the log, whether pages have
// checksums. Once they have, they are never treated as having none.
static void update_from_header(File *database, const unsigned char *header) {
  if (header[RESERVED_OFFSET] != TENON_CHECKSUM_SIZE) return;
  database->has_checksums = 1;
  database->page_size = page_size_in(header);
}

// Returns whether a page whose header states that there are no checksums has a matching one nevertheless.
static int header_lost_checksums(unsigned char *page, size_t size) {
  unsigned char reserved = page[RESERVED_OFFSET];
  page[RESERVED_OFFSET] = TENON_CHECKSUM_SIZE;
  int lost = fits(page, size, 1);
  page[RESERVED_OFFSET] = reserved;
  return lost;
}

int file_is_interior(const unsigned char *page, uint64_t number) {
  return number == 1 || page[0] == 2 || page[0] == 5;
}

static int verify_page(File *file, unsigned char *page, size_t size, uint64_t number) {
  if (number == 1) {
    // A database that needs a key. It is never taken for a damaged one.
    if (memcmp(page, encrypted_signature, sizeof encrypted_signature) == 0) return SQLITE_IOERR_AUTH;
    update_from_header(file, page);
    if (page[RESERVED_OFFSET] != TENON_CHECKSUM_SIZE && header_lost_checksums(page, size)) {
      if (!file->salvages) goto damaged;
      page[RESERVED_OFFSET] = TENON_CHECKSUM_SIZE;
      update_from_header(file, page);
    }
  }
  if (!file->has_checksums || fits(page, size, number)) return SQLITE_OK;
  if (file->salvages && file_is_interior(page, number)) return SQLITE_OK;
damaged:
  file->damage = (int64_t)number;
  return SQLITE_IOERR_DATA;
}

// Reads part of a page, as some versions of SQLite do for long values. Verifies the whole page.
static int read_part(File *file, void *bytes, int count, sqlite3_int64 offset) {
  size_t size = file->page_size;
  sqlite3_int64 start = offset - offset % (sqlite3_int64)size;
  if (offset + count > start + (sqlite3_int64)size) return SQLITE_IOERR_READ;
  unsigned char *page = file_scratch(file, size);
  if (!page) return SQLITE_IOERR_NOMEM;
  int result = real(&file->base)->pMethods->xRead(real(&file->base), page, (int)size, start);
  if (result == SQLITE_OK) result = verify_page(file, page, size, (uint64_t)(start / (sqlite3_int64)size + 1));
  if (result == SQLITE_OK) memcpy(bytes, page + (offset - start), (size_t)count);
  return result;
}

static int read_database(File *file, void *bytes, int count, sqlite3_int64 offset) {
  int is_whole = is_page(count, offset);
  // SQLite reads the header before anything else, and later again as part of page 1. What it reads of the
  // header in between only determines whether to read the page again.
  if (!is_whole && offset >= HEADER_SIZE && file->has_checksums && file->page_size)
    return read_part(file, bytes, count, offset);
  int result = real(&file->base)->pMethods->xRead(real(&file->base), bytes, count, offset);
  if (result == SQLITE_IOERR_SHORT_READ && is_whole && file->has_checksums) {
    // SQLite would treat the missing bytes as zeros.
    file->damage = offset / count + 1;
    return SQLITE_IOERR_DATA;
  }
  if (result) return result;
  if (is_whole) return verify_page(file, bytes, (size_t)count, (uint64_t)(offset / count + 1));
  if (offset == 0 && count >= HEADER_SIZE) update_from_header(file, bytes);
  return SQLITE_OK;
}

static int write_database(File *file, const void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *below = real(&file->base);
  if (offset == 0 && count >= HEADER_SIZE) update_from_header(file, bytes);
  if (!file->has_checksums || !is_page(count, offset)) return below->pMethods->xWrite(below, bytes, count, offset);
  unsigned char *page = file_scratch(file, (size_t)count);
  if (!page) return SQLITE_IOERR_NOMEM;
  memcpy(page, bytes, (size_t)count);
  store_checksum(tenon_page_checksum(page, (size_t)count, (uint64_t)(offset / count + 1)), page, (size_t)count);
  return below->pMethods->xWrite(below, page, count, offset);
}

static int read_log(File *file, void *bytes, int count, sqlite3_int64 offset) {
  int result = real(&file->base)->pMethods->xRead(real(&file->base), bytes, count, offset);
  int64_t frame = log_file_frame_of_page(count, offset);
  if (result || !frame) return result;
  int is_first_page = 0;
  result = log_file_verify(&file->log, frame, bytes, count, &is_first_page);
  if (!file->partner) return result;
  if (result == SQLITE_IOERR_DATA) file->partner->damage = -frame;
  if (result == SQLITE_OK && is_first_page) update_from_header(file->partner, bytes);
  return result;
}

// Space

// The lock of the connection that moves the log into the file, and that of the one that writes to the log
// (https://sqlite.org/walformat.html#locks).
enum { WRITE_LOCK = 0, CHECKPOINT_LOCK = 1 };

static uint32_t big_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Writes zeros from the end of a file on. Returns `SQLITE_FULL` if the disk has no space for them.
static int extend(sqlite3_file *file, sqlite3_int64 size) {
  static const unsigned char zeros[65536];
  sqlite3_int64 end = 0;
  int result = file->pMethods->xFileSize(file, &end);
  while (result == SQLITE_OK && end < size) {
    sqlite3_int64 count = size - end < (sqlite3_int64)sizeof zeros ? size - end : (sqlite3_int64)sizeof zeros;
    result = file->pMethods->xWrite(file, zeros, (int)count, end);
    end += count;
  }
  return result;
}

// Makes the file as large as the database will be after a commit. Only the connection that moves the log into
// the file writes to it otherwise, so that one must not be at work; if it is, the next commit does this.
static int make_space(File *database, uint32_t count) {
  sqlite3_file *file = real(&database->base);
  if (count <= database->page_count || !database->page_size) return SQLITE_OK;
  int lock = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE, unlock = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE;
  if (file->pMethods->xShmLock(file, CHECKPOINT_LOCK, 1, lock)) return SQLITE_OK;
  int result = extend(file, (sqlite3_int64)count * (sqlite3_int64)database->page_size);
  file->pMethods->xShmLock(file, CHECKPOINT_LOCK, 1, unlock);
  if (result == SQLITE_OK) database->page_count = count;
  return result;
}

// Makes space for the database before the end of a transaction is written to the log.
static int will_write_log(File *log, const unsigned char *bytes, int count, sqlite3_int64 offset) {
  enum { FRAME_HEADER_SIZE = 24 };
  if (!log->partner || count != FRAME_HEADER_SIZE || offset == 0) return SQLITE_OK;
  // The header of a frame that ends a transaction has the size of the database, and any other has 0.
  uint32_t pages = big_endian(bytes + 4);
  return pages ? make_space(log->partner, pages) : SQLITE_OK;
}

// Files

static int has_moved(File *file, int *answer) {
  int result = real(&file->base)->pMethods->xFileControl(real(&file->base), SQLITE_FCNTL_HAS_MOVED, answer);
  if (result || *answer || !file->partner) return result;
  // `SQLITE_ACCESS_EXISTS` would pass an empty log for a missing one.
  int exists = 0;
  const LogFile *log = &file->partner->log;
  if (log->disk->xAccess(log->disk, log->name, SQLITE_ACCESS_READWRITE, &exists) == SQLITE_OK) *answer = !exists;
  return SQLITE_OK;
}

// Returns whether a file belongs to a database with a key.
static int is_encrypted(const File *file) {
  return file->is_log || file->is_journal ? file->partner && file->partner->cipher : file->cipher != NULL;
}

static int file_close(sqlite3_file *file) {
  File *self = (File *)file;
  if (self->is_log) {
    if (is_encrypted(self)) encrypted_finish_header(self);
    gathering_flush(&self->writes);
    log_file_close(&self->log);
  }
  if (self->partner && !self->is_journal) self->partner->partner = NULL;
  page_cipher_free(self->cipher);
  free(self->scratch);
  return real(file)->pMethods->xClose(real(file));
}

// Reads from a database. Until SQLite knows that the database has a log, it reads page 1 without the locks of
// the log, and another connection may just be moving page 1 from the log into the file. A page 1 that doesn't
// match its checksum is therefore read again, for up to 31 milliseconds, once for each open file.
static int read_settled(File *file, void *bytes, int count, sqlite3_int64 offset) {
  int (*read)(File *, void *, int, sqlite3_int64) = is_encrypted(file) ? encrypted_read : read_database;
  int64_t damage = file->damage;
  int result = read(file, bytes, count, offset);
  if (result != SQLITE_IOERR_DATA || offset >= HEADER_SIZE || file->has_waited) return result;
  for (int pause = 1; pause <= 16; pause *= 2) {
    sqlite3_sleep(pause);
    file->damage = damage;
    result = read(file, bytes, count, offset);
    if (result != SQLITE_IOERR_DATA) return result;
  }
  file->has_waited = 1;
  return result;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  File *self = (File *)file;
  if (!self->is_log && !self->is_journal) return read_settled(self, bytes, count, offset);
  if (is_encrypted(self)) {
    return self->is_log ? encrypted_read_log(self, bytes, count, offset)
                        : encrypted_read_journal(self, bytes, count, offset);
  }
  return self->is_log ? read_log(self, bytes, count, offset)
                      : real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int write_log(File *file, const void *bytes, int count, sqlite3_int64 offset) {
  int result = will_write_log(file, bytes, count, offset);
  if (result) return result;
  if (is_encrypted(file)) {
    result = encrypted_write_log(file, bytes, count, offset);
  } else {
    result = log_file_will_write(&file->log, bytes, count, offset);
    if (result == SQLITE_OK) result = real(&file->base)->pMethods->xWrite(real(&file->base), bytes, count, offset);
  }
  if (result || !file->log.has_ended) return result;
  // From here on, SQLite may let other connections read the transaction.
  result = gathering_flush(&file->writes);
  // SQLite rolls the transaction back, so its end must not be written later.
  if (result) gathering_discard(&file->writes);
  return result;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  File *self = (File *)file;
  if (self->is_log) return write_log(self, bytes, count, offset);
  if (is_encrypted(self)) {
    return self->is_journal ? encrypted_write_journal(self, bytes, count, offset)
                            : encrypted_write(self, bytes, count, offset);
  }
  if (self->is_journal) return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
  return write_database(self, bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  // Another connection may have made the file shorter, which only costs the space that is made in advance.
  ((File *)file)->page_count = 0;
  // A log is truncated after all of it was moved into the file.
  if (((File *)file)->is_log) ((File *)file)->log.waiting = ((File *)file)->log.summed = 0;
  return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  File *self = (File *)file;
  int result = self->is_log && is_encrypted(self) ? encrypted_finish_header(self) : SQLITE_OK;
  if (result) return result;
  result = real(file)->pMethods->xSync(real(file), flags);
  if (self->is_log) log_file_did_sync(&self->log, result == SQLITE_OK);
  return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_check_lock(sqlite3_file *file, int *is_locked) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_locked);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  File *self = (File *)file;
  switch (operation) {
    case TENON_CHECKSUMS_ARE_KEPT: *(int *)argument = self->has_checksums || self->cipher; return SQLITE_OK;
    case TENON_CHECKSUMS_SALVAGE: self->salvages = 1; return SQLITE_OK;
    case TENON_CHECKSUMS_DAMAGE: *(int64_t *)argument = self->damage; return SQLITE_OK;
    case TENON_FILES_HAVE_MOVED: return has_moved(self, argument);
    case TENON_ENCRYPTION_STATE: *(int *)argument = encrypted_state(self); return SQLITE_OK;
    case TENON_ENCRYPTION_REPLACE_KEY:
      return self->cipher && page_cipher_rotate(self->cipher, argument) ? SQLITE_OK : SQLITE_ERROR;
    case TENON_ENCRYPTION_KEEP_KEY:
      if (self->cipher) page_cipher_revert(self->cipher);
      return SQLITE_OK;
    default: return real(file)->pMethods->xFileControl(real(file), operation, argument);
  }
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
  int characteristics = real(file)->pMethods->xDeviceCharacteristics(real(file));
#ifdef SQLITE_IOCAP_SUBPAGE_READ
  characteristics &= ~SQLITE_IOCAP_SUBPAGE_READ;
#endif
  if (is_encrypted((File *)file)) {
    // Atomic writes let SQLite write parts of pages to a journal, and a disk without safe overwriting lets it
    // write parts of frames to a log. Both would be in clear.
    characteristics &= ~(SQLITE_IOCAP_BATCH_ATOMIC | SQLITE_IOCAP_ATOMIC64K | (SQLITE_IOCAP_ATOMIC64K - 1));
    characteristics |= SQLITE_IOCAP_POWERSAFE_OVERWRITE;
  }
  return characteristics;
}

static int file_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extends, memory);
}

static int file_lock_map(sqlite3_file *file, int offset, int count, int flags) {
  File *log = ((File *)file)->partner;
  if (log && offset == WRITE_LOCK && (flags & SQLITE_SHM_UNLOCK)) {
    if (is_encrypted(log)) encrypted_finish_header(log);
    if (log->log.has_ended) gathering_flush(&log->writes);
    // What is left belongs to a transaction that was rolled back, and others may write in its place.
    gathering_discard(&log->writes);
    log_file_did_unlock(&log->log);
  }
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

// Version 2 has no memory mapping, which would read pages without verifying them.
static const sqlite3_io_methods methods = {
  .iVersion = 2,
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
  .xShmMap = file_map,
  .xShmLock = file_lock_map,
  .xShmBarrier = file_barrier,
  .xShmUnmap = file_unmap,
};

// Disks

// The key of the databases that this thread opens; null if it opens them without a key.
static _Thread_local const unsigned char *key_of_opened;

void tenon_encryption_use_key(const unsigned char *key) { key_of_opened = key; }

// Returns the underlying disk; null if it was unregistered.
static sqlite3_vfs *below(sqlite3_vfs *vfs) { return sqlite3_vfs_find(((Disk *)vfs)->real); }

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  file->pMethods = NULL;
  sqlite3_vfs *disk = below(vfs);
  if (!disk || vfs->szOsFile < (int)sizeof(File) + disk->szOsFile) return SQLITE_CANTOPEN;
  int kinds = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL;
  if (((Disk *)vfs)->encrypts) kinds |= SQLITE_OPEN_MAIN_JOURNAL;
  if (!(flags & kinds)) {
    // Temporary files hold nothing durable. With a key, there are none, because they would be in clear.
    return ((Disk *)vfs)->encrypts ? SQLITE_CANTOPEN : disk->xOpen(disk, name, file, flags, out_flags);
  }
  File *self = (File *)file;
  memset(self, 0, (size_t)vfs->szOsFile);
  if ((flags & SQLITE_OPEN_MAIN_DB) && ((Disk *)vfs)->encrypts && key_of_opened) {
    self->cipher = page_cipher_new(key_of_opened);
    if (!self->cipher) return SQLITE_NOMEM;
  }
  self->name = name;
  self->disk = disk;
  int result = disk->xOpen(disk, name, real(file), flags, out_flags);
  if (result) {
    // SQLite closes a file that has methods, even if it couldn't be opened.
    if (real(file)->pMethods) real(file)->pMethods->xClose(real(file));
    page_cipher_free(self->cipher);
    return result;
  }
  if (flags & SQLITE_OPEN_WAL) {
    gathering_open(&self->writes, real(file));
    self->is_log = 1;
    log_file_open(&self->log, real(file), disk, name);
    sqlite3_file *database = sqlite3_database_file_object(name);
    if (database && database->pMethods == &methods) {
      self->partner = (File *)database;
      self->partner->partner = self;
    }
  }
  if (flags & SQLITE_OPEN_MAIN_JOURNAL) {
    self->is_journal = 1;
    sqlite3_file *database = sqlite3_database_file_object(name);
    if (database && database->pMethods == &methods) self->partner = (File *)database;
  }
  file->pMethods = &methods;
  return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  sqlite3_vfs *disk = below(vfs);
  if (!disk) return SQLITE_IOERR_DELETE;
  log_file_will_delete(disk, name);
  return disk->xDelete(disk, name, syncs);
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  sqlite3_vfs *disk = below(vfs);
  return disk ? disk->xAccess(disk, name, flags, answer) : SQLITE_IOERR_ACCESS;
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  sqlite3_vfs *disk = below(vfs);
  return disk ? disk->xFullPathname(disk, name, size, path) : SQLITE_CANTOPEN;
}

static int disk_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  sqlite3_vfs *disk = below(vfs);
  return disk ? disk->xRandomness(disk, count, bytes) : 0;
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
  sqlite3_vfs *disk = below(vfs);
  return disk ? disk->xSleep(disk, microseconds) : 0;
}

static int disk_time(sqlite3_vfs *vfs, double *days) {
  sqlite3_vfs *disk = below(vfs);
  return disk ? disk->xCurrentTime(disk, days) : SQLITE_ERROR;
}

static int disk_last_error(sqlite3_vfs *vfs, int size, char *text) {
  sqlite3_vfs *disk = below(vfs);
  return disk && disk->xGetLastError ? disk->xGetLastError(disk, size, text) : 0;
}

static Disk *make_disk(const char *name, int encrypts, const sqlite3_vfs *real) {
  Disk *disk = calloc(1, sizeof(Disk));
  const char *below = name ? name : "", *prefix = encrypts ? "tenon-encryption/" : "tenon-checksums/";
  char *own = malloc(strlen(below) + strlen(prefix) + 1);
  char *copy = name ? malloc(strlen(name) + 1) : NULL;
  if (!disk || !own || (name && !copy)) {
    free(disk);
    free(own);
    free(copy);
    return NULL;
  }
  strcat(strcpy(own, prefix), below);
  disk->encrypts = encrypts;
  disk->real = copy ? strcpy(copy, name) : NULL;
  disk->vfs = (sqlite3_vfs){
    .iVersion = 1,
    .szOsFile = (int)sizeof(File) + real->szOsFile,
    .mxPathname = real->mxPathname,
    .zName = own,
    .xOpen = disk_open,
    .xDelete = disk_delete,
    .xAccess = disk_access,
    .xFullPathname = disk_full_path,
    .xRandomness = disk_randomness,
    .xSleep = disk_sleep,
    .xCurrentTime = disk_time,
    .xGetLastError = disk_last_error,
  };
  return disk;
}

static int is_of(const Disk *disk, const char *name, int encrypts) {
  if (disk->encrypts != encrypts) return 0;
  return disk->real && name ? strcmp(disk->real, name) == 0 : !disk->real && !name;
}

// All disks. They are never removed, because SQLite doesn't report when a disk is no longer in use.
static Disk *disks;

static const char *disk_over(const char *name, int encrypts) {
  if (sqlite3_initialize()) return NULL;
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  Disk *disk = disks;
  while (disk && !is_of(disk, name, encrypts)) disk = disk->next;
  if (!disk) {
    sqlite3_vfs *real = sqlite3_vfs_find(name);
    disk = real ? make_disk(name, encrypts, real) : NULL;
    if (disk && sqlite3_vfs_register(&disk->vfs, 0) == SQLITE_OK) {
      disk->next = disks;
      disks = disk;
    } else {
      disk = NULL;
    }
  }
  sqlite3_mutex_leave(mutex);
  return disk ? disk->vfs.zName : NULL;
}

const char *tenon_checksums_disk(const char *name) { return disk_over(name, 0); }
const char *tenon_encryption_disk(const char *name) { return disk_over(name, 1); }
