/// A signature of a service account.
public struct AdminSignature: Sendable, Hashable {
  /// The address of the account.
  public var account: String
  /// The bytes of the signature.
  public var bytes: [UInt8]

  /// Creates a signature.
  ///
  /// - Parameters:
  ///   - account: the address of the account.
  ///   - bytes: the bytes of the signature.
  public init(account: String, bytes: [UInt8]) {
    self.account = account
    self.bytes = bytes
  }
}
