#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
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

extension Features {
  /// Returns the text of `strerror(3)` for the system's error number in a Foundation error, for example `Permission denied`.
  /// The description of the error itself would contain its class, its domain and its whole `userInfo`.
  ///
  /// Foundation throws a `CocoaError` for a failed file operation, and keeps the `POSIXError` of the system call as its
  /// underlying error.
  ///
  /// - Parameter error: an error that Foundation threw. Its own description is the fallback where the full Foundation is
  ///   available.
  /// - Returns: a phrase without a full stop, in the locale of the C library. It contains neither a path nor a type
  ///   name if the error has a number: either it is a `POSIXError`, or it is a `CocoaError` whose underlying error is
  ///   one.
  static func systemReason(of error: any Error) -> String {
    guard let code = (error as? POSIXError ?? (error as? CocoaError)?.underlying as? POSIXError)?.code else {
      #if canImport(FoundationEssentials)
        return "the system gives no reason"
      #else
        return error.localizedDescription
      #endif
    }
    return String(cString: strerror(code.rawValue))
  }
}
