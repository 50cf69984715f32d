#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

// A disk for SQLite (a VFS, https://sqlite.org/vfs.html) that fails when a test wants it to, and otherwise hands
// everything on to the disk that SQLite uses by default. For tests only. Every function may be called from any thread.

// What a disk does, as a set of bits.
enum {
  FAULTY_DISK_OPEN = 1,
  FAULTY_DISK_READ = 2,
  FAULTY_DISK_WRITE = 4,
  FAULTY_DISK_TRUNCATE = 8,
  FAULTY_DISK_SYNC = 16,
  FAULTY_DISK_LOCK = 32,
  FAULTY_DISK_SHARED_MEMORY = 64,
  FAULTY_DISK_SIZE = 128,
  FAULTY_DISK_DELETE = 256,
};

// How it fails.
enum {
  FAULTY_DISK_BREAKS = 0,        // an I/O error
  FAULTY_DISK_IS_FULL = 1,       // no room; a write does nothing
  FAULTY_DISK_WRITES_SHORT = 2,  // no room after half of a write
  FAULTY_DISK_IS_BUSY = 3,       // somebody else holds the lock
};

// Makes a disk; SQLite opens databases on it by this name. 0 when that succeeded.
int faulty_disk_create(const char *name);

// Takes a disk away whose files are all closed. Does nothing otherwise.
void faulty_disk_remove(const char *name);

// From now on operations of some kinds fail: those after the next `skip` ones, `times` times.
void faulty_disk_fail(const char *name, int operations, long long skip, long long times, int failure);

// How many operations have failed since `faulty_disk_fail`.
long long faulty_disk_failures(const char *name);

// Runs SQL on a database, past everything that Tenon adds to SQLite: as other programs do, or Tenon did before databases had
// checksums. 0 when that succeeded.
int faulty_disk_execute_plainly(const char *path, const char *sql);

#endif
