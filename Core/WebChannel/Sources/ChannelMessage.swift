package import TenonFoundation

/// The number of a message of a channel, counted from 0 by its sender.
package typealias MessageNumber = Int

/// A message that a channel delivers.
package struct ChannelMessage: Sendable, Hashable, CustomStringConvertible {
  /// The number that its sender gave it: its `ofs` if the client sent it, the number of its entry if the
  /// server did.
  package let number: MessageNumber
  /// The JSON text of the message in UTF-8, exactly as it was received. It is valid UTF-8 with balanced
  /// brackets; its parser finds out whether it is valid JSON. It may be a slice that shares the memory of the
  /// frame it was received in.
  package let payload: Data

  /// Creates a message.
  package init(number: MessageNumber, payload: Data) {
    self.number = number
    self.payload = payload
  }

  /// What the message counts against the limits for bytes: its payload and a fixed amount for itself.
  package var cost: Int { Self.cost(of: payload) }

  /// Returns what a message with this payload counts against the limits for bytes.
  package static func cost(of payload: Data) -> Int { payload.count + 64 }

  /// The number and the size, without the content.
  package var description: String { "message \(number) of \(payload.count) bytes" }
}
