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

/// What the operating system refused.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32
  /// What was tried, for example `open`.
  package let operation: String
  package let path: String

  package init(_ operation: String, _ path: String, code: Int32 = errno) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// What was tried, and what the system says.
  package var description: String { "\(operation) \(path): \(String(cString: strerror(code)))" }
}
