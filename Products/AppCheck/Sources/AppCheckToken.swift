public import Foundation

/// What proves to a server that a request comes from the app. Its value doesn't show up in descriptions.
public struct AppCheckToken: Sendable, Hashable {
  /// What is sent as `X-Firebase-AppCheck`.
  public let value: String
  /// When it expires, by this machine's clock.
  public let expires: Date

  /// Creates a token, as a provider does.
  ///
  /// - Parameters:
  ///   - value: what Firebase gave, usually through a server of yours.
  ///   - expires: when it expires.
  public init(_ value: String, expires: Date) {
    self.value = value
    self.expires = expires
  }
}

extension AppCheckToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// When the token expires.
  public var description: String { "App Check token until \(expires)" }
  /// When the token expires.
  public var debugDescription: String { description }
  /// When the token expires.
  public var customMirror: Mirror { Mirror(self, children: ["expires": expires]) }
}
