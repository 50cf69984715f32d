import TenonFoundation

/// The reason why bytes, a request or a message of a channel aren't accepted.
///
/// The texts name positions, numbers and limits. They never quote what was received, which may contain
/// credentials.
package struct ChannelError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error.
  package struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `bad-frame`.
    package let rawValue: String

    /// Creates a code.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The length of a frame isn't a decimal number, or not that of its text.
    package static let badFrame = Code(rawValue: "bad-frame")
    /// A frame, a query or a form isn't valid UTF-8.
    package static let badUnicode = Code(rawValue: "bad-unicode")
    /// A frame or a query exceeds its limit.
    package static let tooLarge = Code(rawValue: "too-large")
    /// The content of a frame isn't a list of numbered messages, or not what is expected at this point.
    package static let badContent = Code(rawValue: "bad-content")
    /// The number of a message doesn't follow the number of the previous one, so that a message was lost.
    package static let gap = Code(rawValue: "gap")
    /// A query or a form of a request violates the protocol.
    package static let badRequest = Code(rawValue: "bad-request")
    /// A queue is full. Try again when messages have left it.
    package static let full = Code(rawValue: "full")
    /// The channel has ended or is ending.
    package static let ended = Code(rawValue: "ended")
  }

  /// The kind of error.
  package let code: Code
  /// A sentence in English that says what is wrong and what to do.
  package let message: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of error.
  ///   - message: a sentence in English that quotes nothing from outside.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message and the code, as in `"A frame has no length. (bad-frame)"`.
  package var description: String { "\(message) (\(code.rawValue))" }
  /// The same text as ``description``.
  package var errorDescription: String? { description }
}
