import Foundation

extension Error {
  /// The reason for a failure as a phrase for an error message.
  ///
  /// The description of an error of Foundation is a dump of its domain, code and user info. For such an error, this
  /// property returns the text of the system's error number instead (`strerror`), for example `Permission denied`, or the
  /// localized description if there is no number. For errors of all other types, it returns the description.
  var systemReason: String {
    guard !(self is DecodingError), !(self is EncodingError) else { return "\(self)" }
    // The domain is compared, because Foundation on Linux casts an `NSError` of any domain to `CocoaError`.
    let error = self as NSError
    if error.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(CInt(truncatingIfNeeded: error.code)))
    }
    guard error.domain == NSCocoaErrorDomain else { return "\(self)" }
    return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.systemReason ?? error.localizedDescription
  }
}
