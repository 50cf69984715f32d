/// The times and limits of a client's channel. The defaults are those of Google's clients where they have
/// one, unless a comment says otherwise.
package struct ClientSettings: Sendable, Hashable {
  /// The time from the handshake's request to its answer. Default: 15 s.
  package var handshakeTimeout: Duration = .seconds(15)
  /// The time from a POST to its answer, after which it is repeated. Default: 60 s.
  package var postTimeout: Duration = .seconds(60)
  /// The longest time without bytes that the server is assumed to keep, if it doesn't say it. Default: 30 s.
  /// After 1.5 times as long, a back channel is opened again.
  package var keepAlive: Duration = .seconds(30)
  /// The first part of the delay before a back channel or a POST is repeated, for each attempt but the first.
  /// Default: 1 s; 5 s, and more with each attempt, in Google's clients, whose listeners therefore stand still
  /// for up to 15 s after a cut of one second.
  package var retryDelay: Duration = .seconds(1)
  /// The maximum of the random part of that delay. Default: 1 s.
  package var retryJitter: Duration = .seconds(1)
  /// How many back channels are opened in turn without receiving an entry before the channel ends. Default:
  /// 3, after the first.
  package var backChannelRetries = 3
  /// How often a POST is repeated before the channel ends. Default: 2.
  package var postRetries = 2
  /// The minimum time in which the first byte of a back channel must arrive before the channel changes to
  /// long polling, on fast networks, where four times the duration of the handshake is less. Default: 2 s.
  package var bufferingDelay: Duration = .seconds(2)
  /// Whether a proxy that forwards responses only at their end is detected. Default: yes.
  package var detectsBuffering = true
  /// Whether the channel begins with long polling. Default: no.
  package var usesLongPolling = false
  /// The longest time that a long poll waits. Default: 25 s.
  package var longPollingTimeout: Duration = .seconds(25)
  /// Whether back channels use the host prefix of the handshake. Default: yes.
  package var usesHostPrefix = true
  /// The maximum number of messages in a POST. Default: 1,000.
  package var postMessages = 1_000
  /// The maximum size of a POST's body in bytes; a larger single message is sent alone. Default: 4 MiB.
  package var postBytes = 4 << 20
  /// The maximum number of messages that wait to be sent or acknowledged. Default: 10,000.
  package var queuedMessages = 10_000
  /// The maximum size of these messages in bytes. Default: 32 MiB.
  package var queuedBytes = 32 << 20
  /// The size of messages that were delivered and not consumed, in bytes, above which no more is read.
  /// Default: 4 MiB.
  package var unconsumedBytes = 4 << 20
  /// The limits for frames.
  package var limits = ChannelLimits()

  /// Creates the default settings.
  package init() {}
}
