public import TenonFoundation

/// A proof that a request comes from the app. Descriptions don't contain the token itself.
///
/// Servers verify it as described in <https://firebase.google.com/docs/app-check/custom-resource-backend>.
public struct AppCheckToken: Sendable, Hashable {
  /// The value of the header `X-Firebase-AppCheck`, a secret.
  public let token: String
  /// The time at which the token expires, by this machine's clock.
  public let expirationDate: Date

  /// Creates a token, as a provider does.
  ///
  /// - Parameters:
  ///   - token: the token that Firebase issued, usually to one of your servers.
  ///   - expirationDate: the time at which it expires.
  public init(token: String, expirationDate: Date) {
    self.token = token
    self.expirationDate = expirationDate
  }
}

extension AppCheckToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The time at which the token expires.
  public var description: String { "App Check token until \(expirationDate)" }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// The time at which the token expires, as the only child.
  public var customMirror: Mirror { Mirror(self, children: ["expirationDate": expirationDate]) }
}
