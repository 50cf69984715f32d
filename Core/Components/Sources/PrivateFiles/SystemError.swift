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

/// An error of a system call.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32
  /// The call, for example `open`.
  package let operation: String
  package let path: String

  package init(_ operation: String, _ path: String, code: Int32 = errno) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// The call, the path and the system's sentence.
  package var description: String { "\(operation) \(path): \(String(cString: strerror(code)))" }
}
