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
  /// The sentence of `strerror(3)` for the code of the system that a Foundation error carries, for example `Permission
  /// denied`: describing the error itself would give its class, its domain and its whole `userInfo`.
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
