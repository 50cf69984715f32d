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

/// A failed system call.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32
  /// The call, for example `open`.
  package let operation: String
  /// The path that was passed to the call.
  package let path: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - operation: the call, for example `open`.
  ///   - path: the path that was passed to it.
  ///   - code: the error number; the current value of `errno` by default, so create the error before another
  ///     call changes it.
  package init(_ operation: String, _ path: String, code: Int32 = errno) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// The text of `strerror(3)`, for example `Permission denied`.
  package var reason: String { String(cString: strerror(code)) }

  /// Whether the file wasn't read because it is larger than the caller allows.
  package var isTooLargeToRead: Bool { code == EFBIG && operation == "read" }

  /// The call, the path and the text of `strerror(3)`, for example `open /data/token: Permission denied`.
  package var description: String { "\(operation) \(path): \(reason)" }
}
