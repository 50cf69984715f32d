package import TenonFoundation

/// A numbered entry of a frame that the server sends: `[number, [content]]`.
package struct ChannelEntry: Sendable, Hashable {
  /// What an entry says.
  package enum Content: Sendable, Hashable {
    /// The first entry of a session: `["c", …]`.
    case handshake(ChannelHandshake)
    /// `["noop"]`: keeps the connection busy.
    case noop
    /// `["close"]`: the server has ended the session in an orderly way.
    case close
    /// `["stop"]`: the server has aborted the session.
    case stop
    /// `[{"error": …}]`: the call has failed.
    case failure(ChannelFailure)
    /// The JSON text of a message. See ``ChannelMessage/payload``.
    case message(Data)
  }

  /// The number: 0 for the handshake, one more for each further entry.
  package let number: MessageNumber
  /// What the entry says.
  package let content: Content

  /// Creates an entry.
  package init(number: MessageNumber, content: Content) {
    self.number = number
    self.content = content
  }
}
