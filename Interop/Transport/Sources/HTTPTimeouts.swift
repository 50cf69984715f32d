/// Limits on the duration of the phases of an exchange. ``TransportRequest/deadline`` limits the whole
/// exchange.
///
/// Each product has a setting of this type, `timeouts`, with its own defaults, and one for the whole:
/// `timeoutInterval` in Auth, App Check and the calls of Functions; `maxTransferTime` and the times of
/// retries in Storage.
///
/// All are precise to the millisecond. When one passes, the exchange ends with an error whose
/// ``TransportError/timeout`` names it. Each redirect restarts them. libcurl's transport applies them;
/// `URLSession`'s and backends within the process apply only the deadline of the whole exchange.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The maximum duration until the connection can be used: waiting for a free connection, name lookup,
  /// connecting and the TLS handshake; 30 seconds by default, `nil` for no limit. When it passes, nothing has
  /// been sent, and the error is ``TransportError/Code/unreachable``.
  public var connecting: Duration?
  /// The maximum duration from the end of the request to the first byte of the response; `nil`, which is the
  /// default, for no limit.
  public var firstByte: Duration?
  /// The maximum duration without progress while the body of the request or the response is being
  /// transferred; 60 seconds by default, `nil` for no limit. The time that the caller takes to provide or to
  /// read the body doesn't count.
  public var inactivity: Duration?

  /// Creates timeouts. See the properties for the defaults.
  public init(
    connecting: Duration? = .seconds(30), firstByte: Duration? = nil, inactivity: Duration? = .seconds(60)
  ) {
    self.connecting = connecting
    self.firstByte = firstByte
    self.inactivity = inactivity
  }
}
