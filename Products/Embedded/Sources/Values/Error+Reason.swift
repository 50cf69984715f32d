import Foundation

extension Error {
  /// The reason for a failure as a phrase for an error message.
  ///
  /// The description of an error of Foundation is a dump of its domain, code and user info. This property returns the
  /// text of the system's error number instead (`strerror`), for example `Permission denied`. For errors of all other
  /// types, it is the description.
  var reason: String {
    guard let error = self as? CocoaError else {
      return (self as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? "\(self)"
    }
    return error.underlying.map(\.reason) ?? error.localizedDescription
  }
}
