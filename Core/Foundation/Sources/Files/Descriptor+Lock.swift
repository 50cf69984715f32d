#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

#if !os(Windows)
  /// Locks of `flock(2)`, which exclude other descriptors, also those of the same process. Closing the
  /// descriptor releases its lock. A call that a signal interrupts is repeated.
  extension Descriptor {
    /// Waits for an exclusive lock.
    ///
    /// - Throws: ``SystemError`` of `flock(2)`.
    func lock() throws(SystemError) { try apply(LOCK_EX) }

    /// Acquires an exclusive lock without waiting.
    ///
    /// - Returns: `false` if another descriptor has a lock.
    /// - Throws: ``SystemError`` of `flock(2)`.
    func tryLock() throws(SystemError) -> Bool {
      do throws(SystemError) { try apply(LOCK_EX | LOCK_NB) } catch {
        guard error.code == EWOULDBLOCK else { throw error }
        return false
      }
      return true
    }

    /// Waits for a lock that other descriptors can share, and gives up an exclusive one for it.
    ///
    /// - Throws: ``SystemError`` of `flock(2)`.
    func share() throws(SystemError) { try apply(LOCK_SH) }

    /// Releases the lock, if there is one.
    ///
    /// - Throws: ``SystemError`` of `flock(2)`.
    func unlock() throws(SystemError) { try apply(LOCK_UN) }

    private func apply(_ operation: Int32) throws(SystemError) {
      while flock(number, operation) != 0 {
        guard errno == EINTR else { throw SystemError("flock", path) }
      }
    }

    /// Whether the open file is still the one at its path: both have the same device and inode.
    var isAtPath: Bool {
      var (opened, present) = (stat(), stat())
      return fstat(number, &opened) == 0 && stat(path, &present) == 0 && opened.st_ino == present.st_ino
        && opened.st_dev == present.st_dev
    }
  }
#endif
