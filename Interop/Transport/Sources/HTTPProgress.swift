/// The number of bytes of the bodies that an exchange has transferred.
public struct HTTPProgress: Sendable, Hashable {
  /// The number of bytes of the request's body that were sent.
  public var sent: Int64
  /// The size of the request's body; `nil` if it isn't known in advance.
  public var totalToSend: Int64?
  /// The number of bytes of the response's body that were received, before decompression.
  public var received: Int64
  /// The size of the response's body before decompression; `nil` if the server hasn't stated it.
  public var totalToReceive: Int64?

  /// Creates a progress; by default, that of an exchange without bodies.
  public init(
    sent: Int64 = 0, totalToSend: Int64? = nil, received: Int64 = 0, totalToReceive: Int64? = nil
  ) {
    self.sent = sent
    self.totalToSend = totalToSend
    self.received = received
    self.totalToReceive = totalToReceive
  }
}
