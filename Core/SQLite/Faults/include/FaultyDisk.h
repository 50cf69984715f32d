#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

// A disk for SQLite (a VFS, https://sqlite.org/vfs.html) that fails on demand, and otherwise forwards every
// operation to SQLite's default VFS. For tests only. All functions can be called from any thread.

// The operations of a disk, as a bit set.
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

// The kinds of failure.
enum {
  FAULTY_DISK_BREAKS = 0,        // an I/O error
  FAULTY_DISK_IS_FULL = 1,       // no space; a write does nothing
  FAULTY_DISK_WRITES_SHORT = 2,  // no space after the first half of a write
  FAULTY_DISK_IS_BUSY = 3,       // another connection holds the lock
};

// Registers a disk, on which SQLite opens databases by this name. Returns 0 on success.
int faulty_disk_create(const char *name);

// Unregisters a disk whose files are all closed. Does nothing if a file is open.
void faulty_disk_remove(const char *name);

// Makes operations of some kinds fail: after the next `skip` operations of these kinds, the following `times`
// ones.
void faulty_disk_fail(const char *name, int operations, long long skip, long long times, int failure);

// Makes writes fail that would make a database's file larger than a size in bytes, as on a full disk; not those to
// its log. 0 for none.
void faulty_disk_fail_growth(const char *name, long long size);

// Makes the next reads of page 1 of a database return its former half and zeros, as while another process is
// writing it.
void faulty_disk_tear(const char *name, long long times);

// Returns the number of operations that have failed since `faulty_disk_fail`.
long long faulty_disk_failures(const char *name);

// Returns the number of operations of the kinds of the last `faulty_disk_fail` since then, failed or not.
long long faulty_disk_count(const char *name);

// Runs SQL on a database with plain SQLite, without anything that Tenon adds: as other programs do, and as
// Tenon did before databases had checksums. Returns 0 on success.
int faulty_disk_execute_plainly(const char *path, const char *sql);

#endif
