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

extension Error {
  /// The text of `strerror(3)` for the system's error number in an error of Foundation, for example
  /// `Permission denied`; `nil` if the error has no such number. The description of the error itself would
  /// contain its class, its domain and its whole `userInfo`.
  ///
  /// Foundation throws a `CocoaError` for a failed file operation, and keeps the `POSIXError` of the system
  /// call as its underlying error. Either of them may be an `NSError`.
  package var systemCallReason: String? {
    // The domain is compared, because Foundation on Linux casts an `NSError` of any domain to either type.
    // Without the full Foundation, the domain of these types is their name.
    if Self.self == POSIXError.self || _domain == "NSPOSIXErrorDomain" {
      let code = (self as? POSIXError)?.code.rawValue ?? Int32(truncatingIfNeeded: _code)
      return String(cString: strerror(code))
    }
    guard Self.self == CocoaError.self || _domain == "NSCocoaErrorDomain" else { return nil }
    return (self as? CocoaError)?.underlying?.systemCallReason
  }

  /// The reason for a failure as a phrase for an error message, without a full stop.
  ///
  /// The description of an error of Foundation is a dump of its domain, code and user info. For such an
  /// error, this is ``systemCallReason``, in the locale of the C library, or a general phrase if there is no
  /// number. For errors of all other types, it is the description.
  package var systemReason: String {
    if let reason = (self as? SystemError)?.reason ?? systemCallReason { return reason }
    guard self is CocoaError else { return "\(self)" }
    #if canImport(FoundationEssentials)
      return "the system gives no reason"
    #else
      return localizedDescription
    #endif
  }
}
