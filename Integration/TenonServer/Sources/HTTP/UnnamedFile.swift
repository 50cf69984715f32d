import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name that only the owner may read, which the system deletes with its last descriptor,
/// however this process ends.
final class UnnamedFile: Sendable {
  private let descriptor: Int32

  /// Creates an empty file in the system's temporary directory.
  init() throws(SystemError) {
    let template = FileManager.default.temporaryDirectory.appending(path: "tenon-server-XXXXXX").path
    var path = Array(template.utf8CString)
    descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw SystemError("mkstemp", template) }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// A path at which this process can open the file as long as this object exists.
  ///
  /// On macOS, it opens the same description of the file, with its position.
  var url: URL { URL(filePath: "/dev/fd/\(descriptor)") }

  /// Writes bytes at the current position, and moves behind them.
  func append(_ bytes: Data) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        // Checked: fewer bytes than there are have been written.
        write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw SystemError("write", url.path)
      }
    }
  }

  /// Moves to the beginning.
  func rewind() { lseek(descriptor, 0, SEEK_SET) }
}
