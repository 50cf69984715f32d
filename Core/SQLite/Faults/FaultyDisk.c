#include "FaultyDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct Disk {
  sqlite3_vfs vfs;  // first, so that a pointer to it is a pointer to the disk
  sqlite3_vfs *real;
  int operations;
  int failure;
  long long skip;
  long long times;
  long long failures;
  long long count;    // the operations that could have failed
  long long largest;  // the size above which a database can't grow; 0 for none
  long long tears;    // the number of reads of page 1 that return half of it
  long long open_files;
} Disk;

// SQLite's file, followed in memory by the file of the real disk.
typedef struct File {
  sqlite3_file base;
  Disk *disk;
  int is_database;
} File;

// Guards the counters of all disks, which tests and connections access.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static Disk *find(const char *name) { return (Disk *)sqlite3_vfs_find(name); }
static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }
static Disk *disk(sqlite3_file *file) { return ((File *)file)->disk; }

// Returns the result code with which an operation is to fail, or SQLITE_OK.
static int fault(Disk *disk, int operation, int broken) {
  int result = SQLITE_OK;
  pthread_mutex_lock(&mutex);
  if (disk->operations & operation) {
    disk->count += 1;
    if (disk->skip > 0) {
      disk->skip -= 1;
    } else if (disk->times > 0) {
      disk->times -= 1;
      disk->failures += 1;
      switch (disk->failure) {
        case FAULTY_DISK_IS_FULL:
        case FAULTY_DISK_WRITES_SHORT: result = SQLITE_FULL; break;
        case FAULTY_DISK_IS_BUSY: result = SQLITE_BUSY; break;
        default: result = broken;
      }
    }
  }
  pthread_mutex_unlock(&mutex);
  return result;
}

// Returns whether a write to a database fails because it would grow.
static int is_too_large(sqlite3_file *file, sqlite3_int64 end) {
  sqlite3_int64 size = 0;
  pthread_mutex_lock(&mutex);
  sqlite3_int64 largest = ((File *)file)->is_database ? disk(file)->largest : 0;
  pthread_mutex_unlock(&mutex);
  if (!largest || end <= largest || real(file)->pMethods->xFileSize(real(file), &size)) return 0;
  return end > size;
}

// Returns whether a read returns half of page 1.
static int is_torn(sqlite3_file *file, int count, sqlite3_int64 offset) {
  if (!((File *)file)->is_database || offset || count < 512) return 0;
  pthread_mutex_lock(&mutex);
  int is_torn = disk(file)->tears > 0;
  disk(file)->tears -= is_torn;
  pthread_mutex_unlock(&mutex);
  return is_torn;
}

static void count_file(Disk *disk, int change) {
  pthread_mutex_lock(&mutex);
  disk->open_files += change;
  pthread_mutex_unlock(&mutex);
}

// Files

static int file_close(sqlite3_file *file) {
  int result = real(file)->pMethods->xClose(real(file));
  count_file(disk(file), -1);
  return result;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int result = fault(disk(file), FAULTY_DISK_READ, SQLITE_IOERR_READ);
  if (result == SQLITE_OK) result = real(file)->pMethods->xRead(real(file), bytes, count, offset);
  if (result == SQLITE_OK && is_torn(file, count, offset)) memset((char *)bytes + count / 2, 0, (size_t)(count - count / 2));
  return result;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (is_too_large(file, offset + count)) return SQLITE_FULL;
  int result = fault(disk(file), FAULTY_DISK_WRITE, SQLITE_IOERR_WRITE);
  if (result == SQLITE_FULL && disk(file)->failure == FAULTY_DISK_WRITES_SHORT)
    real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
  return result ? result : real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int result = fault(disk(file), FAULTY_DISK_TRUNCATE, SQLITE_IOERR_TRUNCATE);
  return result ? result : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  int result = fault(disk(file), FAULTY_DISK_SYNC, SQLITE_IOERR_FSYNC);
  return result ? result : real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  int result = fault(disk(file), FAULTY_DISK_SIZE, SQLITE_IOERR_FSTAT);
  return result ? result : real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  int result = fault(disk(file), FAULTY_DISK_LOCK, SQLITE_IOERR_LOCK);
  return result ? result : real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_lock(sqlite3_file *file, int *is_locked) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_locked);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  int result = fault(disk(file), FAULTY_DISK_SHARED_MEMORY, SQLITE_IOERR_SHMMAP);
  return result ? result : real(file)->pMethods->xShmMap(real(file), page, size, extends, memory);
}

