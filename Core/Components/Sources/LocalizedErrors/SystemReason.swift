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
  /// Returns the text of `strerror(3)` for the system's error number in a Foundation error, as ``Swift/Error/systemCallReason``.
  ///
  /// - Parameter error: an error that Foundation threw. Its own description is the fallback where the full Foundation is
  ///   available.
  /// - Returns: a phrase without a full stop, in the locale of the C library. It contains neither a path nor a type
  ///   name if the error has a number.
  static func systemReason(of error: any Error) -> String {
    if let reason = error.systemCallReason { return reason }
    #if canImport(FoundationEssentials)
      return "the system gives no reason"
    #else
      return error.localizedDescription
    #endif
  }
}

extension Error {
  /// The text of `strerror(3)` for the system's error number in an error of Foundation, for example `Permission denied`; `nil` if
  /// the error has no such number. The description of the error itself would contain its class, its domain and its whole
  /// `userInfo`.
  ///
  /// Foundation throws a `CocoaError` for a failed file operation, and keeps the `POSIXError` of the system call as its
  /// underlying error. Either of them may be an `NSError`.
  package var systemCallReason: String? {
    // The domain is compared, because Foundation on Linux casts an `NSError` of any domain to either type. Without the full
    // Foundation, the domain of these types is their name.
    if Self.self == POSIXError.self || _domain == "NSPOSIXErrorDomain" {
      let code = (self as? POSIXError)?.code.rawValue ?? Int32(truncatingIfNeeded: _code)
      return String(cString: strerror(code))
    }
    guard Self.self == CocoaError.self || _domain == "NSCocoaErrorDomain" else { return nil }
    return (self as? CocoaError)?.underlying?.systemCallReason
  }
}
