#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// The identity of a file, its size, and the time of its last change. If all of them are the same, the file
/// hasn't changed. The file isn't opened; see ``WriteAheadLog/size(of:)``.
struct FileState: Equatable {
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// Reads the state of a file; `nil` if there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(clamping: status.st_size)
    #if os(Windows)
      (seconds, nanoseconds) = (Int64(clamping: status.st_mtime), 0)
    #else
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      (seconds, nanoseconds) = (Int64(clamping: time.tv_sec), Int64(clamping: time.tv_nsec))
    #endif
  }
}