static int file_lock_map(sqlite3_file *file, int offset, int count, int flags) {
  // Releasing a lock can't fail.
  int result = flags & SQLITE_SHM_LOCK ? fault(disk(file), FAULTY_DISK_LOCK, SQLITE_IOERR_SHMLOCK) : SQLITE_OK;
  return result ? result : real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_unmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

// Version 2 has no memory mapping, which would bypass the faults.
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

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  Disk *self = (Disk *)vfs;
  file->pMethods = NULL;
  int result = fault(self, FAULTY_DISK_OPEN, SQLITE_CANTOPEN);
  if (result) return result;
  result = self->real->xOpen(self->real, name, real(file), flags, out_flags);
  if (result) {
    // SQLite closes a file that has methods, even if it couldn't be opened.
    if (real(file)->pMethods) real(file)->pMethods->xClose(real(file));
    return result;
  }
  ((File *)file)->disk = self;
  ((File *)file)->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  file->pMethods = &methods;
  count_file(self, 1);
  return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  int result = fault((Disk *)vfs, FAULTY_DISK_DELETE, SQLITE_IOERR_DELETE);
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return result ? result : real->xDelete(real, name, syncs);
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return real->xAccess(real, name, flags, answer);
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return real->xFullPathname(real, name, size, path);
}

static int disk_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return real->xRandomness(real, count, bytes);
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return real->xSleep(real, microseconds);
}

static int disk_time(sqlite3_vfs *vfs, double *days) {
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return real->xCurrentTime(real, days);
}

static int disk_last_error(sqlite3_vfs *vfs, int size, char *text) {
  sqlite3_vfs *real = ((Disk *)vfs)->real;
  return real->xGetLastError ? real->xGetLastError(real, size, text) : 0;
}

int faulty_disk_create(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  Disk *disk = calloc(1, sizeof(Disk));
  char *copy = strdup(name);
  if (!real || !disk || !copy) {
    free(disk);
    free(copy);
    return SQLITE_NOMEM;
  }
  disk->real = real;
  disk->vfs = (sqlite3_vfs){
    .iVersion = 1,
    .szOsFile = (int)sizeof(File) + real->szOsFile,
    .mxPathname = real->mxPathname,
    .zName = copy,
    .xOpen = disk_open,
    .xDelete = disk_delete,
    .xAccess = disk_access,
    .xFullPathname = disk_full_path,
    .xRandomness = disk_randomness,
    .xSleep = disk_sleep,
    .xCurrentTime = disk_time,
    .xGetLastError = disk_last_error,
  };
  return sqlite3_vfs_register(&disk->vfs, 0);
}

void faulty_disk_remove(const char *name) {
  Disk *disk = find(name);
  if (!disk) return;
  pthread_mutex_lock(&mutex);
  int is_used = disk->open_files > 0;
  pthread_mutex_unlock(&mutex);
  if (is_used) return;
  sqlite3_vfs_unregister(&disk->vfs);
  free((char *)disk->vfs.zName);
  free(disk);
}

void faulty_disk_fail(const char *name, int operations, long long skip, long long times, int failure) {
  Disk *disk = find(name);
  if (!disk) return;
  pthread_mutex_lock(&mutex);
  disk->operations = operations;
  disk->skip = skip;
  disk->times = times;
  disk->failure = failure;
  disk->failures = 0;
  disk->count = 0;
  pthread_mutex_unlock(&mutex);
}

void faulty_disk_fail_growth(const char *name, long long size) {
  Disk *disk = find(name);
  if (!disk) return;
  pthread_mutex_lock(&mutex);
  disk->largest = size;
  pthread_mutex_unlock(&mutex);
}

void faulty_disk_tear(const char *name, long long times) {
  Disk *disk = find(name);
  if (!disk) return;
  pthread_mutex_lock(&mutex);
  disk->tears = times;
  pthread_mutex_unlock(&mutex);
}

long long faulty_disk_failures(const char *name) {
  Disk *disk = find(name);
  if (!disk) return 0;
  pthread_mutex_lock(&mutex);
  long long failures = disk->failures;
  pthread_mutex_unlock(&mutex);
  return failures;
}

long long faulty_disk_count(const char *name) {
  Disk *disk = find(name);
  if (!disk) return 0;
  pthread_mutex_lock(&mutex);
  long long count = disk->count;
  pthread_mutex_unlock(&mutex);
  return count;
}

int faulty_disk_execute_plainly(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  int result = sqlite3_open(path, &database);
  if (result == SQLITE_OK) result = sqlite3_exec(database, sql, NULL, NULL, NULL);
  sqlite3_close(database);
  return result;
}
