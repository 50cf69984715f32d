package import TenonFoundation
import TenonJSON

/// The answer to a forward POST: `[back channel present, last number sent, bytes outstanding]`.
package struct ForwardAnswer: Sendable, Hashable {
  /// Whether a back channel of the session is open.
  package var hasBackChannel: Bool
  /// The number of the last entry that the server has sent.
  package var lastNumber: MessageNumber
  /// The bytes that were sent and aren't acknowledged.
  package var outstandingBytes: Int

  /// Creates an answer.
  package init(hasBackChannel: Bool, lastNumber: MessageNumber, outstandingBytes: Int) {
    self.hasBackChannel = hasBackChannel
    self.lastNumber = lastNumber
    self.outstandingBytes = outstandingBytes
  }

  /// Creates an answer from the text of a frame.
  ///
  /// - Parameter limit: the maximum size of the text in bytes.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badContent``.
  package init(parsing text: [UInt8], limit: Int = ChannelLimits().controlBytes) throws(ChannelError) {
    let json = try? JSON(parsing: Data(text), limit: limit)
    guard let parts = json?.array, parts.count == 3,
      case .int(let present) = parts[0], case .int(let last) = parts[1], case .int(let bytes) = parts[2]
    else { throw ChannelError(.badContent, "The answer to a POST isn't an array of three numbers.") }
    hasBackChannel = present != 0
    lastNumber = Int(clamping: last)
    outstandingBytes = Int(clamping: bytes)
  }

  /// The frame with the answer.
  package var frame: Data {
    FrameWriter.frame(Array("[\(hasBackChannel ? 1 : 0),\(lastNumber),\(outstandingBytes)]".utf8))
  }
}
