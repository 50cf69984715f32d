import TenonCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Error {
  /// The reason for a failure as a phrase for an error message.
  ///
  /// The description of an error of Foundation is a dump of its domain, code and user info. For such an error, this
  /// property returns the text of the system's error number instead (`strerror`), for example `Permission denied`, or a
  /// general phrase if there is no number. For errors of all other types, it returns the description.
  var systemReason: String {
    if let reason = (self as? SystemError).map({ $0.reason }) ?? systemCallReason { return reason }
    return self is CocoaError ? "the system gives no reason" : "\(self)"
  }
}
