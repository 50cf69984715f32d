/// The times and limits of a server's session.
package struct ServerSettings: Sendable, Hashable {
  /// The longest time without bytes on a back channel, after which a `noop` is sent. Default: 30 s.
  package var keepAlive: Duration = .seconds(30)
  /// The longest life of a back channel's response. Default: 60 s.
  package var backChannelTime: Duration = .seconds(60)
  /// The wait of a long poll if the client doesn't set one. Default: 25 s. A client's is limited to
  /// ``backChannelTime``.
  package var longPollingTimeout: Duration = .seconds(25)
  /// The time without a back channel and without a request after which the session ends. Default: 5 min.
  package var idleTime: Duration = .seconds(300)
  /// The time after `close` or a failure in which the client can still fetch it. Default: 30 s.
  package var closingTime: Duration = .seconds(30)
  /// The number of entries that weren't acknowledged, from which on the session wants no more. Default:
  /// 1,000.
  package var outboxEntries = 1_000
  /// The size of these entries in bytes, likewise. Default: 4 MiB. The entry that reaches the limit may be of
  /// any size.
  package var outboxBytes = 4 << 20
  /// The size in bytes from which on entries are sent in several frames. Default: 256 KiB.
  package var frameBytes = 256 << 10
  /// The maximum number of messages that wait for a message before them. Default: 1,000.
  package var reorderedMessages = 1_000
  /// The maximum size of these messages in bytes. Default: 4 MiB.
  package var reorderedBytes = 4 << 20

  /// Creates the default settings.
  package init() {}
}
