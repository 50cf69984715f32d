/// A token of an administrator.
public struct AdminToken: Sendable, Hashable {
  /// The token, a secret.
  public var value: String
  /// For how long the provider keeps returning the token, from the time at which it was returned. Afterwards, a
  /// connection that lasts longer needs another one.
  public var validity: Duration
  /// The project that pays for the requests, for the field `X-Goog-User-Project`; `nil` for that of the
  /// credential.
  public var quotaProject: String?

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - value: the token.
  ///   - validity: for how long the provider keeps returning it.
  ///   - quotaProject: the project that pays; `nil` for that of the credential.
  public init(value: String, validity: Duration, quotaProject: String? = nil) {
    self.value = value
    self.validity = validity
    self.quotaProject = quotaProject
  }
}

// The descriptions of a token, which may end in logs, don't contain it.
extension AdminToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `administrator's token`
  public var description: String { "administrator's token" }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// The same as ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}
